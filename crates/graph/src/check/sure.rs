//! Which steps have surely run whenever a step runs, and who reads a value that may not be there.
//!
//! A step runs when no edge into it is open any more and at least one was taken. So a step has surely run before
//! another if every way to that one leads over it, or if it follows by a port that is always taken from one that has
//! surely run, and the other waits for it. A `merge` in mode `any` waits for nothing but its first branch.

use super::bits::Sets;
use super::cycles::in_order;
use super::flow::successors;
use super::{DraftGraph, DraftNode, Wire};
use crate::catalogue::{Direction, Kind};
use crate::document::EdgeType;
use crate::nodes::Settings;
use crate::policy::ErrorMode;
use crate::problem::{Code, Problem, Problems, quote};

/// For each step those that have surely run before it; for each pull node those that have for all who read it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Sure {
    before: Sets,
    /// Pull nodes that no step reads.
    unread: Vec<bool>,
}

impl Sure {
    /// Whether a node has surely run whenever another reads it.
    pub(crate) fn has(&self, reader: usize, source: usize) -> bool {
        self.unread.get(reader) == Some(&true) || self.before.has(reader, source)
    }
}

/// Finds what is sure, and reports data edges of which the source may be skipped.
pub(super) fn judge(draft: &DraftGraph, problems: &mut Problems) -> Sure {
    let around = containers(draft);
    let mut before = before(draft, &around);
    let mut unread: Vec<bool> = draft.nodes.iter().map(is_pull).collect();
    let mut data_in: Vec<Vec<(usize, &Wire)>> = vec![Vec::new(); draft.nodes.len()];
    for (place, wire) in draft.wires.iter().enumerate() {
        if wire.edge_type == EdgeType::Data
            && let Some(list) = data_in.get_mut(wire.to)
        {
            list.push((place, wire));
        }
    }
    let has_run_in = has_run_in(draft);
    let mut doubtful: Vec<Option<usize>> = vec![None; draft.wires.len()];
    for (reader, node) in draft.nodes.iter().enumerate() {
        if node.kind() != Some(Kind::Step) || !node.is_enabled() || !has_run_in.contains(&reader) {
            continue;
        }
        let row = before.row(reader);
        let mut seen = vec![false; draft.nodes.len()];
        let mut open = vec![reader];
        while let Some(index) = open.pop() {
            for (place, wire) in data_in.get(index).into_iter().flatten() {
                let Some(source) = draft.nodes.get(wire.from) else {
                    continue;
                };
                if is_pull(source) {
                    read(&mut before, &mut unread, wire.from, &row);
                }
                // A step does without an input that it does not require.
                if index == reader && !is_required(node, wire) {
                    continue;
                }
                if is_pull(source) {
                    let is_choice = source.is_type("coalesce");
                    if let Some(mark) = seen.get_mut(wire.from).filter(|mark| !**mark && !is_choice)
                    {
                        *mark = true;
                        open.push(wire.from);
                    }
                } else if matches!(source.kind(), Some(Kind::Step | Kind::Trigger))
                    && (!before.has(reader, wire.from) || !source.is_enabled())
                    && is_visible(&around, wire.to, source)
                    && let Some(slot) = doubtful.get_mut(*place)
                {
                    slot.get_or_insert(reader);
                }
            }
        }
    }
    for (wire, reader) in draft.wires.iter().zip(doubtful) {
        if let Some(reader) = reader.and_then(|reader| draft.nodes.get(reader)) {
            problems.extend(doubt(draft, wire, reader));
        }
    }
    Sure { before, unread }
}

fn is_required(node: &DraftNode, wire: &Wire) -> bool {
    let port = node.port(&wire.to_port, EdgeType::Data, Direction::In);
    port.is_some_and(|port| port.required)
}

fn is_pull(node: &DraftNode) -> bool {
    node.kind() == Some(Kind::Pull)
}

/// Nodes into which control goes.
fn has_run_in(draft: &DraftGraph) -> mnemograph_compact::SortedSet<usize> {
    let runs = draft
        .wires
        .iter()
        .filter(|wire| wire.edge_type == EdgeType::Run);
    runs.map(|wire| wire.to).collect()
}

/// Notes that a reader before which these nodes have run reads a pull node.
fn read(before: &mut Sets, unread: &mut [bool], pull: usize, row: &[u64]) {
    match unread.get_mut(pull) {
        Some(mark) if *mark => {
            *mark = false;
            before.set_row(pull, row.to_vec());
        }
        Some(_) | None => before.intersect(pull, row),
    }
}

fn doubt(draft: &DraftGraph, wire: &Wire, reader: &DraftNode) -> Option<Problem> {
    let source = draft.nodes.get(wire.from)?;
    let to = draft.nodes.get(wire.to)?;
    let (message, hint) = if source.is_enabled() {
        (
            format!(
                "{} may run when {} has not, and reads {}.",
                quote(reader.id()),
                quote(source.id()),
                quote(&format!("{}.{}", source.id(), wire.from_port))
            ),
            "Let control always pass there first, or take the value through a coalesce node with a substitute.",
        )
    } else {
        (
            format!(
                "{} is disabled, and {} reads {}.",
                quote(source.id()),
                quote(reader.id()),
                quote(&format!("{}.{}", source.id(), wire.from_port))
            ),
            "Enable it, or remove the edge.",
        )
    };
    let problem = Problem::new(Code::RefMaybeSkipped, message, hint);
    Some(
        problem
            .node(to.id())
            .port(&wire.to_port)
            .at(&draft.edge_path(wire)),
    )
}

fn before(draft: &DraftGraph, around: &Sets) -> Sets {
    let count = draft.nodes.len();
    let successors = successors(draft, |edge_type| edge_type == EdgeType::Run);
    let mut predecessors: Vec<Vec<usize>> = vec![Vec::new(); count];
    for wire in draft
        .wires
        .iter()
        .filter(|wire| wire.edge_type == EdgeType::Run)
    {
        if let Some(list) = predecessors.get_mut(wire.to) {
            list.push(wire.from);
        }
    }
    let certain = certain(draft);
    let mut before = Sets::new(count);
    // Those that have ended, if they ran at all, when the node begins.
    let mut waits = Sets::new(count);
    for index in in_order(&successors) {
        let Some(node) = draft.nodes.get(index) else {
            continue;
        };
        let is_any = matches!(&node.settings, Some(Settings::Merge(merge)) if merge.any);
        let ways = predecessors.get(index).map_or(&[][..], Vec::as_slice);
        for (number, way) in ways.iter().enumerate() {
            let with = |sets: &Sets| {
                let mut set = sets.row(*way);
                if let Some(word) = set.get_mut(way / 64) {
                    *word |= 1 << (way % 64);
                }
                set
            };
            let (ran, ended) = (with(&before), with(&waits));
            if number == 0 {
                before.set_row(index, ran);
                waits.set_row(index, ended);
            } else {
                before.intersect(index, &ran);
                if is_any {
                    waits.intersect(index, &ended);
                } else {
                    waits.unite(index, &ended);
                }
            }
        }
        let mut open: Vec<usize> = before.members(index).collect();
        while let Some(member) = open.pop() {
            for (next, container) in certain.get(member).into_iter().flatten() {
                let is_taken = container.is_none_or(|container| around.has(index, container));
                if is_taken && waits.has(index, *next) && !before.has(index, *next) {
                    before.insert(index, *next);
                    let more = before.row(*next);
                    open.push(*next);
                    open.extend(before.members(*next));
                    before.unite(index, &more);
                }
            }
        }
    }
    before
}

/// For each node where control surely goes from it; into the body of a container only for those who stand in it.
fn certain(draft: &DraftGraph) -> Vec<Vec<(usize, Option<usize>)>> {
    let mut certain = vec![Vec::new(); draft.nodes.len()];
    for wire in draft
        .wires
        .iter()
        .filter(|wire| wire.edge_type == EdgeType::Run)
    {
        let (Some(node), Some(list)) = (draft.nodes.get(wire.from), certain.get_mut(wire.from))
        else {
            continue;
        };
        let into_body = node.is_container() && wire.from_port == "body";
        let outlets = node.ports().filter(|port| {
            port.flow == EdgeType::Run
                && port.direction == Direction::Out
                && port.opened_by.is_none()
                && !(node.is_container() && port.name == "body")
        });
        let is_certain = node.on_error.mode != ErrorMode::Branch && outlets.count() == 1;
        if into_body {
            list.push((wire.to, Some(wire.from)));
        } else if is_certain {
            list.push((wire.to, None));
        }
    }
    certain
}

/// Whether a value may go from a node to another; where it may not, that has been told.
fn is_visible(around: &Sets, to: usize, source: &DraftNode) -> bool {
    source
        .parent
        .is_none_or(|container| around.has(to, container))
}

/// For each node the containers around it.
fn containers(draft: &DraftGraph) -> Sets {
    let mut around = Sets::new(draft.nodes.len());
    for (index, node) in draft.nodes.iter().enumerate() {
        let mut at = node.parent;
        while let Some(container) = at {
            around.insert(index, container);
            at = draft.nodes.get(container).and_then(|node| node.parent);
        }
    }
    around
}
