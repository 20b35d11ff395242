//! The model call of an agent: start, pieces, answer, retries, fallback, time limits.

use super::{Agent, JOURNAL_EVERY_MS, Phase, request};
use crate::{
    core::Core,
    effect::Effect,
    error::{Failure, RunError},
    event::EventData,
    model::{ChatChunk, ChatResponse, Draft, FinishReason, Purpose},
    nodes::Progress,
    retry,
};
use mnemograph_graph::AiAgent;
use mnemograph_memory::{Part, Role, Status};
use serde_json::Value;

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
        self.attempt = 0;
        self.model = 0;
        self.journal(core);
        self.call_again(core, settings)
    }

    /// One attempt of the present call.
    pub(super) fn call_again(&mut self, core: &mut Core, settings: &AiAgent) -> Progress {
        let model = match request::model_of(core, self.node, self.model) {
            Ok(model) => model,
            Err(error) => return self.fail(core, error),
        };
        self.attempt += 1;
        let chat = request::chat_request(core, self, settings, &model);
        let request = core.request(self.node);
        self.phase = Phase::Calling {
            request,
            draft: Draft::default(),
            started: core.now,
            heard: core.now,
        };
        core.effects.push(Effect::CallModel {
            request,
            node: core.node_id(self.node),
            purpose: Purpose::Agent,
            model: model.model,
            chat,
        });
        Progress::Waiting
    }

    pub(super) fn heard(
        &mut self,
        core: &mut Core,
        settings: &AiAgent,
        chunk: ChatChunk,
    ) -> Progress {
        let Phase::Calling {
            request,
            draft,
            heard,
            ..
        } = &mut self.phase
        else {
            return Progress::Waiting;
        };
        *heard = core.now;
        let event = match &chunk {
            ChatChunk::Text { text } if !text.is_empty() => Some(EventData::Token {
                channel: self.channel,
                text: text.clone(),
            }),
            ChatChunk::Reasoning {
                text: Some(text), ..
            } if !text.is_empty() => Some(EventData::ReasoningToken { text: text.clone() }),
            _ => None,
        };
        if let Err(failure) = draft.push(chunk) {
            let request = *request;
            core.cancel_call(request, "the answer is too long");
            return self.model_failed(core, settings, failure);
        }
        if let Some(event) = event {
            core.emit(Some(self.node), event);
        }
        if core.now.saturating_sub(self.journalled_at) >= JOURNAL_EVERY_MS {
            self.journal(core);
        }
        Progress::Waiting
    }

    pub(super) fn answered(
        &mut self,
        core: &mut Core,
        settings: &AiAgent,
        result: Result<Value, Failure>,
    ) -> Progress {
        let absorbed = result.and_then(|value| self.absorb(core, value));
        if let Err(failure) = absorbed {
            return self.model_failed(core, settings, failure);
        }
        let Phase::Calling { draft, .. } = std::mem::replace(&mut self.phase, Phase::Done) else {
            return self.fail(
                core,
                RunError::internal("A model's answer came in the wrong phase."),
            );
        };
        if let Err(error) = draft.check() {
            return self.fail(core, error.attempt(self.attempt));
        }
        self.take_answer(core, settings, &draft)
    }

    /// Takes a whole answer into the draft; one that was streamed is there already.
    fn absorb(&mut self, core: &mut Core, value: Value) -> Result<(), Failure> {
        let Phase::Calling { draft, .. } = &mut self.phase else {
            return Ok(());
        };
        if draft.touched {
            return Ok(());
        }
        draft.absorb(ChatResponse::from_value(value)?)?;
        let text = draft.text();
        core.emit_text(self.node, self.channel, text);
        Ok(())
    }

    fn take_answer(&mut self, core: &mut Core, settings: &AiAgent, draft: &Draft) -> Progress {
        let fallback_id = format!("call_{}_{}", core.identity.run_id, self.iterations);
        let mut message = core.message(Role::Assistant, draft.parts(&fallback_id));
        message.model.clone_from(&draft.model);
        message.usage.clone_from(&draft.usage);
        message.finish_reason = draft.finish.map(|reason| reason.as_str().to_owned());
        if let Some(usage) = &draft.usage {
            core.usage.add(usage);
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
            return self.succeed(core, text);
        }
        self.start_tools(core, settings, calls)
    }

    pub(super) fn model_timed_out(&mut self, core: &mut Core, settings: &AiAgent) -> Progress {
        if let Phase::Calling { request, .. } = &self.phase {
            let request = *request;
            core.cancel_call(request, "time limit");
        }
        let failure = Failure {
            retryable: true,
            hint: Some("Raise limits.llm_timeout_ms or limits.llm_idle_ms, or look why the model is silent.".to_owned()),
            ..Failure::new("E_LLM_TIMEOUT", "The model did not answer in time.")
        };
        self.model_failed(core, settings, failure)
    }

    /// Again after a pause, or the fallback model, or the end. Nothing that a person has seen is
    /// said twice: once text has arrived, the call is not repeated.
    fn model_failed(&mut self, core: &mut Core, settings: &AiAgent, failure: Failure) -> Progress {
        let untouched = matches!(&self.phase, Phase::Calling { draft, .. } if !draft.touched);
        let max_retries =
            request::model_of(core, self.node, self.model).map_or(0, |model| model.max_retries);
        let policy = core
            .plan
            .graph
            .node(self.node)
            .map(|node| &node.on_error.retry);
        let delay = retry::delay_ms(&failure, self.attempt, max_retries, policy);
        match delay {
            Some(delay_ms) if untouched => {
                let code = failure.into_error("E_LLM").code;
                self.phase = Phase::Waiting {
                    until: core.now.saturating_add(delay_ms),
                };
                core.emit(
                    Some(self.node),
                    EventData::NodeRetry {
                        attempt: self.attempt + 1,
                        delay_ms,
                        code,
                    },
                );
                Progress::Waiting
            }
            _ if untouched && core.plan.graph.links(self.node, "llm").len() > self.model + 1 => {
                let code = failure.into_error("E_LLM").code;
                self.model += 1;
                self.attempt = 0;
                core.emit(
                    Some(self.node),
                    EventData::NodeRetry {
                        attempt: 1,
                        delay_ms: 0,
                        code,
                    },
                );
                self.call_again(core, settings)
            }
            _ => {
                let error = failure.into_error("E_LLM").attempt(self.attempt);
                self.fail(core, error)
            }
        }
    }
}
