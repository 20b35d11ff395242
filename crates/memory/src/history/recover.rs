//! Recovery (D33): the open rounds of runs that are no more become aborted rounds.

use mnemograph_storage::{
    Batch, Durability, Key, Outcome, Range, Record, ScanOptions, Storage, Table, get,
};
use serde::{Deserialize, Serialize};

use super::append::{Appended, Plan, Step, look};
use super::{Base, TRIES, conflict};
use crate::error::MemoryError;
use crate::keys::HistoryKey;
use crate::message::Status;
use crate::records::{Head, JournalRow, Prepared, Quarantined, read_journal, text};

/// A round that recovery stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecoveredRound {
    /// Its id.
    pub round_id: String,
    /// The run that began it.
    pub run_id: String,
    /// Sequence number of its first message.
    pub first_seq: u64,
    /// Its messages.
    pub count: u64,
    /// When its run last gave a sign of life, milliseconds since the epoch.
    pub updated_at: u64,
}

/// What recovery did.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Recovered {
    /// Rounds that are stored now.
    pub rounds: Vec<RecoveredRound>,
    /// Journal rows that could not be read. They stay where they are.
    pub quarantined: Vec<Quarantined>,
}

/// Stores the open rounds of this history whose runs are not live, marked `aborted`, and removes their journal rows in
/// the same batch. Idempotent. What is stored so is provisional: if the run lives after all and appends, its own round
/// takes the place.
///
/// # Errors
/// `E_STORE_CONFLICT` after eight tries for one row; what the storage reports. The rows are then kept.
pub async fn recover<S: Storage>(
    storage: &S,
    key: &HistoryKey,
    is_live: impl Fn(&str) -> bool,
) -> Result<Recovered, MemoryError> {
    let range = Range::prefix(&key.head());
    let rows = storage
        .scan(Table::Journal, &range, ScanOptions::default())
        .await?;
    let mut recovered = Recovered::default();
    for record in rows {
        finalise(storage, key, &is_live, record, &mut recovered).await?;
    }
    Ok(recovered)
}

async fn finalise<S: Storage>(
    storage: &S,
    key: &HistoryKey,
    is_live: &impl Fn(&str) -> bool,
    mut record: Record,
    recovered: &mut Recovered,
) -> Result<(), MemoryError> {
    for _ in 0..TRIES {
        let (mut row, epoch) = match read_journal(&record) {
            Ok(row) => row,
            Err(quarantined) => {
                recovered.quarantined.push(quarantined);
                return Ok(());
            }
        };
        if is_live(&row.round.run_id) {
            return Ok(());
        }
        row.round.end(Status::Aborted, None);
        let (batch, stored) = plan(storage, key, &row, epoch, &record.key).await?;
        let batch = batch.check(Table::Journal, record.key.clone(), Some(record.rev));
        if storage.commit(batch).await? == Outcome::Committed {
            recovered.rounds.extend(stored);
            return Ok(());
        }
        // Its run has gone on, or another tab was faster.
        match get(storage, Table::Journal, &record.key).await? {
            Some(newer) => record = newer,
            None => return Ok(()),
        }
    }
    Err(conflict(key))
}

/// What to do with a row: store its round, or only remove it where the round is stored or its history was cleared.
async fn plan<S: Storage>(
    storage: &S,
    key: &HistoryKey,
    row: &JournalRow,
    epoch: u64,
    journal: &Key,
) -> Result<(Batch, Option<RecoveredRound>), MemoryError> {
    let remove = || Batch::new(Durability::Strict).delete(Table::Journal, journal.clone());
    if row.round.messages.is_empty() {
        return Ok((remove(), None));
    }
    let round = Prepared::new(&row.round, row.seen_seq)?;
    let base = Base::new(Head::empty(epoch), 0);
    match look(storage, key, Some(&base), &round).await? {
        Step::Stale | Step::Already(..) => Ok((remove(), None)),
        Step::Write(plan) if is_stored(storage, key, &plan, &round).await? => Ok((remove(), None)),
        Step::Write(plan) => {
            let (batch, appended) = plan.batch(key, &round, false);
            let first_seq = match appended {
                Appended::Stored { first_seq, .. } | Appended::Already { first_seq, .. } => {
                    first_seq
                }
                Appended::Stale => return Ok((remove(), None)),
            };
            let stored = RecoveredRound {
                round_id: row.round.id.clone(),
                run_id: row.round.run_id.clone(),
                first_seq,
                count: round.n,
                updated_at: row.updated_at,
            };
            Ok((batch, Some(stored)))
        }
    }
}

/// Whether recovery has stored exactly this before.
async fn is_stored<S: Storage>(
    storage: &S,
    key: &HistoryKey,
    plan: &Plan,
    round: &Prepared,
) -> Result<bool, MemoryError> {
    let Some(row) = plan.provisional() else {
        return Ok(false);
    };
    let record = get(storage, Table::Rounds, &key.round(row.epoch, row.first_seq)).await?;
    Ok(record
        .is_some_and(|record| text(&record.value, "hash").is_ok_and(|hash| hash == round.hash)))
}
