//! Whichever storage a runtime was opened with, with a deadline on every call.

use std::cell::Cell;
use std::future::Future;
use std::pin::pin;
use std::rc::Rc;

use futures_util::future::{Either, select};
use gloo_timers::future::TimeoutFuture;
use mnemograph_indexeddb::IndexedDbStorage;
use mnemograph_runtime::BackendKind;
use mnemograph_storage::{
    Batch, MemoryStorage, Outcome, Range, Record, Scan, ScanOptions, Storage, StoreError, Table,
};

use crate::host::JsHost;
use crate::js_storage::JsStorage;

/// How long a call may take unless it is said otherwise, in milliseconds. Longer than what IndexedDB waits to open, which
/// has a better reason to tell.
const DEADLINE_MS: u32 = 10_000;

/// One of the storages. A clone is a handle to the same.
#[derive(Clone)]
pub struct AnyStorage {
    backend: Backend,
    deadline_ms: u32,
    quota_errors: Rc<Cell<u32>>,
    watcher: Option<JsHost>,
    losses: Rc<Cell<u32>>,
}

#[derive(Clone)]
enum Backend {
    Memory(MemoryStorage),
    IndexedDb(IndexedDbStorage),
    Js(JsStorage),
}

impl From<MemoryStorage> for AnyStorage {
    fn from(storage: MemoryStorage) -> Self {
        Self::new(Backend::Memory(storage))
    }
}

impl From<IndexedDbStorage> for AnyStorage {
    fn from(storage: IndexedDbStorage) -> Self {
        Self::new(Backend::IndexedDb(storage))
    }
}

impl From<JsStorage> for AnyStorage {
    fn from(storage: JsStorage) -> Self {
        Self::new(Backend::Js(storage))
    }
}

impl AnyStorage {
    fn new(backend: Backend) -> Self {
        Self {
            backend,
            deadline_ms: DEADLINE_MS,
            quota_errors: Rc::default(),
            watcher: None,
            losses: Rc::default(),
        }
    }

    /// The same with another deadline.
    #[must_use]
    pub fn with_deadline(mut self, deadline_ms: u32) -> Self {
        self.deadline_ms = deadline_ms;
        self
    }

    /// The same, telling the host of what is committed and of a database that is lost.
    #[must_use]
    pub fn watched_by(mut self, host: JsHost) -> Self {
        self.watcher = Some(host);
        self
    }

    /// Tells of a database that was gone when a call opened it again.
    fn notice_loss(&self) {
        if let (Backend::IndexedDb(storage), Some(host)) = (&self.backend, &self.watcher)
            && self.losses.replace(storage.losses()) != storage.losses()
        {
            let _ = host.lost();
        }
    }

    /// What it is.
    #[must_use]
    pub fn kind(&self) -> BackendKind {
        match self.backend {
            Backend::Memory(_) => BackendKind::Memory,
            Backend::IndexedDb(_) => BackendKind::Indexeddb,
            Backend::Js(_) => BackendKind::Custom,
        }
    }

    /// Commits that found no room.
    #[must_use]
    pub fn quota_errors(&self) -> u32 {
        self.quota_errors.get()
    }

    /// Closes what this crate has opened; an adapter belongs to its host.
    pub fn close(&self) {
        match &self.backend {
            Backend::IndexedDb(storage) => storage.close(),
            Backend::Memory(_) | Backend::Js(_) => {}
        }
    }

    async fn in_time<T>(
        &self,
        what: &str,
        call: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let deadline = TimeoutFuture::new(self.deadline_ms);
        match select(pin!(call), deadline).await {
            Either::Left((answer, _)) => answer,
            Either::Right(((), _)) => Err(StoreError::Timeout(format!(
                "{what} took more than {} ms",
                self.deadline_ms
            ))),
        }
    }
}

impl Storage for AnyStorage {
    async fn scan(
        &self,
        table: Table,
        range: &Range,
        options: ScanOptions,
    ) -> Result<Vec<Record>, StoreError> {
        let found = match &self.backend {
            // It answers at once.
            Backend::Memory(storage) => storage.scan(table, range, options).await,
            Backend::IndexedDb(storage) => {
                self.in_time("a scan", storage.scan(table, range, options))
                    .await
            }
            Backend::Js(storage) => {
                self.in_time("a scan", storage.scan(table, range, options))
                    .await
            }
        };
        self.notice_loss();
        found
    }

    async fn scan_all(&self, scans: &[Scan]) -> Result<Vec<Vec<Record>>, StoreError> {
        let found = match &self.backend {
            Backend::Memory(storage) => storage.scan_all(scans).await,
            Backend::IndexedDb(storage) => self.in_time("a scan", storage.scan_all(scans)).await,
            Backend::Js(storage) => self.in_time("a scan", storage.scan_all(scans)).await,
        };
        self.notice_loss();
        found
    }

    async fn commit(&self, batch: Batch) -> Result<Outcome, StoreError> {
        // A host that is told keeps a copy; what cannot be said as text cannot be committed either.
        let text = self
            .watcher
            .as_ref()
            .and_then(|_| serde_json::to_string(&batch).ok());
        let committed = match &self.backend {
            Backend::Memory(storage) => storage.commit(batch).await,
            Backend::IndexedDb(storage) => self.in_time("a commit", storage.commit(batch)).await,
            Backend::Js(storage) => self.in_time("a commit", storage.commit(batch)).await,
        };
        if let Err(StoreError::Quota(_)) = &committed {
            self.quota_errors.update(|count| count.saturating_add(1));
        }
        self.notice_loss();
        if let (Ok(Outcome::Committed), Some(host), Some(text)) = (&committed, &self.watcher, &text)
        {
            let _ = host.committed(text);
        }
        committed
    }
}
