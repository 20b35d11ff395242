//! A run: the state machine that walks a graph (2-engine.md 2.2).
//!
//! `flow` moves control along edges and through frames, `tasks` executes steps, `time` tells them that time has passed,
//! `end` closes the run, `wait` puts it away until a person answers.

mod end;
mod flow;
mod tasks;
mod time;
mod wait;

use crate::{
    core::Core,
    effect::{Effect, Input, RequestId, RunIdentity, RunInput},
    error::{Failure, RunError},
    event::EventData,
    frame::{FrameId, ROOT, TaskId},
    nodes::trigger,
    plan::Plan,
};
use mnemograph_compact::{Fault, FromJson, SortedMap};
use mnemograph_graph::{NodeIx, Scope, Settings};
use mnemograph_memory::{Message, ShownStatus};
use serde::Serialize;
use std::collections::VecDeque;
use std::rc::Rc;
use tasks::Task;

/// One execution of a graph.
#[derive(Debug, Serialize, FromJson)]
pub struct Run {
    core: Core,
    phase: Phase,
    /// Steps that control has reached, in order.
    ready: VecDeque<(FrameId, NodeIx)>,
    /// Steps in execution, in the order in which they began.
    tasks: SortedMap<TaskId, Task>,
    /// Frames without anything left to do.
    drained: VecDeque<FrameId>,
    next_task: TaskId,
    steps: u64,
    ending: Option<Ending>,
    /// Time that the run spent waiting for people, which its limit does not count.
    waited_ms: u64,
    armed: Option<u64>,
    /// The host wanted the run to stop while its checkpoint was being stored.
    #[serde(skip)]
    late_cancel: Option<String>,
}

#[derive(Debug, Serialize, FromJson)]
enum Phase {
    New,
    /// The thread's turn is being opened, then what the graph needs of it is read.
    Opening {
        request: RequestId,
        trigger: NodeIx,
    },
    Running,
    /// The checkpoint is being stored.
    Suspending {
        request: RequestId,
    },
    /// A person is asked; only an answer goes on.
    Waiting {
        since: u64,
    },
    Closing {
        request: RequestId,
    },
    Over,
}

/// Why a run ends before its graph does.
#[derive(Debug, Serialize, FromJson)]
enum Ending {
    Failed(RunError),
    Limit(RunError),
    Cancelled(String),
    /// A `stop` node was reached; partial if true.
    Stopped(bool),
}

impl Run {
    /// A run that waits for [`Input::Start`].
    #[must_use]
    pub fn new(plan: Rc<Plan>, identity: RunIdentity) -> Self {
        Self {
            core: Core::new(plan, identity),
            phase: Phase::New,
            ready: VecDeque::new(),
            tasks: SortedMap::new(),
            drained: VecDeque::new(),
            next_task: 1,
            steps: 0,
            ending: None,
            waited_ms: 0,
            armed: None,
            late_cancel: None,
        }
    }

    /// Nobody follows the run step by step: events of which [`EventData::is_step`] is true are counted and not told.
    pub fn be_brief(&mut self) {
        self.core.brief = true;
    }

    /// A run from its serialised state: it goes on as if it had never been away.
    ///
    /// # Errors
    /// If the state is not that of a run.
    pub fn restore(plan: Rc<Plan>, state: serde_json::Value) -> Result<Self, Fault> {
        let mut run: Self = Self::from_json(state)?;
        run.core.set_plan(plan);
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
        self.core.focus(ROOT, 0);
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
            (
                Phase::Opening {
                    request: asked,
                    trigger,
                },
                Input::ThreadRead { request, result },
            ) if request == *asked => {
                let trigger = *trigger;
                self.thread_read(trigger, result);
            }
            (
                Phase::Running | Phase::Suspending { .. } | Phase::Closing { .. },
                Input::TurnFailed { failure },
            ) => {
                self.turn_failed(failure);
            }
            (Phase::Suspending { request: asked }, Input::CheckpointSaved { request, result })
                if request == *asked =>
            {
                self.suspended(result);
            }
            (
                Phase::Waiting { .. },
                Input::Resume {
                    interrupt,
                    action,
                    data,
                },
            ) => self.resume(&interrupt, &action, data),
            (Phase::Closing { request: asked }, Input::TranscriptWritten { request, result })
                if request == *asked =>
            {
                self.closed(result);
            }
            (Phase::Closing { .. }, Input::Cancel { .. }) => {}
            (Phase::Suspending { .. }, Input::Cancel { reason }) => self.late_cancel = Some(reason),
            // What is being put away stays as it is; the checkpoint holds the open rounds.
            (Phase::Suspending { .. }, Input::JournalFailed { .. } | Input::Timer) => {}
            (_, Input::Cancel { reason }) => self.end_with(Ending::Cancelled(reason)),
            (_, Input::JournalFailed { failure }) => self.core.warn(
                None,
                "W_JOURNAL",
                &format!("The open round could not be noted: {}", failure.message),
                "The run goes on. If the page is closed before it ends, this message may be lost.",
            ),
            (_, Input::Timer) => self.timer(),
            (_, Input::Suspend) => self.note_open_rounds(),
            (Phase::Running, input) => self.answer(input),
            (
                Phase::New
                | Phase::Opening { .. }
                | Phase::Suspending { .. }
                | Phase::Waiting { .. }
                | Phase::Closing { .. },
                _,
            ) => {}
        }
        if self.ending.is_some() {
            self.go_on();
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
        if let Err(failure) = result {
            return self.turn_failed(failure);
        }
        let variables = self.core.root.thread_variables();
        let dictionaries = self.core.root.thread_dictionaries();
        let transcript = self.core.root.transcript_limit();
        if variables.is_empty() && dictionaries.is_empty() && transcript == 0 {
            return self.begin(trigger);
        }
        let request = self.core.own_request();
        self.core.effects.push(Effect::ReadThread {
            request,
            variables,
            dictionaries,
            transcript,
        });
        self.phase = Phase::Opening { request, trigger };
    }

    /// Nothing of this run is stored, so nothing is written at its end.
    fn turn_failed(&mut self, failure: Failure) {
        self.core.identity.has_thread = false;
        self.leave_memory();
        if matches!(self.phase, Phase::Suspending { .. }) {
            self.core.waiting_events.clear();
            self.core.effects.push(Effect::DropCheckpoint {});
        }
        self.end_with(Ending::Failed(failure.into_error("E_STORE_UNAVAILABLE")));
    }

    fn thread_read(
        &mut self,
        trigger: NodeIx,
        result: Result<crate::effect::ThreadState, Failure>,
    ) {
        match result {
            Ok(state) => {
                self.core.thread_variables = state.variables;
                self.core.dictionaries = state.dictionaries;
                let shown = state.transcript.into_iter();
                let messages: Vec<Message> = shown
                    .flat_map(|shown| shown.user.into_iter().chain(shown.replies))
                    .collect();
                self.core.earlier = messages;
                self.begin(trigger);
            }
            Err(failure) => {
                self.end_with(Ending::Failed(failure.into_error("E_STORE_UNAVAILABLE")));
            }
        }
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
        self.start_frame(ROOT, trigger, values);
        self.go_on();
    }

    /// What has the scope `thread` behaves as `session` here (3-memory.md D25): said once.
    fn warn_without_chat(&mut self) {
        let graph = &self.core.plan.graph;
        let kept = graph.nodes().find(|(_, node)| match &node.settings {
            Settings::Var(var) => var.scope == Scope::Thread,
            Settings::AgentMemory(memory) => memory.scope == Scope::Thread,
            other => other
                .memory()
                .is_some_and(|memory| memory.scope == Scope::Thread),
        });
        if let Some((ix, _)) = kept {
            self.core.warn(
                Some(ix),
                "W_THREAD_WITHOUT_CHAT",
                "This run has no thread, so what is kept lives as long as the run.",
                "Give run() a thread to keep the conversation.",
            );
        }
    }

    fn run_deadline(&self) -> u64 {
        self.core
            .started_at
            .saturating_add(self.waited_ms)
            .saturating_add(self.core.root.graph.limits.run_ms)
    }

    /// Asks for the next time that matters, unless an earlier one is asked for already.
    fn arm(&mut self) {
        let run = match self.phase {
            Phase::Opening { .. } | Phase::Running if self.ending.is_none() => {
                Some(self.run_deadline())
            }
            _ => None,
        };
        let tasks = match self.phase {
            Phase::Running => self.next_deadline(),
            _ => None,
        };
        let Some(at) = run.into_iter().chain(tasks).min() else {
            return;
        };
        if self.armed.is_none_or(|armed| at < armed) {
            self.armed = Some(at);
            self.core.effects.push(Effect::WakeAt { at });
        }
    }

    fn timer(&mut self) {
        self.armed = None;
        let is_timed = matches!(self.phase, Phase::Opening { .. } | Phase::Running);
        if self.core.now >= self.run_deadline() && self.ending.is_none() && is_timed {
            let most = self.core.root.graph.limits.run_ms;
            let error = RunError::new(
                "E_RUN_TIMEOUT",
                format!("The run took longer than {most} ms."),
            )
            .hint("Raise limits.run_ms of the graph.");
            return self.end_with(Ending::Limit(error));
        }
        if matches!(self.phase, Phase::Running) {
            self.time_passed();
            self.go_on();
        }
    }
}
