//! The document as its author wrote it: what the editor saves and what people review.
//!
//! Nothing here is checked beyond its shape; [`crate::Graph`] is the checked form.

use mnemograph_compact::{FromJson, SortedMap};
use serde::Serialize;
use serde_json::{Map, Value};

#[cfg(feature = "ts")]
use crate::policy::{LimitsDocument, OnErrorDocument};
use crate::policy::{Missing, Requires};

/// The value of `format` in every graph document.
pub const FORMAT: &str = "mnemograph";
/// The newest format version that this crate reads.
pub const FORMAT_VERSION: u64 = 1;

/// A graph document.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "GraphDocument"))]
pub struct Document {
    /// Always `"mnemograph"`.
    #[cfg_attr(feature = "ts", ts(type = "\"mnemograph\""))]
    pub format: String,
    /// Always 1.
    #[cfg_attr(feature = "ts", ts(type = "1"))]
    pub format_version: u64,
    /// Identity of the graph: part of the key of everything that its nodes remember. 1 to 200 characters.
    pub id: String,
    /// What people call the graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub name: Option<String>,
    /// What the graph is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub description: Option<String>,
    /// The nodes; their order means nothing.
    pub nodes: Vec<NodeDocument>,
    /// The edges; their order decides ties.
    #[cfg_attr(feature = "ts", ts(as = "Option<Vec<EdgeDocument>>", optional))]
    pub edges: Vec<EdgeDocument>,
    /// Sub-graphs by key, which nodes of type `subgraph` and tools of the whole document may use.
    #[serde(default, skip_serializing_if = "SortedMap::is_empty")]
    #[cfg_attr(
        feature = "ts",
        ts(
            as = "Option<std::collections::BTreeMap<String, SubGraphDocument>>",
            optional
        )
    )]
    pub graphs: SortedMap<String, SubGraphDocument>,
    /// Changes to the default limits.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[cfg_attr(feature = "ts", ts(as = "Option<LimitsDocument>", optional))]
    pub limits: Map<String, Value>,
    /// What the host must offer beside what the nodes name.
    #[serde(default, skip_serializing_if = "Requires::is_empty")]
    #[cfg_attr(feature = "ts", ts(as = "Option<Requires>", optional))]
    pub requires: Requires,
    /// What becomes of a value that a template prints and that is not there, in all graphs of the document. `error`.
    #[serde(default, skip_serializing_if = "Missing::is_error")]
    #[cfg_attr(feature = "ts", ts(as = "Option<Missing>", optional))]
    pub missing: Missing,
    /// Data of the editor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub ui: Option<Map<String, Value>>,
    /// Keys that begin with `x-`: kept and ignored.
    #[serde(flatten)]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub extra: Map<String, Value>,
}

/// A graph inside of a document. Its identity is its key; limits are those of the document.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct SubGraphDocument {
    /// What people call the sub-graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub name: Option<String>,
    /// What the sub-graph is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub description: Option<String>,
    /// The nodes; their order means nothing.
    pub nodes: Vec<NodeDocument>,
    /// The edges; their order decides ties.
    #[cfg_attr(feature = "ts", ts(as = "Option<Vec<EdgeDocument>>", optional))]
    pub edges: Vec<EdgeDocument>,
    /// Data of the editor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub ui: Option<Map<String, Value>>,
    /// Keys that begin with `x-`: kept and ignored.
    #[serde(flatten)]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub extra: Map<String, Value>,
}

/// A node of a document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct NodeDocument {
    /// `[A-Za-z_][A-Za-z0-9_]{0,63}`, unique in the graph.
    pub id: String,
    /// Name of the node type.
    #[serde(rename = "type")]
    pub node_type: String,
    /// Version of the node type; 1 if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub type_version: Option<u64>,
    /// What people call the node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub title: Option<String>,
    /// The settings of the node type.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    #[cfg_attr(feature = "ts", ts(as = "Option<Map<String, Value>>", optional))]
    pub settings: Map<String, Value>,
    /// Id of the container in whose body the node stands.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub parent: Option<String>,
    /// What happens when the node fails.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(as = "Option<OnErrorDocument>", optional))]
    pub on_error: Option<Map<String, Value>>,
    /// Time limit of one attempt, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub timeout_ms: Option<u64>,
    /// The node is left out of runs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "ts", ts(as = "Option<bool>", optional))]
    pub disabled: bool,
    /// Earlier ids whose stored state this node takes over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(as = "Option<Vec<String>>", optional))]
    pub renamed_from: Vec<String>,
    /// Data of the editor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub ui: Option<Map<String, Value>>,
    /// Keys that begin with `x-`: kept and ignored.
    #[serde(flatten)]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub extra: Map<String, Value>,
}

/// An edge of a document.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct EdgeDocument {
    /// Identity for editors; unique if given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub id: Option<String>,
    /// What the edge carries.
    #[serde(rename = "type")]
    pub edge_type: EdgeType,
    /// `"node.port"` where it begins.
    pub from: String,
    /// `"node.port"` where it ends.
    pub to: String,
    /// Data of the editor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub ui: Option<Map<String, Value>>,
    /// Keys that begin with `x-`: kept and ignored.
    #[serde(flatten)]
    #[cfg_attr(feature = "ts", ts(skip))]
    pub extra: Map<String, Value>,
}

/// What an edge carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum EdgeType {
    /// Control.
    Run,
    /// A value.
    Data,
    /// A memory for an agent.
    LinkMemory,
    /// A model for an agent.
    LinkLlm,
    /// Further abilities for an agent.
    LinkExtension,
    /// A tool for an agent.
    LinkTool,
    /// A variable for a step that writes it.
    LinkVar,
}

impl EdgeType {
    /// Every type.
    pub const ALL: &'static [EdgeType] = &[
        EdgeType::Run,
        EdgeType::Data,
        EdgeType::LinkMemory,
        EdgeType::LinkLlm,
        EdgeType::LinkExtension,
        EdgeType::LinkTool,
        EdgeType::LinkVar,
    ];

    /// The name as it appears in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            EdgeType::Run => "run",
            EdgeType::Data => "data",
            EdgeType::LinkMemory => "link_memory",
            EdgeType::LinkLlm => "link_llm",
            EdgeType::LinkExtension => "link_extension",
            EdgeType::LinkTool => "link_tool",
            EdgeType::LinkVar => "link_var",
        }
    }

    /// Whether edges of this type link a resource.
    pub fn is_link(self) -> bool {
        !matches!(self, EdgeType::Run | EdgeType::Data)
    }
}
