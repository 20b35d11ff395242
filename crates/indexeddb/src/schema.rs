//! The shape of the database and the way to it.
//!
//! A version is never changed once it is released: a new table is a new migration and a new entry in `MIGRATIONS`. All
//! migrations that are missing run in the one transaction of the upgrade, or none of them.

use indexed_db_futures::database::Database;
use indexed_db_futures::prelude::Build;
use indexed_db_futures::{KeyPath, Result};
use mnemograph_compact::sort_by;
use mnemograph_storage::StoreError;
use wasm_bindgen::JsValue;
use web_sys::{IdbObjectStore, IdbTransaction};

use crate::convert::parse;
use crate::fault::Fault;
use crate::request::settled;

/// The member of a record that holds its key.
const KEY: &str = "key";

/// Where the fingerprint is, in the table `meta`. It is a text, not a list, so no key of the waist meets it and ranges
/// start behind it.
const FINGERPRINT: &str = "schema";

const META: &str = "meta";

/// A step from one version to the next.
struct Migration {
    /// The tables it adds.
    tables: &'static [&'static str],
    /// What it does; the transaction is that of the upgrade.
    run: fn(&Database, &IdbTransaction) -> Result<()>,
}

/// The step to version n is at place n−1.
const MIGRATIONS: &[Migration] = &[Migration {
    tables: V1_TABLES,
    run: v1,
}];

const V1_TABLES: &[&str] = &[
    "meta",
    "threads",
    "heads",
    "rounds",
    "round_ids",
    "journal",
    "summaries",
    "transcripts",
    "dictionaries",
    "variables",
    "blobs",
    "blob_refs",
    "graph_runs",
    "checkpoints",
];

/// Version 1: all tables, empty.
fn v1(db: &Database, _upgrade: &IdbTransaction) -> Result<()> {
    create_tables(db, V1_TABLES)
}

/// The key lies inside each record, so that one read gives key, rev and value.
fn create_tables(db: &Database, names: &[&str]) -> Result<()> {
    for name in names {
        let store = db.create_object_store(*name);
        store.with_key_path(KeyPath::One(KEY)).build()?;
    }
    Ok(())
}

/// The version this code writes.
pub(crate) fn version() -> u32 {
    u32::try_from(MIGRATIONS.len()).unwrap_or(u32::MAX)
}

/// Brings a database from an older version to this one.
pub(crate) fn migrate(db: &Database, upgrade: &IdbTransaction, old_version: f64) -> Result<()> {
    for (migration, version) in MIGRATIONS.iter().zip(1_u32..) {
        if f64::from(version) > old_version {
            (migration.run)(db, upgrade)?;
        }
    }
    let record = serde_json::json!({ KEY: FINGERPRINT, "fingerprint": fingerprint() });
    upgrade.object_store(META)?.put(&parse(&record)?)?;
    Ok(())
}

/// What this version looks like, in one text.
fn fingerprint() -> String {
    let mut tables: Vec<&str> = MIGRATIONS
        .iter()
        .flat_map(|step| step.tables)
        .copied()
        .collect();
    sort_by(&mut tables, |a, b| a.cmp(b));
    format!("{KEY}: {}", tables.join(" "))
}

/// Refuses a database that has our version but not our shape.
pub(crate) async fn verify(db: &web_sys::IdbDatabase) -> std::result::Result<(), Fault> {
    // A missing table is a NotFoundError, which is the same verdict.
    let meta: IdbObjectStore = db.transaction_with_str(META)?.object_store(META)?;
    let request = meta.get(&JsValue::from_str(FINGERPRINT))?;
    settled(&request).await?;
    let found = js_sys::Reflect::get(&request.result()?, &JsValue::from_str("fingerprint"));
    if found.ok().and_then(|found| found.as_string()) == Some(fingerprint()) {
        return Ok(());
    }
    Err(Fault::Final(StoreError::Version(
        "its tables are not those of its version".to_owned(),
    )))
}

#[cfg(all(test, target_arch = "wasm32"))]
mod tests {
    use mnemograph_storage::Table;
    use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

    use super::*;

    wasm_bindgen_test_configure!(run_in_browser);

    #[wasm_bindgen_test]
    fn the_migrations_create_every_table_once() {
        let mut created: Vec<&str> = MIGRATIONS
            .iter()
            .flat_map(|step| step.tables)
            .copied()
            .collect();
        created.sort_unstable();
        let mut expected: Vec<&str> = Table::ALL.iter().map(|table| table.name()).collect();
        expected.sort_unstable();
        assert_eq!(created, expected);
    }

    #[wasm_bindgen_test]
    fn the_fingerprint_of_version_1_stays() {
        assert_eq!(version(), 1);
        assert_eq!(
            fingerprint(),
            "key: blob_refs blobs checkpoints dictionaries graph_runs heads journal meta round_ids rounds summaries \
             threads transcripts variables"
        );
    }
}
