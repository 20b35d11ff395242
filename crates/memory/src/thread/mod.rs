//! Threads: who talks where, and the transcript of what the channel showed (3-memory.md D21).
//!
//! The transcript is for people, a history for the model: two stores with two keys. Clearing a history leaves the
//! transcript alone.

mod forget;
mod transcript;
mod turn;

pub use forget::{Forgotten, forget, forget_namespace};
pub use transcript::{Entry, Shown, ShownStatus, Transcript, TranscriptPage, transcript};
pub use turn::{EARLIER, Turn, TurnStart, finish_batch, finish_turn, open_turn, scans, turn_batch};

use mnemograph_compact::{FromJson, sort_by};
use mnemograph_storage::{
    Batch, Durability, Key, Outcome, Part as KeyPart, Range, Record, ScanOptions, Storage, Table,
    get as record_of,
};
use serde::Serialize;
use serde_json::Value as Json;

use crate::error::MemoryError;
use crate::history::{TRIES, delete_contents};
use crate::keys::{self, HistoryKey, check_id};
use crate::records::{
    Damage, Fault, Quarantined, check_version, integer, optional_text, text, value,
};

/// A conversation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Thread {
    /// Its id.
    pub id: String,
    /// The person it belongs to.
    pub actor: String,
    /// Given by the host, or the beginning of the first message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub title: Option<String>,
    /// Milliseconds since the epoch.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub created_at: u64,
    /// When its last turn began, milliseconds since the epoch.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub updated_at: u64,
    /// Turns so far.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub turns: u64,
}

/// Which threads to list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ThreadListOptions {
    /// Only this person's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub actor: Option<String>,
    /// At most so many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub limit: Option<usize>,
    /// Only those after this thread in the list.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub after: Option<String>,
}

/// Threads, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ThreadList {
    /// The threads.
    pub threads: Vec<Thread>,
    /// Records that could not be read.
    pub quarantined: Vec<Quarantined>,
}

impl Thread {
    /// Turns are numbered from 1.
    fn new(id: &str, actor: &str, title: Option<String>, now: u64) -> Self {
        Self {
            id: id.to_owned(),
            actor: actor.to_owned(),
            title,
            created_at: now,
            updated_at: now,
            turns: 0,
        }
    }

    fn to_value(&self) -> mnemograph_storage::Value {
        value([
            ("actor", self.actor.clone().into()),
            ("title", self.title.clone().into()),
            ("created_at", self.created_at.into()),
            ("updated_at", self.updated_at.into()),
            ("next_entry", Json::from(self.turns.saturating_add(1))),
        ])
    }

    fn read(record: &Record) -> Result<Self, Quarantined> {
        let read = || {
            let [_, KeyPart::Text(id)] = record.key.parts() else {
                return Err(Fault {
                    damage: Damage::BadKey,
                    detail: "the key is no thread's".to_owned(),
                });
            };
            let value = &record.value;
            check_version(value)?;
            Ok(Self {
                id: id.clone(),
                actor: text(value, "actor")?.to_owned(),
                title: optional_text(value, "title")?,
                created_at: integer(value, "created_at")?,
                updated_at: integer(value, "updated_at")?,
                turns: integer(value, "next_entry")?.saturating_sub(1),
            })
        };
        read().map_err(|fault: Fault| fault.at(record.key.clone()))
    }

    /// Reads a record that is about to be changed: what of it is damaged is made good, but never whose it is.
    fn read_to_write(
        record: &Record,
        id: &str,
        actor: &str,
        now: u64,
    ) -> Result<Self, MemoryError> {
        let quarantined = match Self::read(record) {
            Ok(thread) => return Ok(thread),
            Err(quarantined) => quarantined,
        };
        let value = &record.value;
        if quarantined.damage == Damage::NewerVersion {
            return Err(MemoryError::NewerRecord {
                key: quarantined.key,
                version: integer(value, "v").unwrap_or(0),
            });
        }
        if text(value, "actor").ok() != Some(actor) {
            return Err(MemoryError::ThreadActor {
                thread: id.to_owned(),
            });
        }
        Ok(Self {
            title: optional_text(value, "title").unwrap_or_default(),
            created_at: integer(value, "created_at").unwrap_or(now),
            updated_at: integer(value, "updated_at").unwrap_or(now),
            turns: integer(value, "next_entry").map_or(0, |next| next.saturating_sub(1)),
            ..Self::new(id, actor, None, now)
        })
    }
}

fn check(namespace: &str, thread: &str) -> Result<Key, MemoryError> {
    check_id("namespace", namespace)?;
    check_id("thread", thread)?;
    Ok(keys::thread(namespace, thread))
}

fn conflict(thread: &str) -> MemoryError {
    MemoryError::Conflict {
        what: format!("the thread {thread:?}"),
        tries: TRIES,
    }
}

/// Makes a thread known before its first turn. One that exists already is given back unchanged.
///
/// # Errors
/// `E_BAD_ID`; `E_THREAD_ACTOR` if it belongs to another person; what the storage reports.
pub async fn create<S: Storage>(
    storage: &S,
    namespace: &str,
    id: &str,
    actor: &str,
    title: Option<&str>,
    now: u64,
) -> Result<Thread, MemoryError> {
    check_id("actor", actor)?;
    let key = check(namespace, id)?;
    let thread = Thread::new(id, actor, title.map(str::to_owned), now);
    for _ in 0..TRIES {
        let batch = Batch::new(Durability::Strict)
            .check(Table::Threads, key.clone(), None)
            .put(Table::Threads, key.clone(), thread.to_value());
        if storage.commit(batch).await? == Outcome::Committed {
            return Ok(thread);
        }
        let Some(record) = record_of(storage, Table::Threads, &key).await? else {
            continue;
        };
        let known = Thread::read_to_write(&record, id, actor, now)?;
        if known.actor == actor {
            return Ok(known);
        }
        return Err(MemoryError::ThreadActor {
            thread: id.to_owned(),
        });
    }
    Err(conflict(id))
}

/// A thread; `None` if there is none, or its record cannot be read.
///
/// # Errors
/// `E_BAD_ID`; what the storage reports.
pub async fn get<S: Storage>(
    storage: &S,
    namespace: &str,
    id: &str,
) -> Result<Option<Thread>, MemoryError> {
    let key = check(namespace, id)?;
    let record = record_of(storage, Table::Threads, &key).await?;
    Ok(record.and_then(|record| Thread::read(&record).ok()))
}

/// The threads of a namespace, the newest first. Reads all their records, which are small.
///
/// # Errors
/// `E_BAD_ID`, also for an `after` that is not in the list; what the storage reports.
pub async fn list<S: Storage>(
    storage: &S,
    namespace: &str,
    options: &ThreadListOptions,
) -> Result<ThreadList, MemoryError> {
    check_id("namespace", namespace)?;
    let range = Range::prefix(&Key::new([namespace]));
    let mut found = ThreadList::default();
    for record in storage
        .scan(Table::Threads, &range, ScanOptions::default())
        .await?
    {
        match Thread::read(&record) {
            Ok(thread)
                if options
                    .actor
                    .as_ref()
                    .is_none_or(|actor| *actor == thread.actor) =>
            {
                found.threads.push(thread);
            }
            Ok(_) => {}
            Err(quarantined) => found.quarantined.push(quarantined),
        }
    }
    sort_by(&mut found.threads, |a, b| {
        b.updated_at
            .cmp(&a.updated_at)
            .then_with(|| b.id.cmp(&a.id))
    });
    if let Some(after) = &options.after {
        let place = found.threads.iter().position(|thread| thread.id == *after);
        let place = place.ok_or_else(|| MemoryError::NoThread {
            thread: after.clone(),
        })?;
        found.threads.drain(..=place);
    }
    found.threads.truncate(options.limit.unwrap_or(usize::MAX));
    Ok(found)
}

/// Gives a thread another title; `None` takes it away.
///
/// # Errors
/// `E_BAD_ID` if there is no such thread; `E_STORE_CONFLICT`; what the storage reports.
pub async fn rename<S: Storage>(
    storage: &S,
    namespace: &str,
    id: &str,
    title: Option<&str>,
) -> Result<Thread, MemoryError> {
    let key = check(namespace, id)?;
    for _ in 0..TRIES {
        let Some(record) = record_of(storage, Table::Threads, &key).await? else {
            return Err(MemoryError::NoThread {
                thread: id.to_owned(),
            });
        };
        let actor = text(&record.value, "actor").unwrap_or_default().to_owned();
        let mut thread = Thread::read_to_write(&record, id, &actor, 0)?;
        thread.title = title.map(str::to_owned);
        let batch = Batch::new(Durability::Strict)
            .check(Table::Threads, key.clone(), Some(record.rev))
            .put(Table::Threads, key.clone(), thread.to_value());
        if storage.commit(batch).await? == Outcome::Committed {
            return Ok(thread);
        }
    }
    Err(conflict(id))
}

/// The histories of a thread, of all graphs and nodes.
///
/// # Errors
/// `E_BAD_ID`; what the storage reports.
pub async fn histories<S: Storage>(
    storage: &S,
    namespace: &str,
    id: &str,
) -> Result<Vec<HistoryKey>, MemoryError> {
    check(namespace, id)?;
    let lives = lives(storage, namespace, id).await?;
    let mut histories: Vec<HistoryKey> = lives.into_iter().map(|(history, _)| history).collect();
    histories.dedup();
    Ok(histories)
}

/// The histories of a thread, each with the row that tells of it.
async fn lives<S: Storage>(
    storage: &S,
    namespace: &str,
    id: &str,
) -> Result<Vec<(HistoryKey, Key)>, MemoryError> {
    let range = Range::prefix(&keys::thread_histories(namespace, id));
    let rows = storage
        .scan(Table::Heads, &range, ScanOptions::default())
        .await?;
    let history = |row: Record| Some((HistoryKey::from_life(&row.key)?, row.key));
    Ok(rows.into_iter().filter_map(history).collect())
}

/// Removes a thread: its record, its transcript, and every history of it. A run that is under way finds its history gone
/// and stores nothing. True if there was something to remove.
///
/// # Errors
/// `E_BAD_ID`; `E_STORE_CONFLICT`; what the storage reports.
pub async fn delete<S: Storage>(
    storage: &S,
    namespace: &str,
    id: &str,
) -> Result<bool, MemoryError> {
    let key = check(namespace, id)?;
    let mut removed = false;
    for _ in 0..TRIES {
        let record = record_of(storage, Table::Threads, &key).await?;
        let histories = lives(storage, namespace, id).await?;
        let entries = ScanOptions {
            limit: Some(1),
            reverse: false,
        };
        let entries = storage
            .scan(Table::Transcripts, &Range::prefix(&key), entries)
            .await?;
        // A history that began while the batch was under way is found by the next look.
        if record.is_none() && histories.is_empty() && entries.is_empty() {
            return Ok(removed);
        }
        let batch = Batch::new(Durability::Strict)
            .check(Table::Threads, key.clone(), record.map(|record| record.rev))
            .delete(Table::Threads, key.clone())
            .delete_range(Table::Transcripts, Range::prefix(&key))
            .delete_range(
                Table::Variables,
                Range::prefix(&crate::variables::of_thread(namespace, id)),
            )
            .delete_range(Table::Dictionaries, Range::prefix(&key))
            .delete_range(Table::Checkpoints, Range::prefix(&key));
        let batch = histories.into_iter().fold(batch, |batch, (history, life)| {
            delete_contents(batch, &history)
                .delete(Table::Heads, history.head())
                .delete(Table::Heads, life)
        });
        removed |= storage.commit(batch).await? == Outcome::Committed;
    }
    if removed { Ok(true) } else { Err(conflict(id)) }
}
