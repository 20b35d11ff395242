//! The graph that the engine runs: checked, indexed, unchangeable.

use mnemograph_compact::{SortedMap, order};
use serde::{Deserialize, Serialize};

use crate::catalogue::{Kind, OpenedBy, PortSpec};
use crate::check::Draft;
use crate::document::{Document, EdgeType};
use crate::nodes::{Settings, ToolRun};
use crate::policy::{ErrorMode, Limits, OnError, Requires};
use crate::problem::Pointer;

/// Place of a node in its graph. Nodes stand in the order of their ids, notes last, so that two documents with one
/// semantic hash number their nodes alike and a checkpoint of one fits the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeIx(usize);

impl NodeIx {
    /// The place as a number.
    pub fn get(self) -> usize {
        self.0
    }
}

/// Place of an edge in its graph: the order of the document, which decides ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EdgeIx(usize);

impl EdgeIx {
    /// The place as a number.
    pub fn get(self) -> usize {
        self.0
    }
}

/// A node.
#[derive(Debug, Clone, PartialEq)]
pub struct Node {
    /// Id, unique in the graph.
    pub id: String,
    /// What people call the node.
    pub title: Option<String>,
    /// When the node acts.
    pub kind: Kind,
    /// Type and settings.
    pub settings: Settings,
    /// What happens when the node fails.
    pub on_error: OnError,
    /// Time limit of one attempt in milliseconds.
    pub timeout_ms: Option<u64>,
    /// The node is left out of runs.
    pub disabled: bool,
    /// Earlier ids whose stored state this node takes over.
    pub renamed_from: Vec<String>,
    /// Where the node stands in the document, for problems that are found later.
    pub pointer: Pointer,
    /// The settings that open ports and are on.
    open: Vec<&'static str>,
}

impl Node {
    /// Name of the node's type.
    pub fn type_name(&self) -> &'static str {
        self.settings.type_name()
    }

    /// The data ports on which the node gives values with these settings.
    pub fn outputs(&self) -> impl Iterator<Item = &'static PortSpec> {
        let ports = self
            .settings
            .spec()
            .all_ports()
            .filter(|port| port.is_data_out());
        ports.filter(|port| match port.opened_by {
            None => true,
            Some(OpenedBy::ErrorBranch) => self.on_error.mode == ErrorMode::Branch,
            Some(OpenedBy::Setting(name)) => self.open.contains(&name),
        })
    }
}

/// An edge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// What it carries.
    pub edge_type: EdgeType,
    /// Node where it begins.
    pub from: NodeIx,
    /// Port where it begins.
    pub from_port: String,
    /// Node where it ends.
    pub to: NodeIx,
    /// Port where it ends.
    pub to_port: String,
}

/// The edges of one node, by use.
#[derive(Debug, Clone, Default)]
struct Adjacency {
    runs_in: Vec<EdgeIx>,
    runs_out: Vec<EdgeIx>,
    runs_by_port: SortedMap<String, Vec<NodeIx>>,
    data_in: SortedMap<String, (NodeIx, String)>,
    links: SortedMap<String, Vec<NodeIx>>,
}

/// A graph without errors. The default is one without nodes.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// Identity: part of the key of everything that the nodes remember.
    pub id: String,
    /// What people call the graph; its id if it has no name.
    pub name: String,
    /// The semantic hash, in hexadecimal.
    pub hash: String,
    /// What a run may use.
    pub limits: Limits,
    /// What the document itself says that the host must offer; [`Graph::needs`] has all.
    pub requires: Requires,
    /// The document, as it is saved.
    pub document: Document,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    adjacency: Vec<Adjacency>,
    ids: SortedMap<String, NodeIx>,
    triggers: Vec<NodeIx>,
}

impl Graph {
    /// Indexes a draft in which no error was found; `None` if it has an error after all.
    pub(crate) fn new(draft: Draft, hash: String) -> Option<Self> {
        let rank = |index: usize| {
            draft.nodes.get(index).map(|node| {
                (
                    node.spec.is_some_and(|spec| spec.kind == Kind::Note),
                    node.id(),
                )
            })
        };
        let order = order(draft.nodes.len(), &|a, b| rank(a).cmp(&rank(b)));
        let mut places = vec![NodeIx(0); order.len()];
        for (place, index) in order.iter().enumerate() {
            if let Some(slot) = places.get_mut(*index) {
                *slot = NodeIx(place);
            }
        }
        let mut nodes = Vec::with_capacity(order.len());
        for index in &order {
            nodes.extend(draft.nodes.get(*index).and_then(node));
        }
        let edges: Vec<Edge> = draft
            .wires
            .iter()
            .filter_map(|wire| {
                Some(Edge {
                    edge_type: wire.edge_type,
                    from: *places.get(wire.from)?,
                    from_port: wire.from_port.clone(),
                    to: *places.get(wire.to)?,
                    to_port: wire.to_port.clone(),
                })
            })
            .collect();
        if nodes.len() != draft.nodes.len() || edges.len() != draft.document.edges.len() {
            return None;
        }
        Some(Graph::index(
            draft.document,
            draft.limits,
            hash,
            nodes,
            edges,
        ))
    }

    fn index(
        document: Document,
        limits: Limits,
        hash: String,
        nodes: Vec<Node>,
        edges: Vec<Edge>,
    ) -> Self {
        let mut adjacency = vec![Adjacency::default(); nodes.len()];
        for (place, edge) in edges.iter().enumerate() {
            if let Some(from) = adjacency.get_mut(edge.from.0)
                && edge.edge_type == EdgeType::Run
            {
                from.runs_out.push(EdgeIx(place));
                from.runs_by_port
                    .get_or_insert_with(edge.from_port.clone(), Vec::new)
                    .push(edge.to);
            }
            let is_disabled = nodes.get(edge.from.0).is_some_and(|node| node.disabled);
            let Some(to) = adjacency.get_mut(edge.to.0) else {
                continue;
            };
            match edge.edge_type {
                EdgeType::Run => to.runs_in.push(EdgeIx(place)),
                EdgeType::Data => {
                    let source = (edge.from, edge.from_port.clone());
                    to.data_in.insert(edge.to_port.clone(), source);
                }
                EdgeType::LinkMemory | EdgeType::LinkLlm | EdgeType::LinkTool if is_disabled => {}
                EdgeType::LinkMemory | EdgeType::LinkLlm | EdgeType::LinkTool => {
                    to.links
                        .get_or_insert_with(edge.to_port.clone(), Vec::new)
                        .push(edge.from);
                }
            }
        }
        let all = || {
            nodes
                .iter()
                .enumerate()
                .map(|(place, node)| (NodeIx(place), node))
        };
        Graph {
            id: document.id.clone(),
            name: document.name.clone().unwrap_or_else(|| document.id.clone()),
            hash,
            limits,
            requires: document.requires.clone(),
            ids: all().map(|(ix, node)| (node.id.clone(), ix)).collect(),
            triggers: all()
                .filter(|(_, node)| node.kind == Kind::Trigger && !node.disabled)
                .map(|(ix, _)| ix)
                .collect(),
            document,
            nodes,
            edges,
            adjacency,
        }
    }

    /// All nodes, in order of their ids, notes last.
    pub fn nodes(&self) -> impl Iterator<Item = (NodeIx, &Node)> {
        self.nodes
            .iter()
            .enumerate()
            .map(|(place, node)| (NodeIx(place), node))
    }

    /// The node at a place.
    pub fn node(&self, ix: NodeIx) -> Option<&Node> {
        self.nodes.get(ix.0)
    }

    /// The place of the node with this id.
    pub fn find(&self, id: &str) -> Option<NodeIx> {
        self.ids.get(id).copied()
    }

    /// All edges, in the order of the document.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The run edge at a place.
    pub fn run_edge(&self, ix: EdgeIx) -> Option<&Edge> {
        self.edges
            .get(ix.0)
            .filter(|edge| edge.edge_type == EdgeType::Run)
    }

    /// The run edges that leave a node, whatever the port, in the order of the document.
    pub fn run_edges_out(&self, ix: NodeIx) -> &[EdgeIx] {
        self.around(ix)
            .map_or(&[], |around| around.runs_out.as_slice())
    }

    /// The run edges that enter a node, in the order of the document.
    pub fn run_edges_in(&self, ix: NodeIx) -> &[EdgeIx] {
        self.around(ix)
            .map_or(&[], |around| around.runs_in.as_slice())
    }

    /// The nodes to which control goes from a port, in the order of the edges.
    pub fn runs_from(&self, ix: NodeIx, port: &str) -> &[NodeIx] {
        let around = self.around(ix);
        around
            .and_then(|around| around.runs_by_port.get(port))
            .map_or(&[], Vec::as_slice)
    }

    /// The triggers that are not disabled.
    pub fn triggers(&self) -> &[NodeIx] {
        &self.triggers
    }

    /// Where the value of an input port comes from.
    pub fn data_into(&self, ix: NodeIx, port: &str) -> Option<(NodeIx, &str)> {
        let (from, from_port) = self.around(ix)?.data_in.get(port)?;
        Some((*from, from_port))
    }

    /// The resources that are linked to a port, in the order of the edges; disabled ones are left out.
    pub fn links(&self, ix: NodeIx, port: &str) -> &[NodeIx] {
        self.around(ix)
            .and_then(|around| around.links.get(port))
            .map_or(&[], Vec::as_slice)
    }

    /// The source of a reply's text if that is an edge: the reply streams if the source does.
    pub fn reply_source(&self, reply: NodeIx) -> Option<(NodeIx, &str)> {
        self.node(reply)
            .filter(|node| matches!(node.settings, Settings::Reply(_)))?;
        self.data_into(reply, "text")
    }

    /// All that the host must offer: what the nodes name and what the document adds. Disabled nodes need nothing.
    pub fn needs(&self) -> Requires {
        let mut needs = self.requires.clone();
        for node in self.nodes.iter().filter(|node| !node.disabled) {
            match &node.settings {
                Settings::LlmModel(model) => needs.models.push(model.model.clone()),
                Settings::Tool(tool) => {
                    let ToolRun::Host(name) = &tool.run;
                    needs.tools.push(name.clone());
                }
                Settings::ChatTrigger
                | Settings::ManualTrigger
                | Settings::AiAgent(_)
                | Settings::BufferMemory(_)
                | Settings::Reply(_)
                | Settings::Output(_)
                | Settings::Note => {}
            }
        }
        needs.normalise();
        needs
    }

    fn around(&self, ix: NodeIx) -> Option<&Adjacency> {
        self.adjacency.get(ix.0)
    }
}

fn node(draft: &crate::check::DraftNode) -> Option<Node> {
    let document = &draft.document;
    Some(Node {
        id: document.id.clone(),
        title: document.title.clone(),
        kind: draft.spec?.kind,
        settings: draft.settings.clone()?,
        on_error: draft.on_error.clone(),
        timeout_ms: document.timeout_ms,
        disabled: document.disabled,
        renamed_from: document.renamed_from.clone(),
        pointer: draft.path.clone(),
        open: draft.openers(),
    })
}
