#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

pub mod catalogue;
mod check;
mod coerce;
mod document;
mod fields;
mod getters;
mod graph;
mod hash;
mod host_node;
pub mod json;
mod json_path;
mod nodes;
mod policy;
mod print;
mod problem;
mod read;
mod schema;
mod setting;
mod settings;
mod suggest;
mod template_settings;
mod upgrade;
mod values;

pub use catalogue::{NodeSpec, Port, SettingSpec, TemplateKind};
pub use coerce::{Coerced, Column, MAX_CELLS, MAX_VALUE_DEPTH, Table, coerce};
pub use document::{
    Document, EdgeDocument, EdgeType, FORMAT, FORMAT_VERSION, NodeDocument, SubGraphDocument,
};
pub use graph::{Edge, EdgeIx, Graph, Node, NodeIx};
pub use host_node::{HostNode, HostNodes, HostPort};
pub use json::{MAX_BYTES, MAX_DEPTH};
pub use json_path::JsonPath;
pub use nodes::{
    AgentMemory, AiAgent, AskUser, BodyType, Call, ChatHistory, Class, Classifier, Coalesce,
    Condition, ConditionCase, Emit, EventTrigger, Extract, Fail, ForEach, GraphInput, HttpMethod,
    HttpRequest, HumanApproval, InputDecl, Json, JsonOp, List, LlmModel, LlmResponse, LoopTest,
    ManagerOp, Memory, MemoryManager, Merge, OnItemError, OnLimit, Output, Regex, Reply, Retention,
    Rule, RuleOp, Scope, Set, SetField, Settings, Stop, StopStatus, Subgraph, SummaryMemory,
    SummaryPlacement, Switch, SwitchCase, Text, TokenGuard, Tool, ToolErrors, ToolRun, Var, VarOp,
    VarSet, When, WhileLoop, WindowMemory, compile_regex, input_schema,
};
pub use policy::{ErrorMode, LIMITS, Limits, Missing, ON_ERROR, OnError, Requires, Retry};
pub use print::compact_json;
pub use problem::{Code, MAX_LISTED, Pointer, Problem, Severity};
pub use read::{MAX_EDGES, MAX_NODES};
pub use schema::schema;
pub use suggest::nearest;
pub use template_settings::{TemplateSetting, templates};
pub use values::ValueType;

use problem::Problems;
use suggest::Suggest;

/// What [`parse`] finds.
#[derive(Debug)]
pub struct Parsed {
    /// The graph, if the document has no error.
    pub graph: Option<Graph>,
    /// Every problem: structure first, then nodes, edges and the whole, each in the order of the document.
    pub problems: Vec<Problem>,
    /// Problems beyond [`MAX_LISTED`] errors or warnings, which are counted only.
    pub omitted: usize,
    /// The semantic hash, if the document has no error.
    pub hash: Option<String>,
}

/// As [`parse_for`] where no host has node types of its own.
pub fn parse(text: &str) -> Parsed {
    parse_for(text, &HostNodes::new())
}

/// Reads and judges a graph document that may use node types of the host. Never panics and takes time proportional
/// to the text, whatever the text is.
pub fn parse_for(text: &str, hosts: &HostNodes) -> Parsed {
    let mut problems = Problems::default();
    let graph = read_graph(text, hosts, &mut problems);
    let (problems, omitted) = problems.into_parts();
    let hash = graph.as_ref().map(|graph| graph.hash.clone());
    Parsed {
        graph,
        problems,
        omitted,
        hash,
    }
}

fn read_graph(text: &str, hosts: &HostNodes, problems: &mut Problems) -> Option<Graph> {
    let suggest = &mut Suggest::new();
    let value = json::read(text, problems)?;
    let read = read::document(value, suggest, problems)?;
    let draft = check::check(read, hosts, suggest, problems);
    if problems.errors() > 0 {
        return None;
    }
    let hash = hash::semantic(&draft);
    let graph = Graph::new(draft, hash);
    if graph.is_none() {
        problems.add(Problem::new(
            Code::Internal,
            "The document has no error, and yet a node or an edge of it was not understood.",
            "This is a fault of mnemograph; please report it with this document.",
        ));
    }
    graph
}
