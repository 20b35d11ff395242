//! What an agent reads of its memory before it asks its model: set from its input if that is wired, then loaded.

use super::{Agent, Phase};
use crate::{
    core::Core,
    effect::{Effect, LoadedHistory},
    error::{Failure, RunError},
    event::EventData,
    nodes::{Progress, manage},
};
use mnemograph_graph::{AiAgent, NodeIx};
use mnemograph_memory::Message;
use serde_json::Value;

impl Agent {
    pub(super) fn load_history(&mut self, core: &mut Core) -> Progress {
        let Some(used) = &self.memory else {
            return Progress::Waiting;
        };
        let request = core.request();
        self.phase = Phase::Loading { request };
        core.effects.push(Effect::LoadHistory {
            request,
            memory: used.memory.clone(),
        });
        Progress::Waiting
    }

    pub(super) fn loaded(
        &mut self,
        core: &mut Core,
        settings: &AiAgent,
        result: Result<LoadedHistory, Failure>,
    ) -> Progress {
        let history = match result {
            Ok(history) => history,
            Err(failure) => return Progress::Failed(failure.into_error("E_STORE_UNAVAILABLE")),
        };
        if history.quarantined > 0 {
            core.warn(
                Some(self.node),
                "W_ROUND_QUARANTINED",
                &format!(
                    "{} stored rounds could not be read and were left out.",
                    history.quarantined
                ),
                "Look at them in the State tab; export or clear the history there.",
            );
        }
        let used = self.memory.as_ref();
        let policy = used.map(|used| used.memory.policy).unwrap_or_default();
        let view = mnemograph_memory::into_view(
            history.messages,
            history.summary.as_ref(),
            &policy,
            core.plan.model_ref(self.node),
        );
        if let Some(code) = &history.summary_failed {
            core.warn(
                Some(self.node),
                "W_SUMMARY_FAILED",
                &format!("The older part of the conversation could not be summarised ({code}); it was sent as it is."),
                "The event summary_failed says why. Nothing is lost; it is tried again after the next rounds.",
            );
        }
        for warning in &view.warnings {
            core.warn(
                Some(self.node),
                &warning.code,
                &warning.message,
                &warning.hint,
            );
        }
        if let Some(used) = &mut self.memory {
            used.seen_seq = history.last_seq;
            core.emit(
                Some(self.node),
                EventData::MemoryRead {
                    memory: used.memory.node.clone(),
                    count: history.count,
                    in_view: view.in_view.len() as u64,
                },
            );
        }
        self.view = view.messages;
        self.call_model(core, settings)
    }
}

/// What is wired to the port `messages_in` of the agent's memory, if it has not been applied in this run: a loop around
/// the agent must not wipe the rounds that it has just added (3-memory.md D28).
pub(super) fn given_history(
    core: &mut Core,
    node: NodeIx,
) -> Result<Option<Vec<Message>>, RunError> {
    let plan = std::rc::Rc::clone(&core.plan);
    let Some(memory) = plan.graph.links(node, "memory").first().copied() else {
        return Ok(None);
    };
    let settings = plan
        .graph
        .node(memory)
        .and_then(|node| node.settings.memory());
    if !settings.is_some_and(|memory| memory.set_from_input) {
        return Ok(None);
    }
    let value = match core.optional_input(memory, "messages_in")? {
        None | Some(Value::Null) => return Ok(None),
        Some(value) => value,
    };
    let is_kept = core.plan.memory(node, core.identity.has_thread).is_some();
    let id = core.state_id(memory);
    if is_kept && core.overwritten.get(&id) == Some(&value) {
        return Ok(None);
    }
    let messages = manage::read_messages(core, memory, "messages_in", value.clone())?;
    core.overwritten.insert(id, value);
    Ok(Some(messages))
}
