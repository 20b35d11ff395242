//! Edges: their ends, what fits what, how many fit, what is missing.

use std::collections::{BTreeMap, BTreeSet};

use super::{Draft, DraftNode, Wire};
use crate::catalogue::{self, Direction, NodeSpec, OpenedBy, PortSpec};
use crate::document::EdgeType;
use crate::problem::{Code, Pointer, Problem, Problems, quote};
use crate::read::ReadEdge;
use crate::settings::names;
use crate::suggest::Suggest;

/// Finds the ends of every edge.
pub(super) fn resolve(
    edges: &[ReadEdge],
    nodes: &[DraftNode],
    ids: &BTreeMap<&str, usize>,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> Vec<Wire> {
    let mut ends = Ends {
        nodes,
        ids,
        suggest,
        problems,
    };
    let mut wires = Vec::with_capacity(edges.len());
    for ReadEdge { index, edge } in edges {
        let path = Pointer::root().key("edges").index(*index);
        let from = ends.node(&edge.from, &path.key("from"));
        let to = ends.node(&edge.to, &path.key("to"));
        let (Some((from, from_port)), Some((to, to_port))) = (from, to) else {
            continue;
        };
        // Both are asked, so that both mistakes of an edge are told at once.
        let leaves = ends.port(
            edge.edge_type,
            Direction::Out,
            from,
            from_port,
            &path.key("from"),
        );
        let enters = ends.port(edge.edge_type, Direction::In, to, to_port, &path.key("to"));
        if leaves && enters {
            wires.push(Wire {
                index: *index,
                edge_type: edge.edge_type,
                from,
                from_port: from_port.to_owned(),
                to,
                to_port: to_port.to_owned(),
            });
        }
    }
    wires
}

struct Ends<'a> {
    nodes: &'a [DraftNode],
    ids: &'a BTreeMap<&'a str, usize>,
    suggest: &'a mut Suggest,
    problems: &'a mut Problems,
}

impl Ends<'_> {
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
        let Some(spec) = node.spec else {
            return true;
        };
        let problem = match spec.port(port, flow, direction) {
            Some(found) if node.is_open(found.opened_by) => return true,
            Some(found) => closed(node, found),
            None => self.unfit(flow, direction, node, spec, port),
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
        spec: &NodeSpec,
        port: &str,
    ) -> Problem {
        let fitting = || {
            spec.ports()
                .filter(|other| {
                    other.flow == flow
                        && other.direction == direction
                        && node.is_open(other.opened_by)
                })
                .map(|port| port.name)
        };
        let namesake = spec.ports().find(|other| other.name == port);
        if is_link(flow) && fitting().next().is_none() {
            return no_link(flow, direction, node);
        }
        if let Some(other) = namesake {
            let code = if is_link(flow) && is_link(other.flow) && other.direction == direction {
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

fn is_link(flow: EdgeType) -> bool {
    !matches!(flow, EdgeType::Run | EdgeType::Data)
}

fn verb(direction: Direction) -> &'static str {
    match direction {
        Direction::In => "end",
        Direction::Out => "begin",
    }
}

/// What a port is there for, in a sentence.
fn role(port: &PortSpec) -> String {
    match (port.flow, port.direction) {
        (EdgeType::Run, Direction::In) => "control enters".to_owned(),
        (EdgeType::Run, Direction::Out) => "control leaves".to_owned(),
        (EdgeType::Data, Direction::In) => "takes a value".to_owned(),
        (EdgeType::Data, Direction::Out) => "gives a value".to_owned(),
        (link, Direction::In) => format!("takes a \"{}\" edge", link.as_str()),
        (link, Direction::Out) => format!("offers a \"{}\" edge", link.as_str()),
    }
}

fn closed(node: &DraftNode, port: &PortSpec) -> Problem {
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
            spec.ports()
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
    Problem::new(
        Code::LinkTarget,
        message,
        format!(
            "Such an edge goes from {} to {}.",
            ends(Direction::Out),
            ends(Direction::In)
        ),
    )
}

/// Judges what the edges do together: types, numbers, and what is missing.
pub(super) fn judge(draft: &Draft, problems: &mut Problems) {
    let mut seen = BTreeSet::new();
    let mut crowds: BTreeMap<(usize, EdgeType, &str), u32> = BTreeMap::new();
    let mut wired: BTreeSet<(usize, EdgeType, &str)> = BTreeSet::new();
    for wire in &draft.wires {
        let (Some(from), Some(to)) = (draft.nodes.get(wire.from), draft.nodes.get(wire.to)) else {
            continue;
        };
        let path = Pointer::root().key("edges").index(wire.index);
        if !seen.insert((
            wire.edge_type,
            wire.from,
            &wire.from_port,
            wire.to,
            &wire.to_port,
        )) {
            problems.add(
                Problem::new(
                    Code::MaxConnections,
                    format!(
                        "The edge from {} to {} is drawn twice.",
                        quote(from.id()),
                        quote(to.id())
                    ),
                    "Remove one of the two.",
                )
                .node(to.id())
                .port(&wire.to_port)
                .at(&path),
            );
            continue;
        }
        judge_types(wire, from, to, &path, problems);
        // A disabled resource is as good as absent: one of two memories can be switched off to compare them.
        if is_link(wire.edge_type) && !from.is_enabled() {
            continue;
        }
        let key = (wire.to, wire.edge_type, wire.to_port.as_str());
        wired.insert(key);
        let crowd = crowds.entry(key).or_default();
        *crowd += 1;
        let max = to
            .spec
            .and_then(|spec| spec.port(&wire.to_port, wire.edge_type, Direction::In))
            .and_then(|port| port.max);
        if let Some(max) = max
            && *crowd == max + 1
        {
            problems.add(
                Problem::new(
                    Code::MaxConnections,
                    format!(
                        "{} takes {max} edge{}, not more.",
                        quote(&format!("{}.{}", to.id(), wire.to_port)),
                        if max == 1 { "" } else { "s" }
                    ),
                    "Remove an edge, or disable the node where it begins.",
                )
                .node(to.id())
                .port(&wire.to_port)
                .at(&path),
            );
        }
    }
    for (index, node) in draft.nodes.iter().enumerate() {
        judge_inputs(index, node, &wired, problems);
    }
    judge_tool_names(draft, problems);
}

fn judge_types(
    wire: &Wire,
    from: &DraftNode,
    to: &DraftNode,
    path: &Pointer,
    problems: &mut Problems,
) {
    let type_of = |node: &DraftNode, port: &str, direction| {
        node.spec?.port(port, wire.edge_type, direction)?.value_type
    };
    let given = type_of(from, &wire.from_port, Direction::Out);
    let wanted = type_of(to, &wire.to_port, Direction::In);
    if let (Some(given), Some(wanted)) = (given, wanted)
        && !given.fits(wanted)
    {
        let fitting = from.spec.map(|spec| {
            names(
                spec.ports()
                    .filter(|port| {
                        port.direction == Direction::Out
                            && from.is_open(port.opened_by)
                            && port.value_type.is_some_and(|other| other.fits(wanted))
                    })
                    .map(|port| port.name),
            )
        });
        let hint = match fitting {
            Some(list) if !list.is_empty() => {
                format!("Outputs of {} that fit: {list}.", quote(from.id()))
            }
            _ => format!(
                "No output of {} fits; take the value from another node.",
                quote(from.id())
            ),
        };
        problems.add(
            Problem::new(
                Code::TypeMismatch,
                format!(
                    "{} gives {}, and {} takes {}.",
                    quote(&format!("{}.{}", from.id(), wire.from_port)),
                    given.as_str(),
                    quote(&format!("{}.{}", to.id(), wire.to_port)),
                    wanted.as_str()
                ),
                hint,
            )
            .node(to.id())
            .port(&wire.to_port)
            .at(path),
        );
    }
}

/// What is wired, set, both or neither.
fn judge_inputs(
    index: usize,
    node: &DraftNode,
    wired: &BTreeSet<(usize, EdgeType, &str)>,
    problems: &mut Problems,
) {
    let Some(spec) = node.spec else {
        return;
    };
    for port in spec.ports().filter(|port| port.direction == Direction::In) {
        let has_edge = wired.contains(&(index, port.flow, port.name));
        let setting = port.setting.filter(|name| node.map.contains_key(*name));
        if has_edge && let Some(setting) = setting {
            problems.add(
                node.problem(
                    Code::SettingAndEdge,
                    format!(
                        "{} is wired, so the setting \"{setting}\" is not used.",
                        quote(&format!("{}.{}", node.id(), port.name))
                    ),
                    "Remove the edge or the setting.",
                )
                .port(port.name)
                .at(&node.path.key("settings").key(setting)),
            );
        }
        if port.required && !has_edge && setting.is_none() && node.is_enabled() {
            problems.add(
                node.problem(
                    Code::RequiredPort,
                    format!(
                        "Nothing is wired to {}.",
                        quote(&format!("{}.{}", node.id(), port.name))
                    ),
                    missing(port),
                )
                .port(port.name),
            );
        }
    }
}

fn missing(port: &PortSpec) -> String {
    if let Some(setting) = port.setting {
        return format!(
            "Draw a \"{}\" edge to it, or set \"{setting}\".",
            port.flow.as_str()
        );
    }
    let sources = catalogue::specs().iter().filter(|spec| {
        spec.ports()
            .any(|other| other.flow == port.flow && other.direction == Direction::Out)
    });
    format!(
        "Draw a \"{}\" edge to it from a node of type {}.",
        port.flow.as_str(),
        names(sources.map(|spec| spec.node_type))
    )
}

/// A model tells its tools apart by name.
fn judge_tool_names(draft: &Draft, problems: &mut Problems) {
    let mut taken: BTreeMap<(usize, &str), usize> = BTreeMap::new();
    for wire in draft
        .wires
        .iter()
        .filter(|wire| wire.edge_type == EdgeType::LinkTool)
    {
        let Some(tool) = draft.nodes.get(wire.from).filter(|tool| tool.is_enabled()) else {
            continue;
        };
        let Some(name) = tool.map.get("name").and_then(serde_json::Value::as_str) else {
            continue;
        };
        let first = *taken.entry((wire.to, name)).or_insert(wire.from);
        if first != wire.from
            && let (Some(agent), Some(first)) = (draft.nodes.get(wire.to), draft.nodes.get(first))
        {
            problems.add(
                tool.problem(
                    Code::Setting,
                    format!(
                        "{} has two tools with the name {}: {} and {}.",
                        quote(agent.id()),
                        quote(name),
                        quote(first.id()),
                        quote(tool.id())
                    ),
                    "Set another \"name\" on one of them, or link only one.",
                )
                .at(&tool.path.key("settings").key("name")),
            );
        }
    }
}
