//! Edges together: what fits what, how many fit, what is missing.

use std::collections::{BTreeMap, BTreeSet};

use super::ends::Doubts;
use super::{Draft, DraftNode, Wire};
use crate::catalogue::{self, Direction, PortSpec};
use crate::document::EdgeType;
use crate::problem::{Code, Pointer, Problem, Problems, quote};
use crate::settings::names;

/// Whether edges of this type link a resource.
pub(super) fn is_link(flow: EdgeType) -> bool {
    !matches!(flow, EdgeType::Run | EdgeType::Data)
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
        judge_inputs(index, node, &wired, &draft.doubts, problems);
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
    doubts: &Doubts,
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
        let is_missing = port.required && !has_edge && setting.is_none() && node.is_enabled();
        if is_missing && !doubts.cover(index, port.flow, Direction::In) {
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
