//! Putting the repaired list together.

use std::collections::{HashMap, HashSet};

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
    let mut warnings = Vec::new();
    let mut ids = Ids::of(&messages);
    let orphans = drop_unseen(&messages, &mut pairs, zones);
    let new_ids = call_ids(&pairs);
    let mut results = take_results(&mut messages, &pairs, &mut ids);

    let mut out = Vec::with_capacity(messages.len());
    let mut system = Vec::new();
    let mut new_ids = new_ids.into_iter();
    for (place, (message, calls)) in messages.into_iter().zip(&pairs.calls).enumerate() {
        let closing = zones
            .of(place)
            .filter(|zone| {
                zone.last == Some(place) && !zone.closed && (zone.blocked || zone.finished_tool)
            })
            .map(|zone| close(zone, &message, &mut ids));
        if message.role == Role::System {
            system.push(message.id);
        } else if message.role != Role::Tool && zones.shows(place, &message) {
            let names: Vec<String> = new_ids.by_ref().take(calls.len()).collect();
            let answers = answers(&message, calls, &names, &mut results, &mut ids);
            let mut message = message;
            message.parts = seen_parts(message.parts, calls, &names);
            fit(&mut message, target);
            if !message.parts.is_empty() {
                out.push(message);
            }
            out.extend(answers.into_iter().map(|mut answer| {
                fit(&mut answer, target);
                answer
            }));
        }
        out.extend(closing);
    }
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
    lost.sort_unstable();
    lost.dedup_by_key(|place| place.message);
    lost.into_iter()
        .filter_map(|place| {
            messages
                .get(place.message)
                .map(|message| (place.message, message))
        })
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

/// for each call that is shown, in order, an id that no other call of the view has.
fn call_ids(pairs: &Pairs) -> Vec<String> {
    let shown = || pairs.calls.iter().flatten().map(|call| call.id.as_str());
    let stored: HashSet<&str> = shown().collect();
    let mut used: HashSet<String> = HashSet::with_capacity(stored.len());
    let mut suffixes: HashMap<&str, u64> = HashMap::new();
    shown()
        .map(|id| {
            let mut name = id.to_owned();
            if used.contains(id) {
                let suffix = suffixes.entry(id).or_insert(1);
                while stored.contains(name.as_str()) || used.contains(&name) {
                    *suffix += 1;
                    name = format!("{id}~{suffix}");
                }
            }
            used.insert(name.clone());
            name
        })
        .collect()
}

/// The results that answer a shown call, each as a message of its own.
fn take_results(messages: &mut [Message], pairs: &Pairs, ids: &mut Ids) -> HashMap<Place, Message> {
    let mut results = HashMap::new();
    for call in pairs.calls.iter().flatten() {
        let Answer::At(place) = call.answer else {
            continue;
        };
        let Some(message) = messages.get_mut(place.message) else {
            continue;
        };
        let Some(part) = message.parts.get_mut(place.part) else {
            continue;
        };
        let part = std::mem::replace(part, Part::text(String::new()));
        let first_of_tool = message.role == Role::Tool && ids.first_result(&message.id);
        let mut result = if first_of_tool {
            let mut own = message.clone();
            own.parts = Vec::new();
            own
        } else {
            let id = ids.fresh(format!("{}~{}", message.id, place.part));
            synthetic(message, id, Role::Tool, "split")
        };
        result.parts.push(part);
        results.insert(place, result);
    }
    results
}

/// The messages that follow a message with calls: its results in call order, a synthetic one where there is none.
fn answers(
    message: &Message,
    calls: &[Call],
    names: &[String],
    results: &mut HashMap<Place, Message>,
    ids: &mut Ids,
) -> Vec<Message> {
    let answer = |(call, name): (&Call, &String)| {
        if matches!(call.answer, Answer::Inline(_)) {
            return None;
        }
        let stored = match call.answer {
            Answer::At(at) => results.remove(&at),
            Answer::Missing | Answer::Inline(_) => None,
        };
        let mut result = stored.unwrap_or_else(|| no_result(message, call, name, ids));
        for part in &mut result.parts {
            rename(part, name);
        }
        Some(result)
    };
    calls.iter().zip(names).filter_map(answer).collect()
}

fn no_result(message: &Message, call: &Call, name: &str, ids: &mut Ids) -> Message {
    let tool = match message.parts.get(call.part) {
        Some(Part::ToolCall { name, .. }) => name.as_str(),
        _ => "",
    };
    let id = ids.fresh(format!("{}~result~{name}", message.id));
    let mut result = synthetic(message, id, Role::Tool, "no_result");
    result.parts.push(Part::tool_result(
        name,
        tool,
        true,
        vec![Content::text(NO_RESULT)],
    ));
    result
}

/// The parts of a message that stay in it, calls and inline results under their new ids.
fn seen_parts(parts: Vec<Part>, calls: &[Call], names: &[String]) -> Vec<Part> {
    let mut name_of: HashMap<usize, &String> = HashMap::new();
    for (call, name) in calls.iter().zip(names) {
        name_of.insert(call.part, name);
        if let Answer::Inline(part) = call.answer {
            name_of.insert(part, name);
        }
    }
    let seen = |(place, mut part): (usize, Part)| {
        if matches!(part, Part::ToolCall { .. } | Part::ToolResult { .. }) {
            rename(&mut part, name_of.get(&place)?);
        }
        Some(part)
    };
    parts.into_iter().enumerate().filter_map(seen).collect()
}

fn rename(part: &mut Part, name: &str) {
    if let Part::ToolCall { call_id, .. } | Part::ToolResult { call_id, .. } = part
        && call_id != name
    {
        name.clone_into(call_id);
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

/// The message ids of the list, so that new ones do not meet them.
struct Ids {
    taken: HashSet<String>,
    with_result: HashSet<String>,
}

impl Ids {
    fn of(messages: &[Message]) -> Self {
        Self {
            taken: messages.iter().map(|message| message.id.clone()).collect(),
            with_result: HashSet::new(),
        }
    }

    fn fresh(&mut self, wish: String) -> String {
        let mut id = wish;
        while !self.taken.insert(id.clone()) {
            id.push('~');
        }
        id
    }

    /// Whether this is the first result taken from a message: it keeps the message's id.
    fn first_result(&mut self, message: &str) -> bool {
        self.with_result.insert(message.to_owned())
    }
}
