//! One question to a model: attempts, pieces, answer, fallback, time limits.

use crate::{
    core::Core,
    effect::{Effect, Input, RequestId},
    error::{Failure, RunError},
    event::{Channel, EventData},
    model::{ChatChunk, ChatRequest, ChatResponse, Draft, Purpose},
    retry,
};
use mnemograph_compact::FromJson;
use mnemograph_graph::{LlmModel, NodeIx, Settings};
use serde::Serialize;
use serde_json::{Map, Value};

/// A question on its way.
#[derive(Debug, Serialize, FromJson)]
pub(crate) struct ModelCall {
    node: NodeIx,
    channel: Channel,
    purpose: Purpose,
    /// Which of the linked models is asked: 0 main, 1 fallback.
    model: usize,
    /// Attempts with that model, from 1.
    attempt: u32,
    state: State,
}

#[derive(Debug, Serialize, FromJson)]
enum State {
    Idle,
    Calling {
        request: RequestId,
        draft: Box<Draft>,
        started: u64,
        heard: u64,
    },
    Waiting {
        until: u64,
    },
}

/// What an input meant for the question.
#[derive(Debug)]
pub(crate) enum Heard {
    /// Nothing that its node has to act on.
    Nothing,
    /// A piece of the answer came.
    Piece,
    /// It has to be asked again now.
    Again,
    /// It is answered.
    Answer(Box<Draft>),
    /// There is no answer.
    Failed(RunError),
}

impl ModelCall {
    pub(crate) fn new(node: NodeIx, channel: Channel, purpose: Purpose) -> Self {
        Self {
            node,
            channel,
            purpose,
            model: 0,
            attempt: 0,
            state: State::Idle,
        }
    }

    /// The next question is a new one: the main model first.
    pub(crate) fn renew(&mut self) {
        self.model = 0;
        self.attempt = 0;
        self.state = State::Idle;
    }

    /// From now on nobody but the graph reads the answer, and this is what it is for.
    pub(crate) fn repair(&mut self) {
        self.renew();
        self.purpose = Purpose::Repair;
        self.channel = Channel::Internal;
    }

    /// Asks, with the request that `build` makes for the model in turn.
    ///
    /// # Errors
    /// `E_NO_MODEL` if none is linked.
    pub(crate) fn send(
        &mut self,
        core: &mut Core,
        build: &mut dyn FnMut(&mut Core) -> ChatRequest,
    ) -> Result<(), RunError> {
        let model = model_of(core, self.node, self.model)?;
        self.attempt += 1;
        let mut chat = build(core);
        chat.params = merged(&model.params, &chat.params);
        let request = core.request();
        self.state = State::Calling {
            request,
            draft: Box::default(),
            started: core.now,
            heard: core.now,
        };
        core.effects.push(Effect::CallModel {
            request,
            node: core.node_id(self.node),
            purpose: self.purpose,
            model: model.model,
            chat,
        });
        Ok(())
    }

    /// What has arrived so far, while it is being asked.
    pub(crate) fn draft(&self) -> Option<&Draft> {
        match &self.state {
            State::Calling { draft, .. } => Some(draft),
            State::Idle | State::Waiting { .. } => None,
        }
    }

    pub(crate) fn deadline(&self, core: &Core) -> Option<u64> {
        match &self.state {
            State::Calling { started, heard, .. } => {
                Some(core.plan.model_deadline(self.node, *started, *heard))
            }
            State::Waiting { until } => Some(*until),
            State::Idle => None,
        }
    }

    /// The answer is no longer wanted.
    pub(crate) fn cancel(&mut self, core: &mut Core, reason: &str) {
        if let State::Calling { request, .. } = &self.state {
            let request = *request;
            core.cancel_call(request, reason);
        }
    }

    /// Takes an input. One that does not belong to the question is nothing to it.
    pub(crate) fn take(&mut self, core: &mut Core, input: Input) -> Heard {
        let is_late = self.deadline(core).is_some_and(|at| at <= core.now);
        match (input, &self.state) {
            (Input::ModelDelta { request, chunk }, State::Calling { request: asked, .. })
                if request == *asked =>
            {
                self.piece(core, chunk)
            }
            (Input::ModelDone { request, result }, State::Calling { request: asked, .. })
                if request == *asked =>
            {
                core.forget_request(request);
                self.answered(core, result)
            }
            (Input::Timer, State::Calling { .. }) if is_late => self.timed_out(core),
            (Input::Timer, State::Waiting { .. }) if is_late => Heard::Again,
            _ => Heard::Nothing,
        }
    }

    fn piece(&mut self, core: &mut Core, chunk: ChatChunk) -> Heard {
        let State::Calling {
            request,
            draft,
            heard,
            ..
        } = &mut self.state
        else {
            return Heard::Nothing;
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
            return self.failed(core, failure);
        }
        if let Some(event) = event {
            core.emit(Some(self.node), event);
        }
        Heard::Piece
    }

    fn answered(&mut self, core: &mut Core, result: Result<Value, Failure>) -> Heard {
        let absorbed = result.and_then(|value| self.absorb(core, value));
        if let Err(failure) = absorbed {
            return self.failed(core, failure);
        }
        let State::Calling { draft, .. } = std::mem::replace(&mut self.state, State::Idle) else {
            return Heard::Nothing;
        };
        match draft.check() {
            Ok(()) => Heard::Answer(draft),
            Err(error) => Heard::Failed(error.attempt(self.attempt)),
        }
    }

    /// Takes a whole answer into the draft; one that was streamed is there already.
    fn absorb(&mut self, core: &mut Core, value: Value) -> Result<(), Failure> {
        let State::Calling { draft, .. } = &mut self.state else {
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

    fn timed_out(&mut self, core: &mut Core) -> Heard {
        self.cancel(core, "time limit");
        let failure = Failure {
            retryable: true,
            hint: Some("Raise limits.llm_timeout_ms or limits.llm_idle_ms, or look why the model is silent.".to_owned()),
            ..Failure::new("E_LLM_TIMEOUT", "The model did not answer in time.")
        };
        self.failed(core, failure)
    }

    /// Again after a pause, or the fallback model, or the end. Nothing that a person has seen is
    /// said twice: once text has arrived, the call is not repeated.
    fn failed(&mut self, core: &mut Core, failure: Failure) -> Heard {
        let untouched = self.draft().is_some_and(|draft| !draft.touched);
        let max_retries =
            model_of(core, self.node, self.model).map_or(0, |model| model.max_retries);
        let node = core.plan.graph.node(self.node);
        let policy = node.map(|node| &node.on_error.retry);
        let delay = retry::delay_ms(&failure, self.attempt, max_retries, policy);
        let has_other = core.plan.graph.links(self.node, "llm").len() > self.model + 1;
        let attempt = self.attempt;
        let error = failure.into_error("E_LLM").attempt(attempt);
        let (attempt, delay_ms, heard) = match delay {
            Some(delay_ms) if untouched => {
                self.state = State::Waiting {
                    until: core.now.saturating_add(delay_ms),
                };
                (attempt + 1, delay_ms, Heard::Nothing)
            }
            _ if untouched && has_other => {
                self.model += 1;
                self.attempt = 0;
                self.state = State::Idle;
                (1, 0, Heard::Again)
            }
            // The state is kept: what has streamed belongs to the round.
            _ => return Heard::Failed(error),
        };
        core.emit(
            Some(self.node),
            EventData::NodeRetry {
                attempt,
                delay_ms,
                code: error.code,
            },
        );
        heard
    }
}

/// The linked model in use.
fn model_of(core: &Core, node: NodeIx, place: usize) -> Result<LlmModel, RunError> {
    let linked = core.plan.graph.links(node, "llm").get(place).copied();
    match linked
        .and_then(|ix| core.plan.graph.node(ix))
        .map(|node| &node.settings)
    {
        Some(Settings::LlmModel(model)) => Ok(model.clone()),
        _ => Err(RunError::new("E_NO_MODEL", "The node has no model to ask.")
            .hint("Link an llm_model node to its 'llm' port.")
            .at(&core.node_id(node))),
    }
}

/// The model's parameters with the node's own over them.
fn merged(base: &Map<String, Value>, over: &Map<String, Value>) -> Map<String, Value> {
    let mut all = base.clone();
    all.extend(over.clone());
    all
}
