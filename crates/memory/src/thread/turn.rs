//! A turn: its entry is opened with the run and finished with its last commit.

use mnemograph_storage::{
    Batch, Durability, Key, Outcome, Part as KeyPart, Range, Scan, ScanOptions, Storage, Table, get,
};

use super::transcript::{Entry, Shown};
use super::{Thread, check, conflict};
use crate::error::MemoryError;
use crate::history::TRIES;
use crate::keys::check_id;
use crate::message::Message;

/// The longest title that is made of a message, in characters.
const TITLE_CHARS: usize = 80;

/// How many turns before a new one are worth a look: a page that is closed leaves one behind, or two.
pub const EARLIER: usize = 2;

/// What [`turn_batch`] and a [`super::transcript`] of the last [`EARLIER`] turns ask of the storage. Who has them read at
/// once saves round trips.
///
/// # Errors
/// `E_BAD_ID`.
pub fn scans(namespace: &str, thread: &str) -> Result<Vec<Scan>, MemoryError> {
    let key = check(namespace, thread)?;
    Ok(vec![
        Scan::get(Table::Threads, &key),
        Scan::last(Table::Transcripts, Range::prefix(&key), EARLIER),
    ])
}

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

/// A turn that has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// The number of its entry.
    pub entry: u64,
}

/// Opens a turn, relaxed, and with it whatever `extra` writes. The first turn of a thread creates its record.
///
/// # Errors
/// `E_BAD_ID`; `E_THREAD_ACTOR` if the thread belongs to another person; `E_STORE_CONFLICT` after eight tries or if
/// checks of `extra` fail; what the storage reports.
pub async fn open_turn<S: Storage>(
    storage: &S,
    start: &TurnStart<'_>,
    extra: Batch,
) -> Result<Turn, MemoryError> {
    for attempt in 0..TRIES {
        let (turn, batch) = prepare(storage, start, attempt > 0).await?;
        if storage.commit(batch.merge(extra.clone())).await? == Outcome::Committed {
            return Ok(turn);
        }
    }
    Err(conflict(start.thread))
}

/// The batch that [`open_turn`] would write, to go along with another write: with the journal's, a turn begins with one
/// commit. If that fails with `E_STORE_CONFLICT`, somebody else wrote in the thread: use [`open_turn`].
///
/// # Errors
/// As [`open_turn`].
pub async fn turn_batch<S: Storage>(
    storage: &S,
    start: &TurnStart<'_>,
) -> Result<(Turn, Batch), MemoryError> {
    prepare(storage, start, false).await
}

/// After a conflict the entries are looked at too: a record that lost count goes on behind the last one.
async fn prepare<S: Storage>(
    storage: &S,
    start: &TurnStart<'_>,
    after_conflict: bool,
) -> Result<(Turn, Batch), MemoryError> {
    check_id("actor", start.actor)?;
    let key = check(start.namespace, start.thread)?;
    let value = Entry::to_value(start.run_id, start.now, start.shown)?;
    let (mut next, rev) = look(storage, start).await?;
    if next.actor != start.actor {
        return Err(MemoryError::ThreadActor {
            thread: start.thread.to_owned(),
        });
    }
    if after_conflict {
        next.turns = next.turns.max(last_entry(storage, &key).await?);
    }
    next.turns = next.turns.saturating_add(1);
    next.updated_at = start.now;
    if next.title.is_none() && next.turns == 1 {
        next.title = start.shown.user.as_ref().and_then(title);
    }
    let turn = Turn { entry: next.turns };
    let entry = key.with(turn.entry);
    let batch = Batch::new(Durability::Relaxed)
        .check(Table::Threads, key.clone(), rev)
        .check(Table::Transcripts, entry.clone(), None)
        .put(Table::Threads, key, next.to_value())
        .put(Table::Transcripts, entry, value);
    Ok((turn, batch))
}

/// The thread as it is, or as it begins, and the `rev` of its record.
async fn look<S: Storage>(
    storage: &S,
    start: &TurnStart<'_>,
) -> Result<(Thread, Option<u64>), MemoryError> {
    let key = check(start.namespace, start.thread)?;
    match get(storage, Table::Threads, &key).await? {
        None => Ok((
            Thread::new(start.thread, start.actor, None, start.now),
            None,
        )),
        Some(record) => {
            let thread = Thread::read_to_write(&record, start.thread, start.actor, start.now)?;
            Ok((thread, Some(record.rev)))
        }
    }
}

async fn last_entry<S: Storage>(storage: &S, thread: &Key) -> Result<u64, MemoryError> {
    let options = ScanOptions {
        limit: Some(1),
        reverse: true,
    };
    let last = storage
        .scan(Table::Transcripts, &Range::prefix(thread), options)
        .await?;
    Ok(
        match last.first().and_then(|record| record.key.parts().last()) {
            Some(KeyPart::Int(n)) => *n,
            Some(KeyPart::Text(_)) | None => 0,
        },
    )
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
