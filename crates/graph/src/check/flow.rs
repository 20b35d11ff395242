//! The graph as a whole: circles, what is reached from where, what is left alone.

use std::collections::VecDeque;

use super::{Draft, DraftNode};
use crate::catalogue::{Direction, Kind, OpenedBy};
use crate::document::EdgeType;
use crate::nodes::Scope;
use crate::problem::{Code, Problem, Problems, quote};

pub(super) fn judge(draft: &Draft, problems: &mut Problems) {
    judge_cycles(draft, problems);
    judge_ports_in_wait(draft, problems);
    // With an unknown type the graph is not known well enough: the node may be a trigger, a reply, an agent.
    if draft.nodes.iter().any(|node| node.spec.is_none()) {
        return;
    }
    let triggers = || {
        draft
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| node.kind() == Some(Kind::Trigger) && node.is_enabled())
    };
    if triggers().next().is_none() {
        problems.add(Problem::new(
            Code::Trigger,
            "Nothing starts the graph.",
            "Add a node of type chat_trigger or manual_trigger and draw a \"run\" edge from its port out.",
        ));
        judge_unlinked(draft, problems);
        return;
    }
    let runs = successors(draft, |edge_type| edge_type == EdgeType::Run);
    let from_any = reach(&runs, triggers().map(|(index, _)| index));
    let from_chat = reach(
        &runs,
        triggers()
            .filter(|(_, node)| node.is_type("chat_trigger"))
            .map(|(index, _)| index),
    );
    judge_unreachable(draft, &from_any, problems);
    judge_unlinked(draft, problems);
    judge_threads(draft, &from_any, &from_chat, problems);
    for (index, trigger) in triggers().filter(|(_, node)| node.is_type("chat_trigger")) {
        let reached = reach(&runs, std::iter::once(index));
        let answers = draft
            .nodes
            .iter()
            .zip(&reached)
            .any(|(node, reached)| *reached && node.is_type("reply") && node.is_enabled());
        if !answers {
            problems.add(trigger.problem(
                Code::NoReply,
                format!(
                    "No reply follows {}: the person in the chat gets no answer.",
                    quote(trigger.id())
                ),
                "Add a node of type reply and let control reach it.",
            ));
        }
    }
}

/// For each node the nodes that its edges lead to, with the place of each edge.
pub(super) fn successors(draft: &Draft, wanted: impl Fn(EdgeType) -> bool) -> Vec<Vec<usize>> {
    let mut lists = vec![Vec::new(); draft.nodes.len()];
    for wire in draft.wires.iter().filter(|wire| wanted(wire.edge_type)) {
        if let Some(list) = lists.get_mut(wire.from) {
            list.push(wire.to);
        }
    }
    lists
}

/// Which nodes are reached, the starts included.
fn reach(successors: &[Vec<usize>], starts: impl Iterator<Item = usize>) -> Vec<bool> {
    let mut reached = vec![false; successors.len()];
    let mut open: Vec<usize> = starts.collect();
    while let Some(index) = open.pop() {
        match reached.get_mut(index) {
            Some(mark) if !*mark => *mark = true,
            _ => continue,
        }
        open.extend(successors.get(index).into_iter().flatten());
    }
    reached
}

/// Control, values and links together have no circle: whoever stands in one waits for itself.
/// Each node that is in a circle is named in at least one problem.
fn judge_cycles(draft: &Draft, problems: &mut Problems) {
    let successors = successors(draft, |_| true);
    let mut done = acyclic(&successors);
    for index in 0..draft.nodes.len() {
        if done.get(index) != Some(&false) {
            continue;
        }
        let Some(circle) = circle(&successors, index) else {
            continue;
        };
        for member in &circle {
            if let Some(mark) = done.get_mut(*member) {
                *mark = true;
            }
        }
        let Some(node) = draft.nodes.get(index) else {
            continue;
        };
        problems.add(node.problem(
            Code::Cycle,
            format!("Nodes wait for each other in a circle: {}.", tour(draft, &circle)),
            "Remove one edge of the circle: control never runs back, and no node can use a value that is made after it.",
        ));
    }
}

/// Marks the nodes that are surely in no circle: those that are left with no way in (Kahn).
fn acyclic(successors: &[Vec<usize>]) -> Vec<bool> {
    let mut ways_in = vec![0_usize; successors.len()];
    for next in successors.iter().flatten() {
        if let Some(count) = ways_in.get_mut(*next) {
            *count += 1;
        }
    }
    let mut done = vec![false; successors.len()];
    let mut open: Vec<usize> = (0..successors.len())
        .filter(|index| ways_in.get(*index) == Some(&0))
        .collect();
    while let Some(index) = open.pop() {
        if let Some(mark) = done.get_mut(index) {
            *mark = true;
        }
        for next in successors.get(index).into_iter().flatten() {
            if let Some(count) = ways_in.get_mut(*next) {
                *count -= 1;
                if *count == 0 {
                    open.push(*next);
                }
            }
        }
    }
    done
}

/// The shortest way from a node back to itself.
fn circle(successors: &[Vec<usize>], start: usize) -> Option<Vec<usize>> {
    let mut came_from: Vec<Option<usize>> = vec![None; successors.len()];
    let mut open = VecDeque::from([start]);
    while let Some(index) = open.pop_front() {
        for next in successors.get(index).into_iter().flatten() {
            if *next == start {
                let mut way = vec![index];
                let mut at = index;
                while at != start {
                    at = came_from.get(at).copied().flatten()?;
                    way.push(at);
                }
                way.reverse();
                return Some(way);
            }
            if let Some(mark) = came_from.get_mut(*next)
                && mark.is_none()
            {
                *mark = Some(index);
                open.push_back(*next);
            }
        }
    }
    None
}

/// `a → b → a`, shortened in the middle.
fn tour(draft: &Draft, circle: &[usize]) -> String {
    const SHOWN: usize = 8;
    let mut ids: Vec<&str> = circle
        .iter()
        .take(SHOWN)
        .filter_map(|index| draft.nodes.get(*index))
        .map(DraftNode::id)
        .collect();
    if circle.len() > SHOWN {
        ids.push("…");
    }
    ids.extend(ids.first().copied());
    ids.join(" → ")
}

/// Ports that a setting opened and nothing is wired to.
fn judge_ports_in_wait(draft: &Draft, problems: &mut Problems) {
    let mut is_wired = vec![false; draft.nodes.len()];
    for wire in draft
        .wires
        .iter()
        .filter(|wire| wire.edge_type == EdgeType::Data && wire.to_port == "messages_in")
    {
        if let Some(mark) = is_wired.get_mut(wire.to) {
            *mark = true;
        }
    }
    for (node, is_wired) in draft.nodes.iter().zip(is_wired) {
        let waits = node
            .spec
            .and_then(|spec| spec.port("messages_in", EdgeType::Data, Direction::In))
            .is_some_and(|port| {
                matches!(port.opened_by, Some(OpenedBy::Setting(_))) && node.is_open(port.opened_by)
            });
        if waits && !is_wired && node.is_enabled() {
            problems.add(
                node.problem(
                    Code::MessagesInUnwired,
                    format!(
                        "{} is to be set from its input, and nothing is wired to messages_in.",
                        quote(node.id())
                    ),
                    "Draw a \"data\" edge of messages to it, or set \"set_from_input\" to false.",
                )
                .port("messages_in"),
            );
        }
    }
}

fn judge_unreachable(draft: &Draft, reached: &[bool], problems: &mut Problems) {
    for (node, reached) in draft.nodes.iter().zip(reached) {
        if node.kind() == Some(Kind::Step) && !reached && node.is_enabled() {
            problems.add(node.problem(
                Code::Unreachable,
                format!("No trigger leads to {}; it never runs.", quote(node.id())),
                "Draw a \"run\" edge to its port in, or remove it.",
            ));
        }
    }
}

fn judge_unlinked(draft: &Draft, problems: &mut Problems) {
    let mut is_used = vec![false; draft.nodes.len()];
    for wire in &draft.wires {
        if let Some(mark) = is_used.get_mut(wire.from) {
            *mark = true;
        }
    }
    for (node, is_used) in draft.nodes.iter().zip(is_used) {
        let Some(offer) = node
            .spec
            .filter(|spec| spec.kind == Kind::Resource)
            .and_then(|spec| spec.offers())
        else {
            continue;
        };
        let is_linked = match offer.flow {
            // A memory whose messages are read elsewhere is still remembered by nobody.
            EdgeType::LinkMemory => draft.wires.iter().any(|wire| {
                wire.edge_type == offer.flow
                    && draft
                        .nodes
                        .get(wire.from)
                        .is_some_and(|from| from.id() == node.id())
            }),
            EdgeType::Run | EdgeType::Data | EdgeType::LinkLlm | EdgeType::LinkTool => is_used,
        };
        if is_linked || !node.is_enabled() {
            continue;
        }
        let hint = format!(
            "Draw a \"{}\" edge from its port {} to an agent, or remove it.",
            offer.flow.as_str(),
            offer.name
        );
        let (code, message) = if offer.flow == EdgeType::LinkMemory {
            (
                Code::MemoryUnlinked,
                format!(
                    "No agent is linked to {}; it remembers nothing.",
                    quote(node.id())
                ),
            )
        } else {
            (
                Code::Unreachable,
                format!(
                    "No agent is linked to {}; it is never used.",
                    quote(node.id())
                ),
            )
        };
        problems.add(node.problem(code, message, hint).port(offer.name));
    }
}

/// Thread memories of agents that only runs without a chat reach.
fn judge_threads(draft: &Draft, from_any: &[bool], from_chat: &[bool], problems: &mut Problems) {
    let mut in_runs = vec![false; draft.nodes.len()];
    let mut in_chats = vec![false; draft.nodes.len()];
    for wire in draft
        .wires
        .iter()
        .filter(|wire| wire.edge_type == EdgeType::LinkMemory)
    {
        for (marks, reached) in [(&mut in_runs, from_any), (&mut in_chats, from_chat)] {
            if reached.get(wire.to) == Some(&true)
                && let Some(mark) = marks.get_mut(wire.from)
            {
                *mark = true;
            }
        }
    }
    for ((node, in_runs), in_chats) in draft.nodes.iter().zip(in_runs).zip(in_chats) {
        let is_thread = node
            .settings
            .as_ref()
            .and_then(|settings| settings.memory())
            .is_some_and(|memory| memory.scope == Scope::Thread);
        if is_thread && in_runs && !in_chats && node.is_enabled() {
            problems.add(
                node.problem(
                    Code::ThreadWithoutChat,
                    format!("{} has the scope thread, and no chat leads to it: it will forget at the end of each run.", quote(node.id())),
                    "Start the graph with a chat_trigger, or set \"scope\" to \"session\". A run that is given a thread does remember.",
                )
                .at(&node.path.key("settings").key("scope")),
            );
        }
    }
}
