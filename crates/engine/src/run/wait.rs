//! Waiting for people (2-engine.md 2.8): the run is put away as a checkpoint, and goes on with an answer.

use super::{Ending, Phase, Run};
use crate::{
    effect::{Checkpoint, Effect},
    error::{Failure, RunError},
    event::EventData,
    frame::TaskId,
    interrupt::{Interrupt, InterruptKind},
    names::text_of,
    nodes::{Signal, ask::TIMEOUT},
    result::{RunResult, RunStatus},
};
use mnemograph_memory::Role;
use serde_json::Value;

impl Run {
    /// The questions that are open, in the order in which they were put.
    #[must_use]
    pub fn interrupts(&self) -> Vec<Interrupt> {
        let tasks = self.tasks.iter();
        tasks
            .flat_map(|(_, task)| task.activity.interrupts())
            .collect()
    }

    /// Whether an answer can be taken: to be asked before the run is driven on, as nothing is changed by it.
    ///
    /// # Errors
    /// `E_RESUME_STALE` for a question that is not open; `E_RESUME_INVALID` for an action that it does not offer.
    pub fn check_answer(&self, interrupt: &str, action: &str) -> Result<(), RunError> {
        let open = self.interrupts();
        let Some(found) = open.iter().find(|open| open.id == interrupt) else {
            return Err(RunError::new(
                "E_RESUME_STALE",
                format!("The question '{interrupt}' is not open in this run."),
            )
            .hint("It has been answered already, or its run was cancelled."));
        };
        if action == TIMEOUT || found.actions.iter().any(|known| known == action) {
            return Ok(());
        }
        Err(RunError::new(
            "E_RESUME_INVALID",
            format!("The question has no action '{action}'."),
        )
        .hint(format!("Actions: {}.", found.actions.join(", "))))
    }

    /// Nothing is left to do but to wait for people.
    pub(super) fn suspend(&mut self) {
        let interrupts = self.interrupts();
        let request = self.core.own_request();
        // The events have their numbers before the state is put away, and are told once it is stored.
        let mut events = Vec::new();
        for interrupt in &interrupts {
            let data = EventData::Interrupt {
                interrupt: interrupt.clone(),
            };
            events.push(self.core.event(None, data));
        }
        self.phase = Phase::Waiting {
            since: self.core.now,
        };
        let effects = std::mem::take(&mut self.core.effects);
        let state = serde_json::to_value(&*self);
        self.core.effects = effects;
        let state = match state {
            Ok(state) => state,
            Err(error) => {
                self.phase = Phase::Running;
                let message = format!("The run could not be put away: {error}.");
                return self.end_with(Ending::Failed(RunError::internal(message)));
            }
        };
        self.core.waiting_events = events;
        self.phase = Phase::Suspending { request };
        self.core.effects.push(Effect::SaveCheckpoint {
            request,
            checkpoint: Box::new(Checkpoint {
                graph_hash: self.core.root.graph.hash.clone(),
                interrupts,
                state,
            }),
        });
    }

    pub(super) fn suspended(&mut self, result: Result<(), Failure>) {
        self.phase = Phase::Running;
        if let Err(failure) = result {
            self.core.waiting_events.clear();
            return self.end_with(Ending::Failed(failure.into_error("E_STORE_UNAVAILABLE")));
        }
        if let Some(reason) = self.late_cancel.take() {
            self.core.waiting_events.clear();
            self.core.effects.push(Effect::DropCheckpoint {});
            return self.end_with(Ending::Cancelled(reason));
        }
        for event in std::mem::take(&mut self.core.waiting_events) {
            self.core.effects.push(Effect::Emit(Box::new(event)));
        }
        self.phase = Phase::Over;
        let result = self.result(RunStatus::Waiting, None);
        self.core.effects.push(Effect::Finish(Box::new(RunResult {
            interrupts: self.interrupts(),
            ..result
        })));
    }

    /// A person has answered.
    pub(super) fn resume(&mut self, interrupt: &str, action: &str, data: Value) {
        let Phase::Waiting { since } = self.phase else {
            return;
        };
        let open = self.interrupts();
        let Some(found) = open.iter().find(|open| open.id == interrupt) else {
            return;
        };
        self.phase = Phase::Running;
        // A timer that was asked for is gone with the driver that it was asked of.
        self.armed = None;
        let away = self.core.now.saturating_sub(since);
        self.waited_ms = self.waited_ms.saturating_add(away);
        self.postpone(away);
        let action = if found.is_expired(self.core.now) {
            TIMEOUT
        } else {
            action
        };
        self.core.emit(
            None,
            EventData::Resumed {
                id: interrupt.to_owned(),
                action: action.to_owned(),
            },
        );
        if found.kind == InterruptKind::Question && action != TIMEOUT {
            self.core.show(Role::User, text_of(&data));
        }
        let asker: Option<TaskId> = self
            .tasks
            .iter()
            .find(|(_, task)| {
                let asked = task.activity.interrupts();
                asked.iter().any(|asked| asked.id == interrupt)
            })
            .map(|(id, _)| *id);
        if let Some(asker) = asker {
            self.tell(
                asker,
                Signal::Decision {
                    interrupt: interrupt.to_owned(),
                    action: action.to_owned(),
                    data,
                },
            );
        }
        self.go_on();
    }
}
