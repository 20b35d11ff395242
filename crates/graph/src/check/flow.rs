//! The graph as a whole: what starts it, what is reached, what is left alone.

use super::calls::answers_person;
use super::{DraftGraph, DraftNode};
use crate::catalogue::{Direction, Kind, Port};
use crate::document::EdgeType;
use crate::nodes::{Scope, Settings};
use crate::policy::ErrorMode;
use crate::problem::{Code, Problem, Problems, quote};

pub(super) fn judge(draft: &DraftGraph, problems: &mut Problems) {
    let is_sub = draft.key.is_some();
    judge_triggers(draft, problems);
    let triggers = || {
        let all = draft.nodes.iter().enumerate();
        all.filter(|(_, node)| starts(node, is_sub) && node.is_enabled())
    };
    if triggers().next().is_some() && !draft.doubts.is_lost(EdgeType::Run, Direction::In) {
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
        judge_unreachable(draft, &from_any, problems);
        if !is_sub {
            let with_thread = triggers().filter(|(_, node)| gives_thread(node));
            let from_thread = reach(&runs, with_thread.chain(maybe()).map(index));
            judge_threads(draft, &from_any, &from_thread, problems);
            if !triggers().any(|(_, node)| gives_thread(node)) {
                judge_variables(draft, problems);
            }
            for (index, chat) in triggers().filter(|(_, node)| node.is_type("chat_trigger")) {
                judge_answers(draft, chat, &reach(&runs, std::iter::once(index)), problems);
            }
        }
    }
    judge_error_branches(draft, problems);
    judge_resources(draft, problems);
}

/// Whether a node can start a graph of this sort.
fn starts(node: &DraftNode, is_sub: bool) -> bool {
    node.kind() == Some(Kind::Trigger) && node.is_type("graph_input") == is_sub
}

/// Whether runs that start here belong to a conversation.
fn gives_thread(node: &DraftNode) -> bool {
    node.is_type("chat_trigger") || node.map.contains_key("thread_id")
}

/// A graph is started by one of its triggers, a sub-graph by its one `graph_input`.
fn judge_triggers(draft: &DraftGraph, problems: &mut Problems) {
    let is_sub = draft.key.is_some();
    let enabled = || draft.nodes.iter().filter(|node| node.is_enabled());
    let mut count = 0;
    let mut has_other = false;
    for node in enabled().filter(|node| node.kind() == Some(Kind::Trigger)) {
        let (message, hint) = if !starts(node, is_sub) {
            has_other = true;
            if is_sub {
                (
                    format!("{} cannot start a sub-graph.", quote(node.id())),
                    "A sub-graph is started by the node that runs it, at its graph_input; remove the trigger.",
                )
            } else {
                (
                    format!("{} starts sub-graphs only.", quote(node.id())),
                    "Use a chat_trigger, manual_trigger or event_trigger, or move the node into a sub-graph.",
                )
            }
        } else {
            count += 1;
            if count == 1 || !is_sub {
                continue;
            }
            (
                format!("{} is a second graph_input.", quote(node.id())),
                "Declare all inputs in one graph_input.",
            )
        };
        problems.add(node.problem(Code::Trigger, message, hint));
    }
    if count > 0 || has_other || draft.nodes.iter().any(|node| node.spec.is_none()) {
        return;
    }
    let mut all = draft.nodes.iter();
    let is_off = all.any(|node| node.kind() == Some(Kind::Trigger));
    let hint = if is_off {
        "Enable a trigger: each one is disabled."
    } else if is_sub {
        "Add a node of type graph_input and draw a \"run\" edge from its port out."
    } else {
        "Add a node of type chat_trigger, manual_trigger or event_trigger and draw a \"run\" edge from its port out."
    };
    let problem = if is_sub {
        Problem::new(Code::Trigger, "Nothing starts the sub-graph.", hint).at(&draft.path)
    } else {
        Problem::new(Code::Trigger, "Nothing starts the graph.", hint)
    };
    problems.add(problem);
}

/// For each node the nodes that its edges lead to.
pub(super) fn successors(draft: &DraftGraph, wanted: impl Fn(EdgeType) -> bool) -> Vec<Vec<usize>> {
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

fn judge_unreachable(draft: &DraftGraph, reached: &[bool], problems: &mut Problems) {
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

/// A branch for failures that leads nowhere ends its way in silence.
fn judge_error_branches(draft: &DraftGraph, problems: &mut Problems) {
    let mut is_wired = vec![false; draft.nodes.len()];
    for wire in &draft.wires {
        if wire.edge_type == EdgeType::Run
            && wire.from_port == "error"
            && let Some(mark) = is_wired.get_mut(wire.from)
        {
            *mark = true;
        }
    }
    for (index, (node, is_wired)) in draft.nodes.iter().zip(is_wired).enumerate() {
        let branches = node.on_error.mode == ErrorMode::Branch && node.is_enabled();
        let is_unsure = draft.doubts.cover(index, EdgeType::Run, Direction::Out);
        if node.kind() == Some(Kind::Step) && branches && !is_wired && !is_unsure {
            problems.add(
                node.problem(
                    Code::ErrorUnwired,
                    format!(
                        "{} takes its port error when it fails, and nothing is wired to it: control ends there.",
                        quote(node.id())
                    ),
                    "Draw a \"run\" edge from the port error, or set \"mode\" of \"on_error\" to \"continue\" or \"fail\".",
                )
                .port("error")
                .at(&node.path.key("on_error").key("mode")),
            );
        }
    }
}

/// A chat expects an answer, at least on one way.
fn judge_answers(draft: &DraftGraph, chat: &DraftNode, reached: &[bool], problems: &mut Problems) {
    let mut reached = draft
        .nodes
        .iter()
        .enumerate()
        .zip(reached)
        .filter(|(_, reached)| **reached);
    let is_answered = reached.any(|((index, node), _)| {
        node.spec.is_none()
            || (answers_person(node) && node.is_enabled())
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
fn judge_threads(
    draft: &DraftGraph,
    from_any: &[bool],
    from_chat: &[bool],
    problems: &mut Problems,
) {
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
            problems.add(without_chat(node));
        }
    }
}

/// Thread variables and dictionaries of a graph that no chat starts.
fn judge_variables(draft: &DraftGraph, problems: &mut Problems) {
    for node in draft.nodes.iter().filter(|node| node.is_enabled()) {
        let scope = match &node.settings {
            Some(Settings::Var(var)) => var.scope,
            Some(Settings::AgentMemory(memory)) => memory.scope,
            _ => continue,
        };
        if scope == Scope::Thread {
            problems.add(without_chat(node));
        }
    }
}

fn without_chat(node: &DraftNode) -> Problem {
    let message = format!(
        "{} has the scope thread, and no chat leads to it: it forgets at the end of each run.",
        quote(node.id())
    );
    let hint = "Start the graph with a chat_trigger, give each run a thread, or set \"scope\" to \"session\".";
    node.problem(Code::ThreadWithoutChat, message, hint)
        .at(&node.path.key("settings").key("scope"))
}

/// Which memories are linked to one of the marked nodes.
fn linked_to(draft: &DraftGraph, marked: &[bool]) -> Vec<bool> {
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
fn judge_resources(draft: &DraftGraph, problems: &mut Problems) {
    let mut is_linked = vec![false; draft.nodes.len()];
    let mut is_fed = vec![false; draft.nodes.len()];
    for wire in &draft.wires {
        let (marks, index) = match wire.edge_type {
            EdgeType::Run => continue,
            EdgeType::Data => (&mut is_fed, wire.to),
            EdgeType::LinkMemory
            | EdgeType::LinkLlm
            | EdgeType::LinkExtension
            | EdgeType::LinkTool
            | EdgeType::LinkVar => (&mut is_linked, wire.from),
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
        let mut links = EdgeType::ALL.iter().filter(|flow| flow.is_link());
        let is_of_use = |offer: &&'static Port| {
            spec.kind == Kind::Resource || offer.flow == EdgeType::LinkExtension
        };
        if let Some(offer) = spec.offers().filter(is_of_use)
            && !is_linked
            && !links.any(|flow| draft.doubts.cover(index, *flow, Direction::Out))
        {
            problems.add(unlinked(node, offer.flow).port(offer.name.as_ref()));
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
