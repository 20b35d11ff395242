//! Reading a history. Never writes, never fails for a damaged record.

use mnemograph_compact::FromJson;
use std::ops::Bound;

use mnemograph_storage::{Key, Range, Record, Scan, ScanOptions, Storage, Table};
use serde::Serialize;

use super::summarise::Notes;
use super::{Base, head};
use crate::error::MemoryError;
use crate::keys::{self, HistoryKey, MemoryType};
use crate::message::{Message, Role};
use crate::records::{Extent, Quarantined, read_round};
use crate::repair::into_repaired;
use crate::summary::DEGRADED;
use crate::view::{ViewPolicy, stored_count};

/// How much to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, FromJson)]
#[serde(rename_all = "snake_case")]
pub enum Read {
    /// All rounds.
    All,
    /// The last rounds, back to where there are more than this many messages that a view shows, and a user message:
    /// enough for a window of that size (0-rulings.md 0.4). Read by pages, whatever the length of the history.
    Tail(usize),
    /// The last rounds, back to what the notes cover, or to where there are more than this many messages: enough for a
    /// view with notes, and to make new ones of all that is not covered, if there is no bound.
    Uncovered(usize),
}

impl Read {
    /// What a view needs.
    #[must_use]
    pub const fn for_view(policy: ViewPolicy) -> Self {
        match policy {
            ViewPolicy::Buffer => Self::All,
            ViewPolicy::Window { size } => Self::Tail(size),
            ViewPolicy::Summary { trigger, .. } => {
                Self::Uncovered(trigger.saturating_mul(DEGRADED))
            }
        }
    }
}

impl Read {
    /// How many rounds are read at first, if not all: a round has two messages at least, mostly, and what the notes do
    /// not cover is about a quarter of what would be too much.
    const fn page(self) -> Option<usize> {
        match self {
            Self::All => None,
            Self::Tail(size) => Some(size / 2 + 2),
            Self::Uncovered(most) if most > 4_096 => Some(16),
            Self::Uncovered(most) => Some(most / 8 + 2),
        }
    }
}

/// A history as it was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded {
    /// What a writer must know; `None` if the history has never been used.
    pub base: Option<Base>,
    /// The messages, in order, with their `seq`.
    pub messages: Vec<Message>,
    /// Stored messages, also those that were not read.
    pub count: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
    /// Rounds that could not be read. They stay where they are.
    pub quarantined: Vec<Quarantined>,
    /// Whether the head was lost or damaged and its numbers come from the rounds; the next append writes it.
    pub head_rebuilt: bool,
    /// Whether the reading reached the beginning of the history.
    pub complete: bool,
    /// The notes on its older part; only of a memory that makes some.
    pub notes: Notes,
}

impl Loaded {
    /// `seq` of the last message that was read; 0 for none.
    #[must_use]
    pub fn last_seq(&self) -> u64 {
        self.messages
            .last()
            .and_then(|message| message.seq)
            .unwrap_or(0)
    }
}

/// What [`super::recover`] and then [`load`] ask of the storage if nothing is to be recovered, and what
/// [`super::open_round`] asks if there is no history yet. Who has them all read at once saves round trips.
#[must_use]
pub fn scans(key: &HistoryKey, read: Read) -> Vec<Scan> {
    let mut scans = first_scans(key, read);
    scans.push(Scan::all(Table::Journal, Range::prefix(&key.head())));
    scans.push(Scan::get(Table::Meta, &keys::next_epoch()));
    scans
}

/// The head first: rounds that arrive in between are then newer than the base, and the append looks again. The rounds are
/// those of all epochs, since it is the head that tells which one counts; clearing removes those of the others.
fn first_scans(key: &HistoryKey, read: Read) -> Vec<Scan> {
    let head = key.head();
    let rounds = match read.page() {
        None => Scan::all(Table::Rounds, Range::prefix(&head)),
        Some(limit) => Scan {
            table: Table::Rounds,
            range: Range::prefix(&head),
            options: page(limit),
        },
    };
    let mut scans = vec![Scan::get(Table::Heads, &head), rounds];
    if key.memory_type() == MemoryType::Summary {
        scans.push(Scan::all(Table::Summaries, Range::prefix(&head)));
    }
    scans
}

const fn page(limit: usize) -> ScanOptions {
    ScanOptions {
        limit: Some(limit),
        reverse: true,
    }
}

/// Reads a history.
///
/// # Errors
/// What the storage reports. A damaged round is left out and described, a damaged head rebuilt.
pub async fn load<S: Storage>(
    storage: &S,
    key: &HistoryKey,
    read: Read,
) -> Result<Loaded, MemoryError> {
    let mut found = storage.scan_all(&first_scans(key, read)).await?.into_iter();
    let head = found.next().unwrap_or_default();
    let rounds = found.next().unwrap_or_default();
    let summaries = found.next().unwrap_or_default();
    let slot = match (read, head.first().and_then(head::readable)) {
        (_, Some(slot)) => slot,
        (Read::Tail(_) | Read::Uncovered(_), None) if !rounds.is_empty() => {
            head::read(storage, key).await?
        }
        (_, None) => head::slot(head.first(), &rounds),
    };
    let Some(mut head) = slot.head else {
        return Ok(Loaded {
            head_rebuilt: slot.rebuilt,
            complete: true,
            ..Loaded::default()
        });
    };
    let prefix = key.rounds(head.epoch);
    let notes = Notes::of(key, head.epoch, &summaries);
    let found = match read.page() {
        None => {
            let mut found = Found::default();
            rounds
                .into_iter()
                .rev()
                .filter(|record| record.key.starts_with(&prefix))
                .for_each(|record| found.add(&record));
            found.complete = true;
            found
        }
        Some(_) if read == Read::Tail(0) => Found::default(),
        Some(limit) => {
            let enough = |found: &Found| found.suffices(read, notes.covers_seq());
            tail(storage, key, &prefix, limit, rounds, enough).await?
        }
    };
    head.next_seq = head.next_seq.max(found.end);
    Ok(Loaded {
        base: slot.newer.is_none().then(|| Base::new(head, slot.rev)),
        messages: found.rounds.into_iter().rev().flatten().collect(),
        count: head.count,
        bytes: head.bytes,
        quarantined: found.quarantined.into_iter().rev().collect(),
        head_rebuilt: slot.rebuilt,
        complete: found.complete,
        notes,
    })
}

/// Rounds that have been read, the last one first.
#[derive(Debug, Default)]
struct Found {
    rounds: Vec<Vec<Message>>,
    quarantined: Vec<Quarantined>,
    end: u64,
    complete: bool,
}

impl Found {
    fn add(&mut self, record: &Record) {
        self.end = self
            .end
            .max(Extent::of(record).map_or(0, |extent| extent.end));
        match read_round(record) {
            Ok(round) => self.rounds.push(round.messages),
            Err(quarantined) => self.quarantined.push(quarantined),
        }
    }

    /// Whether who reads so needs no more.
    fn suffices(&self, read: Read, covers_seq: u64) -> bool {
        match read {
            Read::All => false,
            Read::Tail(size) => {
                let messages: Vec<Message> = self.rounds.iter().rev().flatten().cloned().collect();
                let shown = into_repaired(messages, None).messages;
                stored_count(&shown) > size
                    && shown.iter().any(|message| message.role == Role::User)
            }
            Read::Uncovered(most) => {
                let first = self.rounds.last().and_then(|round| round.first());
                let reached = first.and_then(|message| message.seq);
                reached.is_some_and(|seq| seq <= covers_seq.saturating_add(1))
                    || self.rounds.iter().map(Vec::len).sum::<usize>() > most
            }
        }
    }
}

/// Goes on from the first page, whose rounds may be of several epochs. Pages grow, so that long reads stay linear.
async fn tail<S: Storage>(
    storage: &S,
    key: &HistoryKey,
    rounds: &Key,
    mut limit: usize,
    mut records: Vec<Record>,
    enough: impl Fn(&Found) -> bool,
) -> Result<Found, MemoryError> {
    let mut found = Found::default();
    loop {
        let own = records
            .iter()
            .filter(|record| record.key.starts_with(rounds));
        own.for_each(|record| found.add(record));
        let more = records.last().filter(|_| records.len() >= limit);
        // What stands before the epoch's rounds is of an earlier one.
        let Some(first) = more.filter(|first| first.key >= *rounds) else {
            found.complete = true;
            return Ok(found);
        };
        if enough(&found) {
            return Ok(found);
        }
        let range = Range::bounds(
            Bound::Included(key.head()),
            Bound::Excluded(first.key.clone()),
        );
        limit = limit.saturating_mul(2);
        records = storage.scan(Table::Rounds, &range, page(limit)).await?;
    }
}
