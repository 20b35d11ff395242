//! How safe what is stored is: the facts of the browser and our own, judged in one place.

use crate::{error::RuntimeError, host::Host, runtime::Runtime};
use mnemograph_compact::FromJson;
use mnemograph_memory::MemoryError;
use mnemograph_storage::{
    Batch, Durability, Key, Outcome, Range, ScanOptions, Storage, StoreError, Table, Value,
};
use serde::Serialize;

/// What the browser says of its storage; each is absent where it does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct BrowserStorage {
    /// The origin's storage is not deleted when the disk is full.
    #[cfg_attr(feature = "ts", ts(optional))]
    pub persisted: Option<bool>,
    /// Each site that embeds the page has a storage of its own.
    #[cfg_attr(feature = "ts", ts(optional))]
    pub partitioned: Option<bool>,
    /// Bytes that the origin uses.
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub usage: Option<u64>,
    /// Bytes that it may use.
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub quota: Option<u64>,
    /// The page keeps a second copy of late rounds outside of the database.
    #[cfg_attr(feature = "ts", ts(optional))]
    pub recovery_journal: Option<bool>,
}

/// Where a runtime keeps its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "StorageBackend"))]
#[serde(rename_all = "lowercase")]
pub enum BackendKind {
    /// In this page alone.
    Memory,
    /// In the browser's database.
    Indexeddb,
    /// In an adapter of the host.
    Custom,
}

/// How long what is stored lasts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Persistence {
    /// Until somebody deletes it.
    Persistent,
    /// Until the browser needs the room.
    BestEffort,
    /// Until the page is closed.
    Volatile,
    /// The browser, or the adapter, does not say.
    Unknown,
}

/// What is known of a runtime's storage. A fact that nobody knows is absent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct StorageHealth {
    /// Where state is kept.
    pub backend: BackendKind,
    /// How long it lasts.
    pub persistence: Persistence,
    /// True if the browser may delete it on its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub evictable: Option<bool>,
    /// True if each site that embeds the page has a storage of its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub partitioned: Option<bool>,
    /// Bytes that the origin uses, other databases included.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub usage: Option<u64>,
    /// Bytes that the origin may use.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub quota: Option<u64>,
    /// Writes of this runtime that found no room.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub quota_errors: u32,
    /// Id of the database's life: another one than before means that the database was lost and made anew.
    pub generation: String,
    /// True if a second copy of late rounds is kept outside of the database, from which they are put back
    /// should it be lost.
    pub recovery_journal: bool,
}

impl StorageHealth {
    /// Judges the facts.
    #[must_use]
    pub fn judge(
        backend: BackendKind,
        browser: BrowserStorage,
        quota_errors: u32,
        generation: String,
    ) -> Self {
        // Of the origin's storage the browser speaks; other backends do not live in it.
        let of_origin = match backend {
            BackendKind::Indexeddb => browser,
            BackendKind::Memory | BackendKind::Custom => BrowserStorage::default(),
        };
        let persistence = match (backend, of_origin.persisted) {
            (BackendKind::Memory, _) => Persistence::Volatile,
            (_, Some(true)) => Persistence::Persistent,
            (_, Some(false)) => Persistence::BestEffort,
            (_, None) => Persistence::Unknown,
        };
        Self {
            backend,
            persistence,
            evictable: of_origin.persisted.map(|persisted| !persisted),
            partitioned: of_origin.partitioned,
            usage: of_origin.usage,
            quota: of_origin.quota,
            quota_errors,
            generation,
            recovery_journal: of_origin.recovery_journal.unwrap_or(false),
        }
    }
}

impl<S: Storage + 'static, H: Host + 'static> Runtime<S, H> {
    /// Id of the database's life: what is stored, else `fresh`, which is stored then.
    ///
    /// # Errors
    /// `E_CLOSED`, `E_STORE_…`.
    pub async fn store_generation(&self, fresh: &str) -> Result<String, RuntimeError> {
        self.check_open()?;
        let storage = self.storage();
        if let Some(stored) = stored_generation(storage).await? {
            return Ok(stored);
        }
        let value = Value::from_iter([("id".to_owned(), fresh.into()), ("v".to_owned(), 1.into())]);
        let batch = Batch::new(Durability::Relaxed)
            .check(Table::Meta, generation_key(), None)
            .put(Table::Meta, generation_key(), value);
        let written = storage.commit(batch).await.map_err(store_error)?;
        Ok(match written {
            Outcome::Committed => fresh.to_owned(),
            // Another tab was faster, or the record cannot be read.
            Outcome::Conflict => stored_generation(storage).await?.unwrap_or_default(),
        })
    }
}

fn generation_key() -> Key {
    Key::new(["store_generation"])
}

async fn stored_generation<S: Storage>(storage: &S) -> Result<Option<String>, RuntimeError> {
    let range = Range::prefix(&generation_key());
    let found = storage.scan(Table::Meta, &range, ScanOptions::default());
    let records = found.await.map_err(store_error)?;
    let id = records.first().and_then(|record| record.value.get("id"));
    Ok(id.and_then(|id| id.as_str()).map(str::to_owned))
}

fn store_error(error: StoreError) -> RuntimeError {
    RuntimeError::Memory(MemoryError::from(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browser_speaks_of_its_own_database_alone() {
        let browser = |persisted| BrowserStorage {
            persisted,
            quota: Some(10),
            ..BrowserStorage::default()
        };
        let judged = |backend, persisted| {
            let health = StorageHealth::judge(backend, browser(persisted), 2, "one".to_owned());
            assert_eq!(
                (health.quota_errors, health.generation.as_str()),
                (2, "one")
            );
            (health.persistence, health.evictable, health.quota)
        };
        use BackendKind::{Custom, Indexeddb, Memory};
        use Persistence::{BestEffort, Persistent, Unknown, Volatile};
        assert_eq!(
            judged(Indexeddb, Some(true)),
            (Persistent, Some(false), Some(10))
        );
        assert_eq!(
            judged(Indexeddb, Some(false)),
            (BestEffort, Some(true), Some(10))
        );
        assert_eq!(judged(Indexeddb, None), (Unknown, None, Some(10)));
        assert_eq!(judged(Memory, Some(true)), (Volatile, None, None));
        assert_eq!(judged(Custom, Some(true)), (Unknown, None, None));
    }
}
