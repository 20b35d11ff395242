//! Edges together: what fits what, how many fit, what is missing.

use mnemograph_compact::{SortedMap, order};

use super::ends::Doubts;
use super::{DraftGraph, DraftNode, Wire};
use crate::catalogue::{self, Direction, Port};
use crate::document::EdgeType;
use crate::nodes::Settings;
use crate::problem::{Code, Pointer, Problem, Problems, quote};
use crate::settings::names;

/// A port that edges enter.
type Inlet<'a> = (usize, EdgeType, &'a str);

/// How many edges enter a port.
#[derive(Default)]
struct Traffic {
    /// Edges that count.
    live: u32,
    /// Links from disabled nodes. A disabled resource is as good as absent, so that one of two memories can be
    /// switched off to compare them.
    idle: u32,
}

/// Judges what the edges do together: types, numbers, and what is missing.
pub(super) fn judge(draft: &DraftGraph, problems: &mut Problems) {
    let repeated = repeated(&draft.wires);
    let mut inlets: SortedMap<Inlet<'_>, Traffic> = SortedMap::new();
    for (wire, is_repeated) in draft.wires.iter().zip(repeated) {
        let (Some(from), Some(to)) = (draft.nodes.get(wire.from), draft.nodes.get(wire.to)) else {
            continue;
        };
        let path = draft.edge_path(wire);
        let to_port = wire.to_port.as_str();
        if is_repeated {
            let message = format!(
                "The edge from {} to {} is drawn twice.",
                quote(from.id()),
                quote(to.id())
            );
            let problem = Problem::new(Code::MaxConnections, message, "Remove one of the two.");
            problems.add(problem.node(to.id()).port(to_port).at(&path));
            continue;
        }
        judge_types(wire, from, to, &path, problems);
        let traffic =
            inlets.get_or_insert_with((wire.to, wire.edge_type, to_port), Traffic::default);
        if wire.edge_type.is_link() && !from.is_enabled() {
            traffic.idle += 1;
        } else {
            traffic.live += 1;
            judge_number(wire, to, traffic.live, &path, problems);
        }
    }
    for (index, node) in draft.nodes.iter().enumerate() {
        judge_inputs(index, node, &inlets, &draft.doubts, problems);
    }
    judge_tool_names(draft, problems);
    judge_histories(draft, problems);
}

/// For each edge whether one before it is the same.
fn repeated(wires: &[Wire]) -> Vec<bool> {
    let same = |index: usize| {
        let wire = wires.get(index)?;
        let (from, to) = ((wire.from, &wire.from_port), (wire.to, &wire.to_port));
        Some((wire.edge_type, from, to))
    };
    let mut repeated = vec![false; wires.len()];
    let mut before = None;
    for index in order(wires.len(), &|a, b| same(a).cmp(&same(b))) {
        let edge = same(index);
        if let Some(slot) = repeated.get_mut(index) {
            *slot = edge == before;
        }
        before = edge;
    }
    repeated
}

/// Reports the first edge that is too much.
fn judge_number(wire: &Wire, to: &DraftNode, number: u32, path: &Pointer, problems: &mut Problems) {
    let port = to.port(&wire.to_port, wire.edge_type, Direction::In);
    let Some(max) = port
        .and_then(|port| port.max)
        .filter(|max| number == max + 1)
    else {
        return;
    };
    let message = format!(
        "{} takes {max} edge{}, not more.",
        quote(&format!("{}.{}", to.id(), wire.to_port)),
        if max == 1 { "" } else { "s" }
    );
    let hint = if wire.edge_type.is_link() {
        "Remove an edge, or disable the node where it begins."
    } else {
        "Remove an edge."
    };
    let problem = Problem::new(Code::MaxConnections, message, hint);
    problems.add(problem.node(to.id()).port(&wire.to_port).at(path));
}

fn judge_types(
    wire: &Wire,
    from: &DraftNode,
    to: &DraftNode,
    path: &Pointer,
    problems: &mut Problems,
) {
    let type_of = |node: &DraftNode, port: &str, direction| {
        node.port(port, wire.edge_type, direction)?.value_type
    };
    let given = type_of(from, &wire.from_port, Direction::Out);
    let wanted = type_of(to, &wire.to_port, Direction::In);
    if let (Some(given), Some(wanted)) = (given, wanted)
        && !given.fits(wanted)
    {
        let fitting = names(
            from.ports()
                .filter(|port| {
                    port.direction == Direction::Out
                        && from.is_open(port.opened_by)
                        && port.value_type.is_some_and(|other| other.fits(wanted))
                })
                .map(|port| port.name.as_ref()),
        );
        let hint = if fitting.is_empty() {
            format!(
                "No output of {} fits; take the value from another node.",
                quote(from.id())
            )
        } else {
            format!("Outputs of {} that fit: {fitting}.", quote(from.id()))
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
    inlets: &SortedMap<Inlet<'_>, Traffic>,
    doubts: &Doubts,
    problems: &mut Problems,
) {
    for port in node.ports().filter(|port| port.direction == Direction::In) {
        let traffic = inlets.get(&(index, port.flow, port.name.as_ref()));
        let has_edge = traffic.is_some_and(|traffic| traffic.live > 0);
        let setting = port.setting_path().filter(|_| port.is_set(&node.map));
        if has_edge && let Some(setting) = &setting {
            problems.add(
                node.problem(
                    Code::SettingAndEdge,
                    format!(
                        "{} is wired, so the setting \"{setting}\" is not used.",
                        quote(&format!("{}.{}", node.id(), port.name))
                    ),
                    "Remove the edge or the setting.",
                )
                .port(port.name.as_ref())
                .at(&node.path.key("settings").join(setting)),
            );
        }
        let is_sure = !(node.has_unsure_ports && port.flow == EdgeType::Data);
        let is_missing =
            port.required && !has_edge && setting.is_none() && node.is_enabled() && is_sure;
        if is_missing && !doubts.cover(index, port.flow, Direction::In) {
            problems.add(
                node.problem(
                    Code::RequiredPort,
                    format!(
                        "Nothing is wired to {}.",
                        quote(&format!("{}.{}", node.id(), port.name))
                    ),
                    missing(port, traffic.is_some_and(|traffic| traffic.idle > 0)),
                )
                .port(port.name.as_ref()),
            );
        }
    }
}

fn missing(port: &Port, has_idle: bool) -> String {
    if has_idle {
        return "Enable the node that is linked to it, or link another.".to_owned();
    }
    if let Some(setting) = port.setting_path() {
        return format!(
            "Draw a \"{}\" edge to it, or set \"{setting}\".",
            port.flow.as_str()
        );
    }
    let sources = catalogue::specs().iter().filter(|spec| {
        spec.all_ports()
            .any(|other| other.flow == port.flow && other.direction == Direction::Out)
    });
    format!(
        "Draw a \"{}\" edge to it from a node of type {}.",
        port.flow.as_str(),
        names(sources.map(|spec| spec.node_type))
    )
}

/// One model call reads one history.
fn judge_histories(draft: &DraftGraph, problems: &mut Problems) {
    for wire in draft.wires.iter().filter(|wire| wire.to_port == "history") {
        let Some(node) = draft.nodes.get(wire.to) else {
            continue;
        };
        if let Some(Settings::LlmResponse(settings)) = &node.settings
            && settings.use_chat_history
        {
            problems.add(
                node.problem(
                    Code::Setting,
                    format!(
                        "{} reads the conversation by \"use_chat_history\" and again from what is wired to history.",
                        quote(node.id())
                    ),
                    "Remove the edge, or set \"use_chat_history\" to false.",
                )
                .port("history")
                .at(&node.path.key("settings").key("use_chat_history")),
            );
        }
    }
}

/// A model tells its tools apart by name.
fn judge_tool_names(draft: &DraftGraph, problems: &mut Problems) {
    let mut taken: SortedMap<(usize, String), usize> = SortedMap::new();
    for wire in &draft.wires {
        let Some(tool) = draft.nodes.get(wire.from).filter(|tool| tool.is_enabled()) else {
            continue;
        };
        for name in tool_names(draft, wire, tool) {
            let first = *taken.get_or_insert_with((wire.to, name.clone()), || wire.from);
            if first != wire.from
                && let (Some(agent), Some(first)) =
                    (draft.nodes.get(wire.to), draft.nodes.get(first))
            {
                problems.add(same_tool(agent, &name, first, tool));
            }
        }
    }
}

/// The tools that a link gives an agent.
fn tool_names(draft: &DraftGraph, wire: &Wire, tool: &DraftNode) -> Vec<String> {
    match &tool.settings {
        Some(Settings::AgentMemory(memory)) if wire.edge_type == EdgeType::LinkExtension => {
            let dictionaries = draft.wires.iter().filter(|other| {
                let from = draft.nodes.get(other.from);
                other.to == wire.to
                    && from.is_some_and(|from| from.is_type("agent_memory") && from.is_enabled())
            });
            let is_one = dictionaries.count() == 1;
            let name = |name: &String| match is_one {
                true => name.clone(),
                false => format!("{}_{name}", tool.id()),
            };
            memory.tools.iter().map(name).collect()
        }
        _ if wire.edge_type == EdgeType::LinkTool => {
            let name = tool.map.get("name").and_then(serde_json::Value::as_str);
            name.map(str::to_owned).into_iter().collect()
        }
        _ => Vec::new(),
    }
}

fn same_tool(agent: &DraftNode, name: &str, first: &DraftNode, tool: &DraftNode) -> Problem {
    let message = format!(
        "{} has two tools with the name {}: {} and {}.",
        quote(agent.id()),
        quote(name),
        quote(first.id()),
        quote(tool.id())
    );
    // A dictionary's tools have names of their own.
    let (at, hint) = match tool.is_type("agent_memory") {
        true => (
            first,
            "Set another \"name\" on the tool, or leave this one out of \"enabled_tools\".",
        ),
        false => (
            tool,
            "Set another \"name\" on one of them, or link only one.",
        ),
    };
    at.problem(Code::Setting, message, hint)
        .at(&at.path.key("settings").key("name"))
}
