//! The two ends of an edge: do they exist, and may an edge of this type use them?

use mnemograph_compact::{SortedMap, SortedSet};

use super::{DraftGraph, DraftNode, Wire};
use crate::catalogue::{self, Direction, OpenedBy, Port};
use crate::document::EdgeType;
use crate::problem::{Code, Pointer, Problem, Problems, quote};
use crate::read::ReadEdge;
use crate::settings::names;
use crate::suggest::Suggest;

/// The edges that are sound, and what is known of the others.
pub(super) struct Resolved {
    pub(super) wires: Vec<Wire>,
    pub(super) doubts: Doubts,
}

/// Where broken edges were meant to be. What is missing there is not missed: to say so would only say again that an
/// edge is broken.
#[derive(Default)]
pub(crate) struct Doubts {
    /// Known ends of broken edges.
    nodes: SortedSet<(usize, EdgeType, Direction)>,
    /// Some edge of this type has its end at a node that does not exist: it may be meant for any.
    lost: SortedSet<(EdgeType, Direction)>,
}

impl Doubts {
    /// Whether a broken edge of this type may be meant for this side of the node.
    pub(super) fn cover(&self, node: usize, flow: EdgeType, side: Direction) -> bool {
        self.nodes.contains(&(node, flow, side)) || self.is_lost(flow, side)
    }

    /// Whether a broken edge of this type may be meant for this side of any node.
    pub(super) fn is_lost(&self, flow: EdgeType, side: Direction) -> bool {
        self.lost.contains(&(flow, side))
    }

    fn note(&mut self, end: &End<'_>, flow: EdgeType, side: Direction) {
        match end {
            End::Sound(node, _) | End::Unfit(node) => {
                self.nodes.insert((*node, flow, side));
            }
            End::Nowhere => {
                self.lost.insert((flow, side));
            }
        }
    }
}

/// Finds the ends of every edge.
pub(super) fn resolve(
    graph: &DraftGraph,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> Resolved {
    let ids = super::index_of_ids(&graph.nodes);
    let edges = graph.path.key("edges");
    let mut ends = Ends {
        nodes: &graph.nodes,
        ids: &ids,
        suggest,
        problems,
    };
    let mut resolved = Resolved {
        wires: Vec::with_capacity(graph.edges.len()),
        doubts: Doubts::default(),
    };
    for ReadEdge { index, edge } in &graph.edges {
        let path = edges.index(*index);
        // Both ends are judged, so that both mistakes of an edge are told at once.
        let from = ends.end(
            edge.edge_type,
            Direction::Out,
            &edge.from,
            &path.key("from"),
        );
        let to = ends.end(edge.edge_type, Direction::In, &edge.to, &path.key("to"));
        match (from, to) {
            (End::Sound(from, from_port), End::Sound(to, to_port)) => resolved.wires.push(Wire {
                index: *index,
                edge_type: edge.edge_type,
                from,
                from_port: from_port.to_owned(),
                to,
                to_port: to_port.to_owned(),
            }),
            (from, to) => {
                resolved.doubts.note(&from, edge.edge_type, Direction::Out);
                resolved.doubts.note(&to, edge.edge_type, Direction::In);
            }
        }
    }
    resolved
}

/// One end of an edge.
enum End<'t> {
    /// Node and port.
    Sound(usize, &'t str),
    /// The node is there, the port is not for this edge.
    Unfit(usize),
    /// No such node.
    Nowhere,
}

struct Ends<'a> {
    nodes: &'a [DraftNode],
    ids: &'a SortedMap<&'a str, usize>,
    suggest: &'a mut Suggest,
    problems: &'a mut Problems,
}

impl Ends<'_> {
    fn end<'t>(
        &mut self,
        flow: EdgeType,
        direction: Direction,
        text: &'t str,
        path: &Pointer,
    ) -> End<'t> {
        match self.node(text, path) {
            None => End::Nowhere,
            Some((node, port)) if self.port(flow, direction, node, port, path) => {
                End::Sound(node, port)
            }
            Some((node, _)) => End::Unfit(node),
        }
    }

    /// Splits `node.port` and finds the node.
    fn node<'t>(&mut self, text: &'t str, path: &Pointer) -> Option<(usize, &'t str)> {
        let Some((id, port)) = text.split_once('.') else {
            self.problems.add(
                Problem::new(
                    Code::DanglingEdge,
                    format!(
                        "{} does not say which port of which node is meant.",
                        quote(text)
                    ),
                    "Write \"node.port\", for example \"agent.output\".",
                )
                .at(path),
            );
            return None;
        };
        if let Some(index) = self.ids.get(id) {
            return Some((*index, port));
        }
        let hint = match self.suggest.nearest(id, self.ids.keys().copied()) {
            Some(near) => format!("Did you mean \"{near}.{port}\"?"),
            None => "Add the node, or remove the edge.".to_owned(),
        };
        self.problems.add(
            Problem::new(
                Code::DanglingEdge,
                format!(
                    "The edge is tied to {}, a node that does not exist.",
                    quote(id)
                ),
                hint,
            )
            .at(path),
        );
        None
    }

    /// Whether an edge of this type may use this port; says why if not.
    fn port(
        &mut self,
        flow: EdgeType,
        direction: Direction,
        node: usize,
        port: &str,
        path: &Pointer,
    ) -> bool {
        let Some(node) = self.nodes.get(node) else {
            return false;
        };
        if node.spec.is_none() {
            return true;
        }
        let problem = match node.port(port, flow, direction) {
            Some(found) if node.is_open(found.opened_by) => return true,
            Some(found) => closed(node, found),
            None if node.has_unsure_ports && !flow.is_link() => return false,
            None => self.unfit(flow, direction, node, port),
        };
        self.problems
            .add(problem.node(node.id()).port(port).at(path));
        false
    }

    fn unfit(
        &mut self,
        flow: EdgeType,
        direction: Direction,
        node: &DraftNode,
        port: &str,
    ) -> Problem {
        let fitting = || {
            node.ports()
                .filter(|other| {
                    other.flow == flow
                        && other.direction == direction
                        && node.is_open(other.opened_by)
                })
                .map(|port| port.name.as_ref())
        };
        let namesake = node.ports().find(|other| other.name == port);
        if flow.is_link() && fitting().next().is_none() {
            return no_link(flow, direction, node);
        }
        if let Some(other) = namesake {
            let code = if flow.is_link() && other.flow.is_link() && other.direction == direction {
                Code::LinkTarget
            } else {
                Code::PortKind
            };
            let hint = match fitting().next() {
                Some(_) => format!(
                    "Ports of {} for this edge: {}.",
                    quote(node.id()),
                    names(fitting())
                ),
                None => format!(
                    "{} has no port for this edge; change the edge's type or remove it.",
                    quote(node.id())
                ),
            };
            return Problem::new(
                code,
                format!(
                    "{} is a port that {}; a \"{}\" edge cannot {} here.",
                    quote(&format!("{}.{port}", node.id())),
                    role(other),
                    flow.as_str(),
                    verb(direction)
                ),
                hint,
            );
        }
        let near = self.suggest.nearest(port, fitting());
        let hint = match (near, fitting().next()) {
            (Some(near), _) => format!("Did you mean \"{}.{near}\"?", node.id()),
            (None, Some(_)) => format!(
                "Ports of {} for this edge: {}.",
                quote(node.id()),
                names(fitting())
            ),
            (None, None) => format!(
                "{} has no port for this edge; remove the edge.",
                quote(node.id())
            ),
        };
        Problem::new(
            Code::PortUnknown,
            format!("{} has no port {}.", quote(node.id()), quote(port)),
            hint,
        )
    }
}

fn verb(direction: Direction) -> &'static str {
    match direction {
        Direction::In => "end",
        Direction::Out => "begin",
    }
}

/// What a port is there for, in a sentence.
fn role(port: &Port) -> String {
    match (port.flow, port.direction) {
        (EdgeType::Run, Direction::In) => "control enters".to_owned(),
        (EdgeType::Run, Direction::Out) => "control leaves".to_owned(),
        (EdgeType::Data, Direction::In) => "takes a value".to_owned(),
        (EdgeType::Data, Direction::Out) => "gives a value".to_owned(),
        (link, Direction::In) => format!("takes a \"{}\" edge", link.as_str()),
        (link, Direction::Out) => format!("offers a \"{}\" edge", link.as_str()),
    }
}

fn closed(node: &DraftNode, port: &Port) -> Problem {
    let hint = match port.opened_by {
        Some(OpenedBy::Setting(name)) => format!(
            "Set \"{name}\" of {} to true, or remove the edge.",
            quote(node.id())
        ),
        Some(OpenedBy::ErrorBranch) => format!(
            "Set \"on_error\": {{\"mode\": \"branch\"}} on {}, or remove the edge.",
            quote(node.id())
        ),
        None => String::new(),
    };
    Problem::new(
        Code::PortUnknown,
        format!(
            "The port \"{}\" of {} is closed.",
            port.name,
            quote(node.id())
        ),
        hint,
    )
}

/// The node has nothing to do with links of this sort.
fn no_link(flow: EdgeType, direction: Direction, node: &DraftNode) -> Problem {
    let ends = |direction: Direction| {
        names(catalogue::specs().iter().flat_map(|spec| {
            spec.all_ports()
                .filter(move |port| port.flow == flow && port.direction == direction)
                .map(|_| spec.node_type)
        }))
    };
    let message = match direction {
        Direction::Out => format!(
            "{}, a node of type \"{}\", offers nothing for a \"{}\" edge.",
            quote(node.id()),
            node.document.node_type,
            flow.as_str()
        ),
        Direction::In => format!(
            "{}, a node of type \"{}\", takes no \"{}\" edge.",
            quote(node.id()),
            node.document.node_type,
            flow.as_str()
        ),
    };
    let (sources, targets) = (ends(Direction::Out), ends(Direction::In));
    let hint = if flow == EdgeType::LinkMemory && node.is_type("llm_response") {
        "Set \"use_chat_history\" to true, or wire messages of a chat_history node to its port history; to remember, use an ai_agent.".to_owned()
    } else if sources.is_empty() {
        "No node type of this version offers such a link; remove the edge.".to_owned()
    } else {
        format!("Such an edge goes from {sources} to {targets}.")
    };
    Problem::new(Code::LinkTarget, message, hint)
}
