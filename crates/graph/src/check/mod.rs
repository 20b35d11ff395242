//! [`ReadDocument`] → [`Draft`]: what the document means, with every problem in it.
//!
//! A problem that only follows from another is not reported: edges of a node whose type is unknown are not
//! judged, and what depends on the whole graph waits until every type is known.

use std::rc::Rc;

use mnemograph_compact::{FromJson, SortedMap, SortedSet};
use serde_json::{Map, Value};

use crate::catalogue::{Direction, Kind, NodeSpec, OpenedBy, Port};
use crate::document::{Document, EdgeType, NodeDocument, SubGraphDocument};
use crate::host_node::HostNodes;
use crate::nodes::Settings;
use crate::policy::{LIMITS, Limits, OnError};
use crate::problem::{Code, Pointer, Problem, Problems, quote};
use crate::read::{ReadBody, ReadDocument, ReadEdge, ReadGraph, ReadNode};
use crate::settings::{Place, Unknown, complete};
use crate::suggest::Suggest;

mod bits;
mod calls;
mod containers;
mod cycles;
mod edges;
mod ends;
mod flow;
mod node;
mod shared;
mod sure;
mod vars;

pub(crate) use sure::Sure;

/// A document whose graphs are resolved as far as they could be.
pub(crate) struct Draft {
    /// Without its nodes, edges and sub-graphs.
    pub(crate) head: Document,
    pub(crate) limits: Limits,
    pub(crate) limits_map: Map<String, Value>,
    pub(crate) root: DraftGraph,
    pub(crate) graphs: Vec<DraftSubGraph>,
}

/// A sub-graph.
pub(crate) struct DraftSubGraph {
    pub(crate) key: String,
    /// Without its nodes and edges.
    pub(crate) head: SubGraphDocument,
    pub(crate) body: DraftGraph,
}

/// One graph, whose nodes and edges are resolved as far as they could be.
pub(crate) struct DraftGraph {
    /// Key, if it is a sub-graph.
    pub(crate) key: Option<String>,
    /// Where it stands in the document.
    pub(crate) path: Pointer,
    pub(crate) nodes: Vec<DraftNode>,
    /// The edges that could be read.
    pub(crate) edges: Vec<ReadEdge>,
    /// Those of them whose ends exist.
    pub(crate) wires: Vec<Wire>,
    /// What has run before what.
    pub(crate) sure: Sure,
    doubts: ends::Doubts,
    /// Nodes or edges could not be read.
    is_partial: bool,
}

impl DraftGraph {
    /// Where an edge stands in the document.
    fn edge_path(&self, wire: &Wire) -> Pointer {
        self.path.key("edges").index(wire.index)
    }
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
    /// The ports that it has by its settings.
    pub(crate) dynamic: Rc<[Port]>,
    /// It runs a sub-graph that answers the person.
    answers: bool,
    /// Not all of its ports are known.
    has_unsure_ports: bool,
    /// The container in which it stands: an index into the nodes of the draft.
    pub(crate) parent: Option<usize>,
    /// It names a container, and none that it could stand in.
    has_unsure_parent: bool,
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

    fn is_container(&self) -> bool {
        self.spec.is_some_and(|spec| spec.is_container)
    }

    /// All its ports, open or not.
    fn ports(&self) -> impl Iterator<Item = &Port> {
        let spec = self.spec.into_iter();
        spec.flat_map(|spec| spec.ports_and(&self.dynamic))
    }

    fn port(&self, name: &str, flow: EdgeType, direction: Direction) -> Option<&Port> {
        self.ports().find(|port| port.is(name, flow, direction))
    }

    /// Whether the port that needs this opener is there.
    fn is_open(&self, opened_by: Option<OpenedBy>) -> bool {
        match opened_by {
            None => true,
            Some(OpenedBy::Setting(name)) => self.map.get(name) == Some(&Value::Bool(true)),
            Some(OpenedBy::ErrorBranch) => self.on_error.mode == crate::policy::ErrorMode::Branch,
        }
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
pub(crate) fn check(
    read: ReadDocument,
    hosts: &HostNodes,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> Draft {
    let path = Pointer::root().key("limits");
    let place = Place {
        node: None,
        owner: "\"limits\"",
        path: &path,
    };
    let limits_map = complete(
        LIMITS,
        &read.head.limits,
        Unknown::Refuse,
        place,
        suggest,
        problems,
    );
    let limits: Limits = FromJson::from_json(Value::Object(limits_map.clone())).unwrap_or_default();
    let root = judge_body(None, read.body, hosts, suggest, problems);
    let graphs = read
        .graphs
        .into_iter()
        .map(|ReadGraph { key, head, body }| {
            let body = judge_body(Some(&key), body, hosts, suggest, problems);
            DraftSubGraph { key, head, body }
        });
    let mut draft = Draft {
        head: read.head,
        limits,
        limits_map,
        graphs: graphs.collect(),
        root,
    };
    calls::resolve(&mut draft, suggest, problems);
    let limits = &draft.limits;
    judge_graph(&mut draft.root, limits, suggest, problems);
    for sub in &mut draft.graphs {
        judge_graph(&mut sub.body, limits, suggest, problems);
    }
    problems.enter(None);
    calls::judge(&draft, problems);
    problems.enter(None);
    draft
}

/// Judges the nodes of a graph, each by itself.
fn judge_body(
    key: Option<&str>,
    body: ReadBody,
    hosts: &HostNodes,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> DraftGraph {
    problems.enter(key);
    let nodes = judge_nodes(body.nodes, &body.path, hosts, suggest, problems);
    judge_edge_ids(&body.edges, &body.path, problems);
    DraftGraph {
        key: key.map(str::to_owned),
        path: body.path,
        nodes,
        edges: body.edges,
        wires: Vec::new(),
        sure: Sure::default(),
        doubts: ends::Doubts::default(),
        is_partial: body.is_partial,
    }
}

/// Judges what the nodes of a graph do together.
fn judge_graph(
    graph: &mut DraftGraph,
    limits: &Limits,
    suggest: &mut Suggest,
    problems: &mut Problems,
) {
    problems.enter(graph.key.as_deref());
    node::judge_policies(&graph.nodes, suggest, problems);
    containers::resolve(&mut graph.nodes, suggest, problems);
    let resolved = ends::resolve(graph, suggest, problems);
    graph.wires = resolved.wires;
    graph.doubts = resolved.doubts;
    edges::judge(graph, problems);
    vars::judge(graph, problems);
    containers::judge(graph, problems);
    let is_acyclic = cycles::judge(graph, problems);
    if !graph.is_partial {
        flow::judge(graph, problems);
        if is_acyclic {
            shared::judge(graph, limits, problems);
            graph.sure = sure::judge(graph, problems);
        }
    }
}

/// Judges each node by itself. Of two nodes with one id the first is kept; the other is judged and left out.
fn judge_nodes(
    nodes: Vec<ReadNode>,
    path: &Pointer,
    hosts: &HostNodes,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> Vec<DraftNode> {
    let path = path.key("nodes");
    let mut taken: SortedMap<String, usize> = SortedMap::new();
    let mut drafts = Vec::with_capacity(nodes.len());
    for read in nodes {
        let first = taken.get(&read.node.id).copied();
        taken.get_or_insert_with(read.node.id.clone(), || read.index);
        let draft = node::judge(read, &path, hosts, suggest, problems);
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
fn judge_edge_ids(edges: &[ReadEdge], path: &Pointer, problems: &mut Problems) {
    let mut taken = SortedSet::new();
    for read in edges {
        if let Some(id) = &read.edge.id
            && !taken.insert(id.as_str())
        {
            problems.add(
                Problem::new(
                    Code::DupId,
                    format!("Two edges have the id {}.", quote(id)),
                    "Give one of them another id, or none.",
                )
                .at(&path.key("edges").index(read.index).key("id")),
            );
        }
    }
}

/// Which node has which id.
fn index_of_ids(nodes: &[DraftNode]) -> SortedMap<&str, usize> {
    let nodes = nodes.iter().enumerate();
    nodes.map(|(index, node)| (node.id(), index)).collect()
}
