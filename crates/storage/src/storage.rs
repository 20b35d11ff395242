//! The trait.

use std::rc::Rc;

use crate::{Batch, Key, Outcome, Range, Record, ScanOptions, StoreError, Table};

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
    let options = ScanOptions {
        limit: Some(1),
        reverse: false,
    };
    let records = storage.scan(table, &Range::only(key), options).await?;
    Ok(records.into_iter().next())
}
