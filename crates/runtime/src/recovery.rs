//! What a second copy of the storage is kept and used with: rows as they lie, and rows that are put back.

use crate::{error::RuntimeError, host::Host, runtime::Runtime};
use mnemograph_compact::FromJson;
use mnemograph_memory::MemoryError;
use mnemograph_storage::{
    Batch, Durability, Key, Outcome, Range, Scan, Storage, StoreError, Table, Value,
};
use serde::Serialize;

/// How often rows are put back before other writers are blamed.
const TRIES: u32 = 8;

/// A record and the table it is in, without its `rev`, which is the backend's.
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "StoredRow"))]
pub struct Row {
    /// The table.
    pub table: Table,
    /// Where in it.
    pub key: Key,
    /// What it holds.
    #[cfg_attr(feature = "ts", ts(type = "Record<string, unknown>"))]
    pub value: Value,
}

/// Which rows are asked for.
#[derive(Debug, Clone, PartialEq, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RowsUnder {
    /// The table.
    pub table: Table,
    /// What their keys begin with; all rows where absent.
    #[cfg_attr(feature = "ts", ts(optional))]
    pub prefix: Option<Key>,
}

impl<S: Storage + 'static, H: Host + 'static> Runtime<S, H> {
    /// The rows of several places as they lie in the storage, of all namespaces: for a copy of it, never for people.
    ///
    /// # Errors
    /// `E_CLOSED`, `E_STORE_…`.
    pub async fn storage_rows(&self, places: &[RowsUnder]) -> Result<Vec<Row>, RuntimeError> {
        self.check_open()?;
        let range = |place: &RowsUnder| place.prefix.as_ref().map_or(Range::all(), Range::prefix);
        let scans: Vec<Scan> = places
            .iter()
            .map(|place| Scan::all(place.table, range(place)))
            .collect();
        let found = self.storage().scan_all(&scans).await.map_err(failed)?;
        let rows = places.iter().zip(found).flat_map(|(place, records)| {
            records.into_iter().map(|record| Row {
                table: place.table,
                key: record.key,
                value: record.value,
            })
        });
        Ok(rows.collect())
    }

    /// Puts rows back, all in one strict commit, but none over what is there. How many were put.
    ///
    /// # Errors
    /// `E_CLOSED`, `E_STORE_…`. Nothing is put then.
    pub async fn storage_restore(&self, rows: &[Row]) -> Result<u64, RuntimeError> {
        self.check_open()?;
        let storage = self.storage();
        let scans: Vec<Scan> = rows
            .iter()
            .map(|row| Scan::get(row.table, &row.key))
            .collect();
        for _ in 0..TRIES {
            let found = storage.scan_all(&scans).await.map_err(failed)?;
            let gone = rows.iter().zip(found).filter(|(_, found)| found.is_empty());
            let mut batch = Batch::new(Durability::Strict);
            let mut count = 0_u64;
            for (row, _) in gone {
                count += 1;
                batch = batch.check(row.table, row.key.clone(), None).put(
                    row.table,
                    row.key.clone(),
                    row.value.clone(),
                );
            }
            if storage.commit(batch).await.map_err(failed)? == Outcome::Committed {
                return Ok(count);
            }
        }
        let busy = "others write what is being put back";
        Err(failed(StoreError::Backend(busy.to_owned())))
    }
}

fn failed(error: StoreError) -> RuntimeError {
    RuntimeError::Memory(MemoryError::from(error))
}
