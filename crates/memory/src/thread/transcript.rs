//! What the channel showed: one record a turn, `[namespace, thread, n]`.

use std::ops::Bound;

use mnemograph_compact::FromJson;
use mnemograph_storage::{Key, Part as KeyPart, Range, Record, ScanOptions, Storage, Table, Value};
use serde::Serialize;
use serde_json::json;

use super::check;
use crate::decode::decode_messages;
use crate::error::MemoryError;
use crate::message::Message;
use crate::records::{
    Damage, Fault, Quarantined, check_version, integer, parse_body, text, value, word,
};

/// State of a transcript's entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ShownStatus {
    /// The run goes on, or its page was closed.
    Running,
    /// The run ended well.
    Complete,
    /// The run was stopped.
    Aborted,
    /// The run failed.
    Failed,
}

/// What the channel showed in one run.
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Shown {
    /// The person's message; absent where the run did not begin with one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub user: Option<Message>,
    /// The replies, in order.
    pub replies: Vec<Message>,
    /// How far it came.
    pub status: ShownStatus,
}

/// One turn of a transcript.
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Entry {
    /// Its number in the thread, from 1.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub n: u64,
    /// The run.
    pub run_id: String,
    /// Milliseconds since the epoch.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub started_at: u64,
    /// What was shown.
    pub shown: Shown,
}

/// Which part of a transcript to read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TranscriptPage {
    /// At most so many turns, the last ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub limit: Option<usize>,
    /// Only turns before this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub before: Option<u64>,
}

/// Turns, in order.
#[derive(Debug, Clone, Default, PartialEq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Transcript {
    /// The turns.
    pub entries: Vec<Entry>,
    /// Records that could not be read.
    pub quarantined: Vec<Quarantined>,
}

/// The last turns of a thread, in order.
///
/// # Errors
/// `E_BAD_ID`; what the storage reports.
pub async fn transcript<S: Storage>(
    storage: &S,
    namespace: &str,
    thread: &str,
    page: TranscriptPage,
) -> Result<Transcript, MemoryError> {
    let key = check(namespace, thread)?;
    let range = match page.before {
        None => Range::prefix(&key),
        Some(before) => Range::bounds(
            Bound::Included(key.clone()),
            Bound::Excluded(key.with(before)),
        ),
    };
    let options = ScanOptions {
        limit: page.limit,
        reverse: true,
    };
    let mut found = Transcript::default();
    for record in storage
        .scan(Table::Transcripts, &range, options)
        .await?
        .iter()
        .rev()
    {
        match Entry::read(record) {
            Ok(entry) => found.entries.push(entry),
            Err(quarantined) => found.quarantined.push(quarantined),
        }
    }
    Ok(found)
}

impl Entry {
    pub(super) fn to_value(
        run_id: &str,
        started_at: u64,
        shown: &Shown,
    ) -> Result<Value, MemoryError> {
        let body = serde_json::to_string(&json!({ "user": shown.user, "replies": shown.replies }));
        let body = body.map_err(|error| MemoryError::BadRound {
            round: run_id.to_owned(),
            problem: error.to_string(),
        })?;
        Ok(value([
            ("run_id", run_id.into()),
            ("status", json!(shown.status)),
            ("started_at", started_at.into()),
            ("body", body.into()),
        ]))
    }

    pub(super) fn read(record: &Record) -> Result<Self, Quarantined> {
        let read = || {
            let value = &record.value;
            check_version(value)?;
            let (user, replies) = read_body(text(value, "body")?)?;
            Ok(Self {
                n: number(&record.key)?,
                run_id: text(value, "run_id")?.to_owned(),
                started_at: integer(value, "started_at")?,
                shown: Shown {
                    user,
                    replies,
                    status: word(value, "status")?,
                },
            })
        };
        read().map_err(|fault: Fault| fault.at(record.key.clone()))
    }
}

fn number(key: &Key) -> Result<u64, Fault> {
    match key.parts() {
        [_, _, KeyPart::Int(n)] => Ok(*n),
        _ => Err(Fault {
            damage: Damage::BadKey,
            detail: "the key is no entry's".to_owned(),
        }),
    }
}

fn read_body(body: &str) -> Result<(Option<Message>, Vec<Message>), Fault> {
    let bad = |detail: String| Fault {
        damage: Damage::BadMessage,
        detail,
    };
    let mut body = parse_body(body)?;
    let user = match body.get_mut("user").map(serde_json::Value::take) {
        None | Some(serde_json::Value::Null) => None,
        Some(user) => Some(Message::from_value(user).map_err(|error| bad(error.to_string()))?),
    };
    let replies = body
        .get_mut("replies")
        .map(serde_json::Value::take)
        .unwrap_or_default();
    let replies = decode_messages(replies, "replies").map_err(|error| bad(error.to_string()))?;
    Ok((user, replies))
}
