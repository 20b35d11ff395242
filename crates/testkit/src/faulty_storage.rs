//! A storage that fails on purpose: the k-th call from now, in the way that the test wants.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use mnemograph_storage::{
    Batch, Outcome, Range, Record, Scan, ScanOptions, Storage, StoreError, Table,
};

/// How a call fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// Nothing happens but this error.
    Refuse(StoreError),
    /// The call is done, and this is reported all the same: with a timeout, an unknown outcome.
    LoseAnswer(StoreError),
    /// A commit is refused as if a check had failed. A scan is not touched.
    Conflict,
}

impl Fault {
    /// The call is done and times out.
    #[must_use]
    pub fn unknown_outcome() -> Self {
        Self::LoseAnswer(StoreError::Timeout("injected".to_owned()))
    }
}

/// A call that was made.
#[derive(Debug, Clone, PartialEq)]
pub enum Call {
    /// A scan of this table.
    Scan(Table),
    /// Several scans at once, of these tables.
    ScanAll(Vec<Table>),
    /// A commit of this batch.
    Commit(Box<Batch>),
}

#[derive(Debug, Default)]
struct State {
    calls: Vec<Call>,
    faults: BTreeMap<usize, Fault>,
    always: Option<Fault>,
}

/// Wraps a storage. A clone is a handle to the same one, its faults and its log included.
#[derive(Debug, Clone, Default)]
pub struct FaultyStorage<S> {
    inner: S,
    state: Rc<RefCell<State>>,
}

impl<S> FaultyStorage<S> {
    /// Without any fault yet.
    pub fn new(inner: S) -> Self {
        Self {
            inner,
            state: Rc::default(),
        }
    }

    /// What is wrapped, for looks that are not counted.
    pub const fn inner(&self) -> &S {
        &self.inner
    }

    /// Lets the k-th call from now fail; 0 is the next one.
    pub fn fail(&self, k: usize, fault: Fault) {
        let mut state = self.state.borrow_mut();
        let place = state.calls.len() + k;
        state.faults.insert(place, fault);
    }

    /// Lets every call fail that has no fault of its own; `None` ends it.
    pub fn fail_always(&self, fault: Option<Fault>) {
        self.state.borrow_mut().always = fault;
    }

    /// Forgets the faults that have not happened yet.
    pub fn heal(&self) {
        let mut state = self.state.borrow_mut();
        state.faults.clear();
        state.always = None;
    }

    /// The calls since the last look. Looking also sets the log to nothing.
    pub fn take_calls(&self) -> Vec<Call> {
        let mut state = self.state.borrow_mut();
        let calls = std::mem::take(&mut state.calls);
        let done = calls.len();
        state.faults = std::mem::take(&mut state.faults)
            .into_iter()
            .filter_map(|(place, fault)| Some((place.checked_sub(done)?, fault)))
            .collect();
        calls
    }

    fn enter(&self, call: Call) -> Option<Fault> {
        let mut state = self.state.borrow_mut();
        let place = state.calls.len();
        state.calls.push(call);
        state.faults.remove(&place).or_else(|| state.always.clone())
    }
}

impl<S: Storage> Storage for FaultyStorage<S> {
    async fn scan(
        &self,
        table: Table,
        range: &Range,
        options: ScanOptions,
    ) -> Result<Vec<Record>, StoreError> {
        match self.enter(Call::Scan(table)) {
            None | Some(Fault::Conflict) => self.inner.scan(table, range, options).await,
            Some(Fault::Refuse(error) | Fault::LoseAnswer(error)) => Err(error),
        }
    }

    async fn scan_all(&self, scans: &[Scan]) -> Result<Vec<Vec<Record>>, StoreError> {
        let tables = scans.iter().map(|scan| scan.table).collect();
        match self.enter(Call::ScanAll(tables)) {
            None | Some(Fault::Conflict) => self.inner.scan_all(scans).await,
            Some(Fault::Refuse(error) | Fault::LoseAnswer(error)) => Err(error),
        }
    }

    async fn commit(&self, batch: Batch) -> Result<Outcome, StoreError> {
        match self.enter(Call::Commit(Box::new(batch.clone()))) {
            None => self.inner.commit(batch).await,
            Some(Fault::Conflict) => Ok(Outcome::Conflict),
            Some(Fault::Refuse(error)) => Err(error),
            Some(Fault::LoseAnswer(error)) => {
                self.inner.commit(batch).await?;
                Err(error)
            }
        }
    }
}
