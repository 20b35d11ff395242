//! What the package hands over, and how it is read.

use mnemograph_engine::{Failure, HostCatalogue, HostTool};
use mnemograph_memory::{Message, ModelRef, Part};
use mnemograph_runtime::Delivery;
use serde::Deserialize;
use serde_json::{Map, Value};

/// What a runtime is opened with.
#[derive(Debug, Deserialize)]
pub(crate) struct HandleConfig {
    pub(crate) database: String,
    pub(crate) namespace: String,
    pub(crate) storage: StorageKind,
    #[serde(default)]
    models: Vec<ModelEntry>,
    #[serde(default)]
    tools: Vec<ToolEntry>,
    #[serde(default)]
    pub(crate) env: Map<String, Value>,
}

/// A model by its name, with what the host knows of it.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum ModelEntry {
    Name(String),
    Known {
        name: String,
        model: Option<ModelRef>,
    },
}

#[derive(Debug, Deserialize)]
struct ToolEntry {
    name: String,
    #[serde(flatten)]
    tool: HostTool,
}

/// Which storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum StorageKind {
    Indexeddb,
    Memory,
    Custom,
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
        }
    }
}

/// What a run is started with.
#[derive(Debug, Deserialize)]
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
    pub(crate) data: Value,
    #[serde(default)]
    pub(crate) locked: bool,
}

/// A thread to be made known.
#[derive(Debug, Deserialize)]
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
