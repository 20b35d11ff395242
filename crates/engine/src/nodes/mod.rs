//! The node types. Each has its file; nothing here knows another node's state.

pub(crate) mod ai_agent;
pub(crate) mod output;
pub(crate) mod reply;
pub(crate) mod trigger;

use crate::{core::NodeValues, error::RunError};

/// How far a node has come.
#[derive(Debug)]
pub(crate) enum Progress {
    /// It waits for an answer.
    Waiting,
    /// It has its outputs.
    Succeeded(Box<NodeValues>),
    /// It failed.
    Failed(RunError),
    /// It ended because the run ends.
    Aborted,
}
