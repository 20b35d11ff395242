//! Reads that are known to come, asked for at once: one round trip instead of one for each.

use mnemograph_storage::{
    Batch, MemoryStorage, Outcome, Range, Record, Scan, ScanOptions, Storage, StoreError, Table,
};
use std::cell::RefCell;
use std::rc::Rc;

/// A storage that answers from what was read ahead while that is what the storage holds for all this run knows: until it
/// writes, reads something else, or calls the host.
///
/// It is the one type of storage that this crate works on, so that all the code for it exists once in the module.
pub(crate) struct ReadAhead<S> {
    storage: Backend<S>,
    found: RefCell<Vec<(Scan, Vec<Record>)>>,
}

/// What lies behind it.
enum Backend<S> {
    /// What all runs share.
    Shared(Rc<S>),
    /// What one run keeps for itself.
    Session(MemoryStorage),
}

impl<S: Storage> ReadAhead<S> {
    pub(crate) fn new(storage: Rc<S>) -> Self {
        Self::on(Backend::Shared(storage))
    }

    pub(crate) fn session(storage: MemoryStorage) -> Self {
        Self::on(Backend::Session(storage))
    }

    fn on(storage: Backend<S>) -> Self {
        Self {
            storage,
            found: RefCell::default(),
        }
    }

    /// Reads what will be asked for, unless that is here already.
    pub(crate) async fn fetch(&self, scans: Vec<Scan>) -> Result<(), StoreError> {
        let is_here = |scan: &Scan| self.found.borrow().iter().any(|(known, _)| known == scan);
        if !scans.iter().all(is_here) {
            self.forget();
            let answers = self.scan_all(&scans).await?;
            self.found.replace(scans.into_iter().zip(answers).collect());
        }
        Ok(())
    }

    /// From now on the storage itself is asked.
    pub(crate) fn forget(&self) {
        self.found.borrow_mut().clear();
    }

    /// Gives an answer away; one of at most one record can be given again.
    fn take(&self, scan: &Scan) -> Option<Vec<Record>> {
        let mut found = self.found.borrow_mut();
        let place = found.iter().position(|(known, _)| known == scan)?;
        let (_, records) = found.get(place)?;
        if records.len() <= 1 {
            return Some(records.clone());
        }
        Some(found.swap_remove(place).1)
    }
}

impl<S: Storage> Storage for ReadAhead<S> {
    async fn scan(
        &self,
        table: Table,
        range: &Range,
        options: ScanOptions,
    ) -> Result<Vec<Record>, StoreError> {
        let scan = Scan {
            table,
            range: range.clone(),
            options,
        };
        if let Some(records) = self.take(&scan) {
            return Ok(records);
        }
        self.forget();
        match &self.storage {
            Backend::Shared(storage) => storage.scan(table, range, options).await,
            Backend::Session(storage) => storage.scan(table, range, options).await,
        }
    }

    async fn scan_all(&self, scans: &[Scan]) -> Result<Vec<Vec<Record>>, StoreError> {
        if let Some(found) = scans.iter().map(|scan| self.take(scan)).collect() {
            return Ok(found);
        }
        self.forget();
        match &self.storage {
            Backend::Shared(storage) => storage.scan_all(scans).await,
            Backend::Session(storage) => storage.scan_all(scans).await,
        }
    }

    async fn commit(&self, batch: Batch) -> Result<Outcome, StoreError> {
        self.forget();
        match &self.storage {
            Backend::Shared(storage) => storage.commit(batch).await,
            Backend::Session(storage) => storage.commit(batch).await,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mnemograph_storage::{Durability, Key, Value, get};
    use pollster::block_on;

    fn put(storage: &impl Storage, name: &str) {
        let batch = Batch::new(Durability::Relaxed);
        let batch = batch.put(Table::Heads, Key::new([name]), Value::new());
        block_on(storage.commit(batch)).unwrap();
    }

    fn rev(storage: &impl Storage, name: &str) -> u64 {
        let found = block_on(get(storage, Table::Heads, &Key::new([name]))).unwrap();
        found.map_or(0, |record| record.rev)
    }

    fn ahead() -> (Rc<MemoryStorage>, ReadAhead<MemoryStorage>) {
        let storage = Rc::new(MemoryStorage::new());
        put(&storage, "a");
        let ahead = ReadAhead::new(Rc::clone(&storage));
        let scans = vec![
            Scan::get(Table::Heads, &Key::new(["a"])),
            Scan::get(Table::Heads, &Key::new(["b"])),
        ];
        block_on(ahead.fetch(scans)).unwrap();
        put(&storage, "a");
        put(&storage, "b");
        (storage, ahead)
    }

    #[test]
    fn what_was_read_ahead_is_of_one_moment() {
        let (_, ahead) = ahead();
        assert_eq!((rev(&ahead, "a"), rev(&ahead, "b")), (1, 0));
        assert_eq!(rev(&ahead, "a"), 1, "also when it is asked for again");
    }

    #[test]
    fn another_read_or_a_write_ends_it() {
        let (_, one) = ahead();
        assert_eq!(rev(&one, "c"), 0);
        assert_eq!((rev(&one, "a"), rev(&one, "b")), (2, 1));
        let (_, other) = ahead();
        put(&other, "c");
        assert_eq!((rev(&other, "a"), rev(&other, "b")), (2, 1));
    }
}
