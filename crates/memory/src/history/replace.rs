//! Overwriting a history (D28): what is given is all that it holds from now on.

use mnemograph_storage::{Batch, Durability, Outcome, Range, Storage, Table};

use super::head::NewEpoch;
use super::{TRIES, clear::delete_contents, conflict, head, rev};
use crate::error::MemoryError;
use crate::keys::HistoryKey;
use crate::message::{Message, Role, Round};
use crate::records::{Head, IdRow, Prepared};

/// Rounds of a list of messages: one begins with each message of the person. Their ids are made of `prefix`.
#[must_use]
pub fn rounds_of(messages: Vec<Message>, prefix: &str, run_id: &str) -> Vec<Round> {
    let mut rounds: Vec<Round> = Vec::new();
    for message in messages {
        if message.role == Role::User || rounds.is_empty() {
            let id = format!("{prefix}_{}", rounds.len());
            rounds.push(Round::new(id, run_id));
        }
        if let Some(round) = rounds.last_mut() {
            round.messages.push(message);
        }
    }
    rounds
}

/// Puts these rounds in the place of all that a history holds, in one strict batch: its numbers begin anew, its notes and
/// open rounds go, and what was on its way to its old life is not stored.
///
/// # Errors
/// `E_MEMORY_WRITE` for a round that cannot be stored; `E_STORE_CONFLICT` after eight tries; what the storage reports.
/// Then nothing is changed.
pub async fn replace<S: Storage>(
    storage: &S,
    key: &HistoryKey,
    rounds: &[Round],
) -> Result<(), MemoryError> {
    let prepared = rounds.iter().map(|round| Prepared::new(round, 0));
    let prepared = prepared.collect::<Result<Vec<_>, _>>()?;
    for _ in 0..TRIES {
        let slot = head::read(storage, key).await?.writable(key)?;
        let new = NewEpoch::take(storage).await?;
        let batch = Batch::new(Durability::Strict)
            .check(Table::Heads, key.head(), rev(slot.rev))
            .delete_range(Table::Heads, Range::prefix(&key.lives()))
            .merge(new.batch(key));
        let mut batch = delete_contents(batch, key);
        let mut head = Head::empty(new.epoch);
        for round in &prepared {
            let first_seq = head.next_seq;
            let row = IdRow {
                epoch: head.epoch,
                first_seq,
                n: round.n,
                bytes: round.bytes,
                is_final: true,
            };
            batch = batch
                .put(
                    Table::Rounds,
                    key.round(head.epoch, first_seq),
                    round.to_value(),
                )
                .put(
                    Table::RoundIds,
                    key.round_id(&round.round_id),
                    row.to_value(),
                );
            head.next_seq = first_seq.saturating_add(round.n);
            head.count = head.count.saturating_add(round.n);
            head.bytes = head.bytes.saturating_add(round.bytes);
        }
        let batch = batch.put(Table::Heads, key.head(), head.to_value());
        if storage.commit(batch).await? == Outcome::Committed {
            return Ok(());
        }
    }
    Err(conflict(key))
}
