//! The node types. Each has its file; nothing here knows another node's state.

pub(crate) mod ai_agent;
pub(crate) mod answer;
pub(crate) mod ask;
pub(crate) mod branch;
pub(crate) mod call;
pub(crate) mod data;
pub(crate) mod delay;
pub(crate) mod ends;
pub(crate) mod for_each;
pub(crate) mod manage;
pub(crate) mod model_call;
pub(crate) mod output;
pub(crate) mod reply;
pub(crate) mod subgraph;
pub(crate) mod trigger;
pub(crate) mod var_set;
pub(crate) mod while_loop;

use crate::{
    core::Core,
    effect::Input,
    error::RunError,
    frame::{FrameId, NodeValues, Outcome},
};
use mnemograph_compact::FromJson;
use mnemograph_graph::{NodeIx, Settings};
use serde::Serialize;
use serde_json::Value;

/// How far a node has come.
#[derive(Debug)]
pub(crate) enum Progress {
    /// It waits for an answer.
    Waiting,
    /// It has its outputs; control leaves by `out`.
    Succeeded(Box<NodeValues>),
    /// It has its outputs; control leaves by this port.
    Left(String, Box<NodeValues>),
    /// It failed.
    Failed(RunError),
    /// It ended because what is around it ends.
    Aborted,
    /// The loop around it ends.
    Break,
    /// The pass around it ends.
    Continue,
    /// The run ends well; partial if true.
    Stop(bool),
}

impl Progress {
    /// Control leaves by a port, with these values.
    pub(crate) fn left<const N: usize>(port: &str, values: [(&str, Value); N]) -> Self {
        Self::Left(port.to_owned(), Box::new(NodeValues::of(values)))
    }

    /// Control leaves by `out`, with these values.
    pub(crate) fn out<const N: usize>(values: [(&str, Value); N]) -> Self {
        Self::Succeeded(Box::new(NodeValues::of(values)))
    }
}

/// What a waiting node is told.
#[derive(Debug)]
pub(crate) enum Signal {
    /// An answer from outside, or that time has passed.
    Input(Input),
    /// A frame that it made is over; it still can be read.
    Frame(FrameId, Option<Outcome>),
    /// Nothing that began earlier can show or store something any more.
    Turn,
    /// A person's decision on an interrupt.
    Decision {
        /// Id of the interrupt.
        interrupt: String,
        /// What was decided.
        action: String,
        /// What was given with it.
        data: Value,
    },
}

/// What a node that waits counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Load {
    /// It waits for the host, the storage or the clock, and takes one of the places of `max_parallel`.
    Leaf,
    /// It waits for its frames.
    Container,
    /// It waits for a person.
    Person,
}

/// A node in execution that has to wait.
#[derive(Debug, Serialize, FromJson)]
pub(crate) enum Activity {
    /// What it would show or store has to wait for what began earlier.
    Turn,
    Agent(Box<ai_agent::Agent>),
    Answer(Box<answer::Answer>),
    While(while_loop::WhileLoop),
    Each(for_each::ForEach),
    Graph(subgraph::GraphCall),
    Delay(delay::Delay),
    Call(call::HostCall),
    Ask(ask::Ask),
    Write(var_set::Write),
    Manage(manage::Manage),
}

/// A node's first move.
pub(crate) type Entered = Result<(Option<Activity>, Progress), RunError>;

/// Begins the execution of a step.
///
/// # Errors
/// What resolving its inputs gives.
pub(crate) fn enter(core: &mut Core, node: NodeIx) -> Entered {
    let plan = std::rc::Rc::clone(&core.plan);
    let Some(of) = plan.graph.node(node) else {
        return Err(not_a_step());
    };
    if !core.may_commit && shows_or_stores(&of.settings) {
        return Ok((Some(Activity::Turn), Progress::Waiting));
    }
    let done = |progress: Result<Progress, RunError>| Ok((None, progress?));
    match &of.settings {
        Settings::AiAgent(_) => {
            let (agent, progress) = ai_agent::Agent::enter(core, node)?;
            Ok((Some(Activity::Agent(Box::new(agent))), progress))
        }
        Settings::LlmResponse(_) | Settings::Classifier(_) | Settings::Extract(_) => {
            let (answer, progress) = answer::Answer::enter(core, node)?;
            Ok((Some(Activity::Answer(Box::new(answer))), progress))
        }
        Settings::Condition(condition) => done(branch::condition(core, node, condition)),
        Settings::Switch(switch) => done(branch::switch(core, node, switch)),
        Settings::Merge(_) => Ok((None, Progress::out([]))),
        Settings::WhileLoop(settings) => while_loop::WhileLoop::enter(core, node, settings),
        Settings::ForEach(settings) => for_each::ForEach::enter(core, node, settings),
        Settings::Subgraph(settings) => subgraph::enter(core, node, settings),
        Settings::Break => Ok((None, Progress::Break)),
        Settings::Continue => Ok((None, Progress::Continue)),
        Settings::Stop(stop) => done(ends::stop(stop)),
        Settings::Fail(fail) => done(ends::fail(core, node, fail)),
        Settings::Delay => delay::Delay::enter(core, node),
        Settings::Call(_) | Settings::HttpRequest(_) | Settings::Host(_) => {
            call::HostCall::enter(core, node)
        }
        Settings::Emit(emit) => done(ends::emit(core, node, emit)),
        Settings::HumanApproval(_) | Settings::AskUser(_) => ask::Ask::enter(core, node),
        Settings::VarSet(settings) => var_set::enter(core, node, settings),
        Settings::MemoryManager(settings) => manage::enter(core, node, settings),
        Settings::Reply(_) => done(reply::enter(core, node)),
        Settings::Output(output) => done(output::enter(core, node, output)),
        Settings::ChatTrigger
        | Settings::ManualTrigger
        | Settings::EventTrigger(_)
        | Settings::GraphInput(_)
        | Settings::Var(_)
        | Settings::AgentMemory(_)
        | Settings::Coalesce(_)
        | Settings::Text(_)
        | Settings::Set(_)
        | Settings::Json(_)
        | Settings::List(_)
        | Settings::Regex(_)
        | Settings::Table
        | Settings::ChatHistory(_)
        | Settings::LlmModel(_)
        | Settings::Tool(_)
        | Settings::BufferMemory(_)
        | Settings::WindowMemory(_)
        | Settings::SummaryMemory(_)
        | Settings::Note => Err(not_a_step()),
    }
}

fn not_a_step() -> RunError {
    RunError::internal("Control reached a node that is no step.")
}

/// Steps whose work is seen by people or kept, so that its order matters.
fn shows_or_stores(settings: &Settings) -> bool {
    matches!(
        settings,
        Settings::Reply(_)
            | Settings::VarSet(_)
            | Settings::MemoryManager(_)
            | Settings::Output(_)
            | Settings::Emit(_)
            | Settings::AskUser(_)
            | Settings::Stop(_)
    )
}

impl Activity {
    /// Takes what it is told. What does not belong to its present phase changes nothing.
    pub(crate) fn resume(&mut self, core: &mut Core, node: NodeIx, signal: Signal) -> Progress {
        match self {
            Self::Turn => match signal {
                Signal::Turn => match enter(core, node) {
                    Ok((next, progress)) => {
                        if let Some(next) = next {
                            *self = next;
                        }
                        progress
                    }
                    Err(error) => Progress::Failed(error),
                },
                _ => Progress::Waiting,
            },
            Self::Agent(agent) => agent.resume(core, signal),
            Self::Answer(answer) => answer.resume(core, signal),
            Self::While(state) => state.resume(core, node, signal),
            Self::Each(state) => state.resume(core, node, signal),
            Self::Graph(state) => state.resume(core, node, signal),
            Self::Delay(state) => state.resume(core, signal),
            Self::Call(state) => state.resume(core, node, signal),
            Self::Ask(state) => state.resume(core, node, signal),
            Self::Write(state) => state.resume(core, node, signal),
            Self::Manage(state) => state.resume(core, node, signal),
        }
    }

    /// Ends because what is around it ends. Containers wait for their frames, which are told as well.
    pub(crate) fn abort(&mut self, core: &mut Core, reason: &str) -> Progress {
        match self {
            Self::Agent(agent) => agent.abort(core, reason),
            Self::Answer(answer) => answer.abort(core, reason),
            Self::Call(call) => call.abort(core, reason),
            Self::Write(_) | Self::Manage(_) | Self::While(_) | Self::Each(_) | Self::Graph(_) => {
                Progress::Waiting
            }
            Self::Turn | Self::Delay(_) | Self::Ask(_) => Progress::Aborted,
        }
    }

    /// Its time is over: whatever its frames come to, no further one begins.
    pub(crate) fn expire(&mut self) {
        if let Self::Each(each) = self {
            each.expire();
        }
    }

    /// The run was put away for this long, which no time limit counts.
    pub(crate) fn postpone(&mut self, ms: u64) {
        if let Self::Agent(agent) = self {
            agent.postpone(ms);
        }
    }

    /// The next time at which it wants to be told that time has passed.
    pub(crate) fn deadline(&self, core: &Core) -> Option<u64> {
        match self {
            Self::Agent(agent) => agent.deadline(core),
            Self::Answer(answer) => answer.deadline(core),
            Self::Delay(delay) => Some(delay.until),
            Self::Call(call) => call.deadline(),
            Self::Turn
            | Self::While(_)
            | Self::Each(_)
            | Self::Graph(_)
            | Self::Ask(_)
            | Self::Manage(_)
            | Self::Write(_) => None,
        }
    }

    pub(crate) fn load(&self) -> Load {
        match self {
            Self::Agent(agent) => agent.load(),
            Self::While(_) | Self::Each(_) | Self::Graph(_) => Load::Container,
            Self::Ask(_) => Load::Person,
            Self::Turn
            | Self::Answer(_)
            | Self::Delay(_)
            | Self::Call(_)
            | Self::Write(_)
            | Self::Manage(_) => Load::Leaf,
        }
    }

    /// True if it only waits for its turn.
    pub(crate) fn wants_turn(&self) -> bool {
        match self {
            Self::Turn => true,
            Self::Agent(agent) => agent.wants_turn(),
            _ => false,
        }
    }

    /// The interrupts that it has put to a person.
    pub(crate) fn interrupts(&self) -> Vec<crate::interrupt::Interrupt> {
        match self {
            Self::Ask(ask) => vec![ask.interrupt.clone()],
            Self::Agent(agent) => agent.interrupts(),
            _ => Vec::new(),
        }
    }
}
