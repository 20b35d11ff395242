//! Appending a round (0-rulings.md 0.2): one strict batch, optimistic, idempotent by the round's id.

use mnemograph_compact::FromJson;
use mnemograph_storage::{
    Batch, Durability, Outcome, Range, Record, ScanOptions, Storage, Table, get,
};
use serde::Serialize;

use super::head::{LIFE_REV, NewEpoch, in_life, life_rev, rounds_end};
use super::{Base, TRIES, conflict, head, rev};
use crate::error::MemoryError;
use crate::keys::HistoryKey;
use crate::message::Round;
use crate::records::{Head, IdRow, Prepared, integer, read_round, text};

/// What became of an append.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, FromJson)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Appended {
    /// It is stored, durably.
    Stored {
        /// Sequence number of the first message.
        first_seq: u64,
        /// Messages in the round.
        count: u64,
        /// Bytes of its body.
        bytes: u64,
        /// SHA-256 of its body.
        hash: String,
        /// For the next append.
        base: Base,
    },
    /// A round with this id was stored before; nothing was written.
    Already {
        /// Sequence number of the first message.
        first_seq: u64,
        /// Messages in the stored round.
        count: u64,
        /// Bytes of its body.
        bytes: u64,
        /// SHA-256 of its body.
        hash: String,
        /// For the next append.
        base: Base,
    },
    /// The history was cleared or forgotten since the run began: nothing was stored, `extra` neither.
    Stale,
}

/// Appends a round, and with it whatever `extra` writes.
///
/// `base` is what the run knows of the head since [`super::load`] or [`super::open_round`]; while it is fresh, nothing is
/// read. Without one the round goes to whatever history there is. Never drops a round for being late: only another
/// epoch refuses it. Checks in `extra` that fail end in `E_STORE_CONFLICT`.
///
/// # Errors
/// `E_STORE_CONFLICT` after eight tries, with the journal row kept; `E_MEMORY_WRITE` for a round that cannot be stored;
/// what the storage reports. After an unknown outcome repeat the call with the same round: it is stored once.
pub async fn append<S: Storage>(
    storage: &S,
    key: &HistoryKey,
    base: Option<&Base>,
    round: &Round,
    seen_seq: u64,
    extra: Batch,
) -> Result<Appended, MemoryError> {
    let round = Prepared::new(round, seen_seq)?;
    let mut step = match base {
        Some(base) => Step::Write(Plan::fresh(base)),
        None => look(storage, key, None, &round.round_id).await?,
    };
    for _ in 0..TRIES {
        let plan = match step {
            Step::Write(plan) => plan,
            Step::Already(row, known) => return already(storage, key, &round, row, known).await,
            Step::Stale => {
                if let Some(base) = base {
                    drop_journal(storage, key, base.epoch, &round).await;
                }
                return Ok(Appended::Stale);
            }
        };
        let (batch, stored) = plan.batch(key, &round, true);
        match storage.commit(batch.merge(extra.clone())).await? {
            Outcome::Committed => return Ok(stored),
            Outcome::Conflict => step = look(storage, key, base, &round.round_id).await?,
        }
    }
    Err(conflict(key))
}

/// What to do next with a round.
#[derive(Debug)]
pub(super) enum Step {
    Write(Plan),
    Already(IdRow, Base),
    Stale,
}

/// The life of the history that a round goes to.
#[derive(Debug)]
enum Life {
    /// One that goes on; `rev` of its row, 0 if it is lost.
    Present(u64),
    /// One that begins.
    New(NewEpoch),
}

/// What a batch is written against.
#[derive(Debug)]
pub(super) struct Plan {
    head: Head,
    head_rev: u64,
    life: Life,
    /// `rev` of the round id's row, 0 for none.
    id_rev: u64,
    /// The provisional round that this one replaces.
    provisional: Option<IdRow>,
}

impl Plan {
    const fn fresh(base: &Base) -> Self {
        Self {
            head: base.head(),
            head_rev: base.head_rev,
            life: Life::Present(LIFE_REV),
            id_rev: 0,
            provisional: None,
        }
    }

    /// Lets a batch hold only while the head is as it was looked at.
    pub(super) fn guard(&self, batch: Batch, key: &HistoryKey) -> Batch {
        batch.check(Table::Heads, key.head(), rev(self.head_rev))
    }

    /// Where the round will be.
    pub(super) const fn first_seq(&self) -> u64 {
        self.head.next_seq
    }

    /// The batch, and what it amounts to once it is committed.
    ///
    /// A replaced round leaves its place empty and the new one comes at the end: a summary may cover the old numbers.
    pub(super) fn batch(
        &self,
        key: &HistoryKey,
        round: &Prepared,
        is_final: bool,
    ) -> (Batch, Appended) {
        let first_seq = self.first_seq();
        let id_row = IdRow {
            epoch: self.head.epoch,
            first_seq,
            n: round.n,
            bytes: round.bytes,
            is_final,
        };
        let gone = self.provisional.map_or((0, 0), |row| (row.n, row.bytes));
        let head = Head {
            next_seq: first_seq.saturating_add(round.n),
            count: self
                .head
                .count
                .saturating_sub(gone.0)
                .saturating_add(round.n),
            bytes: self
                .head
                .bytes
                .saturating_sub(gone.1)
                .saturating_add(round.bytes),
            ..self.head
        };
        let id_key = key.round_id(&round.round_id);
        let round_key = key.round(head.epoch, first_seq);
        let mut batch = self
            .guard(Batch::new(Durability::Strict), key)
            .check(Table::RoundIds, id_key.clone(), rev(self.id_rev))
            .check(Table::Rounds, round_key.clone(), None)
            .put(Table::RoundIds, id_key, id_row.to_value())
            .put(Table::Rounds, round_key, round.to_value())
            .put(Table::Heads, key.head(), head.to_value())
            .delete(Table::Journal, key.journal(head.epoch, &round.round_id));
        if let Some(old) = &self.provisional {
            batch = batch.delete(Table::Rounds, key.round(old.epoch, old.first_seq));
        }
        batch = match &self.life {
            Life::Present(life_rev) => in_life(batch, key, head.epoch, *life_rev),
            Life::New(new) => batch.merge(new.batch(key)),
        };
        let stored = Appended::Stored {
            first_seq,
            count: round.n,
            bytes: round.bytes,
            hash: round.hash.clone(),
            base: Base::new(head, self.head_rev + 1),
        };
        (batch, stored)
    }
}

/// Reads what an append must know after a conflict.
pub(super) async fn look<S: Storage>(
    storage: &S,
    key: &HistoryKey,
    base: Option<&Base>,
    round_id: &str,
) -> Result<Step, MemoryError> {
    let id_record = get(storage, Table::RoundIds, &key.round_id(round_id)).await?;
    let slot = head::read(storage, key).await?.writable(key)?;
    let mut plan = Plan {
        head: Head::empty(0),
        head_rev: slot.rev,
        life: Life::Present(LIFE_REV),
        id_rev: id_record.as_ref().map_or(0, |record| record.rev),
        provisional: None,
    };
    plan.head = match (slot.head, base) {
        (Some(head), Some(base)) if head.epoch != base.epoch => return Ok(Step::Stale),
        (Some(head), _) => head,
        // The head is not there. Forgetting a history takes its journal along, so a row that is left tells a lost head.
        (None, Some(base))
            if slot.rev == 0 && !has_journal(storage, key, base, round_id).await? =>
        {
            return Ok(Step::Stale);
        }
        // Nothing of it can be read: what the writer knows is the best there is.
        (None, Some(base)) => base.head(),
        (None, None) => {
            let new = NewEpoch::take(storage).await?;
            let head = Head::empty(new.epoch);
            plan.life = Life::New(new);
            head
        }
    };
    if let Life::Present(known) = &mut plan.life {
        *known = life_rev(storage, key, plan.head.epoch, &slot).await?;
    }
    let end = rounds_end(storage, &key.rounds(plan.head.epoch)).await?;
    plan.head.next_seq = plan.head.next_seq.max(end);
    let row = match &id_record {
        None => None,
        Some(record) => match IdRow::read(&record.value) {
            Ok(row) => Some(row),
            Err(_) => find_round(storage, key, plan.head.epoch, round_id).await?,
        },
    };
    // A row of another life was cleared while this was being read; the batch will find that out.
    match row.filter(|row| row.epoch == plan.head.epoch) {
        Some(row) if row.is_final => Ok(Step::Already(row, Base::new(plan.head, plan.head_rev))),
        row => {
            plan.provisional = row;
            Ok(Step::Write(plan))
        }
    }
}

async fn has_journal<S: Storage>(
    storage: &S,
    key: &HistoryKey,
    base: &Base,
    round_id: &str,
) -> Result<bool, MemoryError> {
    let record = get(storage, Table::Journal, &key.journal(base.epoch, round_id)).await?;
    Ok(record.is_some())
}

/// Looks for a round whose id row is damaged. Rare, so it may read them all.
async fn find_round<S: Storage>(
    storage: &S,
    key: &HistoryKey,
    epoch: u64,
    round_id: &str,
) -> Result<Option<IdRow>, MemoryError> {
    let range = Range::prefix(&key.rounds(epoch));
    let records = storage
        .scan(Table::Rounds, &range, ScanOptions::default())
        .await?;
    let has_id = |record: &&Record| text(&record.value, "round_id").is_ok_and(|id| id == round_id);
    Ok(records.iter().find(has_id).and_then(|record| {
        let first_seq = match record.key.parts().last() {
            Some(mnemograph_storage::Part::Int(first_seq)) => *first_seq,
            Some(mnemograph_storage::Part::Text(_)) | None => return None,
        };
        Some(IdRow {
            epoch,
            first_seq,
            n: integer(&record.value, "n").unwrap_or(0),
            bytes: integer(&record.value, "bytes").unwrap_or(0),
            is_final: true,
        })
    }))
}

async fn already<S: Storage>(
    storage: &S,
    key: &HistoryKey,
    round: &Prepared,
    row: IdRow,
    base: Base,
) -> Result<Appended, MemoryError> {
    drop_journal(storage, key, row.epoch, round).await;
    let record = get(storage, Table::Rounds, &key.round(row.epoch, row.first_seq)).await?;
    let hash = record
        .and_then(|record| read_round(&record).ok())
        .map(|stored| stored.hash);
    Ok(Appended::Already {
        first_seq: row.first_seq,
        count: row.n,
        bytes: row.bytes,
        hash: hash.unwrap_or_else(|| round.hash.clone()),
        base,
    })
}

/// A journal row that nobody needs any more must not keep text that was cleared. If this fails, recovery does it.
async fn drop_journal<S: Storage>(storage: &S, key: &HistoryKey, epoch: u64, round: &Prepared) {
    let journal = key.journal(epoch, &round.round_id);
    let batch = Batch::new(Durability::Relaxed).delete(Table::Journal, journal);
    let _ = storage.commit(batch).await;
}
