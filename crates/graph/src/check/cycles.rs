//! Circles. Control, values and links together have none: whoever stands in one waits for itself.

use std::collections::VecDeque;

use super::flow::successors;
use super::{DraftGraph, DraftNode};
use crate::problem::{Code, Problems};

/// Names each node that stands in a circle in at least one problem; says whether there is no circle.
pub(super) fn judge(draft: &DraftGraph, problems: &mut Problems) -> bool {
    let successors = successors(draft, |_| true);
    let mut done = vec![false; successors.len()];
    let mut is_acyclic = true;
    for index in in_order(&successors) {
        mark(&mut done, index);
    }
    for index in 0..draft.nodes.len() {
        if done.get(index) != Some(&false) {
            continue;
        }
        let (Some(circle), Some(node)) = (circle(&successors, index), draft.nodes.get(index))
        else {
            continue;
        };
        is_acyclic = false;
        for member in &circle {
            mark(&mut done, *member);
        }
        problems.add(node.problem(
            Code::Cycle,
            format!("Nodes wait for each other in a circle: {}.", tour(draft, &circle)),
            "Remove one edge of the circle: control never runs back, and no node can use what is made after it.",
        ));
    }
    is_acyclic
}

fn mark(marks: &mut [bool], index: usize) {
    if let Some(mark) = marks.get_mut(index) {
        *mark = true;
    }
}

/// The nodes in an order in which edges only lead forward (Kahn); nodes in a circle and behind one are missing.
pub(super) fn in_order(successors: &[Vec<usize>]) -> Vec<usize> {
    let mut ways_in = vec![0_usize; successors.len()];
    for next in successors.iter().flatten() {
        if let Some(count) = ways_in.get_mut(*next) {
            *count += 1;
        }
    }
    let mut open: VecDeque<usize> = ways_in
        .iter()
        .enumerate()
        .filter(|(_, count)| **count == 0)
        .map(|(index, _)| index)
        .collect();
    let mut order = Vec::with_capacity(successors.len());
    while let Some(index) = open.pop_front() {
        order.push(index);
        for next in successors.get(index).into_iter().flatten() {
            if let Some(count) = ways_in.get_mut(*next) {
                *count -= 1;
                if *count == 0 {
                    open.push_back(*next);
                }
            }
        }
    }
    order
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
            if let Some(slot) = came_from.get_mut(*next)
                && slot.is_none()
            {
                *slot = Some(index);
                open.push_back(*next);
            }
        }
    }
    None
}

/// `a → b → a`, shortened in the middle.
fn tour(draft: &DraftGraph, circle: &[usize]) -> String {
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
