//! Editing a history (D39, linear): rounds are taken away, and what was on its way from a run that saw them is not stored.

use mnemograph_compact::{FromJson, sort_by};
use mnemograph_storage::{
    Batch, Durability, Key, Outcome, Part as KeyPart, Range, Record, ScanOptions, Storage, Table,
};
use serde::Serialize;

use super::head::{self, NewEpoch, life_rev};
use super::summarise::{Notes, carry_notes};
use super::{TRIES, conflict, rev};
use crate::error::MemoryError;
use crate::keys::HistoryKey;
use crate::message::Message;
use crate::records::{Extent, Head, IdRow, read_round, text};

/// What to change in a history.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, FromJson)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Edit {
    /// Takes away the rounds after this one.
    TruncateAfter {
        /// The last round that stays.
        round: String,
    },
    /// Takes one round away.
    DeleteRound {
        /// The round.
        round: String,
    },
    /// Takes the last round away, if there is one.
    DeleteLast {},
}

/// What an edit did.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Edited {
    /// The messages that were taken away, in order; without those of rounds that could not be read.
    pub removed: Vec<Message>,
    /// How many messages are left.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub left: u64,
    /// The history's epoch: a new one, unless there was nothing to take away.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub epoch: u64,
}

/// Edits a history in one strict batch that holds only if nobody wrote in between.
///
/// The rounds that stay begin a new life of the history, in their old places: a run that has read those that went
/// belongs to the old life, so that its round is not stored ([`super::Appended::Stale`]), however late it comes. Open
/// rounds go too; who wants to keep those of dead runs calls [`super::recover`] first. Sequence numbers are not given
/// again.
///
/// # Errors
/// `E_BAD_ID` if the round is not in the history; `E_STORE_CONFLICT` after eight tries; what the storage reports. Then
/// nothing is changed.
pub async fn edit<S: Storage>(
    storage: &S,
    key: &HistoryKey,
    edit: &Edit,
) -> Result<Edited, MemoryError> {
    for _ in 0..TRIES {
        let slot = head::read(storage, key).await?.writable(key)?;
        let Some(old) = slot.head else {
            return match edit {
                Edit::DeleteLast {} => Ok(Edited::default()),
                Edit::TruncateAfter { round } | Edit::DeleteRound { round } => Err(no_round(round)),
            };
        };
        let life = life_rev(storage, key, old.epoch, &slot).await?;
        let rounds = Range::prefix(&key.rounds(old.epoch));
        let records = storage
            .scan(Table::Rounds, &rounds, ScanOptions::default())
            .await?;
        let (kept, removed) = split(records, edit)?;
        if removed.is_empty() {
            return Ok(Edited {
                removed: Vec::new(),
                left: old.count,
                epoch: old.epoch,
            });
        }
        let ids = Range::prefix(&key.head());
        let ids = storage
            .scan(Table::RoundIds, &ids, ScanOptions::default())
            .await?;
        let summaries = Range::prefix(&key.head());
        let summaries = storage
            .scan(Table::Summaries, &summaries, ScanOptions::default())
            .await?;
        let notes = Notes::of(key, old.epoch, &summaries);
        let new = NewEpoch::take(storage).await?;
        let batch = Batch::new(Durability::Strict)
            .check(Table::Heads, key.head(), rev(slot.rev))
            .check(Table::Heads, key.life(old.epoch), rev(life))
            .delete_range(Table::Heads, Range::prefix(&key.lives()))
            .merge(new.batch(key));
        let mut head = Head::empty(new.epoch);
        head.next_seq = old.next_seq;
        for end in kept.iter().chain(&removed).filter_map(Extent::of) {
            head.next_seq = head.next_seq.max(end.end);
        }
        let first = removed.iter().filter_map(first_seq).min().unwrap_or(0);
        let mut batch = carry_notes(batch, key, &notes, first, new.epoch)
            .delete_range(Table::Rounds, Range::prefix(&key.head()))
            .delete_range(Table::Journal, Range::prefix(&key.head()));
        for record in &kept {
            batch = carry_over(batch, key, &mut head, record, &ids);
        }
        // A row that stays is overwritten, never deleted and put: its `rev` must grow, for who looked before.
        let mut stay: Vec<Key> = kept.iter().filter_map(|round| id_key(key, round)).collect();
        sort_by(&mut stay, Key::cmp);
        for id in ids {
            if stay.binary_search(&id.key).is_err() {
                batch = batch.delete(Table::RoundIds, id.key);
            }
        }
        let batch = batch.put(Table::Heads, key.head(), head.to_value());
        if storage.commit(batch).await? == Outcome::Committed {
            let removed = removed.iter().filter_map(|record| read_round(record).ok());
            return Ok(Edited {
                removed: removed.flat_map(|round| round.messages).collect(),
                left: head.count,
                epoch: new.epoch,
            });
        }
    }
    Err(conflict(key))
}

/// The rounds that stay and those that go.
fn split(mut records: Vec<Record>, edit: &Edit) -> Result<(Vec<Record>, Vec<Record>), MemoryError> {
    let place = |round: &String| {
        let is_it = |record: &Record| text(&record.value, "round_id").is_ok_and(|id| id == round);
        let place = records.iter().position(is_it);
        place.ok_or_else(|| no_round(round))
    };
    let removed = match edit {
        Edit::TruncateAfter { round } => {
            let place = place(round)?;
            records.split_off(place.saturating_add(1))
        }
        Edit::DeleteRound { round } => {
            let place = place(round)?;
            records.drain(place..=place).collect()
        }
        Edit::DeleteLast {} => records.pop().into_iter().collect(),
    };
    Ok((records, removed))
}

/// Puts a round into the new life, as it is, damaged or not, with the row of its id.
fn carry_over(
    batch: Batch,
    key: &HistoryKey,
    head: &mut Head,
    record: &Record,
    ids: &[Record],
) -> Batch {
    let (Some(extent), Some(KeyPart::Int(first_seq))) =
        (Extent::of(record), record.key.parts().last())
    else {
        return batch;
    };
    head.count = head.count.saturating_add(extent.count);
    head.bytes = head.bytes.saturating_add(extent.bytes);
    let place = key.round(head.epoch, *first_seq);
    let batch = batch.put(Table::Rounds, place, record.value.clone());
    let Some(id_key) = id_key(key, record) else {
        return batch;
    };
    let row = IdRow {
        epoch: head.epoch,
        first_seq: *first_seq,
        n: extent.count,
        bytes: extent.bytes,
        is_final: is_final(&id_key, ids),
    };
    batch.put(Table::RoundIds, id_key, row.to_value())
}

fn first_seq(round: &Record) -> Option<u64> {
    match round.key.parts().last() {
        Some(KeyPart::Int(first_seq)) => Some(*first_seq),
        _ => None,
    }
}

fn id_key(key: &HistoryKey, round: &Record) -> Option<Key> {
    let round_id = text(&round.value, "round_id").ok()?;
    Some(key.round_id(round_id))
}

/// A row that cannot be read counts as final, as an append takes it.
fn is_final(id_key: &Key, ids: &[Record]) -> bool {
    let place = ids.binary_search_by(|record| record.key.cmp(id_key));
    let row = place.ok().and_then(|place| ids.get(place));
    row.and_then(|record| IdRow::read(&record.value).ok())
        .is_none_or(|row| row.is_final)
}

fn no_round(round: &str) -> MemoryError {
    MemoryError::NoRound {
        round: round.to_owned(),
    }
}
