//! What the package hands over, and how it is read.

use mnemograph_compact::{Fault, Fields, FromJson, json_struct, json_words};
use mnemograph_engine::{Failure, HostCatalogue, HostTool};
use mnemograph_memory::{Message, ModelRef, Part};
use mnemograph_runtime::{Delivery, ResumeOptions};
use serde::Deserialize;
use serde_json::{Map, Value};

/// What a runtime is opened with.
#[derive(Debug)]
pub(crate) struct HandleConfig {
    pub(crate) database: String,
    pub(crate) namespace: String,
    pub(crate) storage: StorageKind,
    models: Vec<ModelEntry>,
    tools: Vec<ToolEntry>,
    functions: Vec<String>,
    pub(crate) env: Map<String, Value>,
}

/// A model by its name, with what the host knows of it.
#[derive(Debug)]
enum ModelEntry {
    Name(String),
    Known {
        name: String,
        model: Option<ModelRef>,
    },
}

#[derive(Debug)]
struct ToolEntry {
    name: String,
    tool: HostTool,
}

/// Which storage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StorageKind {
    #[default]
    Indexeddb,
    Memory,
    Custom,
}

json_words!(StorageKind);

json_struct! {
    HandleConfig { database, namespace, storage, models: default, tools: default, functions: default, env: default }
    StartInput {
        run_id,
        text,
        message,
        attachments: default,
        thread,
        actor,
        trigger,
        event: default,
        record: default,
        data: default,
        locked: default,
    }
    Create { id, actor, title }
    Answer {
        run_id,
        interrupt,
        action,
        data: default,
        allow_changed_graph: default,
        locked: default,
    }
}

impl FromJson for ModelEntry {
    fn from_json(value: Value) -> Result<Self, Fault> {
        if let Value::String(name) = value {
            return Ok(Self::Name(name));
        }
        let mut fields = Fields::of(value);
        let read = Self::Known {
            name: fields.take("name"),
            model: fields.take("model"),
        };
        fields.finish(read)
    }
}

impl FromJson for ToolEntry {
    fn from_json(value: Value) -> Result<Self, Fault> {
        let mut fields = Fields::of(value);
        let read = Self {
            name: fields.take("name"),
            tool: HostTool {
                description: fields.take_or_default("description"),
                parameters: fields.take_or_default("parameters"),
                approval: fields.take_or_default("approval"),
            },
        };
        fields.finish(read)
    }
}

impl HandleConfig {
    pub(crate) fn catalogue(&self) -> HostCatalogue {
        let models = self.models.iter().map(|entry| match entry {
            ModelEntry::Name(name) => (name.clone(), None),
            ModelEntry::Known { name, model } => (name.clone(), model.clone()),
        });
        let tools = self
            .tools
            .iter()
            .map(|entry| (entry.name.clone(), entry.tool.clone()));
        HostCatalogue {
            models: models.collect(),
            tools: tools.collect(),
            functions: self.functions.clone(),
        }
    }
}

/// What a run is started with.
#[derive(Debug)]
pub(crate) struct StartInput {
    pub(crate) run_id: String,
    pub(crate) text: Option<String>,
    pub(crate) message: Option<Message>,
    pub(crate) attachments: Vec<Part>,
    pub(crate) thread: Option<String>,
    pub(crate) actor: Option<String>,
    pub(crate) trigger: Option<String>,
    pub(crate) event: String,
    pub(crate) record: bool,
    pub(crate) data: Value,
    pub(crate) locked: bool,
}

/// A person's answer to a run that waits.
#[derive(Debug)]
pub(crate) struct Answer {
    run_id: String,
    interrupt: String,
    action: String,
    data: Value,
    allow_changed_graph: bool,
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
#[derive(Debug)]
pub(crate) struct Create {
    pub(crate) id: String,
    pub(crate) actor: Option<String>,
    pub(crate) title: Option<String>,
}

/// Reads an answer of the host: `delta`, `done` or `error`.
pub(crate) fn delivery(kind: &str, payload: &str) -> Delivery {
    match kind {
        "delta" => Delivery::Delta(payload.to_owned()),
        "done" => Delivery::Done(payload.to_owned()),
        _ => Delivery::Error(serde_json::from_str(payload).unwrap_or_else(|error| {
            Failure::new(
                "E_INTERNAL",
                format!("A failure was reported that cannot be read: {error}."),
            )
        })),
    }
}
