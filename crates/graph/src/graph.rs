//! The graph that the engine runs: checked, indexed, unchangeable.

use std::rc::Rc;

use mnemograph_compact::{FromJson, SortedMap, order};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::catalogue::{Direction, Kind, NodeSpec, OpenedBy, Port};
use crate::check::{Draft, DraftGraph, DraftNode, DraftSubGraph, Sure};
use crate::document::{Document, EdgeDocument, EdgeType, NodeDocument, SubGraphDocument};
use crate::nodes::{Settings, ToolRun};
use crate::policy::{ErrorMode, Limits, OnError, Requires};
use crate::problem::Pointer;

/// Place of a node in its graph. Nodes stand in the order of their ids, notes last, so that two documents with one
/// semantic hash number their nodes alike and a checkpoint of one fits the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, FromJson)]
pub struct NodeIx(usize);

impl NodeIx {
    /// The place as a number.
    pub fn get(self) -> usize {
        self.0
    }
}

/// Place of an edge in its graph: the order of the document, which decides ties.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, FromJson)]
pub struct EdgeIx(usize);

impl EdgeIx {
    /// The place as a number.
    pub fn get(self) -> usize {
        self.0
    }
}

/// A node.
#[derive(Debug, Clone)]
pub struct Node {
    /// Id, unique in the graph.
    pub id: String,
    /// What people call the node.
    pub title: Option<String>,
    /// When the node acts.
    pub kind: Kind,
    /// Type and settings.
    pub settings: Settings,
    /// The complete settings, defaults filled in; [`templates`](crate::templates) finds the templates in them.
    pub map: Map<String, Value>,
    /// The container in whose body the node stands.
    pub parent: Option<NodeIx>,
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
    spec: &'static NodeSpec,
    dynamic: Rc<[Port]>,
}

impl Node {
    /// The node type's entry in the catalogue.
    pub fn spec(&self) -> &'static NodeSpec {
        self.spec
    }

    /// Name of the node's type.
    pub fn type_name(&self) -> &str {
        match &self.settings {
            Settings::Host(host) => &host.node_type,
            _ => self.spec.node_type,
        }
    }

    /// The ports that the node has with these settings.
    pub fn ports(&self) -> impl Iterator<Item = &Port> {
        let ports = self.spec.ports_and(&self.dynamic);
        ports.filter(|port| match port.opened_by {
            None => true,
            Some(OpenedBy::ErrorBranch) => self.on_error.mode == ErrorMode::Branch,
            Some(OpenedBy::Setting(name)) => self.map.get(name) == Some(&Value::Bool(true)),
        })
    }

    /// The data ports on which the node gives values.
    pub fn outputs(&self) -> impl Iterator<Item = &Port> {
        self.ports().filter(|port| port.is_data_out())
    }

    /// The data ports on which the node takes values.
    pub fn inputs(&self) -> impl Iterator<Item = &Port> {
        self.ports()
            .filter(|port| port.flow == EdgeType::Data && port.direction == Direction::In)
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
    children: Vec<NodeIx>,
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
    /// The document, as it is saved. Of a sub-graph it has id and names only: the graph of the document has the whole.
    pub document: Document,
    /// The sub-graphs by key. They are flat: those that a sub-graph uses are here too, and its own list is empty.
    pub graphs: SortedMap<String, Rc<Graph>>,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
    adjacency: Vec<Adjacency>,
    ids: SortedMap<String, NodeIx>,
    triggers: Vec<NodeIx>,
    vars: SortedMap<String, NodeIx>,
    sure: Sure,
    /// For each node its place in `sure`.
    sure_places: Vec<usize>,
}

impl Graph {
    /// Indexes a draft in which no error was found; `None` if it has an error after all.
    pub(crate) fn new(draft: Draft, hash: String) -> Option<Self> {
        let mut document = draft.head;
        let mut graphs = SortedMap::new();
        for DraftSubGraph { key, head, body } in draft.graphs {
            let (nodes, edges) = documents(&body);
            let own = Document {
                format: document.format.clone(),
                format_version: document.format_version,
                id: key.clone(),
                name: head.name.clone(),
                description: head.description.clone(),
                missing: document.missing,
                ..Document::default()
            };
            let graph = Graph::of_body(&body, own, draft.limits.clone(), hash.clone())?;
            graphs.insert(key.clone(), Rc::new(graph));
            let written = SubGraphDocument {
                nodes,
                edges,
                ..head
            };
            document.graphs.insert(key, written);
        }
        (document.nodes, document.edges) = documents(&draft.root);
        let mut graph = Graph::of_body(&draft.root, document, draft.limits, hash)?;
        graph.graphs = graphs;
        Some(graph)
    }

    fn of_body(
        draft: &DraftGraph,
        document: Document,
        limits: Limits,
        hash: String,
    ) -> Option<Self> {
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
            let node = draft.nodes.get(*index);
            nodes.extend(node.and_then(|draft| node_of(draft, &places)));
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
        if nodes.len() != draft.nodes.len() || edges.len() != draft.edges.len() {
            return None;
        }
        let mut graph = Graph::index(document, limits, hash, nodes, edges);
        graph.sure = draft.sure.clone();
        graph.sure_places = order;
        Some(graph)
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
                EdgeType::LinkMemory
                | EdgeType::LinkLlm
                | EdgeType::LinkExtension
                | EdgeType::LinkTool
                | EdgeType::LinkVar => {
                    if !is_disabled {
                        let links = to.links.get_or_insert_with(edge.to_port.clone(), Vec::new);
                        links.push(edge.from);
                    }
                }
            }
        }
        for (place, node) in nodes.iter().enumerate() {
            if let Some(around) = node.parent.and_then(|parent| adjacency.get_mut(parent.0)) {
                around.children.push(NodeIx(place));
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
            vars: all()
                .filter(|(_, node)| !node.disabled)
                .filter_map(|(ix, node)| match &node.settings {
                    Settings::Var(var) => Some((var.name.clone(), ix)),
                    _ => None,
                })
                .collect(),
            document,
            graphs: SortedMap::new(),
            sure: Sure::default(),
            sure_places: Vec::new(),
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

    /// The nodes that stand in the body of a container, in order of their ids; those of containers in it not.
    pub fn children(&self, container: NodeIx) -> &[NodeIx] {
        self.around(container)
            .map_or(&[], |around| around.children.as_slice())
    }

    /// The container in whose body a node stands.
    pub fn container_of(&self, ix: NodeIx) -> Option<NodeIx> {
        self.node(ix)?.parent
    }

    /// The node that starts the graph, if it is a sub-graph.
    pub fn graph_input(&self) -> Option<NodeIx> {
        let mut triggers = self.triggers.iter().copied();
        triggers.find(|ix| {
            let node = self.node(*ix);
            node.is_some_and(|node| matches!(node.settings, Settings::GraphInput(_)))
        })
    }

    /// The variable of this name.
    pub fn var(&self, name: &str) -> Option<NodeIx> {
        self.vars.get(name).copied()
    }

    /// Whether a step or trigger has surely run, and is enabled, whenever a node reads it: no way leads past it. The
    /// readers of a pull node are those that its data edges lead to.
    pub fn is_sure(&self, reader: NodeIx, source: NodeIx) -> bool {
        let places = (
            self.sure_places.get(reader.0),
            self.sure_places.get(source.0),
        );
        let (Some(reader), Some(place)) = places else {
            return false;
        };
        self.node(source).is_some_and(|node| !node.disabled) && self.sure.has(*reader, *place)
    }

    /// All that the host must offer: what the nodes of all graphs name and what the document adds. Disabled nodes
    /// need nothing.
    pub fn needs(&self) -> Requires {
        let mut needs = self.requires.clone();
        let inner = self.graphs.values().flat_map(|graph| &graph.nodes);
        for node in self.nodes.iter().chain(inner).filter(|node| !node.disabled) {
            match &node.settings {
                Settings::LlmModel(model) => needs.models.push(model.model.clone()),
                Settings::Tool(tool) => {
                    if let ToolRun::Host(name) = &tool.run {
                        needs.tools.push(name.clone());
                    }
                }
                Settings::Call(call) => needs.functions.push(call.function.clone()),
                Settings::Host(host) => needs.nodes.push(host.node_type.clone()),
                _ => {}
            }
        }
        needs.normalise();
        needs
    }

    fn around(&self, ix: NodeIx) -> Option<&Adjacency> {
        self.adjacency.get(ix.0)
    }
}

fn node_of(draft: &DraftNode, places: &[NodeIx]) -> Option<Node> {
    let document = &draft.document;
    let spec = draft.spec?;
    Some(Node {
        id: document.id.clone(),
        title: document.title.clone(),
        kind: spec.kind,
        settings: draft.settings.clone()?,
        map: draft.map.clone(),
        parent: draft.parent.and_then(|parent| places.get(parent).copied()),
        on_error: draft.on_error.clone(),
        timeout_ms: document.timeout_ms,
        disabled: document.disabled,
        renamed_from: document.renamed_from.clone(),
        pointer: draft.path.clone(),
        spec,
        dynamic: Rc::clone(&draft.dynamic),
    })
}

/// The nodes and edges as they were written.
fn documents(draft: &DraftGraph) -> (Vec<NodeDocument>, Vec<EdgeDocument>) {
    let nodes = draft.nodes.iter().map(|node| node.document.clone());
    let edges = draft.edges.iter().map(|read| read.edge.clone());
    (nodes.collect(), edges.collect())
}
