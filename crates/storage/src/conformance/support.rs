//! Small words the cases are written in.

use std::fmt::Debug;

use serde_json::json;

use crate::{
    Batch, Durability, Key, Outcome, Part, Range, Record, ScanOptions, Storage, StoreError, Table,
    Value, get,
};

/// A case's result: what went wrong, in words.
pub(super) type Case = Result<(), String>;

/// The whole range, ascending.
pub(super) const ALL: ScanOptions = ScanOptions {
    limit: None,
    reverse: false,
};

pub(super) fn relaxed() -> Batch {
    Batch::new(Durability::Relaxed)
}

/// `{"x": x}`
pub(super) fn value(x: impl Into<serde_json::Value>) -> Value {
    [("x".to_owned(), x.into())].into_iter().collect()
}

pub(super) fn text_key(text: &str) -> Key {
    Key::new([text])
}

/// A key from a JSON array, so that mixed parts are easy to read.
pub(super) fn key(parts: serde_json::Value) -> Key {
    let part = |part: &serde_json::Value| match part {
        serde_json::Value::String(text) => Part::Text(text.clone()),
        other => Part::Int(other.as_u64().unwrap_or_default()),
    };
    Key::new(parts.as_array().into_iter().flatten().map(part))
}

pub(super) fn failed(error: StoreError) -> String {
    format!("{}: {error}", error.code())
}

pub(super) fn equal<T: PartialEq + Debug>(what: &str, found: &T, expected: &T) -> Case {
    if found == expected {
        return Ok(());
    }
    Err(format!(
        "{what}: expected {}, found {}",
        shorten(expected),
        shorten(found)
    ))
}

fn shorten(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    match text.char_indices().nth(400) {
        None => text,
        Some((end, _)) => format!("{}… ({} bytes)", &text.get(..end).unwrap_or(""), text.len()),
    }
}

pub(super) async fn commit<S: Storage>(store: &S, batch: Batch) -> Case {
    let outcome = store.commit(batch).await.map_err(failed)?;
    equal("the outcome", &outcome, &Outcome::Committed)
}

pub(super) async fn conflict<S: Storage>(store: &S, batch: Batch) -> Case {
    let outcome = store.commit(batch).await.map_err(failed)?;
    equal("the outcome", &outcome, &Outcome::Conflict)
}

pub(super) async fn put<S: Storage>(store: &S, table: Table, key: &Key, value: Value) -> Case {
    commit(store, relaxed().put(table, key.clone(), value)).await
}

/// Puts all keys in one batch, each with its place in the list as value.
pub(super) async fn fill<S: Storage>(store: &S, table: Table, keys: &[Key]) -> Case {
    let batch = keys
        .iter()
        .enumerate()
        .fold(relaxed(), |batch, (place, key)| {
            batch.put(table, key.clone(), value(json!(place)))
        });
    commit(store, batch).await
}

pub(super) async fn scan<S: Storage>(
    store: &S,
    table: Table,
    range: &Range,
    options: ScanOptions,
) -> Result<Vec<Record>, String> {
    store.scan(table, range, options).await.map_err(failed)
}

pub(super) async fn keys<S: Storage>(
    store: &S,
    table: Table,
    range: &Range,
    options: ScanOptions,
) -> Result<Vec<Key>, String> {
    let records = scan(store, table, range, options).await?;
    Ok(records.into_iter().map(|record| record.key).collect())
}

/// The record is there with this rev and value.
pub(super) async fn holds<S: Storage>(
    store: &S,
    table: Table,
    key: &Key,
    rev: u64,
    value: &Value,
) -> Case {
    let expected = Record {
        key: key.clone(),
        rev,
        value: value.clone(),
    };
    let found = get(store, table, key).await.map_err(failed)?;
    equal(&format!("{} {key}", table.name()), &found, &Some(expected))
}

/// There is no such record.
pub(super) async fn absent<S: Storage>(store: &S, table: Table, key: &Key) -> Case {
    let found = get(store, table, key).await.map_err(failed)?;
    equal(&format!("{} {key}", table.name()), &found, &None)
}

/// The table's records as (key, rev, value), for comparing a state with a later one.
pub(super) async fn state<S: Storage>(store: &S) -> Result<Vec<(Table, Vec<Record>)>, String> {
    let mut tables = Vec::new();
    for table in Table::ALL {
        tables.push((*table, scan(store, *table, &Range::all(), ALL).await?));
    }
    Ok(tables)
}

pub(super) async fn refused<S: Storage>(store: &S, what: &str, code: &str, batch: Batch) -> Case {
    match store.commit(batch).await {
        Err(error) => equal(what, &error.code(), &code),
        Ok(outcome) => Err(format!("{what}: expected {code}, found {outcome:?}")),
    }
}
