//! Summaries (3-memory.md 3.2.6): when the older part of a history is replaced by notes in what a model is sent, where it
//! is cut, and what the model is then sent. The stored messages are never touched.

mod notes;

use mnemograph_compact::FromJson;
use serde::Serialize;

use crate::message::{Message, Role};

pub(crate) use notes::entry;
pub use notes::{Answer, PROMPT_VERSION, accept, instructions, transcript};

/// Notes on the older part of a history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Summary {
    /// The notes.
    pub text: String,
    /// `seq` of the last message that they cover.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub covers_seq: u64,
    /// How many stored messages they cover.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub covers_count: u64,
    /// Name of the model that wrote them.
    pub model: String,
    /// Version of the built-in instructions that it followed; 0 for a prompt of the graph's author.
    pub prompt_version: u32,
    /// When they were made, in milliseconds since the epoch.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub created_at: u64,
}

/// That the last attempts to make a summary came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct FailedSummary {
    /// Attempts since the last summary that was made.
    pub fails: u32,
    /// `seq` of the last message that was stored by then.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub at_seq: u64,
    /// What the last one failed with.
    pub code: String,
}

/// Whose rank the notes have in what a model is sent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// A message of the person: what they and tools said is not promoted (D12).
    #[default]
    User,
    /// A system message.
    System,
}

/// Where a history is cut: what stands before goes into the notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Cut {
    /// How many of the messages that are not covered yet go.
    pub count: usize,
    /// `seq` of the last of them.
    pub covers_seq: u64,
}

/// The messages behind what the notes cover.
#[must_use]
pub fn uncovered(messages: &[Message], covers_seq: u64) -> &[Message] {
    let is_covered = |message: &&Message| message.seq.is_some_and(|seq| seq <= covers_seq);
    let start = messages.iter().rposition(|message| is_covered(&message));
    let start = start.map_or(0, |place| place + 1);
    messages.get(start..).unwrap_or_default()
}

/// D10 and D11: where to cut the messages that are not covered yet; `None` while there are at most `trigger` of them, or
/// no place to cut.
///
/// The cut is before the last message of the person that leaves at least `keep` messages as they are. Where that leaves
/// more than `trigger`, it is before the last message that does and is no tool result.
#[must_use]
pub fn cut(messages: &[Message], trigger: usize, keep: usize) -> Option<Cut> {
    if messages.len() <= trigger {
        return None;
    }
    let latest = messages.len().saturating_sub(keep);
    let last_start = |is_start: &dyn Fn(&Message) -> bool| {
        if latest == messages.len() {
            return Some(latest);
        }
        let before = messages.get(..=latest)?;
        before.iter().rposition(is_start)
    };
    let count = last_start(&|message| message.role == Role::User)
        .filter(|place| messages.len() - place <= trigger)
        .or_else(|| last_start(&|message| message.role != Role::Tool))
        .filter(|place| *place > 0)?;
    let covers_seq = messages.get(count - 1)?.seq?;
    Some(Cut { count, covers_seq })
}

/// Whether it is time for another attempt after so many that failed (D18): after the next round, then after 2, then each
/// 4 rounds.
#[must_use]
pub fn may_try(messages: &[Message], failed: Option<&FailedSummary>) -> bool {
    let Some(failed) = failed else { return true };
    let wait = match failed.fails {
        0 | 1 => 1,
        2 => 2,
        _ => 4,
    };
    let mut rounds: Vec<Option<&str>> = Vec::new();
    for message in messages
        .iter()
        .filter(|message| message.seq > Some(failed.at_seq))
    {
        let round = message.round.as_deref();
        if rounds.last() != Some(&round) {
            rounds.push(round);
        }
    }
    rounds.len() >= wait
}

/// Beyond this many times the trigger, a view shows no more than the last `trigger` messages (D18).
pub(crate) const DEGRADED: usize = 4;
