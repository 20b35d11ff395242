#![doc = include_str!("../README.md")]

mod connection;
mod convert;
mod fault;
mod read;
mod request;
mod schema;
mod write;

use std::rc::Rc;

use mnemograph_storage::{
    Batch, Outcome, Range, Record, Scan, ScanOptions, Storage, StoreError, Table,
};

use crate::connection::{Connection, Supervisor};
use crate::fault::Fault;
use crate::write::Write;

/// How long to wait for the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexedDbOptions {
    /// How long a call waits for the database to open, in milliseconds.
    pub open_timeout_ms: u32,
    /// How long it waits once the browser has said that another connection blocks the opening.
    pub blocked_timeout_ms: u32,
}

impl Default for IndexedDbOptions {
    fn default() -> Self {
        Self {
            open_timeout_ms: 8_000,
            blocked_timeout_ms: 3_000,
        }
    }
}

/// Storage on IndexedDB. A clone is a handle to the same connection.
#[derive(Clone)]
pub struct IndexedDbStorage {
    supervisor: Rc<Supervisor>,
}

impl IndexedDbStorage {
    /// Opens the database of this name, and creates or upgrades it if need be.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] where there is no IndexedDB or access is denied, [`StoreError::Version`] for a
    /// database of newer code, [`StoreError::Blocked`] and [`StoreError::Timeout`] when the time of the options is over.
    pub async fn open(name: &str, options: IndexedDbOptions) -> Result<Self, StoreError> {
        let supervisor = Supervisor::new(name, options);
        supervisor.connection().await?;
        Ok(Self { supervisor })
    }

    /// How often the database was gone when a connection that had been lost was opened again: somebody deleted it, or the
    /// browser did. What is read then is a new, empty one.
    #[must_use]
    pub fn losses(&self) -> u32 {
        self.supervisor.losses()
    }

    /// Closes the connection. Transactions that have begun still complete; later calls give [`StoreError::Closed`], also
    /// on clones.
    pub fn close(&self) {
        self.supervisor.close();
    }

    /// Deletes the database of this name. Open connections of this crate close for it.
    ///
    /// # Errors
    /// As [`Self::open`]. After [`StoreError::Blocked`] the browser still deletes it when the last connection is closed.
    pub async fn delete_database(name: &str, options: IndexedDbOptions) -> Result<(), StoreError> {
        connection::delete_database(name, options).await
    }

    /// Runs an attempt, and once more on a new connection if the first one turned out to be dead. Should the browser have
    /// lost the connection only after it had stored a batch, the batch meets itself: checks then give a conflict, and who
    /// looks again finds his own records.
    async fn attempt<T>(
        &self,
        attempt: impl AsyncFn(&Connection) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let connection = self.supervisor.connection().await?;
        match attempt(&connection).await {
            Ok(done) => return Ok(done),
            Err(Fault::Final(error)) => return Err(error),
            Err(Fault::Lost(_)) => self.supervisor.lost(connection.id()),
        }
        drop(connection);
        let connection = self.supervisor.connection().await?;
        attempt(&connection).await.map_err(|fault| match fault {
            Fault::Final(error) => error,
            Fault::Lost(message) => {
                self.supervisor.lost(connection.id());
                StoreError::Backend(message)
            }
        })
    }
}

impl Storage for IndexedDbStorage {
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
        let found = self.scan_all(&[scan]).await?;
        Ok(found.into_iter().next().unwrap_or_default())
    }

    async fn scan_all(&self, scans: &[Scan]) -> Result<Vec<Vec<Record>>, StoreError> {
        scans.iter().try_for_each(|scan| scan.range.validate())?;
        let attempt = async |connection: &Connection| read::scan_all(connection, scans).await;
        self.attempt(attempt).await
    }

    async fn commit(&self, batch: Batch) -> Result<Outcome, StoreError> {
        let write = Write::encode(batch.prepare()?)?;
        let attempt = async |connection: &Connection| write.run(connection).await;
        self.attempt(attempt).await
    }
}
