//! Variables: names that clash, writes that vanish, variables that nobody uses.

use mnemograph_compact::SortedMap;
use serde_json::Value;

use super::{DraftGraph, DraftNode};
use crate::document::EdgeType;
use crate::nodes::{Scope, Settings, Var};
use crate::problem::{Code, Problems, quote};
use crate::template_settings::of_map;

pub(super) fn judge(draft: &DraftGraph, problems: &mut Problems) {
    judge_names(draft, problems);
    judge_writes(draft, problems);
    if !draft.is_partial && draft.nodes.iter().all(|node| node.spec.is_some()) {
        judge_use(draft, problems);
    }
}

/// The variable that a node declares.
fn var(node: &DraftNode) -> Option<&Var> {
    match node.settings.as_ref()? {
        Settings::Var(var) if node.is_enabled() => Some(var),
        _ => None,
    }
}

fn judge_names(draft: &DraftGraph, problems: &mut Problems) {
    let mut taken: SortedMap<&str, usize> = SortedMap::new();
    for (index, node) in draft.nodes.iter().enumerate() {
        let Some(var) = var(node) else {
            continue;
        };
        let first = *taken.get_or_insert_with(&var.name, || index);
        if let Some(first) = draft.nodes.get(first).filter(|_| first != index) {
            problems.add(
                node.problem(
                    Code::VarDup,
                    format!(
                        "{} and {} are both variables of the name {}.",
                        quote(first.id()),
                        quote(node.id()),
                        quote(&var.name)
                    ),
                    "Give one of them another name, or remove it and use the other in its place.",
                )
                .at(&node.path.key("settings").key("name")),
            );
        }
    }
}

/// What is written to a variable that always begins with its default is never seen.
fn judge_writes(draft: &DraftGraph, problems: &mut Problems) {
    let links = draft
        .wires
        .iter()
        .filter(|wire| wire.edge_type == EdgeType::LinkVar);
    for wire in links {
        let (Some(from), Some(to)) = (draft.nodes.get(wire.from), draft.nodes.get(wire.to)) else {
            continue;
        };
        if var(from).is_some_and(|var| var.scope == Scope::Call) {
            problems.add(
                to.problem(
                    Code::Setting,
                    format!(
                        "{} writes {}, whose scope is call: each read gives its default again.",
                        quote(to.id()),
                        quote(from.id())
                    ),
                    "Set \"scope\" of the variable to \"session\" or \"thread\".",
                )
                .port(&wire.to_port),
            );
        }
    }
}

fn judge_use(draft: &DraftGraph, problems: &mut Problems) {
    let mut is_used = vec![false; draft.nodes.len()];
    for wire in &draft.wires {
        mark(&mut is_used, wire.from);
    }
    // Whoever mentions its name or id in a template may read it.
    let mut words: SortedMap<&str, Vec<usize>> = SortedMap::new();
    for (index, node) in draft.nodes.iter().enumerate() {
        if let Some(var) = var(node) {
            for word in [var.name.as_str(), node.id()] {
                words.get_or_insert_with(word, Vec::new).push(index);
            }
        }
    }
    if words.is_empty() {
        return;
    }
    for node in &draft.nodes {
        let Some(spec) = node.spec else {
            continue;
        };
        for template in of_map(spec.settings, &node.map) {
            each_text(template.source, &mut |text| {
                let is_part = |mark: char| mark.is_ascii_alphanumeric() || mark == '_';
                for word in text.split(|mark| !is_part(mark)) {
                    for index in words.get(word).into_iter().flatten() {
                        mark(&mut is_used, *index);
                    }
                }
            });
        }
    }
    for (index, node) in draft.nodes.iter().enumerate() {
        let is_sure = is_used.get(index) == Some(&false)
            && !draft
                .doubts
                .cover(index, EdgeType::Data, crate::catalogue::Direction::Out)
            && !draft
                .doubts
                .cover(index, EdgeType::LinkVar, crate::catalogue::Direction::Out);
        if let Some(var) = var(node).filter(|_| is_sure) {
            problems.add(node.problem(
                Code::UnusedVar,
                format!("Nothing reads or writes the variable {}.", quote(&var.name)),
                "Read it with {{ variables.<name> }} or an edge, or remove it.",
            ));
        }
    }
}

fn mark(marks: &mut [bool], index: usize) {
    if let Some(mark) = marks.get_mut(index) {
        *mark = true;
    }
}

fn each_text<'a>(value: &'a Value, take: &mut dyn FnMut(&'a str)) {
    match value {
        Value::String(text) => take(text),
        Value::Array(list) => list.iter().for_each(|value| each_text(value, take)),
        Value::Object(map) => map.values().for_each(|value| each_text(value, take)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
