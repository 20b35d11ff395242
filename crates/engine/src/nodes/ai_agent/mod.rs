//! `ai_agent`: read memory, call the model, call tools until it answers, store the round.
//!
//! The phases follow one another; every answer from outside is matched against the phase, so a late
//! or foreign answer changes nothing.

mod finish;
mod model_call;
mod request;
mod tools;

use crate::{
    core::{Core, NodeValues},
    effect::{Effect, Input, LoadedHistory, MemoryRef, RequestId},
    error::{Failure, RunError},
    event::{Channel, EventData},
    model::Draft,
    nodes::Progress,
};
use mnemograph_graph::{AiAgent, NodeIx, Settings};
use mnemograph_memory::{Message, Part, Role, Round, Status, ViewPolicy};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tools::ToolRun;

/// A journal row is written at least this often while text streams (0-rulings.md 0.4).
const JOURNAL_EVERY_MS: u64 = 2_000;

/// The state of one execution.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Agent {
    node: NodeIx,
    memory: Option<MemoryUse>,
    system: Option<String>,
    /// What memory gives the model.
    view: Vec<Message>,
    round: Round,
    channel: Channel,
    /// Model calls so far.
    iterations: u32,
    /// Which of the linked models is asked: 0 main, 1 fallback.
    model: usize,
    /// Attempts of the present call, from 1.
    attempt: u32,
    journalled_at: u64,
    phase: Phase,
}

#[derive(Debug, Serialize, Deserialize)]
struct MemoryUse {
    memory: MemoryRef,
    /// The last stored message that the model saw.
    seen_seq: u64,
}

#[derive(Debug, Serialize, Deserialize)]
enum Phase {
    Loading {
        request: RequestId,
    },
    Calling {
        request: RequestId,
        draft: Draft,
        started: u64,
        heard: u64,
    },
    Waiting {
        until: u64,
    },
    Tools {
        runs: Vec<ToolRun>,
    },
    Storing {
        request: RequestId,
        outcome: Outcome,
    },
    Done,
}

/// How the execution ends once its round is stored.
#[derive(Debug, Clone, Serialize, Deserialize)]
enum Outcome {
    Answered { values: Box<NodeValues> },
    Failed { error: RunError },
    Aborted,
}

impl Agent {
    /// Begins: inputs, templates, then the history.
    ///
    /// # Errors
    /// What resolving the inputs gives.
    pub(crate) fn enter(core: &mut Core, node: NodeIx) -> Result<(Self, Progress), RunError> {
        let settings = settings(core, node)?.clone();
        let user = user_message(core, node)?;
        let system = core
            .render_setting(node, "system_prompt")?
            .filter(|text| !text.trim().is_empty());
        let memory = core.plan.memory(node, core.identity.has_thread);
        let memory = memory.map(|memory| MemoryUse {
            memory,
            seen_seq: 0,
        });
        let round_id = format!("rnd_{}_{}", core.identity.run_id, core.node_id(node));
        let run_id = core.identity.run_id.clone();
        let mut agent = Self {
            node,
            memory,
            system,
            view: Vec::new(),
            round: Round::new(round_id, run_id),
            channel: core.plan.channel(node),
            iterations: 0,
            model: 0,
            attempt: 0,
            journalled_at: core.now,
            phase: Phase::Done,
        };
        agent.push(core, user);
        let progress = match agent.memory.as_ref().map(|used| used.memory.clone()) {
            Some(memory) => {
                let request = core.request(node);
                agent.phase = Phase::Loading { request };
                core.effects.push(Effect::LoadHistory { request, memory });
                Progress::Waiting
            }
            None => agent.call_model(core, &settings),
        };
        Ok((agent, progress))
    }

    /// Takes an answer. One that does not belong to the present phase changes nothing.
    pub(crate) fn resume(&mut self, core: &mut Core, input: Input) -> Progress {
        let settings = match settings(core, self.node) {
            Ok(settings) => settings.clone(),
            Err(error) => return Progress::Failed(error),
        };
        match (input, &mut self.phase) {
            (Input::HistoryLoaded { request, result }, Phase::Loading { request: asked })
                if request == *asked =>
            {
                core.forget_request(request);
                self.loaded(core, &settings, result)
            }
            (Input::ModelDelta { request, chunk }, Phase::Calling { request: asked, .. })
                if request == *asked =>
            {
                self.heard(core, &settings, chunk)
            }
            (Input::ModelDone { request, result }, Phase::Calling { request: asked, .. })
                if request == *asked =>
            {
                core.forget_request(request);
                self.answered(core, &settings, result)
            }
            (Input::ToolDone { request, result }, Phase::Tools { .. }) => {
                core.forget_request(request);
                self.tool_done(core, &settings, request, result)
            }
            (Input::RoundCommitted { request, result }, Phase::Storing { request: asked, .. })
                if request == *asked =>
            {
                core.forget_request(request);
                self.stored(core, result)
            }
            (Input::Timer, _) => self.timer(core, &settings),
            _ => Progress::Waiting,
        }
    }

    /// From now on nothing of this execution is to be stored.
    pub(crate) fn leave_memory(&mut self) {
        self.memory = None;
    }

    /// The next time at which this execution wants [`Input::Timer`].
    pub(crate) fn deadline(&self, core: &Core) -> Option<u64> {
        match &self.phase {
            Phase::Calling { started, heard, .. } => {
                Some(core.plan.model_deadline(self.node, *started, *heard))
            }
            Phase::Waiting { until } => Some(*until),
            Phase::Tools { runs } => runs.iter().filter_map(ToolRun::deadline).min(),
            Phase::Loading { .. } | Phase::Storing { .. } | Phase::Done => None,
        }
    }

    fn timer(&mut self, core: &mut Core, settings: &AiAgent) -> Progress {
        if self.deadline(core).is_none_or(|at| at > core.now) {
            return Progress::Waiting;
        }
        match &self.phase {
            Phase::Calling { .. } => self.model_timed_out(core, settings),
            Phase::Waiting { .. } => self.call_again(core, settings),
            Phase::Tools { .. } => self.tools_timed_out(core, settings),
            Phase::Loading { .. } | Phase::Storing { .. } | Phase::Done => Progress::Waiting,
        }
    }

    fn loaded(
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
        let view = mnemograph_memory::into_view(
            history.messages,
            &ViewPolicy::Buffer,
            core.plan.model_ref(self.node),
        );
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

    /// Notes what only this page knows: text that has streamed and results that have come since the last note.
    pub(crate) fn suspend(&mut self, core: &mut Core) {
        match self.phase {
            Phase::Calling { .. } | Phase::Tools { .. } => self.journal(core),
            // Nothing is open yet, nothing is new since the failed call, or the round itself is on its way.
            Phase::Loading { .. } | Phase::Waiting { .. } | Phase::Storing { .. } | Phase::Done => {
            }
        }
    }

    /// Adds a message to the open round.
    fn push(&mut self, core: &mut Core, mut message: Message) {
        message.round = Some(self.round.id.clone());
        core.messages.push(message.clone());
        self.round.messages.push(message);
    }

    /// Notes the open round, with what has streamed so far.
    fn journal(&mut self, core: &mut Core) {
        self.journalled_at = core.now;
        let Some(used) = &self.memory else { return };
        core.effects.push(Effect::WriteJournal {
            memory: used.memory.clone(),
            round: self.unfinished_round(Status::Aborted, None),
            seen_seq: used.seen_seq,
        });
    }
}

fn settings(core: &Core, node: NodeIx) -> Result<&AiAgent, RunError> {
    match core.plan.graph.node(node).map(|node| &node.settings) {
        Some(Settings::AiAgent(settings)) => Ok(settings),
        _ => Err(RunError::internal("An agent was entered that is none.")),
    }
}

/// What the person says to the agent: the wired input, else the `prompt`, else the trigger's message.
fn user_message(core: &mut Core, node: NodeIx) -> Result<Message, RunError> {
    let text = match core.data_input(node, "input")? {
        Some(value) => text_of(&value),
        None => match core.render_setting(node, "prompt")? {
            Some(text) => text,
            None => return Ok(core.trigger_message()),
        },
    };
    let trigger = core.trigger_message();
    if trigger.text() == text {
        return Ok(trigger);
    }
    Ok(core.message(Role::User, vec![Part::text(text)]))
}

/// A value as text for a model: text as it is, anything else as compact JSON.
fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

fn answer_values(
    text: String,
    usage: Value,
    messages: Value,
    iterations: u32,
) -> Map<String, Value> {
    let mut ports = Map::new();
    ports.insert("output".to_owned(), Value::String(text));
    ports.insert("messages".to_owned(), messages);
    ports.insert("usage".to_owned(), usage);
    ports.insert("iterations".to_owned(), Value::from(iterations));
    ports
}
