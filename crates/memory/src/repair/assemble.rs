//! Putting the repaired list together.

use std::collections::HashSet;

use mnemograph_compact::{SortedMap, sort_by};

use super::Repaired;
use super::pairing::{Answer, Call, Pairs, Place};
use super::response::fit;
use super::zones::{BLOCKED, FAILED, Zone, Zones};
use crate::message::{Message, ModelRef, Role, Status};
use crate::part::{Content, Part};
use crate::warning::Warning;

const NO_RESULT: &str = "no result was recorded; the call may or may not have run";
const WITHHELD: &str = "[The answer to this message was withheld.]";

pub(super) fn assemble(
    mut messages: Vec<Message>,
    mut pairs: Pairs,
    zones: &Zones,
    target: Option<&ModelRef>,
) -> Repaired {
    let orphans = drop_unseen(&messages, &mut pairs, zones);
    let mut ids = Ids::of(&messages, &pairs, zones);
    // One of each for every call that is shown, in order.
    let mut new_ids = call_ids(&pairs).into_iter();
    let mut results = take_results(&mut messages, &pairs, &mut ids).into_iter();

    let mut out = Vec::with_capacity(messages.len());
    let mut system = Vec::new();
    for (place, (mut message, calls)) in messages.into_iter().zip(&pairs.calls).enumerate() {
        let closing = zones
            .of(place)
            .filter(|zone| zone.last == Some(place) && zone.wants_closing())
            .map(|zone| close(zone, &message, &mut ids));
        if message.role == Role::System {
            system.push(message.id);
        } else if message.role != Role::Tool && zones.shows(place, &message) {
            let new_ids: Vec<_> = new_ids.by_ref().take(calls.len()).collect();
            let stored = results.by_ref().take(calls.len());
            let answers = answers(&message, calls, &new_ids, stored, &mut ids);
            message.parts = seen_parts(message.parts, calls, &new_ids);
            fit(&mut message, target);
            if !message.parts.is_empty() {
                out.push(message);
            }
            out.extend(answers);
        }
        out.extend(closing);
    }
    let mut warnings = Vec::new();
    if !orphans.is_empty() {
        warnings.push(Warning::orphan_results(orphans));
    }
    if !system.is_empty() {
        warnings.push(Warning::system_messages(system));
    }
    Repaired {
        messages: out,
        warnings,
    }
}

/// Leaves out the calls that are not shown, and gives the ids of the messages whose results thereby, or from the
/// start, have no call. Results that go with their own hidden round are not worth a warning.
fn drop_unseen(messages: &[Message], pairs: &mut Pairs, zones: &Zones) -> Vec<String> {
    let mut lost = std::mem::take(&mut pairs.orphans);
    for ((place, message), calls) in messages.iter().enumerate().zip(&mut pairs.calls) {
        if !zones.shows(place, message) {
            lost.extend(calls.drain(..).filter_map(|call| match call.answer {
                Answer::At(place) => Some(place),
                Answer::Missing | Answer::Inline(_) => None,
            }));
        }
        calls.retain(|call| !was_cut(message, call));
    }
    sort_by(&mut lost, Place::cmp);
    lost.dedup_by_key(|place| place.message);
    lost.into_iter()
        .filter_map(|place| Some((place.message, messages.get(place.message)?)))
        .filter(|(place, message)| zones.shows(*place, message))
        .map(|(_, message)| message.id.clone())
        .collect()
}

/// D34: a call whose arguments were cut was never made. Where the round is complete, that it was not answered is a
/// fault of the store, and R-3 holds.
fn was_cut(message: &Message, call: &Call) -> bool {
    let args_missing = matches!(
        message.parts.get(call.part),
        Some(Part::ToolCall { args: None, .. })
    );
    args_missing && call.answer == Answer::Missing && message.status != Status::Complete
}

/// for each call that is shown, in order, another id if an earlier one has its own.
fn call_ids(pairs: &Pairs) -> Vec<Option<String>> {
    let shown = || pairs.calls.iter().flatten().map(|call| call.id.as_str());
    let stored: HashSet<&str> = shown().collect();
    let mut seen: HashSet<&str> = HashSet::with_capacity(stored.len());
    let mut suffixes: SortedMap<&str, u64> = SortedMap::new();
    let rename = |id| {
        if seen.insert(id) {
            return None;
        }
        // Renamed ids differ among themselves: those of one id by the suffix, those of two ids by the id.
        let suffix = suffixes.get_or_insert_with(id, || 1);
        loop {
            *suffix += 1;
            let name = format!("{id}~{suffix}");
            if !stored.contains(name.as_str()) {
                return Some(name);
            }
        }
    };
    shown().map(rename).collect()
}

/// For each call that is shown, in order, its result as a message of its own; `None` if it has none or it is inline.
fn take_results(messages: &mut [Message], pairs: &Pairs, ids: &mut Ids) -> Vec<Option<Message>> {
    let shown = pairs.calls.iter().flatten();
    shown
        .map(|call| match call.answer {
            Answer::At(place) => take_result(messages.get_mut(place.message)?, place, ids),
            Answer::Missing | Answer::Inline(_) => None,
        })
        .collect()
}

fn take_result(message: &mut Message, place: Place, ids: &mut Ids) -> Option<Message> {
    if is_plain_result(message) {
        let hollow = Message::new(String::new(), Role::Tool, Vec::new(), 0);
        return Some(std::mem::replace(message, hollow));
    }
    // A result among others: it becomes a message, and its part is not shown where it was.
    let part = message.parts.get_mut(place.part)?;
    let part = std::mem::replace(part, Part::text(String::new()));
    let id = ids.fresh(format!("{}~{}", message.id, place.part));
    let mut result = synthetic(message, id, Role::Tool, "split");
    result.parts.push(part);
    Some(result)
}

/// As all programs write results: a tool message with one part.
fn is_plain_result(message: &Message) -> bool {
    message.role == Role::Tool && message.parts.len() == 1
}

/// The messages that follow a message with calls: its results in call order, a synthetic one where there is none.
fn answers(
    message: &Message,
    calls: &[Call],
    new_ids: &[Option<String>],
    stored: impl Iterator<Item = Option<Message>>,
    ids: &mut Ids,
) -> Vec<Message> {
    let answer = |((call, new_id), stored): ((&Call, &Option<String>), Option<Message>)| {
        if matches!(call.answer, Answer::Inline(_)) {
            return None;
        }
        let mut result = stored.unwrap_or_else(|| no_result(message, call, new_id.as_ref(), ids));
        for part in &mut result.parts {
            rename(part, new_id.as_ref());
        }
        fit(&mut result, None);
        Some(result)
    };
    calls
        .iter()
        .zip(new_ids)
        .zip(stored)
        .filter_map(answer)
        .collect()
}

fn no_result(message: &Message, call: &Call, new_id: Option<&String>, ids: &mut Ids) -> Message {
    let tool = match message.parts.get(call.part) {
        Some(Part::ToolCall { name, .. }) => name.as_str(),
        _ => "",
    };
    let call_id = new_id.unwrap_or(&call.id);
    let id = ids.fresh(format!("{}~result~{call_id}", message.id));
    let mut result = synthetic(message, id, Role::Tool, "no_result");
    let content = vec![Content::text(NO_RESULT)];
    result
        .parts
        .push(Part::tool_result(call_id, tool, true, content));
    result
}

/// The parts of a message that stay in it, calls and inline results under their new ids.
fn seen_parts(parts: Vec<Part>, calls: &[Call], new_ids: &[Option<String>]) -> Vec<Part> {
    let mut shown: SortedMap<usize, Option<&String>> = SortedMap::new();
    for (call, new_id) in calls.iter().zip(new_ids) {
        shown.insert(call.part, new_id.as_ref());
        if let Answer::Inline(part) = call.answer {
            shown.insert(part, new_id.as_ref());
        }
    }
    let seen = |(place, mut part): (usize, Part)| {
        if matches!(part, Part::ToolCall { .. } | Part::ToolResult { .. }) {
            rename(&mut part, *shown.get(&place)?);
        }
        Some(part)
    };
    parts.into_iter().enumerate().filter_map(seen).collect()
}

fn rename(part: &mut Part, new_id: Option<&String>) {
    if let Part::ToolCall { call_id, .. } | Part::ToolResult { call_id, .. } = part
        && let Some(new_id) = new_id
    {
        call_id.clone_from(new_id);
    }
}

/// The message that closes a round of D34.
fn close(zone: &Zone, last: &Message, ids: &mut Ids) -> Message {
    let (kind, text) = if zone.blocked {
        (BLOCKED, WITHHELD.to_owned())
    } else {
        let code = zone.error_code.as_deref().unwrap_or("unknown");
        (
            FAILED,
            format!(
                "[The answer ended here with the error {code}. Tools with a result above have run.]"
            ),
        )
    };
    let id = ids.fresh(format!("{}~{kind}", last.id));
    let mut message = synthetic(last, id, Role::Assistant, kind);
    message.parts.push(Part::text(text));
    message.error_code.clone_from(&zone.error_code);
    message
}

/// A message that repair adds to the round of another.
fn synthetic(beside: &Message, id: String, role: Role, kind: &str) -> Message {
    let mut message = Message::new(id, role, Vec::new(), 0);
    message.created_at = beside.created_at;
    message.round.clone_from(&beside.round);
    message.status = beside.status;
    message.mark_synthetic(kind);
    message
}

/// The message ids of the list, so that new ones do not meet them; empty where no new one will be wanted.
struct Ids(HashSet<String>);

impl Ids {
    fn of(messages: &[Message], pairs: &Pairs, zones: &Zones) -> Self {
        let wanted = |call: &Call| match call.answer {
            Answer::Missing => true,
            Answer::Inline(_) => false,
            Answer::At(place) => !messages.get(place.message).is_some_and(is_plain_result),
        };
        if zones.is_empty() && !pairs.calls.iter().flatten().any(wanted) {
            return Self(HashSet::new());
        }
        Self(messages.iter().map(|message| message.id.clone()).collect())
    }

    fn fresh(&mut self, wish: String) -> String {
        let mut id = wish;
        while !self.0.insert(id.clone()) {
            id.push('~');
        }
        id
    }
}
