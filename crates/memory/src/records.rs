//! The stored forms (0-rulings.md 0.2): numbers that people and ranges need as fields, bodies as one JSON text.

use mnemograph_storage::{Key, Part as KeyPart, Record, Value};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use crate::decode::decode_messages;
use crate::error::MemoryError;
use crate::keys::check_id;
use crate::message::{Message, Round, Status};

/// The format version of the records that this code writes.
const VERSION: u64 = 1;

/// How deep a body may nest: data of 64 levels within a part, and what lies around it. Readers refuse at 128.
const MAX_BODY_DEPTH: usize = 72;

/// Why a record could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Damage {
    /// Its key has another shape than keys of its table.
    BadKey,
    /// A field is missing or of another type.
    WrongType,
    /// Newer code wrote it.
    NewerVersion,
    /// Its body is not what was written.
    WrongHash,
    /// Its body is no JSON.
    BadJson,
    /// Its body holds something that is no message.
    BadMessage,
    /// It holds another number of messages than it says.
    WrongCount,
}

/// A record that was left out of a read. It stays where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Quarantined {
    /// Where it is, within its table.
    pub key: Key,
    /// What is wrong with it.
    pub damage: Damage,
    /// Details, without content.
    pub detail: String,
}

/// What is wrong with a record, before its key is known.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) damage: Damage,
    pub(crate) detail: String,
}

impl Fault {
    fn new(damage: Damage, detail: impl Into<String>) -> Self {
        Self {
            damage,
            detail: detail.into(),
        }
    }

    pub(crate) fn at(self, key: Key) -> Quarantined {
        Quarantined {
            key,
            damage: self.damage,
            detail: self.detail,
        }
    }
}

/// Refuses what newer code wrote. Older versions will be upgraded here by functions from v to v+1.
pub(crate) fn check_version(value: &Value) -> Result<(), Fault> {
    match integer(value, "v")? {
        VERSION => Ok(()),
        0 => Err(Fault::new(Damage::WrongType, "v is 0")),
        v => Err(Fault::new(Damage::NewerVersion, format!("v is {v}"))),
    }
}

pub(crate) fn integer(value: &Value, name: &str) -> Result<u64, Fault> {
    let number = value.get(name).and_then(Json::as_u64);
    number.ok_or_else(|| {
        Fault::new(
            Damage::WrongType,
            format!("{name} is missing or no integer"),
        )
    })
}

pub(crate) fn text<'a>(value: &'a Value, name: &str) -> Result<&'a str, Fault> {
    let text = value.get(name).and_then(Json::as_str);
    text.ok_or_else(|| Fault::new(Damage::WrongType, format!("{name} is missing or no text")))
}

pub(crate) fn optional_text(value: &Value, name: &str) -> Result<Option<String>, Fault> {
    match value.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(_) => text(value, name).map(|text| Some(text.to_owned())),
    }
}

pub(crate) fn word<T: for<'de> Deserialize<'de>>(value: &Value, name: &str) -> Result<T, Fault> {
    T::deserialize(value.get(name).unwrap_or(&Json::Null))
        .map_err(|_| Fault::new(Damage::WrongType, format!("{name} is none of its words")))
}

pub(crate) fn parse_body(body: &str) -> Result<Json, Fault> {
    serde_json::from_str(body).map_err(|error| Fault::new(Damage::BadJson, error.to_string()))
}

/// Builds a value from its fields; `null` fields are left out.
pub(crate) fn value<const N: usize>(fields: [(&str, Json); N]) -> Value {
    std::iter::once(("v", Json::from(VERSION)))
        .chain(fields)
        .filter(|(_, field)| !field.is_null())
        .map(|(name, field)| (name.to_owned(), field))
        .collect()
}

/// A head: what a writer must know of a history without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) epoch: u64,
    pub(crate) next_seq: u64,
    pub(crate) count: u64,
    pub(crate) bytes: u64,
    pub(crate) summary_rev: u64,
}

impl Head {
    /// The head of an empty history. Sequence numbers begin with 1: a `seen_seq` of 0 is "nothing seen".
    pub(crate) const fn empty(epoch: u64) -> Self {
        Self {
            epoch,
            next_seq: 1,
            count: 0,
            bytes: 0,
            summary_rev: 0,
        }
    }

    pub(crate) fn to_value(self) -> Value {
        value([
            ("epoch", self.epoch.into()),
            ("next_seq", self.next_seq.into()),
            ("count", self.count.into()),
            ("bytes", self.bytes.into()),
            ("summary_rev", self.summary_rev.into()),
        ])
    }

    pub(crate) fn read(value: &Value) -> Result<Self, Fault> {
        check_version(value)?;
        Ok(Self {
            epoch: integer(value, "epoch")?,
            next_seq: integer(value, "next_seq")?,
            count: integer(value, "count")?,
            bytes: integer(value, "bytes")?,
            summary_rev: integer(value, "summary_rev")?,
        })
    }
}

/// A round with its bytes ready, so that a conflict needs no second serialisation.
#[derive(Debug)]
pub(crate) struct Prepared {
    pub(crate) round_id: String,
    pub(crate) n: u64,
    pub(crate) bytes: u64,
    pub(crate) hash: String,
    run_id: String,
    status: Status,
    error_code: Option<String>,
    parent: Option<String>,
    seen_seq: u64,
    body: String,
}

impl Prepared {
    pub(crate) fn new(round: &Round, seen_seq: u64) -> Result<Self, MemoryError> {
        check_id("round", &round.id)?;
        let bad = |problem: &str| MemoryError::BadRound {
            round: round.id.clone(),
            problem: problem.to_owned(),
        };
        if round.messages.is_empty() {
            return Err(bad("it has no message"));
        }
        let body = body(round).map_err(|error| bad(&error.to_string()))?;
        if depth(&body) > MAX_BODY_DEPTH {
            return Err(bad("its data nests more than 64 deep"));
        }
        Ok(Self {
            round_id: round.id.clone(),
            run_id: round.run_id.clone(),
            n: round.messages.len() as u64,
            bytes: body.len() as u64,
            hash: hash(&body),
            status: round.status,
            error_code: round.error_code.clone(),
            parent: round.parent.clone(),
            seen_seq,
            body,
        })
    }

    pub(crate) fn to_value(&self) -> Value {
        value([
            ("round_id", self.round_id.clone().into()),
            ("n", self.n.into()),
            ("seen_seq", self.seen_seq.into()),
            ("status", status_json(self.status)),
            ("error_code", self.error_code.clone().into()),
            ("parent", self.parent.clone().into()),
            ("bytes", self.bytes.into()),
            ("hash", self.hash.clone().into()),
            ("body", self.body.clone().into()),
        ])
    }

    /// The journal row of the round while it is open.
    pub(crate) fn to_journal(&self, epoch: u64, updated_at: u64) -> Value {
        value([
            ("run_id", self.run_id.clone().into()),
            ("round_id", self.round_id.clone().into()),
            ("epoch", epoch.into()),
            ("seen_seq", self.seen_seq.into()),
            ("updated_at", updated_at.into()),
            ("parent", self.parent.clone().into()),
            ("hash", self.hash.clone().into()),
            ("body", self.body.clone().into()),
        ])
    }
}

fn status_json(status: Status) -> Json {
    serde_json::to_value(status).unwrap_or(Json::Null)
}

/// The messages as they are stored: with their round, its status where it is not complete, and without `seq`.
fn body(round: &Round) -> serde_json::Result<String> {
    let mut round = round.clone();
    if round.status != Status::Complete {
        let error_code = round.error_code.clone();
        round.end(round.status, error_code);
    }
    for message in &mut round.messages {
        message.seq = None;
        message.round = Some(round.id.clone());
    }
    serde_json::to_string(&round.messages)
}

/// SHA-256, hexadecimal.
pub(crate) fn hash(body: &str) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(body.as_bytes()) {
        // Writing to a `String` cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// How deep brackets nest in valid JSON.
fn depth(json: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut in_text, mut escaped) = (false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b'[' | b'{' if !in_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// A round as it was read.
#[derive(Debug)]
pub(crate) struct StoredRound {
    pub(crate) hash: String,
    pub(crate) messages: Vec<Message>,
}

/// Reads a round's record, whose messages are told their place here.
pub(crate) fn read_round(record: &Record) -> Result<StoredRound, Quarantined> {
    let read = || {
        let first_seq = first_seq(&record.key)
            .ok_or_else(|| Fault::new(Damage::BadKey, "the key is no round's"))?;
        let value = &record.value;
        check_version(value)?;
        text(value, "round_id")?;
        integer(value, "seen_seq")?;
        word::<Status>(value, "status")?;
        optional_text(value, "error_code")?;
        let n = integer(value, "n")?;
        let hash = text(value, "hash")?;
        let mut messages = read_body(value, hash)?;
        if messages.len() as u64 != n {
            let detail = format!("n is {n}, the body has {} messages", messages.len());
            return Err(Fault::new(Damage::WrongCount, detail));
        }
        for (message, seq) in messages.iter_mut().zip(first_seq..) {
            message.seq = Some(seq);
        }
        Ok(StoredRound {
            hash: hash.to_owned(),
            messages,
        })
    };
    read().map_err(|fault: Fault| fault.at(record.key.clone()))
}

fn read_body(value: &Value, expected_hash: &str) -> Result<Vec<Message>, Fault> {
    let body = text(value, "body")?;
    if hash(body) != expected_hash {
        return Err(Fault::new(
            Damage::WrongHash,
            "the body does not have the hash that was stored with it",
        ));
    }
    decode_messages(parse_body(body)?, "messages")
        .map_err(|error| Fault::new(Damage::BadMessage, error.to_string()))
}

/// The first sequence number of a round, which is the last part of its key `[…history, epoch, first_seq]`.
fn first_seq(key: &Key) -> Option<u64> {
    match key.parts() {
        [_, _, _, _, _, KeyPart::Int(_), KeyPart::Int(first_seq)] => Some(*first_seq),
        _ => None,
    }
}

/// What of a round's record counts for the head, as far as it can be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) epoch: u64,
    pub(crate) end: u64,
    pub(crate) count: u64,
    pub(crate) bytes: u64,
}

impl Extent {
    pub(crate) fn of(record: &Record) -> Option<Self> {
        let [_, _, _, _, _, KeyPart::Int(epoch), KeyPart::Int(first_seq)] = record.key.parts()
        else {
            return None;
        };
        // A damaged `n` must not carry the next number beyond what a key can hold.
        let count = integer(&record.value, "n")
            .ok()
            .filter(|n| *n <= u64::from(u32::MAX));
        Some(Self {
            epoch: *epoch,
            end: first_seq.saturating_add(count.unwrap_or(0).max(1)),
            count: count.unwrap_or(0),
            bytes: integer(&record.value, "bytes").unwrap_or(0),
        })
    }
}

/// The row of a round id: the round is in the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IdRow {
    pub(crate) epoch: u64,
    pub(crate) first_seq: u64,
    pub(crate) n: u64,
    pub(crate) bytes: u64,
    /// False if recovery wrote the round from its journal: its run may still come with more.
    pub(crate) is_final: bool,
}

impl IdRow {
    pub(crate) fn to_value(self) -> Value {
        value([
            ("epoch", self.epoch.into()),
            ("first_seq", self.first_seq.into()),
            ("n", self.n.into()),
            ("bytes", self.bytes.into()),
            ("final", self.is_final.into()),
        ])
    }

    pub(crate) fn read(value: &Value) -> Result<Self, Fault> {
        check_version(value)?;
        Ok(Self {
            epoch: integer(value, "epoch")?,
            first_seq: integer(value, "first_seq")?,
            n: integer(value, "n")?,
            bytes: integer(value, "bytes")?,
            is_final: word(value, "final")?,
        })
    }
}

/// An open round as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct JournalRow {
    /// The round so far.
    pub round: Round,
    /// The last stored message that the model saw, 0 for none.
    pub seen_seq: u64,
    /// When this row was made, milliseconds since the epoch.
    pub updated_at: u64,
}

/// Reads a journal's record, and the epoch its run began in.
pub(crate) fn read_journal(record: &Record) -> Result<(JournalRow, u64), Quarantined> {
    let read = || {
        let value = &record.value;
        check_version(value)?;
        let mut round = Round::new(text(value, "round_id")?, text(value, "run_id")?);
        round.parent = optional_text(value, "parent")?;
        round.messages = read_body(value, text(value, "hash")?)?;
        let row = JournalRow {
            round,
            seen_seq: integer(value, "seen_seq")?,
            updated_at: integer(value, "updated_at")?,
        };
        Ok((row, integer(value, "epoch")?))
    };
    read().map_err(|fault: Fault| fault.at(record.key.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_brackets_outside_texts() {
        for (json, expected) in [
            ("1", 0),
            ("[]", 1),
            (r#"[{"a":[1]},[]]"#, 3),
            (r#"["[[[\"[\\"]"#, 1),
            (r#"["\\",[1]]"#, 2),
        ] {
            assert_eq!(depth(json), expected, "{json}");
        }
    }

    #[test]
    fn the_hash_is_sha_256_in_hexadecimal() {
        assert_eq!(
            hash(""),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
        assert_eq!(
            hash("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
