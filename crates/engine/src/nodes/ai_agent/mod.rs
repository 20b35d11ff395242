//! `ai_agent`: read memory, call the model, call tools until it answers, store the round.
//!
//! The phases follow one another; every answer from outside is matched against the phase, so a late
//! or foreign answer changes nothing.

mod finish;
mod memory;
mod request;
mod tool_run;
mod tools;
mod turn;

use crate::{
    core::Core,
    effect::{Effect, Input, MemoryOp, MemoryRef, RequestId},
    error::RunError,
    event::Channel,
    frame::NodeValues,
    interrupt::Interrupt,
    model::Purpose,
    names::text_of,
    nodes::{
        Load, Progress, Signal,
        model_call::{Heard, ModelCall},
    },
};
use finish::Closing;
use mnemograph_compact::FromJson;
use mnemograph_graph::{AiAgent, NodeIx, Settings};
use mnemograph_memory::{Message, Part, Role, Round, Status};
use serde::Serialize;
use serde_json::Value;
use tool_run::ToolRun;

/// A journal row is written at least this often while text streams (0-rulings.md 0.4).
const JOURNAL_EVERY_MS: u64 = 2_000;

/// The state of one execution.
#[derive(Debug, Serialize, FromJson)]
pub(crate) struct Agent {
    node: NodeIx,
    memory: Option<MemoryUse>,
    system: Option<String>,
    /// What memory gives the model.
    view: Vec<Message>,
    round: Round,
    channel: Channel,
    /// Model calls so far, without a repair.
    iterations: u32,
    call: ModelCall,
    /// Tokens of this execution.
    usage: mnemograph_memory::Usage,
    /// The answer that did not fit the schema, and what was wrong with it.
    unfit: Option<(String, Vec<String>)>,
    journalled_at: u64,
    phase: Phase,
}

#[derive(Debug, Serialize, FromJson)]
struct MemoryUse {
    memory: MemoryRef,
    /// The last stored message that the model saw.
    seen_seq: u64,
}

#[derive(Debug, Serialize, FromJson)]
enum Phase {
    /// The memory is being set from its input.
    Overwriting {
        request: RequestId,
    },
    Loading {
        request: RequestId,
    },
    Calling,
    Tools {
        runs: Vec<ToolRun>,
    },
    /// The host checks the answer against the schema.
    Checking {
        request: RequestId,
        text: String,
        value: Value,
    },
    /// The round is closed; what began earlier stores first.
    Turn(Box<Closing>),
    Storing {
        request: RequestId,
        outcome: Outcome,
    },
    /// The memory is read once more, for who reads its port `messages`.
    Reading {
        request: RequestId,
        outcome: Outcome,
    },
    Done,
}

/// How the execution ends once its round is stored.
#[derive(Debug, Clone, Serialize, FromJson)]
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
        let memory = memory.map(|mut memory| {
            memory.node = core.state_key(&memory.node);
            MemoryUse {
                memory,
                seen_seq: 0,
            }
        });
        // A loop runs its agents again and again: the task's number keeps their rounds apart.
        let round_id = format!("rnd_{}_{}", core.identity.run_id, core.task);
        let run_id = core.identity.run_id.clone();
        let mut agent = Self {
            node,
            memory,
            system,
            view: Vec::new(),
            round: Round::new(round_id, run_id),
            channel: core.plan.channel(node),
            iterations: 0,
            call: ModelCall::new(node, core.plan.channel(node), Purpose::Agent),
            usage: mnemograph_memory::Usage::default(),
            unfit: None,
            journalled_at: core.now,
            phase: Phase::Done,
        };
        agent.push(core, user);
        let given = memory::given_history(core, node)?;
        let progress = match (agent.memory.as_ref().map(|used| used.memory.clone()), given) {
            (Some(memory), Some(messages)) => {
                let request = core.request();
                agent.phase = Phase::Overwriting { request };
                let op = MemoryOp::Replace { messages };
                core.effects.push(Effect::ManageMemory {
                    request,
                    memory,
                    op,
                });
                Progress::Waiting
            }
            (Some(_), None) => agent.load_history(core),
            (None, given) => {
                // A memory for this access alone holds what it is given.
                agent.view = mnemograph_memory::into_view(
                    given.unwrap_or_default(),
                    None,
                    &core.plan.policy(node),
                    core.plan.model_ref(node),
                )
                .messages;
                agent.call_model(core, &settings)
            }
        };
        Ok((agent, progress))
    }

    /// Takes a signal. One that does not belong to the present phase changes nothing.
    pub(crate) fn resume(&mut self, core: &mut Core, signal: Signal) -> Progress {
        let settings = match settings(core, self.node) {
            Ok(settings) => settings.clone(),
            Err(error) => return Progress::Failed(error),
        };
        match (signal, &mut self.phase) {
            (Signal::Input(input), _) => self.input(core, &settings, input),
            (Signal::Frame(frame, outcome), Phase::Tools { .. }) => {
                self.graph_done(core, &settings, frame, outcome)
            }
            (
                Signal::Decision {
                    interrupt,
                    action,
                    data,
                },
                Phase::Tools { .. },
            ) => self.decided(core, &settings, &interrupt, &action, &data),
            (Signal::Turn, Phase::Turn(_)) => {
                match std::mem::replace(&mut self.phase, Phase::Done) {
                    Phase::Turn(closing) => self.close(core, *closing),
                    _ => Progress::Waiting,
                }
            }
            _ => Progress::Waiting,
        }
    }

    fn input(&mut self, core: &mut Core, settings: &AiAgent, input: Input) -> Progress {
        match (input, &mut self.phase) {
            (Input::HistoryLoaded { request, result }, Phase::Loading { request: asked })
                if request == *asked =>
            {
                core.forget_request(request);
                self.loaded(core, settings, result)
            }
            (Input::MemoryManaged { request, result }, Phase::Overwriting { request: asked })
                if request == *asked =>
            {
                core.forget_request(request);
                match result {
                    Ok(_) => self.load_history(core),
                    Err(failure) => Progress::Failed(failure.into_error("E_STORE_UNAVAILABLE")),
                }
            }
            (Input::MemoryManaged { request, result }, Phase::Reading { request: asked, .. })
                if request == *asked =>
            {
                core.forget_request(request);
                self.read_again(core, result)
            }
            (Input::ToolDone { request, result }, Phase::Tools { .. }) => {
                core.forget_request(request);
                self.tool_done(core, settings, request, result)
            }
            (Input::DictionaryChanged { request, result }, Phase::Tools { .. }) => {
                core.forget_request(request);
                self.dictionary_changed(core, settings, request, result)
            }
            (Input::ToolAsks { request }, Phase::Tools { .. }) => {
                core.forget_request(request);
                self.tool_asks(core, settings, request)
            }
            (Input::Timer, Phase::Tools { .. }) => self.tools_timed_out(core, settings),
            (Input::HostDone { request, result }, Phase::Checking { request: asked, .. })
                if request == *asked =>
            {
                core.forget_request(request);
                self.checked(core, settings, &crate::schema::errors(result))
            }
            (Input::RoundCommitted { request, result }, Phase::Storing { request: asked, .. })
                if request == *asked =>
            {
                core.forget_request(request);
                self.stored(core, result)
            }
            (input, Phase::Calling) => match self.call.take(core, input) {
                Heard::Nothing => Progress::Waiting,
                Heard::Piece => self.piece(core),
                Heard::Again => self.ask(core, settings),
                Heard::Failed(error) => self.fail(core, error),
                Heard::Answer(draft) => self.take_answer(core, settings, &draft),
            },
            _ => Progress::Waiting,
        }
    }

    /// The next time at which this execution wants [`Input::Timer`].
    pub(crate) fn deadline(&self, core: &Core) -> Option<u64> {
        match &self.phase {
            Phase::Calling => self.call.deadline(core),
            Phase::Tools { runs } => runs.iter().filter_map(ToolRun::deadline).min(),
            Phase::Loading { .. }
            | Phase::Overwriting { .. }
            | Phase::Checking { .. }
            | Phase::Turn(_)
            | Phase::Storing { .. }
            | Phase::Reading { .. }
            | Phase::Done => None,
        }
    }

    /// The run was put away for this long.
    pub(crate) fn postpone(&mut self, ms: u64) {
        if let Phase::Tools { runs } = &mut self.phase {
            runs.iter_mut().for_each(|run| run.postpone(ms));
        }
    }

    /// What it counts as: a person or a sub-graph is waited for without holding anybody up.
    pub(crate) fn load(&self) -> Load {
        let Phase::Tools { runs } = &self.phase else {
            return Load::Leaf;
        };
        let has = |load: Load| runs.iter().any(|run| run.load() == Some(load));
        if has(Load::Leaf) {
            Load::Leaf
        } else if has(Load::Container) {
            Load::Container
        } else if has(Load::Person) {
            Load::Person
        } else {
            Load::Leaf
        }
    }

    pub(crate) fn wants_turn(&self) -> bool {
        matches!(self.phase, Phase::Turn(_))
    }

    /// The tool calls that a person has to agree to.
    pub(crate) fn interrupts(&self) -> Vec<Interrupt> {
        match &self.phase {
            Phase::Tools { runs } => runs.iter().filter_map(ToolRun::interrupt).collect(),
            _ => Vec::new(),
        }
    }

    /// From now on nothing of this execution is to be stored.
    pub(crate) fn leave_memory(&mut self) {
        self.memory = None;
    }

    /// Notes what only this page knows: text that has streamed and results that have come since the last note.
    pub(crate) fn suspend(&mut self, core: &mut Core) {
        match self.phase {
            Phase::Calling | Phase::Tools { .. } | Phase::Checking { .. } => self.journal(core),
            // Nothing is open yet, or the round itself is on its way.
            Phase::Loading { .. }
            | Phase::Overwriting { .. }
            | Phase::Turn(_)
            | Phase::Storing { .. }
            | Phase::Reading { .. }
            | Phase::Done => {}
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
