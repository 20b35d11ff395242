//! What a run gives back.

use crate::error::RunError;
use mnemograph_compact::FromJson;
use mnemograph_memory::{Message, Usage};
use serde::{Deserialize, Serialize};

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum RunStatus {
    /// Everything that control reached succeeded.
    Succeeded,
    /// A node failed and its `on_error` took over.
    Partial,
    /// A node failed.
    Failed,
    /// The host cancelled it.
    Cancelled,
    /// A limit of the run was reached.
    Limit,
    /// It waits for a person; `interrupts` says for what.
    Waiting,
}

/// A warning of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RunWarning {
    /// Stable code.
    pub code: String,
    /// The node it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub node: Option<String>,
    /// What happened.
    pub message: String,
    /// What to do.
    pub hint: String,
}

/// The whole result of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RunResult {
    /// How it ended.
    pub status: RunStatus,
    /// What was replied: the texts of the `reply` nodes in order, joined by a line break.
    pub text: String,
    /// The values of the `output` nodes by name.
    #[cfg_attr(feature = "ts", ts(type = "Record<string, unknown>"))]
    pub outputs: serde_json::Map<String, serde_json::Value>,
    /// The messages that agents added, in order.
    pub messages: Vec<Message>,
    /// Tokens of all model calls.
    pub usage: Usage,
    /// Everything that was reported as a warning.
    pub warnings: Vec<RunWarning>,
    /// The run.
    pub run_id: String,
    /// The thread.
    pub thread: String,
    /// The questions that are open, where it is waiting.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(
        feature = "ts",
        ts(as = "Option<Vec<crate::interrupt::Interrupt>>", optional)
    )]
    pub interrupts: Vec<crate::interrupt::Interrupt>,
    /// The run's inputs, where it was recorded: for `replay`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "unknown"))]
    pub recording: Option<Box<crate::recording::Recording>>,
    /// Why it did not succeed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub error: Option<RunError>,
}
