//! Storage in memory: the reference for all others, and what runs where nothing lasts.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use mnemograph_compact::SortedMap;

use crate::{Batch, Key, Outcome, Range, Record, ScanOptions, Storage, StoreError, Table, Value};

type Rows = BTreeMap<Key, (u64, Value)>;

/// Storage in memory. A clone is a handle to the same data.
#[derive(Clone, Debug, Default)]
pub struct MemoryStorage {
    tables: Rc<RefCell<SortedMap<Table, Rows>>>,
}

impl MemoryStorage {
    /// An empty storage.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Storage for MemoryStorage {
    async fn scan(
        &self,
        table: Table,
        range: &Range,
        options: ScanOptions,
    ) -> Result<Vec<Record>, StoreError> {
        range.validate()?;
        let tables = self.tables.borrow();
        let (Some(rows), Some(bounds)) = (tables.get(&table), range.to_bounds()) else {
            return Ok(Vec::new());
        };
        let limit = options.limit.unwrap_or(usize::MAX);
        let record = |(key, (rev, value)): (&Key, &(u64, Value))| Record {
            key: key.clone(),
            rev: *rev,
            value: value.clone(),
        };
        let rows = rows.range(bounds);
        Ok(if options.reverse {
            rows.rev().take(limit).map(record).collect()
        } else {
            rows.take(limit).map(record).collect()
        })
    }

    async fn commit(&self, batch: Batch) -> Result<Outcome, StoreError> {
        let batch = batch.prepare()?;
        let mut tables = self.tables.borrow_mut();
        let current = |table, key: &Key| {
            let rows = tables.get(&table)?;
            rows.get(key).map(|(rev, _)| *rev)
        };
        let Some(revs) = batch.revs(current) else {
            return Ok(Outcome::Conflict);
        };
        // Nothing below can fail.
        for delete in batch.delete_ranges() {
            if let Some(rows) = tables.get_mut(&delete.table) {
                rows.retain(|key, _| !delete.range.contains(key));
            }
        }
        for delete in batch.deletes() {
            if let Some(rows) = tables.get_mut(&delete.table) {
                rows.remove(&delete.key);
            }
        }
        for (put, rev) in batch.into_puts().into_iter().zip(revs) {
            let rows = tables.get_or_insert_with(put.table, Rows::new);
            rows.insert(put.key, (rev, put.value));
        }
        Ok(Outcome::Committed)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{Durability, Part, get};

    fn value(x: u64) -> Value {
        [("x".to_owned(), json!(x))].into_iter().collect()
    }

    #[test]
    fn a_bad_second_record_writes_nothing() {
        let storage = MemoryStorage::new();
        let good = Key::new(["a"]);
        let batches = [
            (Key::default(), value(1)),
            (Key::new([Part::Int(crate::MAX_INT + 1)]), value(1)),
            (Key::new(["b"]), value(u64::MAX)),
        ];
        for (bad, content) in batches {
            let batch = Batch::new(Durability::Strict)
                .put(Table::Heads, good.clone(), value(1))
                .put(Table::Heads, bad, content);
            assert!(pollster::block_on(storage.commit(batch)).is_err());
            let found = pollster::block_on(get(&storage, Table::Heads, &good)).unwrap();
            assert_eq!(found, None);
        }
    }
}
