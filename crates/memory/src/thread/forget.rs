//! Forgetting: a conversation, or all that a namespace holds, with everything that was made of it.

use mnemograph_storage::{
    Batch, Durability, Key, Outcome, Range, Record, ScanOptions, Storage, Table, get,
};
use serde::Serialize;

use super::{check, conflict, delete, histories};
use crate::error::MemoryError;
use crate::history::TRIES;
use crate::keys::check_id;
use crate::records::Head;

/// How much is gone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Forgotten {
    /// Conversations.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub threads: u64,
    /// Stored messages, each as often as memory nodes held it.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub messages: u64,
}

/// As [`delete`], and tells how much there was.
///
/// # Errors
/// As [`delete`].
pub async fn forget<S: Storage>(
    storage: &S,
    namespace: &str,
    id: &str,
) -> Result<Forgotten, MemoryError> {
    check(namespace, id)?;
    let mut heads = Vec::new();
    for history in histories(storage, namespace, id).await? {
        heads.extend(get(storage, Table::Heads, &history.head()).await?);
    }
    let removed = delete(storage, namespace, id).await?;
    Ok(Forgotten {
        threads: u64::from(removed),
        messages: messages(&heads),
    })
}

/// Removes all that the namespace holds, in one batch of range deletes (0-rulings.md 0.2): conversations, histories, notes,
/// transcripts, variables, dictionaries, runs that wait. A run that goes on finds its history gone and stores nothing.
///
/// # Errors
/// `E_BAD_ID`; what the storage reports. Then nothing is changed.
pub async fn forget_namespace<S: Storage>(
    storage: &S,
    namespace: &str,
) -> Result<Forgotten, MemoryError> {
    check_id("namespace", namespace)?;
    let all = Range::prefix(&Key::new([namespace]));
    for _ in 0..TRIES {
        let threads = storage
            .scan(Table::Threads, &all, ScanOptions::default())
            .await?;
        let heads = storage
            .scan(Table::Heads, &all, ScanOptions::default())
            .await?;
        let batch = Table::ALL
            .iter()
            // Facts about the database itself belong to nobody.
            .filter(|table| **table != Table::Meta)
            .fold(Batch::new(Durability::Strict), |batch, table| {
                batch.delete_range(*table, all.clone())
            });
        if storage.commit(batch).await? == Outcome::Committed {
            return Ok(Forgotten {
                threads: threads.len() as u64,
                messages: messages(&heads),
            });
        }
    }
    Err(conflict(namespace))
}

fn messages(heads: &[Record]) -> u64 {
    let heads = heads.iter().filter_map(|head| Head::read(&head.value).ok());
    heads.map(|head| head.count).sum()
}
