//! Commits.

use indexed_db_futures::Result as IdbResult;
use indexed_db_futures::error::Error;
use indexed_db_futures::internals::SystemRepr;
use indexed_db_futures::transaction::{Transaction, TransactionDurability, TransactionMode};
use js_sys::{Array, Reflect};
use mnemograph_compact::{SortedMap, SortedSet};
use mnemograph_storage::{Batch, Durability, Key, Outcome, StoreError, Table, Value};
use serde::Serialize;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{IdbObjectStore, IdbRequest};

use crate::connection::Connection;
use crate::convert::{Query, key_range, parse, query, rev};
use crate::fault::Fault;
use crate::request::settled;

/// A record as it is stored. Its `rev` is known in the transaction only.
#[derive(Serialize)]
struct Row<'a> {
    key: &'a Key,
    rev: u64,
    value: &'a Value,
}

/// What has to be known of a key before the writes.
#[derive(Clone, Copy, PartialEq)]
enum Look {
    Presence,
    Rev,
}

/// A batch with everything the transaction needs in the browser's form.
pub(crate) struct Write {
    batch: Batch,
    tables: Vec<Table>,
    looks: Vec<(Table, Key, Look)>,
    look_keys: Array,
    ranges: Vec<(Table, JsValue)>,
    delete_keys: Array,
    rows: Array,
}

impl Write {
    pub(crate) fn encode(batch: Batch) -> Result<Self, StoreError> {
        Self::try_encode(batch).map_err(|fault| match fault {
            Fault::Final(error) => error,
            Fault::Lost(message) => StoreError::Backend(message),
        })
    }

    fn try_encode(batch: Batch) -> Result<Self, Fault> {
        let looks = looks(&batch);
        let look_keys: Vec<&Key> = looks.iter().map(|(_, key, _)| key).collect();
        let delete_keys: Vec<&Key> = batch.deletes().iter().map(|delete| &delete.key).collect();
        let rows = batch.puts().iter().map(|put| Row {
            key: &put.key,
            rev: 0,
            value: &put.value,
        });
        let lists = parse(&(look_keys, delete_keys, rows.collect::<Vec<_>>()))?;
        let list = |place: u32| -> Result<Array, JsValue> {
            Ok(Reflect::get_u32(&lists, place)?.unchecked_into())
        };
        let mut ranges = Vec::new();
        for delete in batch.delete_ranges() {
            match query(&delete.range)? {
                Query::Nothing => {}
                Query::Only(key) => ranges.push((delete.table, key)),
                Query::Between(lower, upper) => {
                    ranges.push((delete.table, key_range(&lower, &upper)?.into()));
                }
            }
        }
        Ok(Self {
            tables: tables(&batch),
            look_keys: list(0)?,
            delete_keys: list(1)?,
            rows: list(2)?,
            batch,
            looks,
            ranges,
        })
    }

    /// One transaction: look, decide, write. Nothing but the browser's requests is awaited in it, and `Ok` comes after its
    /// end.
    pub(crate) async fn run(&self, connection: &Connection) -> Result<Outcome, Fault> {
        if self.tables.is_empty() {
            return Ok(Outcome::Committed);
        }
        let mode = if self.batch.is_read_only() {
            TransactionMode::Readonly
        } else {
            TransactionMode::Readwrite
        };
        let durability = match self.batch.durability() {
            Durability::Relaxed => TransactionDurability::Relaxed,
            Durability::Strict => TransactionDurability::Strict,
        };
        let names: Vec<&str> = self.tables.iter().map(|table| table.name()).collect();
        let transaction = connection.begin(names, mode, durability)?;
        let stores = self.stores(&transaction)?;
        let found = self.look(&stores).await?;
        let current = |table, key: &Key| found.get(&(table, key)).copied().flatten();
        let Some(revs) = self.batch.revs(current) else {
            // Dropping the transaction aborts it; it has written nothing.
            return Ok(Outcome::Conflict);
        };
        self.write(&stores, &revs)?;
        commit(transaction).await?;
        Ok(Outcome::Committed)
    }

    fn stores(&self, transaction: &Transaction<'_>) -> IdbResult<SortedMap<Table, IdbObjectStore>> {
        let store = |table: &Table| {
            let store = transaction.object_store(table.name())?;
            Ok((*table, store.as_sys().clone()))
        };
        self.tables.iter().map(store).collect()
    }

    /// The revs of the keys in `looks`: all requests go out at once, and one is awaited.
    async fn look(
        &self,
        stores: &SortedMap<Table, IdbObjectStore>,
    ) -> Result<SortedMap<(Table, &Key), Option<u64>>, Fault> {
        let mut requests: Vec<IdbRequest> = Vec::with_capacity(self.looks.len());
        for ((table, _, look), key) in self.looks.iter().zip(self.look_keys.iter()) {
            let store = store(stores, *table)?;
            requests.push(match look {
                Look::Presence => store.get_key(&key)?,
                Look::Rev => store.get(&key)?,
            });
        }
        if let Some(last) = requests.last() {
            settled(last).await?;
        }
        let mut found = SortedMap::new();
        for ((table, key, look), request) in self.looks.iter().zip(&requests) {
            let row = request.result()?;
            let current = (!row.is_undefined()).then(|| match look {
                // Any will do: no check but the one for absence looks at it.
                Look::Presence => 0,
                Look::Rev => rev(&row),
            });
            found.insert((*table, key), current);
        }
        Ok(found)
    }

    fn write(&self, stores: &SortedMap<Table, IdbObjectStore>, revs: &[u64]) -> Result<(), Fault> {
        for (table, range) in &self.ranges {
            store(stores, *table)?.delete(range)?;
        }
        for (delete, key) in self.batch.deletes().iter().zip(self.delete_keys.iter()) {
            store(stores, delete.table)?.delete(&key)?;
        }
        let name = JsValue::from_str("rev");
        for ((put, row), rev) in self.batch.puts().iter().zip(self.rows.iter()).zip(revs) {
            #[expect(
                clippy::cast_precision_loss,
                reason = "no record is written 2^53 times"
            )]
            Reflect::set(&row, &name, &JsValue::from_f64(*rev as f64))?;
            store(stores, put.table)?.put(&row)?;
        }
        Ok(())
    }
}

fn tables(batch: &Batch) -> Vec<Table> {
    let checks = batch.checks().iter().map(|check| check.table);
    let ranges = batch.delete_ranges().iter().map(|delete| delete.table);
    let deletes = batch.deletes().iter().map(|delete| delete.table);
    let puts = batch.puts().iter().map(|put| put.table);
    let all: SortedSet<Table> = checks.chain(ranges).chain(deletes).chain(puts).collect();
    all.into_iter().collect()
}

/// The keys whose `rev` decides something: those of the checks, and those of puts over records that may be there.
fn looks(batch: &Batch) -> Vec<(Table, Key, Look)> {
    let mut looks: SortedMap<(Table, &Key), Look> = SortedMap::new();
    for check in batch.checks() {
        let look = looks.get_or_insert_with((check.table, &check.key), || Look::Presence);
        if check.rev.is_some() {
            *look = Look::Rev;
        }
    }
    for put in batch.puts() {
        if !batch.removes(put.table, &put.key) {
            looks.get_or_insert_with((put.table, &put.key), || Look::Rev);
        }
    }
    let look = |((table, key), look): ((Table, &Key), Look)| (table, key.clone(), look);
    looks.into_iter().map(look).collect()
}

fn store(
    stores: &SortedMap<Table, IdbObjectStore>,
    table: Table,
) -> Result<&IdbObjectStore, Fault> {
    stores.get(&table).ok_or_else(|| {
        let message = format!("table {} is not in the transaction", table.name());
        Fault::Final(StoreError::Backend(message))
    })
}

/// Ends a transaction and waits for its completion; a request's success can still be followed by an abort.
async fn commit(transaction: Transaction<'_>) -> Result<(), Fault> {
    let ended = transaction.as_sys().clone();
    match transaction.commit().await {
        Ok(()) => Ok(()),
        // The abort event itself does not tell its reason.
        Err(Error::MissingData(missing)) => Err(match ended.error() {
            Some(reason) => reason.into(),
            None => Fault::Lost(missing.to_string()),
        }),
        Err(error) => Err(error.into()),
    }
}
