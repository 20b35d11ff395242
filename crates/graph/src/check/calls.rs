//! Sub-graphs: who runs whom, with which ports, and how deep.

use std::rc::Rc;

use mnemograph_compact::{SortedMap, SortedSet, sort_by};

use super::{Draft, DraftGraph, DraftNode, DraftSubGraph};
use crate::catalogue::Port;
use crate::getters::Get;
use crate::nodes::{self, Settings, ToolRun};
use crate::problem::{Code, Problem, Problems, quote};
use crate::settings::names;
use crate::suggest::Suggest;

/// The sub-graph that a node runs.
fn called(node: &DraftNode) -> Option<(&str, &'static str)> {
    match node.settings.as_ref()? {
        Settings::Subgraph(sub) => Some((&sub.graph, "graph")),
        Settings::Tool(tool) => match &tool.run {
            ToolRun::Graph(key) => Some((key, "run")),
            ToolRun::Host(_) => None,
        },
        _ => None,
    }
}

/// Gives the nodes that run sub-graphs their ports, and reports sub-graphs that do not exist.
pub(super) fn resolve(draft: &mut Draft, suggest: &mut Suggest, problems: &mut Problems) {
    let ports: SortedMap<String, Interface> = draft
        .graphs
        .iter()
        .map(|sub| (sub.key.clone(), interface(&sub.body)))
        .collect();
    let subs = draft.graphs.iter_mut().map(|sub| &mut sub.body);
    for graph in std::iter::once(&mut draft.root).chain(subs) {
        problems.enter(graph.key.as_deref());
        for node in &mut graph.nodes {
            let Some((key, setting)) = called(node) else {
                continue;
            };
            let Some(interface) = ports.get(key) else {
                problems.add(unknown(key, setting, node, &ports, suggest));
                node.has_unsure_ports = true;
                continue;
            };
            if node.is_type("subgraph") {
                node.dynamic = Rc::clone(&interface.ports);
                node.has_unsure_ports = !interface.is_sure;
                node.answers = interface.answers;
            }
        }
    }
}

fn unknown(
    key: &str,
    setting: &str,
    node: &DraftNode,
    known: &SortedMap<String, Interface>,
    suggest: &mut Suggest,
) -> Problem {
    const SHOWN: usize = 10;
    let keys = || known.keys().map(String::as_str);
    let hint = match suggest.nearest(key, keys()) {
        Some(near) => format!("Did you mean \"{near}\"?"),
        None if known.is_empty() => {
            "The document has no sub-graphs; add one under \"graphs\".".to_owned()
        }
        None => format!("Sub-graphs of the document: {}.", names(keys().take(SHOWN))),
    };
    let message = format!(
        "{} runs the sub-graph {}, which does not exist.",
        quote(node.id()),
        quote(key)
    );
    node.problem(Code::Setting, message, hint)
        .at(&node.path.key("settings").key(setting))
}

/// What a node has that runs a graph.
struct Interface {
    ports: Rc<[Port]>,
    /// The ports are all known.
    is_sure: bool,
    /// The graph answers the person, or runs one that may.
    answers: bool,
}

fn interface(graph: &DraftGraph) -> Interface {
    let is_enabled = |node: &&DraftNode| node.is_enabled();
    let mut inputs = Vec::new();
    let mut outputs = Vec::new();
    let mut is_sure = !graph.is_partial;
    let mut answers = false;
    for node in graph.nodes.iter().filter(is_enabled) {
        is_sure &= node.spec.is_some();
        answers |= node.spec.is_none() || node.is_type("subgraph") || answers_person(node);
        if node.is_type("graph_input") && inputs.is_empty() {
            is_sure &= node.settings.is_some();
            inputs = nodes::trigger::inputs(Get(&node.map));
        } else if node.is_type("output") {
            is_sure &= node.settings.is_some();
            outputs.extend(Get(&node.map).maybe_text("name"));
        }
    }
    sort_by(&mut outputs, Ord::cmp);
    outputs.dedup();
    Interface {
        ports: nodes::subgraph::ports(&inputs, &outputs).into(),
        is_sure,
        answers,
    }
}

/// Whether a node shows the person something.
pub(super) fn answers_person(node: &DraftNode) -> bool {
    node.answers || node.is_type("reply") || node.is_type("ask_user")
}

/// A circle of sub-graphs, and those that stand too deep in each other.
pub(super) fn judge(draft: &Draft, problems: &mut Problems) {
    let subs = draft.graphs.iter();
    let mut depths = Depths {
        subs: subs.map(|sub| (sub.key.as_str(), sub)).collect(),
        known: SortedMap::new(),
        problems,
    };
    for sub in &draft.graphs {
        depths.of(&sub.key);
    }
    let Depths {
        known, problems, ..
    } = depths;
    let max = draft.limits.depth;
    for node in &draft.root.nodes {
        let depth = called(node).and_then(|(key, _)| known.get(key).copied().flatten());
        if let Some(depth) = depth.filter(|depth| *depth > max) {
            problems.enter(None);
            problems.add(node.problem(
                Code::Depth,
                format!(
                    "{} runs sub-graphs {depth} deep in each other; {max} are allowed.",
                    quote(node.id())
                ),
                "Run fewer inside of each other, or raise \"depth\" in \"limits\".",
            ));
        }
    }
    judge_unused(draft, problems);
}

/// How deep sub-graphs stand in each other.
struct Depths<'a> {
    subs: SortedMap<&'a str, &'a DraftSubGraph>,
    /// `None`: it is being looked at.
    known: SortedMap<&'a str, Option<u64>>,
    problems: &'a mut Problems,
}

impl<'a> Depths<'a> {
    /// Walks without recursion, since a document may hold a chain of two thousand.
    fn of(&mut self, start: &'a str) {
        let mut stack = vec![(start, self.callees(start), 1_u64)];
        if self.known.contains_key(start) {
            return;
        }
        self.known.insert(start, None);
        while let Some((key, open, depth)) = stack.last_mut() {
            let Some((node, callee)) = open.pop() else {
                self.known.insert(key, Some(*depth));
                let below = *depth + 1;
                stack.pop();
                if let Some((_, _, depth)) = stack.last_mut() {
                    *depth = (*depth).max(below);
                }
                continue;
            };
            match self.known.get(callee) {
                Some(Some(known)) => *depth = (*depth).max(known + 1),
                Some(None) => {
                    self.problems.enter(Some(key));
                    self.problems.add(node.problem(
                        Code::Depth,
                        format!(
                            "The sub-graph {} runs itself, by {}.",
                            quote(callee),
                            quote(node.id())
                        ),
                        "A sub-graph cannot run itself, also not through others; use a loop.",
                    ));
                }
                None => {
                    self.known.insert(callee, None);
                    stack.push((callee, self.callees(callee), 1));
                }
            }
        }
    }

    /// The nodes of a sub-graph that run sub-graphs which exist.
    fn callees(&self, key: &str) -> Vec<(&'a DraftNode, &'a str)> {
        let nodes = self.subs.get(key).map(|sub| sub.body.nodes.as_slice());
        let calls = nodes.into_iter().flatten().rev().filter_map(|node| {
            let (key, _) = called(node)?;
            let sub = self.subs.get(key)?;
            Some((node, sub.key.as_str()))
        });
        calls.collect()
    }
}

/// Sub-graphs that no node runs.
fn judge_unused(draft: &Draft, problems: &mut Problems) {
    let bodies = || {
        let subs = draft.graphs.iter().map(|sub| &sub.body);
        std::iter::once(&draft.root).chain(subs)
    };
    // What cannot be read may be meant for any.
    if bodies()
        .any(|graph| graph.is_partial || graph.nodes.iter().any(|node| node.settings.is_none()))
    {
        return;
    }
    let nodes = bodies().flat_map(|graph| &graph.nodes);
    let used: SortedSet<&str> = nodes
        .filter_map(|node| called(node).map(|(key, _)| key))
        .collect();
    let subs = draft.graphs.iter();
    for sub in subs.filter(|sub| !used.contains(sub.key.as_str())) {
        problems.enter(Some(&sub.key));
        problems.add(
            Problem::new(
                Code::Unreachable,
                format!("No node runs the sub-graph {}.", quote(&sub.key)),
                "Run it with a node of type subgraph or a tool, or remove it.",
            )
            .at(&sub.body.path),
        );
    }
}
