//! Which result answers which call.

use std::collections::HashMap;

use mnemograph_compact::{SortedMap, sort_by};

use crate::message::{Message, Role};
use crate::part::{Executor, Part};

/// A part of a message, by places in the list and in the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place {
    pub(super) message: usize,
    pub(super) part: usize,
}

/// Where a call's result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    Missing,
    /// In the call's own message: the provider ran the tool.
    Inline(usize),
    /// Anywhere else.
    At(Place),
}

/// A call of a message. A repeated id within one message is one call, its first part.
#[derive(Debug)]
pub(super) struct Call {
    pub(super) id: String,
    pub(super) part: usize,
    pub(super) answer: Answer,
    by_provider: bool,
}

#[derive(Debug)]
pub(super) struct Pairs {
    /// The calls of each message, in order.
    pub(super) calls: Vec<Vec<Call>>,
    /// Results without a call, in order.
    pub(super) orphans: Vec<Place>,
}

/// One walk. `latest` knows the nearest call of each id so far, `early` the results that have none yet.
pub(super) fn pair(messages: &[Message]) -> Pairs {
    let mut calls: Vec<Vec<Call>> = Vec::with_capacity(messages.len());
    let mut latest: HashMap<&str, (usize, usize)> = HashMap::new();
    let mut early: SortedMap<&str, Vec<Place>> = SortedMap::new();
    for (place, message) in messages.iter().enumerate() {
        calls.push(Vec::new());
        for (part_place, part) in message.parts.iter().enumerate() {
            let here = Place {
                message: place,
                part: part_place,
            };
            match part {
                Part::ToolCall {
                    call_id, executor, ..
                } if message.role == Role::Assistant => {
                    let repeated = latest
                        .get(call_id.as_str())
                        .is_some_and(|(at, _)| *at == place);
                    let Some(own) = calls.last_mut().filter(|_| !repeated) else {
                        continue;
                    };
                    latest.insert(call_id, (place, own.len()));
                    let answer = early
                        .remove(call_id.as_str())
                        .and_then(|places| places.last().copied());
                    own.push(Call {
                        id: call_id.clone(),
                        part: part_place,
                        answer: answer.map_or(Answer::Missing, Answer::At),
                        by_provider: *executor == Some(Executor::Provider),
                    });
                }
                Part::ToolResult { call_id, .. } => {
                    let call = latest
                        .get(call_id.as_str())
                        .and_then(|(at, nth)| Some((*at, calls.get_mut(*at)?.get_mut(*nth)?)));
                    match call {
                        Some((at, call)) if at == place && call.by_provider => {
                            call.answer = Answer::Inline(part_place)
                        }
                        // a later result replaces an earlier one.
                        Some((_, call)) => call.answer = Answer::At(here),
                        None => early.get_or_insert_with(call_id, Vec::new).push(here),
                    }
                }
                _ => {}
            }
        }
    }
    let mut orphans: Vec<Place> = early.into_iter().flat_map(|(_, places)| places).collect();
    sort_by(&mut orphans, Place::cmp);
    Pairs { calls, orphans }
}
