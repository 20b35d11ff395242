//! In which order pull nodes are evaluated: what one reads comes before it.

use crate::plan::Plan;
use mnemograph_compact::sort_by;
use mnemograph_graph::{Code, EdgeType, NodeIx, Problem, catalogue::Kind};
use std::collections::VecDeque;

/// What pull nodes read, and their places in an order in which what is read comes first.
#[derive(Debug, Default)]
pub(crate) struct Pulls {
    reads: Vec<Vec<NodeIx>>,
    ranks: Vec<Option<usize>>,
}

impl Pulls {
    pub(crate) fn new(plan: &Plan, problems: &mut Vec<Problem>) -> Self {
        let reads = reads(plan);
        let ranks = ranks(&reads);
        for (ix, node) in plan.graph.nodes() {
            if is_pull(plan, ix) && ranks.get(ix.get()).copied().flatten().is_none() {
                problems.push(
                    Problem::new(
                        Code::Cycle,
                        format!("'{}' needs its own value to be evaluated.", node.id),
                        "Let one of the nodes in the circle read something else.",
                    )
                    .node(&node.id)
                    .at(&node.pointer),
                );
            }
        }
        Self { reads, ranks }
    }

    /// The node and all pull nodes that it reads, in the order in which they are evaluated.
    pub(crate) fn order(&self, node: NodeIx) -> Vec<NodeIx> {
        let mut is_seen = vec![false; self.reads.len()];
        let mut order = vec![node];
        let mut place = 0;
        while let Some(at) = order.get(place).copied() {
            place += 1;
            for next in self.reads.get(at.get()).into_iter().flatten() {
                if let Some(seen) = is_seen.get_mut(next.get())
                    && !std::mem::replace(seen, true)
                {
                    order.push(*next);
                }
            }
        }
        let rank = |ix: &NodeIx| self.ranks.get(ix.get()).copied().flatten();
        sort_by(&mut order, |a, b| rank(a).cmp(&rank(b)));
        order
    }
}

fn is_pull(plan: &Plan, ix: NodeIx) -> bool {
    let node = plan.graph.node(ix);
    node.is_some_and(|node| node.kind == Kind::Pull)
}

/// The pull nodes that each pull node reads itself.
fn reads(plan: &Plan) -> Vec<Vec<NodeIx>> {
    let mut reads: Vec<Vec<NodeIx>> = plan
        .graph
        .nodes()
        .map(|(ix, _)| {
            let settings = plan.settings_of(ix).iter();
            let settings = settings.filter(|_| is_pull(plan, ix));
            settings.flat_map(|setting| setting.pulls.clone()).collect()
        })
        .collect();
    for edge in plan.graph.edges() {
        if edge.edge_type == EdgeType::Data
            && is_pull(plan, edge.from)
            && is_pull(plan, edge.to)
            && let Some(list) = reads.get_mut(edge.to.get())
        {
            list.push(edge.from);
        }
    }
    reads
}

/// Places in an order in which what is read comes first; `None` in a circle and behind one.
fn ranks(reads: &[Vec<NodeIx>]) -> Vec<Option<usize>> {
    let mut left: Vec<usize> = reads.iter().map(Vec::len).collect();
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); reads.len()];
    for (reader, read) in reads.iter().enumerate() {
        for ix in read {
            if let Some(list) = readers.get_mut(ix.get()) {
                list.push(reader);
            }
        }
    }
    let mut open: VecDeque<usize> = left
        .iter()
        .enumerate()
        .filter(|(_, left)| **left == 0)
        .map(|(place, _)| place)
        .collect();
    let mut ranks = vec![None; reads.len()];
    let mut next = 0;
    while let Some(place) = open.pop_front() {
        if let Some(rank) = ranks.get_mut(place) {
            *rank = Some(next);
            next += 1;
        }
        for reader in readers.get(place).into_iter().flatten() {
            if let Some(count) = left.get_mut(*reader) {
                *count = count.saturating_sub(1);
                if *count == 0 {
                    open.push_back(*reader);
                }
            }
        }
    }
    ranks
}
