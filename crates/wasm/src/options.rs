//! What the package hands over, and how it is read.

use crate::error::plain_error;
use mnemograph_compact::{Fault, FromJson};
use mnemograph_engine::{Approval, Failure, HostCatalogue, HostNode, HostTool};
use mnemograph_memory::{Message, ModelRef, Part};
use mnemograph_runtime::{Delivery, ResumeOptions};
use serde_json::{Map, Value};
use wasm_bindgen::JsValue;

/// What a runtime is opened with.
#[derive(Debug, FromJson)]
pub(crate) struct HandleConfig {
    pub(crate) database: String,
    pub(crate) namespace: String,
    pub(crate) storage: StorageKind,
    #[serde(default)]
    models: Vec<ModelEntry>,
    #[serde(default)]
    tools: Vec<ToolEntry>,
    #[serde(default)]
    functions: Vec<String>,
    #[serde(default)]
    nodes: Vec<HostNode>,
    #[serde(default)]
    pub(crate) env: Map<String, Value>,
    /// Whether the host is told of what is committed and of a database that is lost.
    #[serde(default)]
    pub(crate) watch: bool,
}

/// A model with what the host knows of it; one of which nothing is known is given by its name alone.
#[derive(Debug)]
struct ModelEntry {
    name: String,
    model: Option<ModelRef>,
}

#[derive(Debug, FromJson)]
struct KnownModel {
    name: String,
    model: Option<ModelRef>,
}

#[derive(Debug, FromJson)]
struct ToolEntry {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    parameters: Value,
    #[serde(default)]
    approval: Approval,
}

/// Which storage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, FromJson)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StorageKind {
    #[default]
    Indexeddb,
    Memory,
    Custom,
}

impl FromJson for ModelEntry {
    fn from_json(value: Value) -> Result<Self, Fault> {
        let (name, model) = match value {
            Value::String(name) => (name, None),
            value => {
                let known = KnownModel::from_json(value)?;
                (known.name, known.model)
            }
        };
        Ok(Self { name, model })
    }
}

impl HandleConfig {
    /// A node type of the host has a name of its own.
    pub(crate) fn check(&self) -> Result<(), JsValue> {
        let own = |node: &&HostNode| mnemograph_graph::catalogue::spec(&node.node_type).is_some();
        match self.nodes.iter().find(own) {
            None => Ok(()),
            Some(node) => Err(plain_error(
                "E_SETTING",
                &format!(
                    "The node type \"{}\" is built in; give yours another name.",
                    node.node_type
                ),
            )),
        }
    }

    pub(crate) fn catalogue(&self) -> HostCatalogue {
        let models = self
            .models
            .iter()
            .map(|entry| (entry.name.clone(), entry.model.clone()));
        let tool = |entry: &ToolEntry| HostTool {
            description: entry.description.clone(),
            parameters: entry.parameters.clone(),
            approval: entry.approval,
        };
        let tools = self
            .tools
            .iter()
            .map(|entry| (entry.name.clone(), tool(entry)));
        HostCatalogue {
            models: models.collect(),
            tools: tools.collect(),
            functions: self.functions.clone(),
            nodes: self.nodes.clone(),
        }
    }
}

/// What a run is started with.
#[derive(Debug, FromJson)]
pub(crate) struct StartInput {
    pub(crate) run_id: String,
    pub(crate) text: Option<String>,
    pub(crate) message: Option<Message>,
    #[serde(default)]
    pub(crate) attachments: Vec<Part>,
    pub(crate) thread: Option<String>,
    pub(crate) actor: Option<String>,
    pub(crate) trigger: Option<String>,
    #[serde(default)]
    pub(crate) event: String,
    #[serde(default)]
    pub(crate) record: bool,
    #[serde(default)]
    pub(crate) brief: bool,
    #[serde(default)]
    pub(crate) data: Value,
    #[serde(default)]
    pub(crate) locked: bool,
}

/// A person's answer to a run that waits.
#[derive(Debug, FromJson)]
pub(crate) struct Answer {
    run_id: String,
    interrupt: String,
    action: String,
    #[serde(default)]
    data: Value,
    #[serde(default)]
    allow_changed_graph: bool,
    #[serde(default)]
    locked: bool,
}

impl From<Answer> for ResumeOptions {
    fn from(answer: Answer) -> Self {
        Self {
            run_id: answer.run_id,
            interrupt: answer.interrupt,
            action: answer.action,
            data: answer.data,
            allow_changed_graph: answer.allow_changed_graph,
            is_locked: answer.locked,
        }
    }
}

/// A thread to be made known.
#[derive(Debug, FromJson)]
pub(crate) struct Create {
    pub(crate) id: String,
    pub(crate) actor: Option<String>,
    pub(crate) title: Option<String>,
}

/// Reads an answer of the host: `delta`, `done`, `ask` or `error`.
pub(crate) fn delivery(kind: &str, payload: &str) -> Delivery {
    match kind {
        "delta" => Delivery::Delta(payload.to_owned()),
        "done" => Delivery::Done(payload.to_owned()),
        "ask" => Delivery::Ask,
        _ => Delivery::Error(serde_json::from_str(payload).unwrap_or_else(|error| {
            Failure::new(
                "E_INTERNAL",
                format!("A failure was reported that cannot be read: {error}."),
            )
        })),
    }
}
