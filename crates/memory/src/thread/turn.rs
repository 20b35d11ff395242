//! A turn: its entry is opened with the run and finished with its last commit.

use mnemograph_storage::{Batch, Durability, Outcome, Storage, Table, get};

use super::transcript::{Entry, Shown};
use super::{Thread, check, conflict};
use crate::error::MemoryError;
use crate::history::TRIES;
use crate::keys::check_id;
use crate::message::Message;

/// The longest title that is made of a message, in characters.
const TITLE_CHARS: usize = 80;

/// A turn that begins.
#[derive(Debug, Clone, Copy)]
pub struct TurnStart<'a> {
    /// The person's partition.
    pub namespace: &'a str,
    /// The conversation; its first turn makes it known.
    pub thread: &'a str,
    /// The person.
    pub actor: &'a str,
    /// The run.
    pub run_id: &'a str,
    /// What the person sent.
    pub shown: &'a Shown,
    /// Milliseconds since the epoch.
    pub now: u64,
}

/// What a writer knows of a thread: with a fresh one, opening a turn reads nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ThreadBase {
    thread: Thread,
    /// `rev` of its record, 0 for none.
    rev: u64,
}

/// A turn that has begun.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Turn {
    /// The number of its entry.
    pub entry: u64,
    /// For the next turn of this thread.
    pub base: ThreadBase,
}

/// Opens a turn, relaxed, and with it whatever `extra` writes. The first turn of a thread creates its record.
///
/// # Errors
/// `E_BAD_ID`; `E_THREAD_ACTOR` if the thread belongs to another person; `E_STORE_CONFLICT` after eight tries or if
/// checks of `extra` fail; what the storage reports.
pub async fn open_turn<S: Storage>(
    storage: &S,
    start: &TurnStart<'_>,
    base: Option<&ThreadBase>,
    extra: Batch,
) -> Result<Turn, MemoryError> {
    let TurnStart {
        namespace,
        thread,
        actor,
        now,
        ..
    } = *start;
    check_id("actor", actor)?;
    let key = check(namespace, thread)?;
    let value = Entry::to_value(start.run_id, now, start.shown)?;
    let mut known = match base {
        Some(base) if base.thread.id == thread => base.clone(),
        Some(_) | None => look(storage, start).await?,
    };
    for _ in 0..TRIES {
        if known.thread.actor != actor {
            return Err(MemoryError::ThreadActor {
                thread: thread.to_owned(),
            });
        }
        let mut next = known.thread.clone();
        next.turns = next.turns.saturating_add(1);
        next.updated_at = now;
        if next.title.is_none() && next.turns == 1 {
            next.title = start.shown.user.as_ref().and_then(title);
        }
        let entry = key.with(next.turns);
        let rev = Some(known.rev).filter(|rev| *rev > 0);
        let batch = Batch::new(Durability::Relaxed)
            .check(Table::Threads, key.clone(), rev)
            .check(Table::Transcripts, entry.clone(), None)
            .put(Table::Threads, key.clone(), next.to_value())
            .put(Table::Transcripts, entry, value.clone())
            .merge(extra.clone());
        if storage.commit(batch).await? == Outcome::Committed {
            return Ok(Turn {
                entry: next.turns,
                base: ThreadBase {
                    thread: next,
                    rev: known.rev + 1,
                },
            });
        }
        known = look(storage, start).await?;
    }
    Err(conflict(thread))
}

/// The thread as it is. A record that lost count goes on behind the last entry.
async fn look<S: Storage>(storage: &S, start: &TurnStart<'_>) -> Result<ThreadBase, MemoryError> {
    let key = check(start.namespace, start.thread)?;
    let Some(record) = get(storage, Table::Threads, &key).await? else {
        return Ok(ThreadBase {
            thread: Thread::new(start.thread, start.actor, None, start.now),
            rev: 0,
        });
    };
    let mut thread = Thread::read_to_write(&record, start.thread, start.actor, start.now)?;
    let next = key.with(thread.turns.saturating_add(1));
    if get(storage, Table::Transcripts, &next).await?.is_some() {
        let page = super::TranscriptPage {
            limit: Some(1),
            before: None,
        };
        let last = super::transcript(storage, start.namespace, start.thread, page).await?;
        let last = last.entries.first().map_or(0, |entry| entry.n);
        thread.turns = thread.turns.max(last);
    }
    Ok(ThreadBase {
        thread,
        rev: record.rev,
    })
}

/// The batch that writes a turn's entry as it stands, to go with a round ([`crate::history::append`]). If the append is
/// stale or there is none, use [`finish_turn`].
///
/// # Errors
/// `E_MEMORY_WRITE` if the entry cannot be written as JSON.
pub fn finish_batch(
    namespace: &str,
    thread: &str,
    entry: u64,
    run_id: &str,
    started_at: u64,
    shown: &Shown,
) -> Result<Batch, MemoryError> {
    let key = check(namespace, thread)?.with(entry);
    let value = Entry::to_value(run_id, started_at, shown)?;
    Ok(Batch::new(Durability::Strict).put(Table::Transcripts, key, value))
}

/// Writes a turn's entry as it stands, in a commit of its own. False if the thread was deleted meanwhile: then nothing is
/// written, so that it does not come back.
///
/// # Errors
/// `E_STORE_CONFLICT` after eight tries; what the storage reports.
pub async fn finish_turn<S: Storage>(
    storage: &S,
    namespace: &str,
    thread: &str,
    entry: u64,
    run_id: &str,
    started_at: u64,
    shown: &Shown,
) -> Result<bool, MemoryError> {
    let key = check(namespace, thread)?.with(entry);
    for _ in 0..TRIES {
        let Some(record) = get(storage, Table::Transcripts, &key).await? else {
            return Ok(false);
        };
        let batch = finish_batch(namespace, thread, entry, run_id, started_at, shown)?.check(
            Table::Transcripts,
            key.clone(),
            Some(record.rev),
        );
        if storage.commit(batch).await? == Outcome::Committed {
            return Ok(true);
        }
    }
    Err(conflict(thread))
}

/// A title from a message: its first words.
fn title(message: &Message) -> Option<String> {
    let text = message.text();
    let mut words = String::new();
    for word in text.split_whitespace() {
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
        if let Some((end, _)) = words.char_indices().nth(TITLE_CHARS) {
            words.truncate(end);
            words.push('…');
            break;
        }
    }
    Some(words).filter(|words| !words.is_empty())
}
