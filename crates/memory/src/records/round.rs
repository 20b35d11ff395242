//! Rounds as records: their messages as one JSON text, finished or still open.

use mnemograph_compact::FromJson;
use mnemograph_storage::{Key, Part as KeyPart, Record, Value};
use serde::Serialize;
use serde_json::Value as Json;
use sha2::{Digest, Sha256};

use super::{Damage, Fault, Quarantined, check_version, integer, optional_text, text, value, word};
use crate::decode::{TextFault, decode_text};
use crate::error::MemoryError;
use crate::keys::check_id;
use crate::message::{Message, Round, Status};

/// How deep a body may nest: data of 64 levels within a part, and what lies around it. Readers refuse at 128.
const MAX_BODY_DEPTH: usize = 72;

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
    decode_text(body).map_err(|fault| match fault {
        TextFault::Json(error) => Fault::new(Damage::BadJson, error.to_string()),
        TextFault::Message(error) => Fault::new(Damage::BadMessage, error.to_string()),
    })
}

/// The first sequence number of a round, which is the last part of its key `[…history, epoch, first_seq]`.
fn first_seq(key: &Key) -> Option<u64> {
    match key.parts() {
        [_, _, _, _, _, KeyPart::Int(_), KeyPart::Int(first_seq)] => Some(*first_seq),
        _ => None,
    }
}

/// An open round as the journal keeps it.
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
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
