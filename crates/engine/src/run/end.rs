//! The end of a run: the transcript's entry, the terminal event, the result.

use super::{Ending, Phase, Run};
use crate::{
    effect::Effect,
    error::{Failure, RunError},
    event::EventData,
    frame::{Outcome, ROOT},
    result::{RunResult, RunStatus},
};
use mnemograph_memory::ShownStatus;

impl Run {
    /// Ends the run early: what executes is told to stop and its round is kept.
    pub(super) fn end_with(&mut self, ending: Ending) {
        if self.ending.is_some() {
            return;
        }
        let reason = match &ending {
            Ending::Cancelled(reason) => reason.clone(),
            Ending::Failed(error) | Ending::Limit(error) => error.message.clone(),
            Ending::Stopped(_) => "the run was stopped by its graph".to_owned(),
        };
        self.ending = Some(ending);
        if let Phase::Waiting { .. } = self.phase {
            self.phase = Phase::Running;
        }
        if !matches!(self.phase, Phase::Running) {
            return self.finish();
        }
        self.wind_down(ROOT, Outcome::Aborted, &reason);
        let root = self.core.frames.get(&ROOT);
        if root.is_none_or(|root| root.open == 0) {
            self.finish();
        }
    }

    /// All steps are done: the transcript's entry, then the end.
    pub(super) fn finish(&mut self) {
        if matches!(self.phase, Phase::Closing { .. } | Phase::Over) {
            return;
        }
        let opened = !matches!(self.phase, Phase::New);
        let status = match &self.ending {
            None | Some(Ending::Stopped(_)) => ShownStatus::Complete,
            Some(Ending::Cancelled(_)) => ShownStatus::Aborted,
            Some(Ending::Failed(_) | Ending::Limit(_)) => ShownStatus::Failed,
        };
        self.core.focus(ROOT, 0);
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

    pub(super) fn closed(&mut self, result: Result<(), Failure>) {
        self.core.focus(ROOT, 0);
        if let Err(failure) = result {
            self.core.warn(
                None,
                "E_MEMORY_WRITE",
                &format!("The transcript could not be stored: {}", failure.message),
                "The answer is delivered; it may be missing from the thread after a reload.",
            );
        }
        self.phase = Phase::Over;
        let well = |partial: bool| {
            if partial {
                RunStatus::Partial
            } else {
                RunStatus::Succeeded
            }
        };
        let (status, error) = match self.ending.take() {
            None => (well(self.core.handled), None),
            Some(Ending::Stopped(partial)) => (well(partial || self.core.handled), None),
            Some(Ending::Failed(error)) => (RunStatus::Failed, Some(error)),
            Some(Ending::Limit(error)) => (RunStatus::Limit, Some(error)),
            Some(Ending::Cancelled(reason)) => {
                self.core.emit(
                    None,
                    EventData::RunCancelled {
                        reason: reason.clone(),
                    },
                );
                let message = format!("The run was cancelled: {reason}");
                (
                    RunStatus::Cancelled,
                    Some(RunError::new("E_CANCELLED", message)),
                )
            }
        };
        let result = self.result(status, error);
        let event = match (&result.error, status) {
            (Some(error), RunStatus::Failed) => Some(EventData::RunFailed {
                error: error.clone(),
            }),
            (Some(error), RunStatus::Limit) => Some(EventData::RunLimit {
                error: error.clone(),
            }),
            (Some(_), _) => None,
            (None, _) => Some(EventData::RunFinished {
                status,
                text: result.text.clone(),
                outputs: result.outputs.clone(),
                usage: result.usage.clone(),
            }),
        };
        if let Some(event) = event {
            self.core.emit(None, event);
        }
        self.core.effects.push(Effect::Finish(Box::new(result)));
    }

    /// What the run gives back.
    pub(super) fn result(&mut self, status: RunStatus, error: Option<RunError>) -> RunResult {
        let core = &mut self.core;
        let texts: Vec<_> = core
            .shown
            .replies()
            .iter()
            .filter(|reply| reply.role == mnemograph_memory::Role::Assistant)
            .map(mnemograph_memory::Message::text)
            .collect();
        RunResult {
            status,
            text: texts.join("\n"),
            outputs: std::mem::take(&mut core.outputs),
            messages: std::mem::take(&mut core.messages),
            usage: core.usage.clone(),
            warnings: std::mem::take(&mut core.warnings),
            run_id: core.identity.run_id.clone(),
            thread: core.identity.thread_id.clone(),
            interrupts: Vec::new(),
            recording: None,
            error,
        }
    }
}
