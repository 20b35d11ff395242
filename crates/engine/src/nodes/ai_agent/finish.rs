//! How an agent ends: the round is closed, stored, and only then its outcome goes on (3-memory.md D34, D35).

use super::{Agent, Outcome, Phase};
use crate::{
    core::Core,
    effect::{Committed, Effect, MemoryOp},
    error::{Failure, RunError},
    event::{Channel, EventData},
    frame::NodeValues,
    nodes::{Progress, manage},
};
use mnemograph_compact::FromJson;
use mnemograph_memory::{Message, Part, Role, Round, ShownStatus, Status};
use serde::Serialize;
use serde_json::Value;

/// A round that is to be stored, with what comes after that.
#[derive(Debug, Serialize, FromJson)]
pub(super) struct Closing {
    round: Round,
    reply: Message,
    status: ShownStatus,
    outcome: Outcome,
}

impl Agent {
    pub(super) fn succeed(&mut self, core: &mut Core, text: String, json: Value) -> Progress {
        let reply = self.shown_message(core, text.clone(), Status::Complete);
        let mut values = NodeValues::of([
            ("output", Value::String(text)),
            (
                "messages",
                serde_json::to_value(&self.round.messages).unwrap_or_default(),
            ),
            ("json", json),
            (
                "usage",
                serde_json::to_value(&self.usage).unwrap_or_default(),
            ),
            ("iterations", Value::from(self.iterations)),
        ]);
        values.message = Some(reply.clone());
        let closing = Closing {
            round: self.round.clone(),
            reply,
            status: ShownStatus::Complete,
            outcome: Outcome::Answered {
                values: Box::new(values),
            },
        };
        self.close(core, closing)
    }

    pub(super) fn fail(&mut self, core: &mut Core, error: RunError) -> Progress {
        self.end_round(core, Status::Failed, Some(error))
    }

    /// Ends because the run ends: what runs outside is told, what is there is kept and marked.
    pub(crate) fn abort(&mut self, core: &mut Core, reason: &str) -> Progress {
        match &self.phase {
            Phase::Storing { .. } | Phase::Reading { .. } | Phase::Turn(_) => {
                return Progress::Waiting;
            }
            Phase::Done => return Progress::Aborted,
            Phase::Calling => self.call.cancel(core, reason),
            Phase::Tools { .. } => self.cancel_tools(core, reason),
            Phase::Overwriting { request }
            | Phase::Loading { request }
            | Phase::Checking { request, .. } => {
                let request = *request;
                core.forget_request(request);
            }
        }
        self.end_round(core, Status::Aborted, None)
    }

    /// Closes the round with a status that is not `complete`.
    pub(super) fn end_round(
        &mut self,
        core: &mut Core,
        status: Status,
        error: Option<RunError>,
    ) -> Progress {
        self.cancel_tools(core, "the agent ended");
        let error = error.map(|error| error.at(&core.node_id(self.node)));
        let round = self.unfinished_round(status, error.as_ref().map(|error| error.code.clone()));
        let added = round
            .messages
            .get(self.round.messages.len()..)
            .unwrap_or_default();
        core.messages.extend(added.iter().cloned());
        let text = round
            .messages
            .last()
            .filter(|last| last.role == Role::Assistant)
            .map(Message::text);
        let shown = self.shown_message(core, text.unwrap_or_default(), status);
        let (shown_status, outcome) = match error {
            Some(error) => (ShownStatus::Failed, Outcome::Failed { error }),
            None => (ShownStatus::Aborted, Outcome::Aborted),
        };
        let closing = Closing {
            round,
            reply: shown,
            status: shown_status,
            outcome,
        };
        self.close(core, closing)
    }

    /// The open round as it would be kept if it ended now: finished results, and the text that has
    /// streamed; a call that is still being written was never made and is left out.
    pub(super) fn unfinished_round(&self, status: Status, error_code: Option<String>) -> Round {
        let mut round = self.round.clone();
        for result in self.finished_results() {
            let id = format!("{}_{}", self.round.id, round.messages.len());
            round
                .messages
                .push(self.added(id, Role::Tool, vec![result]));
        }
        if let Some(draft) = self.call.draft() {
            let mut parts = draft.parts("call");
            parts.retain(|part| !matches!(part, Part::ToolCall { .. }));
            if !parts.is_empty() {
                let id = format!("{}_{}", self.round.id, round.messages.len());
                let mut message = self.added(id, Role::Assistant, parts);
                message.model.clone_from(&draft.model);
                round.messages.push(message);
            }
        }
        round.end(status, error_code);
        round
    }

    fn added(&self, id: String, role: Role, parts: Vec<Part>) -> Message {
        let mut message = Message::new(id, role, parts, self.journalled_at);
        message.round = Some(self.round.id.clone());
        message
    }

    /// What a person sees of the answer: its text, under the id that it has in memory.
    fn shown_message(&self, core: &Core, text: String, status: Status) -> Message {
        let id = self
            .round
            .messages
            .last()
            .filter(|last| last.role == Role::Assistant)
            .map_or_else(
                || format!("{}_shown", self.round.id),
                |last| last.id.clone(),
            );
        let mut message = Message::new(id, Role::Assistant, vec![Part::text(text)], core.now);
        message.status = status;
        message
    }

    /// Stores the round, as soon as nothing that began earlier can still store something.
    pub(super) fn close(&mut self, core: &mut Core, closing: Closing) -> Progress {
        if !core.may_commit {
            self.phase = Phase::Turn(Box::new(closing));
            return Progress::Waiting;
        }
        let Closing {
            round,
            reply,
            status,
            outcome,
        } = closing;
        let entry = if matches!(outcome, Outcome::Answered { .. }) {
            let is_foreseen = self.channel == Channel::Reply
                && self.memory.is_some()
                && core.identity.has_thread
                && core.plan.ends_with_reply(self.node);
            is_foreseen.then(|| core.shown.foresee(reply, status))
        } else {
            if self.channel == Channel::Reply && !reply.text().is_empty() {
                core.shown.add_reply(reply);
            }
            core.identity
                .has_thread
                .then(|| core.shown.store_now(status))
        };
        let Some(used) = &self.memory else {
            self.phase = Phase::Done;
            return self.end(core, outcome);
        };
        let request = core.request();
        core.effects.push(Effect::CommitRound {
            request,
            memory: used.memory.clone(),
            round,
            seen_seq: used.seen_seq,
            shown: entry,
        });
        self.phase = Phase::Storing { request, outcome };
        Progress::Waiting
    }

    /// The round is stored or it is not: the answer stands either way.
    pub(super) fn stored(
        &mut self,
        core: &mut Core,
        result: Result<Committed, Failure>,
    ) -> Progress {
        let Phase::Storing { outcome, .. } = std::mem::replace(&mut self.phase, Phase::Done) else {
            return Progress::Waiting;
        };
        match result {
            Ok(Committed::Stored { count, bytes, hash }) => {
                if let Some(used) = &self.memory {
                    core.emit(
                        Some(self.node),
                        EventData::MemoryWritten {
                            memory: used.memory.node.clone(),
                            count,
                            bytes,
                            hash,
                        },
                    );
                }
            }
            Ok(Committed::Stale) => {
                core.shown.not_stored();
                core.warn(
                    Some(self.node),
                    "W_STALE_EPOCH",
                    "The history was cleared while this run went on, so its round was not stored.",
                    "Nothing needs to be done: clearing wins over a late answer.",
                );
            }
            Err(failure) => {
                core.shown.not_stored();
                let code = failure.code.as_deref().unwrap_or("E_STORE_UNAVAILABLE");
                core.warn(
                    Some(self.node),
                    "E_MEMORY_WRITE",
                    &format!("The round could not be stored ({code}): {}", failure.message),
                    "The answer is delivered. The round is in the journal and is stored again before the next read.",
                );
            }
        }
        self.read_or_end(core, outcome)
    }

    /// Reads the memory once more where its port `messages` is open, and ends.
    fn read_or_end(&mut self, core: &mut Core, outcome: Outcome) -> Progress {
        let plan = std::rc::Rc::clone(&core.plan);
        let memory = plan.graph.links(self.node, "memory").first();
        let settings = memory.and_then(|ix| plan.graph.node(*ix)?.settings.memory());
        let is_read = settings.is_some_and(|memory| memory.output_messages);
        let Some(used) = self.memory.as_ref().filter(|_| is_read) else {
            return self.end(core, outcome);
        };
        let request = core.request();
        core.effects.push(Effect::ManageMemory {
            request,
            memory: used.memory.clone(),
            op: MemoryOp::Get {},
        });
        self.phase = Phase::Reading { request, outcome };
        Progress::Waiting
    }

    /// The memory was read, or could not be: the answer stands either way, and who reads the port finds nothing there.
    pub(super) fn read_again(
        &mut self,
        core: &mut Core,
        result: Result<Vec<Value>, Failure>,
    ) -> Progress {
        let Phase::Reading { outcome, .. } = std::mem::replace(&mut self.phase, Phase::Done) else {
            return Progress::Waiting;
        };
        let memory = core.plan.graph.links(self.node, "memory").first().copied();
        if let (Some(memory), Ok(messages)) = (memory, result) {
            manage::snapshot(core, memory, Value::Array(messages));
        }
        self.end(core, outcome)
    }

    fn end(&mut self, _core: &mut Core, outcome: Outcome) -> Progress {
        match outcome {
            Outcome::Answered { values } => Progress::Succeeded(values),
            Outcome::Failed { error } => Progress::Failed(error),
            Outcome::Aborted => Progress::Aborted,
        }
    }
}
