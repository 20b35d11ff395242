//! Repair (3-memory.md 3.2.3): from stored messages to a list that every provider accepts.
//!
//! Pure, linear, idempotent, and never written back. Four steps:
//!
//! 1. one message an id: first position, last content;
//! 2. each result finds its call: the nearest one before it with this id, else the first one after it;
//! 3. rounds that failed or were blocked are shown as D34 says, told from the messages alone;
//! 4. the list is put together: ids unique, results behind their calls, missing ones synthesised, what is
//!    empty left out, reasoning only for its own model.
//!
//! R-9 needs no step: Rust text is well-formed Unicode.

mod assemble;
mod pairing;
mod response;
mod zones;

use std::collections::HashSet;

use mnemograph_compact::SortedMap;

use crate::message::{Message, ModelRef};
use crate::warning::Warning;

/// What repair gives.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Repaired {
    /// The list for a model. Synthetic messages are marked, see [`Message::is_synthetic`].
    pub messages: Vec<Message>,
    /// What was left out.
    pub warnings: Vec<Warning>,
}

/// Repairs stored messages for the model that will read them; without one, no reasoning is passed on.
#[must_use]
pub fn repair(messages: &[Message], target: Option<&ModelRef>) -> Repaired {
    into_repaired(messages.to_vec(), target)
}

/// [`repair`] for messages that are not needed any more.
pub(crate) fn into_repaired(messages: Vec<Message>, target: Option<&ModelRef>) -> Repaired {
    let messages = unique(messages);
    let pairs = pairing::pair(&messages);
    let zones = zones::find(&messages, &pairs);
    assemble::assemble(messages, pairs, &zones, target)
}

/// a repeated id is one message, with the first's place and the last's content.
fn unique(messages: Vec<Message>) -> Vec<Message> {
    let mut seen = HashSet::with_capacity(messages.len());
    if messages
        .iter()
        .all(|message| seen.insert(message.id.as_str()))
    {
        return messages;
    }
    let mut places: SortedMap<String, usize> = SortedMap::new();
    let mut kept: Vec<Message> = Vec::with_capacity(messages.len());
    for mut message in messages {
        let place = *places.get_or_insert_with(message.id.clone(), || kept.len());
        match kept.get_mut(place) {
            None => kept.push(message),
            Some(first) => {
                message.seq = first.seq;
                *first = message;
            }
        }
    }
    kept
}
