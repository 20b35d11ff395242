//! Memories that two agents may use at the same time.
//!
//! Two agents may overlap if one port forks and each branch leads to one of them, neither runs before the other, and
//! the run may do two things at a time. Ports of one step exclude each other, so `out` and `error` are no fork.

use mnemograph_compact::SortedMap;

use super::cycles::in_order;
use super::flow::successors;
use super::{DraftGraph, DraftNode};
use crate::document::EdgeType;
use crate::nodes::Scope;
use crate::policy::Limits;
use crate::problem::{Code, Problems, quote};

/// Looks at forks that one document is worth: the search of a hostile one ends without a warning.
const BUDGET: usize = 1_000_000;

pub(super) fn judge(draft: &DraftGraph, limits: &Limits, problems: &mut Problems) {
    if limits.max_parallel < 2 {
        return;
    }
    let users = users(draft);
    if users.is_empty() {
        return;
    }
    let followers = Followers::new(&successors(draft, |edge_type| edge_type == EdgeType::Run));
    let forks = forks(draft);
    let mut left = BUDGET;
    for (memory, agents) in users {
        let Some(memory) = draft.nodes.get(memory) else {
            continue;
        };
        let pair = first_pair(&agents, |a, b| {
            !followers.has(a, b)
                && !followers.has(b, a)
                && are_parted(&forks, &followers, (a, b), &mut left)
        });
        let Some((Some(a), Some(b))) = pair.map(|(a, b)| (draft.nodes.get(a), draft.nodes.get(b)))
        else {
            continue;
        };
        problems.add(memory.problem(
            Code::MemorySharedParallel,
            format!(
                "{} and {} may run at the same time and both use {}.",
                quote(a.id()),
                quote(b.id()),
                quote(memory.id())
            ),
            "Let one run after the other, give each its own memory, or set \"max_parallel\" to 1.",
        ));
    }
}

/// The memories that keep something between accesses, each with its agents if it has several.
fn users(draft: &DraftGraph) -> SortedMap<usize, Vec<usize>> {
    let is_used = |node: &DraftNode| {
        let memory = node
            .settings
            .as_ref()
            .and_then(|settings| settings.memory());
        node.is_enabled() && memory.is_some_and(|memory| memory.scope != Scope::Call)
    };
    let mut users: SortedMap<usize, Vec<usize>> = SortedMap::new();
    for wire in draft
        .wires
        .iter()
        .filter(|wire| wire.edge_type == EdgeType::LinkMemory)
    {
        if draft.nodes.get(wire.from).is_some_and(is_used)
            && draft.nodes.get(wire.to).is_some_and(DraftNode::is_enabled)
        {
            users.get_or_insert_with(wire.from, Vec::new).push(wire.to);
        }
    }
    users.retain(|_, agents| agents.len() > 1);
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
struct Followers(Vec<Vec<u64>>);

impl Followers {
    fn new(successors: &[Vec<usize>]) -> Self {
        let words = successors.len().div_ceil(64);
        let mut sets = vec![vec![0_u64; words]; successors.len()];
        for index in in_order(successors).into_iter().rev() {
            let mut union = vec![0_u64; words];
            for next in successors.get(index).into_iter().flatten() {
                let further = sets.get(*next).map_or(&[][..], Vec::as_slice);
                for (word, more) in union.iter_mut().zip(further) {
                    *word |= more;
                }
                if let Some(word) = union.get_mut(next / 64) {
                    *word |= 1 << (next % 64);
                }
            }
            if let Some(set) = sets.get_mut(index) {
                *set = union;
            }
        }
        Followers(sets)
    }

    fn has(&self, node: usize, follower: usize) -> bool {
        let word = self.0.get(node).and_then(|set| set.get(follower / 64));
        word.is_some_and(|word| word & (1 << (follower % 64)) != 0)
    }
}
