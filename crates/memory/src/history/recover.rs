//! Recovery (D33): the open rounds of runs that are no more become aborted rounds.

use mnemograph_compact::FromJson;
use mnemograph_storage::{
    Batch, Durability, Outcome, Range, Record, ScanOptions, Storage, Table, get,
};
use serde::Serialize;

use super::append::{Step, look};
use super::{Base, TRIES, conflict};
use crate::error::MemoryError;
use crate::keys::HistoryKey;
use crate::message::Status;
use crate::records::{Head, JournalRow, Prepared, Quarantined, read_journal};

/// A round that recovery stored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, FromJson)]
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
        finalise(storage, key, &is_live, &record, &mut recovered).await?;
    }
    Ok(recovered)
}

/// Each turn first looks at the head and then reads the row anew. A row whose content still
/// counts only ever goes with a change of the head, so the batch, which checks both, removes no row but the one that was
/// read, even where it went and came again in between.
async fn finalise<S: Storage>(
    storage: &S,
    key: &HistoryKey,
    is_live: &impl Fn(&str) -> bool,
    record: &Record,
    recovered: &mut Recovered,
) -> Result<(), MemoryError> {
    let (row, epoch) = match read_journal(record) {
        Ok(row) => row,
        Err(quarantined) => {
            recovered.quarantined.push(quarantined);
            return Ok(());
        }
    };
    if is_live(&row.round.run_id) {
        return Ok(());
    }
    let base = Base::new(Head::empty(epoch), 0);
    for _ in 0..TRIES {
        let step = look(storage, key, Some(&base), &row.round.id).await?;
        let Some(record) = get(storage, Table::Journal, &record.key).await? else {
            return Ok(());
        };
        let Ok((row, _)) = read_journal(&record) else {
            return Ok(());
        };
        let (batch, stored) = plan(key, step, row, &record)?;
        if storage.commit(batch).await? == Outcome::Committed {
            recovered.rounds.extend(stored);
            return Ok(());
        }
    }
    Err(conflict(key))
}

/// What to do with a row: store its round, or only remove it where the round is stored for good, its history was
/// cleared, or there is nothing in it.
fn plan(
    key: &HistoryKey,
    step: Step,
    mut row: JournalRow,
    record: &Record,
) -> Result<(Batch, Option<RecoveredRound>), MemoryError> {
    let remove = Batch::new(Durability::Strict)
        .check(Table::Journal, record.key.clone(), Some(record.rev))
        .delete(Table::Journal, record.key.clone());
    let plan = match step {
        Step::Stale | Step::Already(..) => return Ok((remove, None)),
        Step::Write(plan) => plan,
    };
    if row.round.messages.is_empty() {
        return Ok((plan.guard(remove, key), None));
    }
    row.round.end(Status::Aborted, None);
    let round = Prepared::new(&row.round, row.seen_seq)?;
    let (batch, _) = plan.batch(key, &round, false);
    let stored = RecoveredRound {
        round_id: row.round.id,
        run_id: row.round.run_id,
        first_seq: plan.first_seq(),
        count: round.n,
        updated_at: row.updated_at,
    };
    Ok((batch.merge(remove), Some(stored)))
}
