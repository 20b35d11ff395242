//! Control: edges taken and skipped, frames begun and ended (2-engine.md 2.2).

use super::Run;
use crate::{
    event::{EventData, NodeStatus},
    frame::{FrameId, FrameKind, NodeValues, Outcome, ROOT, TaskId},
    nodes::Signal,
    plan::Plan,
};
use mnemograph_graph::{Edge, EdgeIx, NodeIx, Settings};
use std::collections::VecDeque;
use std::rc::Rc;

impl Run {
    /// Begins the frame of a graph at its trigger, with the trigger's values.
    pub(super) fn start_frame(&mut self, frame: FrameId, trigger: NodeIx, values: NodeValues) {
        self.core.focus(frame, 0);
        self.open(frame);
        self.core.set_values(trigger, values);
        self.leave(frame, trigger, "out");
        for other in self.core.plan.graph.triggers().to_vec() {
            if other != trigger {
                self.core
                    .set_values(other, NodeValues::with_status(NodeStatus::Skipped));
                self.core.emit(Some(other), EventData::NodeSkipped {});
                self.leave(frame, other, "");
            }
        }
        self.close_one(frame);
    }

    /// Begins the frames that steps have made.
    pub(super) fn start_spawned(&mut self) {
        for frame in std::mem::take(&mut self.core.spawned) {
            let Some(kind) = self.core.frames.get(&frame).map(|frame| &frame.kind) else {
                continue;
            };
            match kind {
                FrameKind::Root => {}
                FrameKind::Pass {
                    container, index, ..
                } => {
                    let (container, index) = (*container, *index);
                    self.core.focus(frame, 0);
                    self.core
                        .emit(Some(container), EventData::LoopPass { index });
                    self.open(frame);
                    let plan = Rc::clone(&self.core.plan);
                    for edge in plan.graph.run_edges_out(container) {
                        if self.is_body_edge(container, *edge) {
                            self.mark(&plan, frame, *edge, true);
                        }
                    }
                    self.close_one(frame);
                }
                FrameKind::Graph { inputs, .. } => {
                    let ports = inputs.clone();
                    self.core.focus(frame, 0);
                    let Some(input) = self.core.plan.graph.graph_input() else {
                        continue;
                    };
                    let values = NodeValues {
                        ports,
                        ..NodeValues::with_status(NodeStatus::Succeeded)
                    };
                    self.start_frame(frame, input, values);
                }
            }
        }
    }

    fn open(&mut self, frame: FrameId) {
        if let Some(frame) = self.core.frames.get_mut(&frame) {
            frame.open += 1;
        }
    }

    /// One step less to wait for in a frame.
    pub(super) fn close_one(&mut self, frame: FrameId) {
        if let Some(of) = self.core.frames.get_mut(&frame) {
            of.open = of.open.saturating_sub(1);
            if of.open == 0 {
                self.drained.push_back(frame);
            }
        }
    }

    fn is_body_edge(&self, container: NodeIx, edge: EdgeIx) -> bool {
        let graph = &self.core.plan.graph;
        graph
            .run_edge(edge)
            .is_some_and(|edge| graph.container_of(edge.to) == Some(container))
    }

    /// Control leaves a node by one port; its other run edges are skipped. Those into its own body belong to its
    /// passes.
    pub(super) fn leave(&mut self, frame: FrameId, node: NodeIx, port: &str) {
        let plan = Rc::clone(&self.core.plan);
        for edge in plan.graph.run_edges_out(node) {
            if self.is_body_edge(node, *edge) {
                continue;
            }
            let run_edge = plan.graph.run_edge(*edge);
            let taken = run_edge.is_some_and(|edge| edge.from_port == port);
            self.mark(&plan, frame, *edge, taken);
        }
    }

    /// Decides an edge, and what follows from that: steps become ready, or are skipped and so on along their edges
    /// (dead-path elimination). Iterative, so that a long chain does not use up the stack.
    fn mark(&mut self, plan: &Plan, frame: FrameId, first: EdgeIx, taken: bool) {
        let graph = &plan.graph;
        let mut work = VecDeque::new();
        let mut next = Some((first, taken));
        while let Some((edge_ix, taken)) = next.take().or_else(|| work.pop_front()) {
            let Some(edge) = graph.run_edge(edge_ix) else {
                continue;
            };
            let Some(of) = self.core.frames.get_mut(&frame) else {
                return;
            };
            if of.edges.insert(edge_ix, taken).is_some() {
                continue;
            }
            let states = graph.run_edges_in(edge.to).iter();
            let (mut unknown, mut live) = (0_usize, 0_usize);
            for state in states.map(|ix| of.edges.get(ix)) {
                match state {
                    None => unknown += 1,
                    Some(true) => live += 1,
                    Some(false) => {}
                }
            }
            self.edge_decided(edge, taken);
            let joins_any = matches!(
                graph.node(edge.to).map(|node| &node.settings),
                Some(Settings::Merge(merge)) if merge.any
            );
            let is_ready = if joins_any {
                // The first that comes; what comes later finds it done.
                taken && live == 1
            } else {
                unknown == 0 && live > 0
            };
            if is_ready {
                self.open(frame);
                self.ready.push_back((frame, edge.to));
                continue;
            }
            if unknown > 0 || live > 0 {
                continue;
            }
            self.core
                .set_values(edge.to, NodeValues::with_status(NodeStatus::Skipped));
            self.core.emit(Some(edge.to), EventData::NodeSkipped {});
            for next in graph.run_edges_out(edge.to) {
                if !self.is_body_edge(edge.to, *next) {
                    work.push_back((*next, false));
                }
            }
        }
    }

    fn edge_decided(&mut self, edge: &Edge, taken: bool) {
        self.core.emit_step(|core| {
            let from = format!("{}.{}", core.node_id(edge.from), edge.from_port);
            let to = format!("{}.{}", core.node_id(edge.to), edge.to_port);
            if taken {
                EventData::EdgeTaken { from, to }
            } else {
                EventData::EdgeSkipped { from, to }
            }
        });
    }

    /// A frame has nothing left to do: what waits for it goes on.
    pub(super) fn frame_drained(&mut self, frame: FrameId) {
        if frame == ROOT {
            return;
        }
        let Some(of) = self.core.frames.get(&frame) else {
            return;
        };
        let (owner, outcome) = (of.owner, of.outcome.clone());
        match owner.filter(|owner| self.tasks.get(owner).is_some()) {
            Some(owner) => self.tell(owner, Signal::Frame(frame, outcome)),
            None => {
                self.core.frames.remove(&frame);
            }
        }
        // Whoever was told and did not take it does not want it.
        self.core.frames.remove(&frame);
    }

    /// Ends a frame and all in it: what is ready is dropped, what executes is told to stop.
    pub(super) fn wind_down(&mut self, frame: FrameId, outcome: Outcome, reason: &str) {
        let mut subtree = vec![frame];
        let mut place = 0;
        while let Some(at) = subtree.get(place).copied() {
            place += 1;
            let inner = self.core.frames.iter();
            subtree.extend(
                inner
                    .filter(|(_, inner)| inner.parent == Some(at))
                    .map(|(id, _)| *id),
            );
        }
        for id in &subtree {
            if let Some(of) = self.core.frames.get_mut(id)
                && of.outcome.is_none()
            {
                of.outcome = Some(if *id == frame {
                    outcome.clone()
                } else {
                    Outcome::Aborted
                });
            }
        }
        let dropped: Vec<FrameId> = self
            .ready
            .iter()
            .map(|(id, _)| *id)
            .filter(|id| subtree.contains(id))
            .collect();
        self.ready.retain(|(id, _)| !subtree.contains(id));
        for id in dropped {
            self.close_one(id);
        }
        // A frame that has not begun has nothing to wait for.
        let unbegun: Vec<FrameId> = self
            .core
            .spawned
            .iter()
            .copied()
            .filter(|id| subtree.contains(id))
            .collect();
        self.core.spawned.retain(|id| !subtree.contains(id));
        self.drained.extend(unbegun);
        let inside: Vec<TaskId> = self
            .tasks
            .iter()
            .filter(|(_, task)| subtree.contains(&task.frame))
            .map(|(id, _)| *id)
            .collect();
        for task in inside {
            self.abort(task, reason);
        }
    }
}
