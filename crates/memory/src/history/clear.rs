//! Clearing a history (D40): it begins a new life, and what was on its way to the old one is not stored.

use mnemograph_compact::FromJson;
use mnemograph_storage::{Batch, Durability, Outcome, Range, Storage, Table};
use serde::Serialize;

use super::head::NewEpoch;
use super::{TRIES, conflict, head, rev};
use crate::error::MemoryError;
use crate::keys::HistoryKey;
use crate::records::Head;

/// What was cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Cleared {
    /// Messages that are gone.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub messages: u64,
    /// The history's new epoch.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub epoch: u64,
}

/// Removes rounds, summary and journal of this history in one strict batch. Its head stays, with a new epoch.
///
/// # Errors
/// `E_STORE_CONFLICT` after eight tries; what the storage reports. Then nothing is cleared.
pub async fn clear<S: Storage>(storage: &S, key: &HistoryKey) -> Result<Cleared, MemoryError> {
    for _ in 0..TRIES {
        let slot = head::read(storage, key).await?.writable(key)?;
        let new = NewEpoch::take(storage).await?;
        let batch = Batch::new(Durability::Strict)
            .check(Table::Heads, key.head(), rev(slot.rev))
            .put(Table::Heads, key.head(), Head::empty(new.epoch).to_value())
            .delete_range(Table::Heads, Range::prefix(&key.lives()))
            .merge(new.batch(key));
        if storage.commit(delete_contents(batch, key)).await? == Outcome::Committed {
            return Ok(Cleared {
                messages: slot.head.map_or(0, |head| head.count),
                epoch: new.epoch,
            });
        }
    }
    Err(conflict(key))
}

/// Adds the removal of all that belongs to a history but its head.
pub(crate) fn delete_contents(batch: Batch, key: &HistoryKey) -> Batch {
    let range = Range::prefix(&key.head());
    [
        Table::Rounds,
        Table::RoundIds,
        Table::Journal,
        Table::Summaries,
    ]
    .into_iter()
    .fold(batch, |batch, table| {
        batch.delete_range(table, range.clone())
    })
}
