//! What a reader of a view should know.

use mnemograph_compact::FromJson;
use serde::Serialize;

/// Every code that a [`Warning`] can have.
pub const WARNINGS: &[&str] = &[
    "W_ORPHAN_TOOL_RESULT",
    "W_SUMMARY_FAILED",
    "W_SYSTEM_MESSAGE_NOT_SENT",
    "W_WINDOW_EMPTY",
];

/// A remark about a view: nothing failed, but something was left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Warning {
    /// `W_…`.
    pub code: String,
    /// What happened, for people.
    pub message: String,
    /// What to do about it.
    pub hint: String,
    /// The messages concerned.
    pub message_ids: Vec<String>,
}

impl Warning {
    pub(crate) fn orphan_results(message_ids: Vec<String>) -> Self {
        Self {
            code: "W_ORPHAN_TOOL_RESULT".to_owned(),
            message: format!(
                "{} tool results have no call and were not sent.",
                message_ids.len()
            ),
            hint: "The store keeps them. They came from a history that lost its calls.".to_owned(),
            message_ids,
        }
    }

    pub(crate) fn system_messages(message_ids: Vec<String>) -> Self {
        Self {
            code: "W_SYSTEM_MESSAGE_NOT_SENT".to_owned(),
            message: format!("{} stored system messages were not sent.", message_ids.len()),
            hint: "Put instructions into the agent's system prompt: stored text must not gain its rank.".to_owned(),
            message_ids,
        }
    }

    /// So much is not covered by a summary that not all of it is sent.
    pub(crate) fn degraded(left: usize, shown: usize) -> Self {
        Self {
            code: "W_SUMMARY_FAILED".to_owned(),
            message: format!(
                "{left} messages came since the last summary; the last {shown} of them were sent."
            ),
            hint: "Summaries have failed for long: see the event summary_failed. All messages are stored.".to_owned(),
            message_ids: Vec::new(),
        }
    }

    pub(crate) fn empty_window() -> Self {
        Self {
            code: "W_WINDOW_EMPTY".to_owned(),
            message: "No part of the history fits into the window, so the model sees none of it."
                .to_owned(),
            hint: "Raise window_size: a round with tools easily has more than five messages."
                .to_owned(),
            message_ids: Vec::new(),
        }
    }
}
