//! The graph as a whole: what starts it, what is reached, what is left alone.

use super::edges::is_link;
use super::{Draft, DraftNode};
use crate::catalogue::{Direction, Kind};
use crate::document::EdgeType;
use crate::nodes::Scope;
use crate::problem::{Code, Problem, Problems, quote};

pub(super) fn judge(draft: &Draft, problems: &mut Problems) {
    let triggers = || {
        let all = draft.nodes.iter().enumerate();
        all.filter(|(_, node)| node.kind() == Some(Kind::Trigger) && node.is_enabled())
    };
    let is_chat = |node: &DraftNode| node.is_type("chat_trigger");
    let has_trigger = triggers().next().is_some();
    if !has_trigger && draft.nodes.iter().all(|node| node.spec.is_some()) {
        let is_off = draft
            .nodes
            .iter()
            .any(|node| node.kind() == Some(Kind::Trigger));
        let hint = if is_off {
            "Enable a trigger: each one is disabled."
        } else {
            "Add a node of type chat_trigger or manual_trigger and draw a \"run\" edge from its port out."
        };
        problems.add(Problem::new(
            Code::Trigger,
            "Nothing starts the graph.",
            hint,
        ));
    }
    if has_trigger && !draft.doubts.is_lost(EdgeType::Run, Direction::In) {
        let runs = successors(draft, |edge_type| edge_type == EdgeType::Run);
        // What may be reached over a broken edge or by a node of an unknown type counts as reached, in every way.
        let maybe = || {
            let all = draft.nodes.iter().enumerate();
            all.filter(|(index, node)| {
                node.spec.is_none() || draft.doubts.cover(*index, EdgeType::Run, Direction::In)
            })
        };
        let index = |(index, _): (usize, _)| index;
        let from_any = reach(&runs, triggers().chain(maybe()).map(index));
        let chats = triggers().filter(|(_, node)| is_chat(node));
        let from_chat = reach(&runs, chats.chain(maybe()).map(index));
        judge_unreachable(draft, &from_any, problems);
        judge_threads(draft, &from_any, &from_chat, problems);
        for (index, chat) in triggers().filter(|(_, node)| is_chat(node)) {
            judge_answers(draft, chat, &reach(&runs, std::iter::once(index)), problems);
        }
    }
    judge_resources(draft, problems);
}

/// For each node the nodes that its edges lead to.
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

/// A chat expects an answer, at least on one way.
fn judge_answers(draft: &Draft, chat: &DraftNode, reached: &[bool], problems: &mut Problems) {
    let mut reached = draft
        .nodes
        .iter()
        .enumerate()
        .zip(reached)
        .filter(|(_, reached)| **reached);
    let is_answered = reached.any(|((index, node), _)| {
        node.spec.is_none()
            || (node.is_type("reply") && node.is_enabled())
            || draft.doubts.cover(index, EdgeType::Run, Direction::Out)
    });
    if !is_answered {
        problems.add(chat.problem(
            Code::NoReply,
            format!(
                "No reply follows {}: the person in the chat gets no answer.",
                quote(chat.id())
            ),
            "Add a node of type reply and let control reach it.",
        ));
    }
}

/// Thread memories of agents that only runs without a chat reach.
fn judge_threads(draft: &Draft, from_any: &[bool], from_chat: &[bool], problems: &mut Problems) {
    let in_runs = linked_to(draft, from_any);
    let in_chats = linked_to(draft, from_chat);
    for (index, ((node, in_runs), in_chats)) in
        draft.nodes.iter().zip(in_runs).zip(in_chats).enumerate()
    {
        let memory = node
            .settings
            .as_ref()
            .and_then(|settings| settings.memory());
        let is_thread = memory.is_some_and(|memory| memory.scope == Scope::Thread);
        let is_sure = !draft
            .doubts
            .cover(index, EdgeType::LinkMemory, Direction::Out);
        if is_thread && in_runs && !in_chats && is_sure && node.is_enabled() {
            problems.add(
                node.problem(
                    Code::ThreadWithoutChat,
                    format!(
                        "{} has the scope thread, and no chat leads to it: it forgets at the end of each run.",
                        quote(node.id())
                    ),
                    "Start the graph with a chat_trigger, give each run a thread, or set \"scope\" to \"session\".",
                )
                .at(&node.path.key("settings").key("scope")),
            );
        }
    }
}

/// Which memories are linked to one of the marked nodes.
fn linked_to(draft: &Draft, marked: &[bool]) -> Vec<bool> {
    let mut linked = vec![false; draft.nodes.len()];
    for wire in draft
        .wires
        .iter()
        .filter(|wire| wire.edge_type == EdgeType::LinkMemory)
    {
        if marked.get(wire.to) == Some(&true)
            && let Some(mark) = linked.get_mut(wire.from)
        {
            *mark = true;
        }
    }
    linked
}

/// Resources that nobody uses, and their ports that wait in vain.
fn judge_resources(draft: &Draft, problems: &mut Problems) {
    let mut is_linked = vec![false; draft.nodes.len()];
    let mut is_fed = vec![false; draft.nodes.len()];
    for wire in &draft.wires {
        let (marks, index) = match wire.edge_type {
            EdgeType::Run => continue,
            EdgeType::Data => (&mut is_fed, wire.to),
            EdgeType::LinkMemory | EdgeType::LinkLlm | EdgeType::LinkTool => {
                (&mut is_linked, wire.from)
            }
        };
        if let Some(mark) = marks.get_mut(index) {
            *mark = true;
        }
    }
    for (index, ((node, is_linked), is_fed)) in
        draft.nodes.iter().zip(is_linked).zip(is_fed).enumerate()
    {
        let Some(spec) = node.spec.filter(|_| node.is_enabled()) else {
            continue;
        };
        let mut links = EdgeType::ALL.iter().filter(|flow| is_link(**flow));
        if let Some(offer) = spec.offers()
            && !is_linked
            && !links.any(|flow| draft.doubts.cover(index, *flow, Direction::Out))
        {
            problems.add(unlinked(node, offer.flow).port(offer.name));
        }
        let waits = spec
            .port("messages_in", EdgeType::Data, Direction::In)
            .is_some_and(|port| node.is_open(port.opened_by));
        if waits && !is_fed && !draft.doubts.cover(index, EdgeType::Data, Direction::In) {
            let message = format!(
                "{} is to be set from its input, and nothing is wired to messages_in.",
                quote(node.id())
            );
            let hint =
                "Draw a \"data\" edge of messages to it, or set \"set_from_input\" to false.";
            problems.add(
                node.problem(Code::MessagesInUnwired, message, hint)
                    .port("messages_in"),
            );
        }
    }
}

fn unlinked(node: &DraftNode, flow: EdgeType) -> Problem {
    let (code, message) = if flow == EdgeType::LinkMemory {
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
    let hint = format!(
        "Draw a \"{}\" edge from it to an agent, or remove it.",
        flow.as_str()
    );
    node.problem(code, message, hint)
}
