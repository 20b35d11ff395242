//! A run: the state machine that walks a graph (2-engine.md 2.2).

use crate::{
    core::{Core, NodeValues},
    effect::{Effect, Input, RequestId, RunIdentity, RunInput},
    error::{Failure, RunError},
    event::{EventData, NodeStatus},
    nodes::{Progress, ai_agent::Agent, output, reply, trigger},
    plan::Plan,
    result::{RunResult, RunStatus},
};
use mnemograph_compact::SortedMap;
use mnemograph_graph::{EdgeIx, ErrorMode, NodeIx, Settings};
use mnemograph_memory::ShownStatus;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::rc::Rc;

/// One execution of a graph.
#[derive(Debug, Serialize, Deserialize)]
pub struct Run {
    core: Core,
    phase: Phase,
    edges: SortedMap<EdgeIx, bool>,
    ready: VecDeque<NodeIx>,
    statuses: SortedMap<NodeIx, NodeStatus>,
    active: Option<Active>,
    steps: u64,
    handled: bool,
    ending: Option<Ending>,
    armed: Option<u64>,
}

#[derive(Debug, Serialize, Deserialize)]
enum Phase {
    New,
    Opening { request: RequestId, trigger: NodeIx },
    Running,
    Closing { request: RequestId },
    Over,
}

/// The node that is executing.
#[derive(Debug, Serialize, Deserialize)]
struct Active {
    node: NodeIx,
    started: u64,
    agent: Box<Agent>,
}

/// Why a run ends before its graph does.
#[derive(Debug, Serialize, Deserialize)]
enum Ending {
    Failed(RunError),
    Limit(RunError),
    Cancelled(String),
}

impl Run {
    /// A run that waits for [`Input::Start`].
    #[must_use]
    pub fn new(plan: Rc<Plan>, identity: RunIdentity) -> Self {
        Self {
            core: Core::new(plan, identity),
            phase: Phase::New,
            edges: SortedMap::new(),
            ready: VecDeque::new(),
            statuses: SortedMap::new(),
            active: None,
            steps: 0,
            handled: false,
            ending: None,
            armed: None,
        }
    }

    /// A run from its serialised state: it goes on as if it had never been away.
    ///
    /// # Errors
    /// If the state is not that of a run.
    pub fn restore(plan: Rc<Plan>, state: serde_json::Value) -> Result<Self, serde_json::Error> {
        let mut run: Self = serde_json::from_value(state)?;
        run.core.plan = plan;
        Ok(run)
    }

    /// True once [`Effect::Finish`] has been given out.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.phase, Phase::Over)
    }

    /// Takes one input at a time of the host's clock and gives the effects, in order.
    ///
    /// Any sequence of inputs is safe: an answer to a request that is unknown, answered or no longer
    /// wanted changes nothing. Equal inputs give equal effects.
    pub fn step(&mut self, now: u64, input: Input) -> Vec<Effect> {
        self.core.now = self.core.now.max(now);
        match (&self.phase, input) {
            (Phase::Over, _) => {}
            (Phase::New, Input::Start(input)) => self.start(*input),
            (Phase::New, Input::Cancel { reason }) => {
                self.core.started_at = self.core.now;
                self.end_with(Ending::Cancelled(reason));
            }
            (
                Phase::Opening {
                    request: asked,
                    trigger,
                },
                Input::TurnOpened { request, result },
            ) if request == *asked => {
                let trigger = *trigger;
                self.opened(trigger, result);
            }
            (Phase::Closing { request: asked }, Input::TranscriptWritten { request, result })
                if request == *asked =>
            {
                self.closed(result);
            }
            (Phase::Running | Phase::Closing { .. }, Input::TurnFailed { failure }) => {
                self.turn_failed(failure);
            }
            (_, Input::Cancel { reason }) => self.end_with(Ending::Cancelled(reason)),
            (_, Input::JournalFailed { failure }) => self.core.warn(
                None,
                "W_JOURNAL",
                &format!("The open round could not be noted: {}", failure.message),
                "The run goes on. If the page is closed before it ends, this message may be lost.",
            ),
            (_, Input::Timer) => self.timer(),
            (_, Input::Suspend) => {
                if let Some(active) = &mut self.active {
                    active.agent.suspend(&mut self.core);
                }
            }
            (Phase::Running, input) => self.answer(input),
            (Phase::New | Phase::Opening { .. } | Phase::Closing { .. }, _) => {}
        }
        self.arm();
        std::mem::take(&mut self.core.effects)
    }

    fn start(&mut self, input: RunInput) {
        let core = &mut self.core;
        core.started_at = core.now;
        core.input = input.clone();
        let message = trigger::message(core, &input);
        core.set_trigger_message(message);
        let trigger = match trigger::choose(core, &input) {
            Ok(trigger) => trigger,
            Err(error) => return self.end_with(Ending::Failed(error)),
        };
        if input.text.is_some() || input.message.is_some() {
            let message = core.trigger_message();
            core.shown.set_user(message);
        }
        if core.identity.has_thread {
            let request = core.own_request();
            let shown = core.shown.entry(ShownStatus::Running);
            core.effects.push(Effect::OpenTurn { request, shown });
            self.phase = Phase::Opening { request, trigger };
        } else {
            self.begin(trigger);
        }
    }

    fn opened(&mut self, trigger: NodeIx, result: Result<(), Failure>) {
        match result {
            Ok(()) => self.begin(trigger),
            Err(failure) => self.turn_failed(failure),
        }
    }

    /// Nothing of this run is stored, so nothing is written at its end.
    fn turn_failed(&mut self, failure: Failure) {
        self.core.identity.has_thread = false;
        if let Some(active) = &mut self.active {
            active.agent.leave_memory();
        }
        self.end_with(Ending::Failed(failure.into_error("E_STORE_UNAVAILABLE")));
    }

    fn begin(&mut self, trigger: NodeIx) {
        self.phase = Phase::Running;
        let graph_hash = self.core.plan.graph.hash.clone();
        let name = self.core.node_id(trigger);
        self.core.emit(
            None,
            EventData::RunStarted {
                trigger: name,
                graph_hash,
            },
        );
        if !self.core.identity.has_thread {
            self.warn_without_chat();
        }
        let message = self.core.trigger_message();
        let values = trigger::values(&self.core, trigger, &message);
        self.steps += 1;
        self.core.set_values(trigger, values);
        self.statuses.insert(trigger, NodeStatus::Succeeded);
        self.leave(trigger, "out");
        for other in self.core.plan.graph.triggers().to_vec() {
            if other != trigger {
                self.skip(other);
            }
        }
        self.go_on();
    }

    /// Memories of scope `thread` behave as `session` here (3-memory.md D25): said once.
    fn warn_without_chat(&mut self) {
        let graph = &self.core.plan.graph;
        let kept = graph.nodes().find(|(_, node)| {
            matches!(&node.settings, Settings::BufferMemory(memory) if memory.scope == mnemograph_graph::Scope::Thread)
        });
        if let Some((ix, _)) = kept {
            self.core.warn(
                Some(ix),
                "W_THREAD_WITHOUT_CHAT",
                "This run has no thread, so the memory lives as long as the run.",
                "Give run() a thread to keep the conversation.",
            );
        }
    }

    fn answer(&mut self, input: Input) {
        let request = match &input {
            Input::HistoryLoaded { request, .. }
            | Input::RoundCommitted { request, .. }
            | Input::ModelDelta { request, .. }
            | Input::ModelDone { request, .. }
            | Input::ToolDone { request, .. } => *request,
            Input::Start(_)
            | Input::TurnOpened { .. }
            | Input::TurnFailed { .. }
            | Input::JournalFailed { .. }
            | Input::TranscriptWritten { .. }
            | Input::Timer
            | Input::Suspend
            | Input::Cancel { .. } => return,
        };
        let Some(node) = self.core.waiter(request) else {
            return;
        };
        let Some(mut active) = self.active.take().filter(|active| active.node == node) else {
            return;
        };
        let progress = active.agent.resume(&mut self.core, input);
        self.active = Some(active);
        self.progressed(node, progress);
        self.go_on();
    }

    fn timer(&mut self) {
        self.armed = None;
        let limit = self.run_deadline();
        if self.core.now >= limit
            && self.ending.is_none()
            && matches!(self.phase, Phase::Opening { .. } | Phase::Running)
        {
            let error = RunError::new(
                "E_RUN_TIMEOUT",
                format!(
                    "The run took longer than {} ms.",
                    self.core.plan.graph.limits.run_ms
                ),
            )
            .hint("Raise limits.run_ms of the graph.");
            return self.end_with(Ending::Limit(error));
        }
        if let Some(mut active) = self.active.take() {
            let node = active.node;
            let progress = active.agent.resume(&mut self.core, Input::Timer);
            self.active = Some(active);
            self.progressed(node, progress);
            self.go_on();
        }
    }

    fn run_deadline(&self) -> u64 {
        self.core
            .started_at
            .saturating_add(self.core.plan.graph.limits.run_ms)
    }

    /// Asks for the next time that matters, unless an earlier one is asked for already.
    fn arm(&mut self) {
        let run = match self.phase {
            Phase::Opening { .. } | Phase::Running if self.ending.is_none() => {
                Some(self.run_deadline())
            }
            _ => None,
        };
        let node = self
            .active
            .as_ref()
            .and_then(|active| active.agent.deadline(&self.core));
        let Some(at) = run.into_iter().chain(node).min() else {
            return;
        };
        if self.armed.is_none_or(|armed| at < armed) {
            self.armed = Some(at);
            self.core.effects.push(Effect::WakeAt { at });
        }
    }

    /// Executes what is ready, one step at a time, until something waits or all is done.
    fn go_on(&mut self) {
        while matches!(self.phase, Phase::Running) && self.active.is_none() {
            let next = if self.ending.is_some() {
                None
            } else {
                self.ready.pop_front()
            };
            let Some(node) = next else {
                return self.finish();
            };
            self.enter(node);
        }
    }

    fn enter(&mut self, node: NodeIx) {
        self.steps += 1;
        let max_steps = self.core.plan.graph.limits.steps;
        if self.steps > max_steps {
            let error = RunError::new(
                "E_STEP_LIMIT",
                format!("The run executed more than {max_steps} steps."),
            )
            .hint("Raise limits.steps of the graph.")
            .at(&self.core.node_id(node));
            return self.end_with(Ending::Limit(error));
        }
        self.statuses.insert(node, NodeStatus::Running);
        self.core.emit(Some(node), EventData::NodeStarted {});
        let started = self.core.now;
        let progress = match self
            .core
            .plan
            .graph
            .node(node)
            .map(|node| node.settings.clone())
        {
            Some(Settings::AiAgent(_)) => {
                Agent::enter(&mut self.core, node).map(|(agent, progress)| {
                    self.active = Some(Active {
                        node,
                        started,
                        agent: Box::new(agent),
                    });
                    progress
                })
            }
            Some(Settings::Reply(_)) => reply::enter(&mut self.core, node),
            Some(Settings::Output(_)) => output::enter(&mut self.core, node),
            Some(_) | None => Err(RunError::internal(
                "Control reached a node that is not run yet.",
            )),
        };
        self.progressed(node, progress.unwrap_or_else(Progress::Failed));
    }

    fn progressed(&mut self, node: NodeIx, progress: Progress) {
        match progress {
            Progress::Waiting => {}
            Progress::Succeeded(values) => {
                let ms = self.elapsed();
                self.active = None;
                self.core.set_values(node, *values);
                self.statuses.insert(node, NodeStatus::Succeeded);
                self.core.emit(
                    Some(node),
                    EventData::NodeFinished {
                        status: NodeStatus::Succeeded,
                        ms,
                    },
                );
                self.leave(node, "out");
            }
            Progress::Failed(error) => self.failed(node, error),
            Progress::Aborted => {
                let ms = self.elapsed();
                self.active = None;
                self.statuses.insert(node, NodeStatus::Cancelled);
                self.core.emit(
                    Some(node),
                    EventData::NodeFinished {
                        status: NodeStatus::Cancelled,
                        ms,
                    },
                );
            }
        }
    }

    fn elapsed(&self) -> u64 {
        self.active
            .as_ref()
            .map_or(0, |active| self.core.now.saturating_sub(active.started))
    }

    fn failed(&mut self, node: NodeIx, error: RunError) {
        let ms = self.elapsed();
        self.active = None;
        let error = error.at(&self.core.node_id(node));
        self.core.emit(
            Some(node),
            EventData::NodeFailed {
                error: error.clone(),
            },
        );
        let on_error = self
            .core
            .plan
            .graph
            .node(node)
            .map(|node| node.on_error.clone())
            .unwrap_or_default();
        let port = match on_error.mode {
            ErrorMode::Fail => {
                self.statuses.insert(node, NodeStatus::Failed);
                if self.ending.is_none() {
                    self.end_with(Ending::Failed(error));
                }
                return;
            }
            ErrorMode::Continue => "out",
            ErrorMode::Branch => "error",
        };
        self.handled = true;
        let mut ports = on_error.default.clone();
        ports.insert(
            "error".to_owned(),
            serde_json::to_value(&error).unwrap_or_default(),
        );
        let values = NodeValues {
            status: Some(NodeStatus::Handled),
            ports,
            message: None,
        };
        self.core.set_values(node, values);
        self.statuses.insert(node, NodeStatus::Handled);
        self.core.emit(
            Some(node),
            EventData::NodeFinished {
                status: NodeStatus::Handled,
                ms,
            },
        );
        self.leave(node, port);
    }

    /// Control leaves a node by one port; its other run edges are skipped.
    fn leave(&mut self, node: NodeIx, port: &str) {
        let edges = self.core.plan.graph.run_edges_out(node).to_vec();
        for edge in edges {
            let taken = self
                .core
                .plan
                .graph
                .run_edge(edge)
                .is_some_and(|edge| edge.from_port == port);
            self.mark(edge, taken);
        }
    }

    /// Control will never reach a node, and so on along its edges (dead-path elimination). Iterative,
    /// so that a long chain does not use up the stack.
    fn skip(&mut self, node: NodeIx) {
        self.statuses.insert(node, NodeStatus::Skipped);
        self.core.set_values(
            node,
            NodeValues {
                status: Some(NodeStatus::Skipped),
                ..NodeValues::default()
            },
        );
        self.core.emit(Some(node), EventData::NodeSkipped {});
        self.leave(node, "");
    }

    fn mark(&mut self, first: EdgeIx, taken: bool) {
        let mut work = VecDeque::from([(first, taken)]);
        while let Some((edge_ix, taken)) = work.pop_front() {
            let Some(edge) = self.core.plan.graph.run_edge(edge_ix).cloned() else {
                continue;
            };
            if self.edges.insert(edge_ix, taken).is_some() {
                continue;
            }
            let from = format!("{}.{}", self.core.node_id(edge.from), edge.from_port);
            let to = format!("{}.in", self.core.node_id(edge.to));
            self.core.emit(
                None,
                if taken {
                    EventData::EdgeTaken { from, to }
                } else {
                    EventData::EdgeSkipped { from, to }
                },
            );
            let states: Vec<_> = self
                .core
                .plan
                .graph
                .run_edges_in(edge.to)
                .iter()
                .map(|ix| self.edges.get(ix).copied())
                .collect();
            if states.contains(&None) {
                continue;
            }
            if states.contains(&Some(true)) {
                self.ready.push_back(edge.to);
                continue;
            }
            self.statuses.insert(edge.to, NodeStatus::Skipped);
            self.core.set_values(
                edge.to,
                NodeValues {
                    status: Some(NodeStatus::Skipped),
                    ..NodeValues::default()
                },
            );
            self.core.emit(Some(edge.to), EventData::NodeSkipped {});
            work.extend(
                self.core
                    .plan
                    .graph
                    .run_edges_out(edge.to)
                    .iter()
                    .map(|ix| (*ix, false)),
            );
        }
    }

    /// Ends the run early: what executes is told to stop and its round is kept.
    fn end_with(&mut self, ending: Ending) {
        if self.ending.is_some() {
            return;
        }
        let reason = match &ending {
            Ending::Cancelled(reason) => reason.clone(),
            Ending::Failed(error) | Ending::Limit(error) => error.message.clone(),
        };
        self.ending = Some(ending);
        self.ready.clear();
        if let Some(mut active) = self.active.take() {
            let node = active.node;
            let progress = active.agent.abort(&mut self.core, &reason);
            self.active = Some(active);
            self.progressed(node, progress);
        }
        if self.active.is_none() && !matches!(self.phase, Phase::Closing { .. } | Phase::Over) {
            self.finish();
        }
    }

    /// All steps are done: the transcript's entry, then the end.
    fn finish(&mut self) {
        if matches!(self.phase, Phase::Closing { .. } | Phase::Over) {
            return;
        }
        let opened = !matches!(self.phase, Phase::New);
        let status = match &self.ending {
            None => ShownStatus::Complete,
            Some(Ending::Cancelled(_)) => ShownStatus::Aborted,
            Some(Ending::Failed(_) | Ending::Limit(_)) => ShownStatus::Failed,
        };
        if self.core.identity.has_thread
            && opened
            && let Some(shown) = self.core.shown.left_to_store(status)
        {
            let request = self.core.own_request();
            self.core
                .effects
                .push(Effect::WriteTranscript { request, shown });
            self.phase = Phase::Closing { request };
            return;
        }
        self.closed(Ok(()));
    }

    fn closed(&mut self, result: Result<(), Failure>) {
        if let Err(failure) = result {
            self.core.warn(
                None,
                "E_MEMORY_WRITE",
                &format!("The transcript could not be stored: {}", failure.message),
                "The answer is delivered; it may be missing from the thread after a reload.",
            );
        }
        self.phase = Phase::Over;
        let core = &mut self.core;
        let text = core
            .shown
            .replies()
            .iter()
            .map(mnemograph_memory::Message::text)
            .collect::<Vec<_>>()
            .join("\n");
        let outputs = std::mem::take(&mut core.outputs);
        let usage = core.usage.clone();
        let (status, error, event) = match self.ending.take() {
            None => {
                let status = if self.handled {
                    RunStatus::Partial
                } else {
                    RunStatus::Succeeded
                };
                let event = EventData::RunFinished {
                    status,
                    text: text.clone(),
                    outputs: outputs.clone(),
                    usage: usage.clone(),
                };
                (status, None, event)
            }
            Some(Ending::Failed(error)) => (
                RunStatus::Failed,
                Some(error.clone()),
                EventData::RunFailed { error },
            ),
            Some(Ending::Limit(error)) => (
                RunStatus::Limit,
                Some(error.clone()),
                EventData::RunLimit { error },
            ),
            Some(Ending::Cancelled(reason)) => {
                let error =
                    RunError::new("E_CANCELLED", format!("The run was cancelled: {reason}"));
                (
                    RunStatus::Cancelled,
                    Some(error),
                    EventData::RunCancelled { reason },
                )
            }
        };
        core.emit(None, event);
        let result = RunResult {
            status,
            text,
            outputs,
            messages: std::mem::take(&mut core.messages),
            usage,
            warnings: std::mem::take(&mut core.warnings),
            run_id: core.identity.run_id.clone(),
            thread: core.identity.thread_id.clone(),
            error,
        };
        core.effects.push(Effect::Finish(Box::new(result)));
    }
}
