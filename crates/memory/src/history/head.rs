//! Heads: reading one, rebuilding one, beginning one.

use mnemograph_storage::{
    Batch, Durability, Key, Range, Record, ScanOptions, Storage, Table, Value, get,
};
use serde_json::Value as Json;

use super::rev;
use crate::error::MemoryError;
use crate::keys::{self, HistoryKey};
use crate::records::{Damage, Extent, Head, check_version, counter, integer, value};

/// What is known of a history's head.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slot {
    /// `rev` of its record, 0 for none.
    pub(super) rev: u64,
    /// The head, rebuilt from the rounds if need be; `None` if there is nothing to rebuild it from.
    pub(super) head: Option<Head>,
    /// Whether it had to be rebuilt.
    pub(super) rebuilt: bool,
    /// The version of the record if newer code wrote it: it can be read around, never written.
    pub(super) newer: Option<u64>,
}

impl Slot {
    pub(super) fn writable(self, key: &HistoryKey) -> Result<Self, MemoryError> {
        match self.newer {
            None => Ok(self),
            Some(version) => Err(MemoryError::NewerRecord {
                key: key.head(),
                version,
            }),
        }
    }
}

pub(super) async fn read<S: Storage>(storage: &S, key: &HistoryKey) -> Result<Slot, MemoryError> {
    let record = get(storage, Table::Heads, &key.head()).await?;
    if let Some(slot) = record.as_ref().and_then(readable) {
        return Ok(slot);
    }
    let range = Range::prefix(&key.head());
    let rounds = storage
        .scan(Table::Rounds, &range, ScanOptions::default())
        .await?;
    Ok(slot(record.as_ref(), &rounds))
}

pub(super) fn readable(record: &Record) -> Option<Slot> {
    let head = Head::read(&record.value).ok()?;
    Some(Slot {
        rev: record.rev,
        head: Some(head),
        rebuilt: false,
        newer: None,
    })
}

/// What a head's record says, or, where it is lost or damaged, the history's rounds of all epochs.
pub(super) fn slot(record: Option<&Record>, rounds: &[Record]) -> Slot {
    if let Some(slot) = record.and_then(readable) {
        return slot;
    }
    let head = rebuild(rounds, record.map(|record| &record.value));
    let damage = record.and_then(|record| Head::read(&record.value).err());
    let is_newer = damage.is_some_and(|fault| fault.damage == Damage::NewerVersion);
    Slot {
        rev: record.map_or(0, |record| record.rev),
        head,
        rebuilt: record.is_some() || head.is_some(),
        newer: record
            .filter(|_| is_newer)
            .and_then(|record| integer(&record.value, "v").ok()),
    }
}

/// A head from the rounds. A damaged one may still tell the epoch; else it is the highest that a round has.
fn rebuild(rounds: &[Record], damaged: Option<&Value>) -> Option<Head> {
    let extents: Vec<Extent> = rounds.iter().filter_map(Extent::of).collect();
    let told = damaged.and_then(|value| counter(value, "epoch").ok());
    let epoch = told.or_else(|| extents.iter().map(|extent| extent.epoch).max())?;
    let mut head = Head::empty(epoch);
    for extent in extents.iter().filter(|extent| extent.epoch == epoch) {
        head.next_seq = head.next_seq.max(extent.end);
        head.count = head.count.saturating_add(extent.count);
        head.bytes = head.bytes.saturating_add(extent.bytes);
    }
    Some(head)
}

/// A new life of a history: what a batch must do so that its epoch is nobody else's.
#[derive(Debug, Clone)]
pub(super) struct NewEpoch {
    pub(super) epoch: u64,
    counter_rev: u64,
}

impl NewEpoch {
    /// Takes the next epoch. A counter that is lost or damaged goes on above all epochs that heads have.
    pub(super) async fn take<S: Storage>(storage: &S) -> Result<Self, MemoryError> {
        let record = get(storage, Table::Meta, &keys::next_epoch()).await?;
        let counter_rev = record.as_ref().map_or(0, |record| record.rev);
        let counter = match record {
            None => None,
            Some(record) => {
                match check_version(&record.value).and_then(|()| counter(&record.value, "next")) {
                    Ok(next) => Some(next),
                    Err(fault) if fault.damage == Damage::NewerVersion => {
                        return Err(MemoryError::NewerRecord {
                            key: record.key,
                            version: integer(&record.value, "v").unwrap_or(0),
                        });
                    }
                    Err(_) => None,
                }
            }
        };
        let epoch = match counter {
            Some(next) => next,
            None => above_all_heads(storage).await?,
        };
        Ok(Self { epoch, counter_rev })
    }

    /// The counter's step, and the row that stands for the new life.
    pub(super) fn batch(&self, key: &HistoryKey) -> Batch {
        let next = value([("next", Json::from(self.epoch.saturating_add(1)))]);
        Batch::new(Durability::Relaxed)
            .check(Table::Meta, keys::next_epoch(), rev(self.counter_rev))
            .put(Table::Meta, keys::next_epoch(), next)
            .put(Table::Heads, key.life(self.epoch), value([]))
    }
}

/// `rev` of the row that stands for a life of the history: it is put once.
pub(super) const LIFE_REV: u64 = 1;

/// `rev` of that row as it is, 0 if it is lost.
///
/// A row that is not there is lost only if the head that was looked at before is there after: else the history was
/// forgotten in between, and what this gives makes the batch fail.
pub(super) async fn life_rev<S: Storage>(
    storage: &S,
    key: &HistoryKey,
    epoch: u64,
    slot: &Slot,
) -> Result<u64, MemoryError> {
    if let Some(record) = get(storage, Table::Heads, &key.life(epoch)).await? {
        return Ok(record.rev);
    }
    let again = read(storage, key).await?;
    let epoch_of = |slot: &Slot| slot.head.map(|head| head.epoch);
    let is_same = again.rev == slot.rev && epoch_of(&again) == epoch_of(slot);
    Ok(if is_same { 0 } else { LIFE_REV })
}

/// Lets a batch hold only in this life of the history, and writes the row that stands for it where it is lost.
pub(super) fn in_life(batch: Batch, key: &HistoryKey, epoch: u64, life_rev: u64) -> Batch {
    let batch = batch.check(Table::Heads, key.life(epoch), rev(life_rev));
    match life_rev {
        0 => batch.put(Table::Heads, key.life(epoch), value([])),
        _ => batch,
    }
}

async fn above_all_heads<S: Storage>(storage: &S) -> Result<u64, MemoryError> {
    let heads = storage
        .scan(Table::Heads, &Range::all(), ScanOptions::default())
        .await?;
    let epochs = heads
        .iter()
        .filter_map(|record| counter(&record.value, "epoch").ok());
    Ok(epochs.max().unwrap_or(0).saturating_add(1))
}

/// Where the rounds of an epoch really end: a damaged head must not make an append meet a round.
pub(super) async fn rounds_end<S: Storage>(storage: &S, rounds: &Key) -> Result<u64, MemoryError> {
    let options = ScanOptions {
        limit: Some(1),
        reverse: true,
    };
    let last = storage
        .scan(Table::Rounds, &Range::prefix(rounds), options)
        .await?;
    Ok(last
        .first()
        .and_then(Extent::of)
        .map_or(1, |extent| extent.end))
}
