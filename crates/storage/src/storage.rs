//! The trait.

use std::rc::Rc;

use crate::{Batch, Key, Outcome, Range, Record, Scan, ScanOptions, StoreError, Table};

/// A transactional, ordered key-value store. Futures need not be `Send`.
#[expect(
    async_fn_in_trait,
    reason = "the callers are single-threaded and generic; nobody needs the futures to be Send"
)]
pub trait Storage {
    /// The records of a range in key order, read at one moment.
    ///
    /// # Errors
    /// Any [`StoreError`] but those about values and conflicts.
    async fn scan(
        &self,
        table: Table,
        range: &Range,
        options: ScanOptions,
    ) -> Result<Vec<Record>, StoreError>;

    /// Several scans, answered in their order. None is read at an earlier moment than those before it; a backend that
    /// can read all of them at one moment does, which costs one round trip.
    ///
    /// # Errors
    /// As [`Storage::scan`]: one scan that fails is the answer.
    async fn scan_all(&self, scans: &[Scan]) -> Result<Vec<Vec<Record>>, StoreError> {
        let mut found = Vec::with_capacity(scans.len());
        for scan in scans {
            found.push(self.scan(scan.table, &scan.range, scan.options).await?);
        }
        Ok(found)
    }

    /// Applies a batch whole or not at all. `Ok` means it is done (or refused by a check), not that it was sent.
    ///
    /// # Errors
    /// Any [`StoreError`]; see [`StoreError::outcome_unknown`].
    async fn commit(&self, batch: Batch) -> Result<Outcome, StoreError>;
}

impl<S: Storage> Storage for &S {
    async fn scan(
        &self,
        table: Table,
        range: &Range,
        options: ScanOptions,
    ) -> Result<Vec<Record>, StoreError> {
        (**self).scan(table, range, options).await
    }

    async fn scan_all(&self, scans: &[Scan]) -> Result<Vec<Vec<Record>>, StoreError> {
        (**self).scan_all(scans).await
    }

    async fn commit(&self, batch: Batch) -> Result<Outcome, StoreError> {
        (**self).commit(batch).await
    }
}

impl<S: Storage> Storage for Rc<S> {
    async fn scan(
        &self,
        table: Table,
        range: &Range,
        options: ScanOptions,
    ) -> Result<Vec<Record>, StoreError> {
        (**self).scan(table, range, options).await
    }

    async fn scan_all(&self, scans: &[Scan]) -> Result<Vec<Vec<Record>>, StoreError> {
        (**self).scan_all(scans).await
    }

    async fn commit(&self, batch: Batch) -> Result<Outcome, StoreError> {
        (**self).commit(batch).await
    }
}

/// The record with this key, if there is one.
///
/// # Errors
/// As [`Storage::scan`].
pub async fn get<S: Storage>(
    storage: &S,
    table: Table,
    key: &Key,
) -> Result<Option<Record>, StoreError> {
    let scan = Scan::get(table, key);
    let records = storage.scan(table, &scan.range, scan.options).await?;
    Ok(records.into_iter().next())
}
