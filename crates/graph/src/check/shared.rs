//! Memories that two agents may use, and variables that two steps may write, at the same time.
//!
//! Two steps may overlap if one port forks and each branch leads to one of them, neither runs before the other, and
//! the run may do two things at a time. Ports of one step exclude each other, so `out` and `error` are no fork.

use mnemograph_compact::SortedMap;

use super::bits::Sets;
use super::cycles::in_order;
use super::flow::successors;
use super::{DraftGraph, DraftNode};
use crate::document::EdgeType;
use crate::nodes::{Scope, Settings, VarOp};
use crate::policy::Limits;
use crate::problem::{Code, Problems, quote};

/// Looks at forks that one document is worth: the search of a hostile one ends without a warning.
const BUDGET: usize = 1_000_000;

pub(super) fn judge(draft: &DraftGraph, limits: &Limits, problems: &mut Problems) {
    let users = users(draft);
    for (resource, list) in users.iter() {
        for user in list {
            judge_loop(draft, *resource, *user, problems);
        }
    }
    if limits.max_parallel < 2 || users.values().all(|list| list.len() < 2) {
        return;
    }
    let followers = Followers::new(&successors(draft, |edge_type| edge_type == EdgeType::Run));
    let forks = forks(draft);
    let mut left = BUDGET;
    for (resource, list) in users.iter() {
        let pair = first_pair(list, |a, b| {
            !followers.has(a, b)
                && !followers.has(b, a)
                && !commute(draft, a, b)
                && are_parted(&forks, &followers, (a, b), &mut left)
        });
        let node = |index| draft.nodes.get(index);
        let Some((a, b)) = pair else {
            continue;
        };
        let (Some(resource), Some(a), Some(b)) = (node(*resource), node(a), node(b)) else {
            continue;
        };
        let message = |what: &str| {
            format!(
                "{} and {} may run at the same time and both {what} {}.",
                quote(a.id()),
                quote(b.id()),
                quote(resource.id())
            )
        };
        problems.add(if resource.is_type("var") {
            b.problem(
                Code::Race,
                message("write"),
                "Let one run after the other, write different variables, or set \"max_parallel\" to 1.",
            )
        } else {
            resource.problem(
                Code::MemorySharedParallel,
                message("use"),
                "Let one run after the other, give each its own memory, or set \"max_parallel\" to 1.",
            )
        });
    }
}

/// A loop that works on several items at a time runs each step of its body beside itself.
fn judge_loop(draft: &DraftGraph, resource: usize, user: usize, problems: &mut Problems) {
    let (Some(resource), Some(user_node)) = (draft.nodes.get(resource), draft.nodes.get(user))
    else {
        return;
    };
    let Some(container) = parallel_loop(draft, user_node) else {
        return;
    };
    if resource.is_type("var") && commute(draft, user, user) {
        return;
    }
    let message = |what: &str| {
        format!(
            "{} works on several items at a time, and {} {what} {} for each of them.",
            quote(container.id()),
            quote(user_node.id()),
            quote(resource.id())
        )
    };
    problems.add(if resource.is_type("var") {
        user_node.problem(
            Code::Race,
            message("writes"),
            "Set \"concurrency\" of the loop to 1, use \"append\" or \"add\", or give a result by the loop's setting \"result\".",
        )
    } else {
        resource.problem(
            Code::MemorySharedParallel,
            message("uses"),
            "Set \"concurrency\" of the loop to 1, or \"scope\" of the memory to \"call\".",
        )
    });
}

/// The loop around a node that works on several items at a time.
fn parallel_loop<'a>(draft: &'a DraftGraph, node: &DraftNode) -> Option<&'a DraftNode> {
    let mut at = node.parent;
    while let Some(container) = at.and_then(|index| draft.nodes.get(index)) {
        if matches!(&container.settings, Some(Settings::ForEach(each)) if each.concurrency > 1) {
            return Some(container);
        }
        at = container.parent;
    }
    None
}

/// Whether two writes give the same value in either order, or a list of the same items.
fn commute(draft: &DraftGraph, a: usize, b: usize) -> bool {
    let op = |index: usize| match &draft.nodes.get(index)?.settings {
        Some(Settings::VarSet(set)) => Some(set.op),
        _ => None,
    };
    matches!(
        (op(a), op(b)),
        (Some(VarOp::Append), Some(VarOp::Append)) | (Some(VarOp::Add), Some(VarOp::Add))
    )
}

/// What keeps something between accesses, each with the agents that use it or the steps that write it.
fn users(draft: &DraftGraph) -> SortedMap<usize, Vec<usize>> {
    let is_used = |node: &DraftNode| {
        let scope = node.settings.as_ref().and_then(Settings::scope);
        node.is_enabled() && scope.is_some_and(|scope| scope != Scope::Call)
    };
    let mut users: SortedMap<usize, Vec<usize>> = SortedMap::new();
    for wire in draft
        .wires
        .iter()
        .filter(|wire| matches!(wire.edge_type, EdgeType::LinkMemory | EdgeType::LinkVar))
    {
        if draft.nodes.get(wire.from).is_some_and(is_used)
            && draft.nodes.get(wire.to).is_some_and(DraftNode::is_enabled)
        {
            let list = users.get_or_insert_with(wire.from, Vec::new);
            list.push(wire.to);
        }
    }
    users
}

fn first_pair(
    list: &[usize],
    mut fits: impl FnMut(usize, usize) -> bool,
) -> Option<(usize, usize)> {
    list.iter().enumerate().find_map(|(place, a)| {
        let later = list.iter().skip(place + 1);
        later
            .map(|b| (*a, *b))
            .find(|(a, b)| a != b && fits(*a, *b))
    })
}

/// The targets of each port from which control goes two ways at once.
fn forks(draft: &DraftGraph) -> Vec<Vec<usize>> {
    let mut ports: SortedMap<(usize, &str), Vec<usize>> = SortedMap::new();
    for wire in draft
        .wires
        .iter()
        .filter(|wire| wire.edge_type == EdgeType::Run)
    {
        ports
            .get_or_insert_with((wire.from, &wire.from_port), Vec::new)
            .push(wire.to);
    }
    ports
        .into_iter()
        .map(|(_, targets)| targets)
        .filter(|targets| targets.len() > 1)
        .collect()
}

/// Whether some fork sends control to the two nodes at once, as far as the budget lasts.
fn are_parted(
    forks: &[Vec<usize>],
    followers: &Followers,
    pair: (usize, usize),
    left: &mut usize,
) -> bool {
    for fork in forks {
        let Some(rest) = left.checked_sub(fork.len()) else {
            *left = 0;
            return false;
        };
        *left = rest;
        if parts(fork, followers, pair) {
            return true;
        }
    }
    false
}

/// Whether two different branches of a fork lead to the two nodes.
fn parts(fork: &[usize], followers: &Followers, (a, b): (usize, usize)) -> bool {
    let leads = |target: usize, goal: usize| target == goal || followers.has(target, goal);
    let to_a = fork.iter().filter(|target| leads(**target, a)).count();
    let to_b = fork.iter().filter(|target| leads(**target, b)).count();
    let to_both = fork
        .iter()
        .filter(|target| leads(**target, a) && leads(**target, b))
        .count();
    to_a > 0 && to_b > 0 && !(to_a == 1 && to_b == 1 && to_both == 1)
}

/// For each node the set of all nodes that control can reach from it.
struct Followers(Sets);

impl Followers {
    fn new(successors: &[Vec<usize>]) -> Self {
        let mut sets = Sets::new(successors.len());
        for index in in_order(successors).into_iter().rev() {
            for next in successors.get(index).into_iter().flatten() {
                let further = sets.row(*next);
                sets.unite(index, &further);
                sets.insert(index, *next);
            }
        }
        Followers(sets)
    }

    fn has(&self, node: usize, follower: usize) -> bool {
        self.0.has(node, follower)
    }
}
