//! Record and replay (2-engine.md 2.3): the inputs of a run are all there is to it.

use crate::{
    effect::{Effect, Input, RunIdentity},
    error::RunError,
    event::RunEvent,
    plan::Plan,
    run::Run,
};
use mnemograph_compact::FromJson;
use serde::Serialize;
use std::rc::Rc;

/// Every input of a run with its time. It holds what people wrote and what models answered.
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
pub struct Recording {
    /// Semantic hash of the graph.
    pub graph_hash: String,
    /// Whose run it was.
    pub identity: RunIdentity,
    /// The inputs in order, each with the host's time in milliseconds since the epoch.
    pub inputs: Vec<(u64, Input)>,
}

impl Recording {
    /// A recording without inputs yet.
    #[must_use]
    pub fn new(plan: &Plan, identity: RunIdentity) -> Self {
        Self {
            graph_hash: plan.graph.hash.clone(),
            identity,
            inputs: Vec::new(),
        }
    }
}

/// The events of a recorded run, as they were. Nothing is called and nothing is stored.
///
/// # Errors
/// `E_GRAPH_CHANGED` if the recording is of another graph.
pub fn replay(plan: &Rc<Plan>, recording: Recording) -> Result<Vec<RunEvent>, RunError> {
    if recording.graph_hash != plan.graph.hash {
        return Err(RunError::new(
            "E_GRAPH_CHANGED",
            "The recording is of another version of the graph.",
        )
        .hint("Load the graph as it was when the run was recorded."));
    }
    let mut run = Run::new(Rc::clone(plan), recording.identity);
    let mut events = Vec::new();
    for (now, input) in recording.inputs {
        let effects = run.step(now, input).into_iter();
        events.extend(effects.filter_map(|effect| match effect {
            Effect::Emit(event) => Some(*event),
            _ => None,
        }));
    }
    Ok(events)
}
