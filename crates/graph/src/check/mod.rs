//! [`ReadDocument`] → [`Draft`]: what the document means, with every problem in it.
//!
//! A problem that only follows from another is not reported: edges of a node whose type is unknown are not
//! judged, and what depends on the whole graph waits until every type is known.

use mnemograph_compact::{SortedMap, SortedSet};

use serde_json::{Map, Value};

use crate::catalogue::{Kind, NodeSpec, OpenedBy};
use crate::document::{Document, EdgeType, NodeDocument};
use crate::nodes::Settings;
use crate::policy::{LIMITS, Limits, OnError};
use crate::problem::{Code, Pointer, Problem, Problems, quote};
use crate::read::{ReadDocument, ReadEdge, ReadNode};
use crate::settings::{Place, Unknown, complete};
use crate::suggest::Suggest;

mod cycles;
mod edges;
mod ends;
mod flow;
mod node;
mod shared;

/// A document whose nodes and edges are resolved as far as they could be.
pub(crate) struct Draft {
    pub(crate) document: Document,
    pub(crate) limits: Limits,
    pub(crate) limits_map: Map<String, Value>,
    pub(crate) nodes: Vec<DraftNode>,
    pub(crate) wires: Vec<Wire>,
    doubts: ends::Doubts,
    /// Nodes or edges could not be read.
    is_partial: bool,
}

/// A node with its type and settings.
pub(crate) struct DraftNode {
    pub(crate) path: Pointer,
    pub(crate) document: NodeDocument,
    /// `None`: the type is unknown.
    pub(crate) spec: Option<&'static NodeSpec>,
    /// The complete settings.
    pub(crate) map: Map<String, Value>,
    /// The complete `on_error`.
    pub(crate) on_error_map: Map<String, Value>,
    /// `None`: they are wrong.
    pub(crate) settings: Option<Settings>,
    pub(crate) on_error: OnError,
}

impl DraftNode {
    pub(crate) fn id(&self) -> &str {
        &self.document.id
    }

    fn kind(&self) -> Option<Kind> {
        self.spec.map(|spec| spec.kind)
    }

    fn is_type(&self, node_type: &str) -> bool {
        self.document.node_type == node_type
    }

    fn is_enabled(&self) -> bool {
        !self.document.disabled
    }

    /// Whether the port that needs this opener is there.
    fn is_open(&self, opened_by: Option<OpenedBy>) -> bool {
        match opened_by {
            None => true,
            Some(OpenedBy::Setting(name)) => self.map.get(name) == Some(&Value::Bool(true)),
            Some(OpenedBy::ErrorBranch) => self.on_error.mode == crate::policy::ErrorMode::Branch,
        }
    }

    /// The settings that open ports and are on.
    pub(crate) fn openers(&self) -> Vec<&'static str> {
        let ports = self.spec.into_iter().flat_map(NodeSpec::all_ports);
        ports
            .filter(|port| self.is_open(port.opened_by))
            .filter_map(|port| match port.opened_by {
                Some(OpenedBy::Setting(name)) => Some(name),
                Some(OpenedBy::ErrorBranch) | None => None,
            })
            .collect()
    }

    fn problem(&self, code: Code, message: String, hint: impl Into<String>) -> Problem {
        Problem::new(code, message, hint)
            .node(self.id())
            .at(&self.path)
    }
}

/// An edge whose ends exist.
pub(crate) struct Wire {
    /// Place in the document.
    pub(crate) index: usize,
    pub(crate) edge_type: EdgeType,
    /// Index into the nodes of the draft.
    pub(crate) from: usize,
    pub(crate) from_port: String,
    /// Index into the nodes of the draft.
    pub(crate) to: usize,
    pub(crate) to_port: String,
}

/// Judges a document.
pub(crate) fn check(read: ReadDocument, suggest: &mut Suggest, problems: &mut Problems) -> Draft {
    let ReadDocument {
        head,
        nodes,
        edges,
        is_partial,
    } = read;
    let path = Pointer::root().key("limits");
    let place = Place {
        node: None,
        owner: "\"limits\"",
        path: &path,
    };
    let limits_map = complete(
        LIMITS,
        &head.limits,
        Unknown::Refuse,
        place,
        suggest,
        problems,
    );
    let limits = serde_json::from_value(Value::Object(limits_map.clone())).unwrap_or_default();

    let nodes = judge_nodes(nodes, suggest, problems);
    let ids = nodes
        .iter()
        .enumerate()
        .map(|(index, node)| (node.document.id.as_str(), index))
        .collect();
    let edges = edges_with_own_ids(edges, problems);
    let ends::Resolved { wires, doubts } = ends::resolve(&edges, &nodes, &ids, suggest, problems);

    let mut draft = Draft {
        document: head,
        limits,
        limits_map,
        nodes,
        wires,
        doubts,
        is_partial,
    };
    edges::judge(&draft, problems);
    let is_acyclic = cycles::judge(&draft, problems);
    if !draft.is_partial {
        flow::judge(&draft, problems);
        if is_acyclic {
            shared::judge(&draft, problems);
        }
    }
    let (nodes, edges) = (
        draft.nodes.iter().map(|node| node.document.clone()),
        edges.into_iter().map(|read| read.edge),
    );
    draft.document.nodes = nodes.collect();
    draft.document.edges = edges.collect();
    draft
}

/// Judges each node by itself. Of two nodes with one id the first is kept; the other is judged and left out.
fn judge_nodes(
    nodes: Vec<ReadNode>,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> Vec<DraftNode> {
    let mut taken: SortedMap<String, usize> = SortedMap::new();
    let mut drafts = Vec::with_capacity(nodes.len());
    for read in nodes {
        let first = taken.get(&read.node.id).copied();
        taken.get_or_insert_with(read.node.id.clone(), || read.index);
        let draft = node::judge(read, suggest, problems);
        match first {
            None => drafts.push(draft),
            Some(first) => problems.add(
                draft
                    .problem(
                        Code::DupId,
                        format!(
                            "The id {} is taken by node {first} of the list.",
                            quote(draft.id())
                        ),
                        "Give one of the two nodes another id, and its edges with it.",
                    )
                    .at(&draft.path.key("id")),
            ),
        }
    }
    judge_earlier_ids(&drafts, problems);
    drafts
}

/// State has one heir: an earlier id is neither in use nor claimed twice.
fn judge_earlier_ids(nodes: &[DraftNode], problems: &mut Problems) {
    let present: SortedSet<&str> = nodes.iter().map(DraftNode::id).collect();
    let mut claimed = SortedSet::new();
    for node in nodes {
        for earlier in &node.document.renamed_from {
            let message = if present.contains(earlier.as_str()) {
                format!(
                    "\"renamed_from\" names {}, a node that is still in the graph.",
                    quote(earlier)
                )
            } else if !claimed.insert(earlier) {
                format!(
                    "\"renamed_from\" names {} a second time; its state can move once only.",
                    quote(earlier)
                )
            } else {
                continue;
            };
            problems.add(
                node.problem(Code::DupId, message, "Remove it from \"renamed_from\".")
                    .at(&node.path.key("renamed_from")),
            );
        }
    }
}

/// Edge ids are for editors, which need them to be unique.
fn edges_with_own_ids(edges: Vec<ReadEdge>, problems: &mut Problems) -> Vec<ReadEdge> {
    let mut taken = SortedSet::new();
    for read in &edges {
        if let Some(id) = &read.edge.id
            && !taken.insert(id.as_str())
        {
            problems.add(
                Problem::new(
                    Code::DupId,
                    format!("Two edges have the id {}.", quote(id)),
                    "Give one of them another id, or none.",
                )
                .at(&Pointer::root().key("edges").index(read.index).key("id")),
            );
        }
    }
    edges
}
