//! The journal of open rounds (D33): what a crash leaves.

use mnemograph_storage::{Batch, Durability, Outcome, Storage, Table};

use super::head::{LIFE_REV, NewEpoch, in_life, life_rev};
use super::{Base, TRIES, conflict, head, rev};
use crate::error::MemoryError;
use crate::keys::HistoryKey;
use crate::records::{Head, JournalRow, Prepared};

/// Notes that a round is open, relaxed, and with it whatever `extra` writes: a turn costs one relaxed and one strict
/// commit. Makes sure that the history has a head, so that clearing it during the run always wins.
///
/// `base` is that of the load. If the history was cleared since, no row is written, and `extra` all the same: the append
/// will be stale.
///
/// # Errors
/// `E_STORE_CONFLICT` after eight tries or if checks of `extra` fail; what the storage reports.
pub async fn open_round<S: Storage>(
    storage: &S,
    key: &HistoryKey,
    base: Option<&Base>,
    row: &JournalRow,
    extra: Batch,
) -> Result<Base, MemoryError> {
    let round = Prepared::new(&row.round, row.seen_seq)?;
    let mut known = match base {
        Some(base) => Known::Head(*base, LIFE_REV),
        None => look(storage, key, None).await?,
    };
    for _ in 0..TRIES {
        let mut batch = Batch::new(Durability::Relaxed).merge(extra.clone());
        let base = match &known {
            Known::Head(base, life_rev) => {
                batch = in_life(batch, key, base.epoch, *life_rev);
                // That others append meanwhile is no matter, but what is written anew must not be forgotten since.
                if *life_rev == 0 {
                    batch = batch.check(Table::Heads, key.head(), rev(base.head_rev));
                }
                *base
            }
            Known::Nothing { head_rev, new } => {
                let head = Head::empty(new.epoch);
                batch = batch
                    .check(Table::Heads, key.head(), rev(*head_rev))
                    .put(Table::Heads, key.head(), head.to_value())
                    .merge(new.batch(key));
                Base::new(head, head_rev + 1)
            }
            Known::Other(base) => *base,
        };
        if !matches!(known, Known::Other(_)) {
            let journal = round.to_journal(base.epoch, row.updated_at);
            batch = batch.put(
                Table::Journal,
                key.journal(base.epoch, &round.round_id),
                journal,
            );
        }
        if batch.is_read_only() || storage.commit(batch).await? == Outcome::Committed {
            return Ok(base);
        }
        known = look(storage, key, base_of(&known)).await?;
    }
    Err(conflict(key))
}

/// Renews the journal row of an open round, relaxed. If the history was cleared since, nothing is written: what was
/// cleared must not come back. Gives the base for the next write.
///
/// # Errors
/// As [`open_round`].
pub async fn write_journal<S: Storage>(
    storage: &S,
    key: &HistoryKey,
    base: &Base,
    row: &JournalRow,
) -> Result<Base, MemoryError> {
    open_round(
        storage,
        key,
        Some(base),
        row,
        Batch::new(Durability::Relaxed),
    )
    .await
}

enum Known {
    /// The head that the row belongs to, and the `rev` of its life's row.
    Head(Base, u64),
    /// There is no head, or none that can be read.
    Nothing { head_rev: u64, new: NewEpoch },
    /// The history has begun another life.
    Other(Base),
}

/// The base that the run has, if it has one: not one that this call was about to make.
const fn base_of(known: &Known) -> Option<&Base> {
    match known {
        Known::Head(base, _) | Known::Other(base) => Some(base),
        Known::Nothing { .. } => None,
    }
}

async fn look<S: Storage>(
    storage: &S,
    key: &HistoryKey,
    base: Option<&Base>,
) -> Result<Known, MemoryError> {
    let slot = head::read(storage, key).await?.writable(key)?;
    let base = match (slot.head, base) {
        (Some(head), Some(base)) if head.epoch != base.epoch => return Ok(Known::Other(*base)),
        (None, Some(base)) if slot.rev == 0 => return Ok(Known::Other(*base)),
        (None, Some(base)) => Base {
            head_rev: slot.rev,
            ..*base
        },
        (Some(head), _) => Base::new(head, slot.rev),
        (None, None) => {
            return Ok(Known::Nothing {
                head_rev: slot.rev,
                new: NewEpoch::take(storage).await?,
            });
        }
    };
    let life_rev = life_rev(storage, key, base.epoch, &slot).await?;
    Ok(Known::Head(base, life_rev))
}
