//! The loop of an agent: ask, take the answer, judge it by the schema, ask again.

use super::{Agent, JOURNAL_EVERY_MS, Phase, request};
use crate::{
    core::Core,
    effect::{Effect, HostWork},
    error::RunError,
    model::{Draft, FinishReason},
    nodes::Progress,
    schema,
};
use mnemograph_graph::AiAgent;
use mnemograph_memory::{Part, Role, Status};
use serde_json::{Value, json};

impl Agent {
    /// The next model call of the loop, within the limit.
    pub(super) fn call_model(&mut self, core: &mut Core, settings: &AiAgent) -> Progress {
        if self.iterations >= settings.max_iterations {
            let error = RunError::new(
                "E_AGENT_LIMIT",
                format!(
                    "The agent asked its model {} times and was not done.",
                    self.iterations
                ),
            )
            .hint("Raise max_iterations, or make the tools' results say what is still missing.");
            return self.fail(core, error);
        }
        self.iterations += 1;
        self.call.renew();
        self.journal(core);
        self.ask(core, settings)
    }

    /// One attempt of the present call.
    pub(super) fn ask(&mut self, core: &mut Core, settings: &AiAgent) -> Progress {
        self.phase = Phase::Calling;
        let mut call = std::mem::replace(
            &mut self.call,
            super::ModelCall::new(self.node, self.channel, crate::model::Purpose::Agent),
        );
        let sent = call.send(core, &mut |core| {
            request::chat_request(core, self, settings)
        });
        self.call = call;
        match sent {
            Ok(()) => Progress::Waiting,
            Err(error) => self.fail(core, error),
        }
    }

    /// A piece of the answer has come.
    pub(super) fn piece(&mut self, core: &mut Core) -> Progress {
        if core.now.saturating_sub(self.journalled_at) >= JOURNAL_EVERY_MS {
            self.journal(core);
        }
        Progress::Waiting
    }

    pub(super) fn take_answer(
        &mut self,
        core: &mut Core,
        settings: &AiAgent,
        draft: &Draft,
    ) -> Progress {
        let fallback_id = format!("call_{}_{}", core.identity.run_id, self.iterations);
        let mut message = core.message(Role::Assistant, draft.parts(&fallback_id));
        message.model.clone_from(&draft.model);
        message.usage.clone_from(&draft.usage);
        message.finish_reason = draft.finish.map(|reason| reason.as_str().to_owned());
        if let Some(usage) = &draft.usage {
            core.usage.add(usage);
            self.usage.add(usage);
        }
        let cut_off = draft.finish == Some(FinishReason::Length)
            && message
                .parts
                .iter()
                .any(|part| matches!(part, Part::ToolCall { args: None, .. }));
        if cut_off {
            message.status = Status::Incomplete;
        }
        let calls = message
            .parts
            .iter()
            .filter(|part| part.is_open_call())
            .cloned()
            .collect::<Vec<_>>();
        let text = message.text();
        self.push(core, message);
        if draft.finish == Some(FinishReason::ContentFilter) {
            let error = RunError::new(
                "E_LLM_RESPONSE",
                "A filter of the model's provider stopped the answer.",
            )
            .hint("The round is stored as blocked; change the message and send it again.");
            return self.end_round(core, Status::Blocked, Some(error));
        }
        if cut_off {
            let error = RunError::new(
                "E_LLM_RESPONSE",
                "The output limit of the model cut the arguments of a tool call.",
            )
            .hint("Raise the model's output limit in params.");
            return self.end_round(core, Status::Incomplete, Some(error));
        }
        if calls.is_empty() {
            return self.judge(core, settings, text);
        }
        self.start_tools(core, settings, calls)
    }

    /// Whether the answer is what the schema asks for.
    fn judge(&mut self, core: &mut Core, settings: &AiAgent, text: String) -> Progress {
        let Some(schema) = &settings.output_schema else {
            return self.succeed(core, text, Value::Null);
        };
        let Some(value) = schema::parse(&text) else {
            return self.unfit(core, settings, text, vec![schema::NO_JSON.to_owned()]);
        };
        let request = core.request();
        core.effects.push(Effect::CallHost {
            request,
            node: core.node_id(self.node),
            work: HostWork::Schema,
            name: "schema".to_owned(),
            payload: json!({"schema": schema, "value": value}),
        });
        self.phase = Phase::Checking {
            request,
            text,
            value,
        };
        Progress::Waiting
    }

    pub(super) fn checked(
        &mut self,
        core: &mut Core,
        settings: &AiAgent,
        errors: &[String],
    ) -> Progress {
        let Phase::Checking { text, value, .. } = std::mem::replace(&mut self.phase, Phase::Done)
        else {
            return Progress::Waiting;
        };
        if errors.is_empty() {
            return self.succeed(core, text, value);
        }
        self.unfit(core, settings, text, errors.to_vec())
    }

    /// Asks once more, with what was wrong. The answer that did not fit leaves the round: memory keeps the one
    /// that does.
    fn unfit(
        &mut self,
        core: &mut Core,
        settings: &AiAgent,
        text: String,
        errors: Vec<String>,
    ) -> Progress {
        if self.unfit.is_some() {
            return self.fail(core, schema::error(&errors));
        }
        self.round.messages.pop();
        core.messages.pop();
        self.unfit = Some((text, errors));
        self.call.repair();
        self.ask(core, settings)
    }
}
