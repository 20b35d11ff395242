//! The notes of a history in the store: read with it, replaced by one batch that holds only if nothing else has replaced
//! them and the history still lives (D17).

use mnemograph_storage::{Batch, Durability, Outcome, Part as KeyPart, Record, Storage, Table};

use super::head::{LIFE_REV, in_life};
use super::rev;
use crate::error::MemoryError;
use crate::keys::HistoryKey;
use crate::records::{check_version, integer, text, value};
use crate::summary::{FailedSummary, Summary};

/// Earlier notes that are kept for edits.
const SNAPSHOTS: usize = 8;

/// The notes of one life of a history.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Notes {
    /// What holds now.
    pub summary: Option<Summary>,
    /// Attempts that failed since it was made.
    pub failed: Option<FailedSummary>,
    /// `rev` of the record that holds now, 0 for none.
    rev: u64,
    /// Earlier notes, oldest first.
    pub(super) snapshots: Vec<Summary>,
}

impl Notes {
    /// From the records under the history's head, of all epochs. One that cannot be read counts as absent: the messages
    /// are all there, and new notes will replace it.
    pub(super) fn of(key: &HistoryKey, epoch: u64, records: &[Record]) -> Self {
        let current = key.summary(epoch);
        let mut notes = Self::default();
        for record in records {
            if record.key == current {
                notes.rev = record.rev;
                notes.summary = read(record);
            } else if record.key.starts_with(&current) {
                match record.key.parts().last() {
                    Some(KeyPart::Int(0)) => notes.failed = read_failed(record),
                    _ => notes.snapshots.extend(read(record)),
                }
            }
        }
        notes
    }

    /// `seq` of the last message that they cover, 0 without any.
    #[must_use]
    pub fn covers_seq(&self) -> u64 {
        self.summary
            .as_ref()
            .map_or(0, |summary| summary.covers_seq)
    }

    /// Those that cover nothing at or after this place, oldest first.
    fn before(&self, seq: u64) -> impl Iterator<Item = &Summary> {
        let all = self.snapshots.iter().chain(&self.summary);
        all.filter(move |summary| summary.covers_seq < seq)
    }
}

/// Replaces the notes. False if others were faster, or the history was cleared, edited or forgotten since it was read.
///
/// # Errors
/// What the storage reports. Then nothing is changed.
pub async fn replace_summary<S: Storage>(
    storage: &S,
    key: &HistoryKey,
    epoch: u64,
    known: &Notes,
    summary: &Summary,
) -> Result<bool, MemoryError> {
    let batch = in_life(Batch::new(Durability::Strict), key, epoch, LIFE_REV)
        .check(Table::Summaries, key.summary(epoch), rev(known.rev))
        .put(Table::Summaries, key.summary(epoch), to_value(summary))
        .delete(Table::Summaries, key.snapshot(epoch, 0));
    let batch = match &known.summary {
        None => batch,
        Some(old) => batch.put(
            Table::Summaries,
            key.snapshot(epoch, old.covers_seq),
            to_value(old),
        ),
    };
    let spare = known.snapshots.len().saturating_sub(SNAPSHOTS - 1);
    let batch = known
        .snapshots
        .iter()
        .take(spare)
        .fold(batch, |batch, old| {
            batch.delete(Table::Summaries, key.snapshot(epoch, old.covers_seq))
        });
    Ok(storage.commit(batch).await? == Outcome::Committed)
}

/// Notes that an attempt failed. False as for [`replace_summary`].
///
/// # Errors
/// What the storage reports.
pub async fn note_failed_summary<S: Storage>(
    storage: &S,
    key: &HistoryKey,
    epoch: u64,
    known: &Notes,
    failed: &FailedSummary,
) -> Result<bool, MemoryError> {
    let row = value([
        ("fails", failed.fails.into()),
        ("at_seq", failed.at_seq.into()),
        ("code", failed.code.as_str().into()),
    ]);
    let batch = in_life(Batch::new(Durability::Relaxed), key, epoch, LIFE_REV)
        .check(Table::Summaries, key.summary(epoch), rev(known.rev))
        .put(Table::Summaries, key.snapshot(epoch, 0), row);
    Ok(storage.commit(batch).await? == Outcome::Committed)
}

/// Adds to an edit what becomes of the notes: those that cover nothing of what goes are carried into the new life, the
/// others go (D19). The one place where an edit touches them.
pub(super) fn carry_notes(
    batch: Batch,
    key: &HistoryKey,
    notes: &Notes,
    first_removed: u64,
    new_epoch: u64,
) -> Batch {
    let range = mnemograph_storage::Range::prefix(&key.head());
    let batch = batch.delete_range(Table::Summaries, range);
    let mut kept: Vec<&Summary> = notes.before(first_removed).collect();
    let present = kept.pop();
    let batch = kept.into_iter().fold(batch, |batch, old| {
        let key = key.snapshot(new_epoch, old.covers_seq);
        batch.put(Table::Summaries, key, to_value(old))
    });
    match present {
        None => batch,
        Some(summary) => batch.put(Table::Summaries, key.summary(new_epoch), to_value(summary)),
    }
}

fn to_value(summary: &Summary) -> mnemograph_storage::Value {
    value([
        ("text", summary.text.as_str().into()),
        ("covers_seq", summary.covers_seq.into()),
        ("covers_count", summary.covers_count.into()),
        ("model", summary.model.as_str().into()),
        ("prompt_version", summary.prompt_version.into()),
        ("created_at", summary.created_at.into()),
    ])
}

fn read(record: &Record) -> Option<Summary> {
    let value = &record.value;
    check_version(value).ok()?;
    Some(Summary {
        text: text(value, "text").ok()?.to_owned(),
        covers_seq: integer(value, "covers_seq").ok()?,
        covers_count: integer(value, "covers_count").ok()?,
        model: text(value, "model").ok()?.to_owned(),
        prompt_version: small(value, "prompt_version")?,
        created_at: integer(value, "created_at").ok()?,
    })
}

fn read_failed(record: &Record) -> Option<FailedSummary> {
    let value = &record.value;
    check_version(value).ok()?;
    Some(FailedSummary {
        fails: small(value, "fails")?,
        at_seq: integer(value, "at_seq").ok()?,
        code: text(value, "code").ok()?.to_owned(),
    })
}

fn small(value: &mnemograph_storage::Value, name: &str) -> Option<u32> {
    u32::try_from(integer(value, name).ok()?).ok()
}
