//! What the host offers, as graphs are planned with it.

use mnemograph_compact::{FromJson, SortedMap};
use mnemograph_graph::HostNode;
use mnemograph_memory::ModelRef;
use serde::Serialize;
use serde_json::Value;

/// A tool that the host registered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct HostTool {
    /// What it does, for the model.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of the arguments.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub parameters: Value,
    /// Whether a person is asked before each call. A `tool` node can only tighten it.
    #[serde(default)]
    pub approval: Approval,
}

/// Whether a person is asked before a tool is called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Approval {
    /// It is called at once.
    #[default]
    Auto,
    /// A person must agree to each call.
    Ask,
    /// It is never called.
    Deny,
}

/// What the host offers: the names that graphs may use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct HostCatalogue {
    /// Models by name, with their provider and id where the host knows them.
    #[serde(default)]
    #[cfg_attr(
        feature = "ts",
        ts(as = "std::collections::BTreeMap<String, Option<ModelRef>>")
    )]
    pub models: SortedMap<String, Option<ModelRef>>,
    /// Tools by name.
    #[serde(default)]
    #[cfg_attr(
        feature = "ts",
        ts(as = "std::collections::BTreeMap<String, HostTool>")
    )]
    pub tools: SortedMap<String, HostTool>,
    /// Names of the functions for `call` nodes.
    #[serde(default)]
    pub functions: Vec<String>,
    /// Node types.
    #[serde(default)]
    pub nodes: Vec<HostNode>,
}
