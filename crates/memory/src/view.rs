//! Views: what a model is shown of a history. The store is never touched (D1, D8).

use mnemograph_compact::{FromJson, SortedSet};
use serde::Serialize;

use crate::message::{Message, ModelRef, Role};
use crate::repair::{Repaired, into_repaired};
use crate::summary::{DEGRADED, Placement, Summary, entry, uncovered};
use crate::warning::Warning;

/// How much of a history a model is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ViewPolicy {
    /// All of it (D3).
    #[default]
    Buffer,
    /// The last stored messages (D6), in whole exchanges: a view starts with a user message or is the whole store, and a
    /// call is never parted from its results.
    Window {
        /// At most this many stored messages; synthetic ones do not count.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        size: usize,
    },
    /// Notes on the older messages and the newer ones as they are (D12).
    Summary {
        /// Notes are made once more than this many stored messages are not covered by them (D10).
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        trigger: usize,
        /// At least this many messages stay as they are (D11).
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        keep: usize,
        /// Whose rank the notes have.
        #[serde(default)]
        placement: Placement,
    },
}

/// What a model is shown.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct View {
    /// The messages, repaired.
    pub messages: Vec<Message>,
    /// The ids of the stored messages among them.
    #[cfg_attr(feature = "ts", ts(as = "Vec<String>"))]
    pub in_view: SortedSet<String>,
    /// What was left out, and should not have been there.
    pub warnings: Vec<Warning>,
    /// Making notes has failed for so long that not even all that is not covered is shown (D18).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<bool>"))]
    pub degraded: bool,
}

/// Computes the view of stored messages for the model that will read it; without one, no reasoning is passed on. Only a
/// policy of type `summary` looks at the notes.
#[must_use]
pub fn view(
    messages: &[Message],
    summary: Option<&Summary>,
    policy: &ViewPolicy,
    target: Option<&ModelRef>,
) -> View {
    into_view(messages.to_vec(), summary, policy, target)
}

/// [`view`] for messages that are not needed any more: nothing is copied.
#[must_use]
pub fn into_view(
    mut messages: Vec<Message>,
    summary: Option<&Summary>,
    policy: &ViewPolicy,
    target: Option<&ModelRef>,
) -> View {
    let summary = summary.filter(|_| matches!(policy, ViewPolicy::Summary { .. }));
    if let Some(summary) = summary {
        let start = messages.len() - uncovered(&messages, summary.covers_seq).len();
        messages.drain(..start);
    }
    let left = messages.len();
    let mut degraded = false;
    let Repaired {
        mut messages,
        mut warnings,
    } = into_repaired(messages, target);
    match *policy {
        ViewPolicy::Buffer => {}
        ViewPolicy::Window { size: 0 } => messages.clear(),
        ViewPolicy::Window { size } => {
            let whole = messages.is_empty();
            messages = last(messages, size);
            if messages.is_empty() && !whole {
                warnings.push(Warning::empty_window());
            }
        }
        ViewPolicy::Summary {
            trigger, placement, ..
        } => {
            degraded = left > trigger.saturating_mul(DEGRADED);
            if degraded {
                messages = last(messages, trigger);
                warnings.push(Warning::degraded(left, trigger));
            }
            if let Some(summary) = summary {
                messages.insert(0, entry(summary, placement));
            }
        }
    }
    let stored = messages.iter().filter(|message| !message.is_synthetic());
    View {
        in_view: stored.map(|message| message.id.clone()).collect(),
        messages,
        warnings,
        degraded,
    }
}

/// Messages that count against a window.
pub(crate) fn stored_count(messages: &[Message]) -> usize {
    messages
        .iter()
        .filter(|message| !message.is_synthetic())
        .count()
}

/// D6 on a repaired list.
fn last(mut messages: Vec<Message>, size: usize) -> Vec<Message> {
    if stored_count(&messages) <= size {
        return messages;
    }
    if let Some(start) = exchange_start(&messages, size) {
        return messages.split_off(start);
    }
    let Some(user) = messages
        .iter()
        .rposition(|message| message.role == Role::User)
    else {
        return Vec::new();
    };
    let rest = messages.split_off(user + 1);
    let Some(user) = messages.pop() else {
        return Vec::new();
    };
    let groups = last_groups(rest, size - 1);
    if stored_count(&groups) == 0 {
        return Vec::new();
    }
    std::iter::once(user).chain(groups).collect()
}

/// Where the longest suffix of at most `size` stored messages begins that starts with a user message.
fn exchange_start(messages: &[Message], size: usize) -> Option<usize> {
    let mut count = 0;
    let mut start = None;
    for (place, message) in messages.iter().enumerate().rev() {
        count += usize::from(!message.is_synthetic());
        if count > size {
            break;
        }
        if message.role == Role::User {
            start = Some(place);
        }
    }
    start
}

/// The longest suffix of whole groups of at most `size` stored messages. A group is an assistant message and its results.
fn last_groups(mut messages: Vec<Message>, size: usize) -> Vec<Message> {
    let mut count = 0;
    let mut start = messages.len();
    for (place, message) in messages.iter().enumerate().rev() {
        count += usize::from(!message.is_synthetic());
        if count > size {
            break;
        }
        if message.role != Role::Tool {
            start = place;
        }
    }
    messages.split_off(start)
}
