//! Runs the vectors of `tests/conformance/memory` on any storage, so that a native test and a browser run the same files
//! through the same few lines. For tests alone; the format is described beside the files.

use std::collections::BTreeMap;

use mnemograph_storage::{Batch, Durability, Range, ScanOptions, Storage, Table};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::error::MemoryError;
use crate::history::{self, Base, Read};
use crate::keys::{HistoryKey, MemoryType};
use crate::message::{Message, ModelRef, Round};
use crate::records::JournalRow;
use crate::summary::{self, Summary};
use crate::thread;
use crate::view::{ViewPolicy, view};

macro_rules! vectors {
    ($($name:literal),*) => {
        &[$(($name, include_str!(concat!("../../../tests/conformance/memory/", $name)))),*]
    };
}

/// The vector files by name, with their text: a browser reads no folder. The native test compares the names with it.
pub const FILES: &[(&str, &str)] = vectors![
    "append.json",
    "keys.json",
    "repair.json",
    "summary.json",
    "window.json"
];

/// What came of a vector's `given`, to be compared with its `expected`: one value, or one for each of its `steps`.
///
/// # Errors
/// What is wrong with the vector itself. What the steps fail with is part of their results.
pub async fn perform<S: Storage>(storage: &S, given: &Value) -> Result<Value, String> {
    let Some(steps) = given.get("steps") else {
        return view_of(&field::<Vec<Message>>(given, "messages")?, given);
    };
    let steps = steps.as_array().ok_or("steps is no list")?;
    let mut bases = Bases::default();
    let mut results = Vec::with_capacity(steps.len());
    for step in steps {
        results.push(match perform_step(storage, step, &mut bases).await? {
            Ok(result) => result,
            Err(error) => json!({ "error": error.code() }),
        });
    }
    Ok(json!({ "results": results }))
}

/// What each writer knows of each history.
type Bases = BTreeMap<(String, HistoryKey), Base>;

async fn perform_step<S: Storage>(
    storage: &S,
    step: &Value,
    bases: &mut Bases,
) -> Result<Result<Value, MemoryError>, String> {
    let op: String = field(step, "op")?;
    if op == "dump" {
        return dump(storage, field(step, "table")?).await.map(Ok);
    }
    let key = match field::<KeyFields>(step, "key")?.key() {
        Ok(key) => key,
        Err(error) => return Ok(Err(error)),
    };
    let slot = (
        step.get("writer")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        key.clone(),
    );
    let nothing = || Batch::new(Durability::Relaxed);
    match op.as_str() {
        "load" => {
            let read = optional(step, "read")?.unwrap_or(Read::All);
            Ok(history::load(storage, &key, read).await.map(|loaded| {
                match loaded.base {
                    Some(base) => bases.insert(slot, base),
                    None => bases.remove(&slot),
                };
                json!({
                    "messages": loaded.messages,
                    "count": loaded.count,
                    "bytes": loaded.bytes,
                    "quarantined": loaded.quarantined.len(),
                    "next_seq": loaded.base.map(|base| base.next_seq),
                })
            }))
        }
        "view" => match history::load(storage, &key, Read::All).await {
            Ok(loaded) => view_of(&loaded.messages, step).map(Ok),
            Err(error) => Ok(Err(error)),
        },
        "open" => {
            let row: JournalRow = field(step, "row")?;
            let base = bases.get(&slot).copied();
            let opened = history::open_round(storage, &key, base.as_ref(), &row, nothing()).await;
            Ok(opened.map(|base| {
                bases.insert(slot, base);
                json!({ "epoch": base.epoch })
            }))
        }
        "append" => {
            let round: Round = field(step, "round")?;
            let base = bases.get(&slot).copied();
            let seen = optional(step, "seen_seq")?.unwrap_or(0);
            let appended =
                history::append(storage, &key, base.as_ref(), &round, seen, nothing()).await;
            Ok(appended.map(|appended| json!(appended)))
        }
        "clear" => Ok(history::clear(storage, &key)
            .await
            .map(|cleared| json!(cleared))),
        "recover" => {
            let live: Vec<String> = optional(step, "live")?.unwrap_or_default();
            let recovered =
                history::recover(storage, &key, |run| live.iter().any(|id| id == run)).await;
            Ok(recovered.map(|recovered| json!({ "rounds": recovered.rounds })))
        }
        "delete_thread" => {
            let deleted = thread::delete(storage, key.namespace(), key.thread()).await;
            Ok(deleted.map(|deleted| json!({ "deleted": deleted })))
        }
        other => Err(format!("no step is called {other:?}")),
    }
}

fn view_of(messages: &[Message], given: &Value) -> Result<Value, String> {
    let policy = optional(given, "policy")?.unwrap_or(ViewPolicy::Buffer);
    let target: Option<ModelRef> = optional(given, "target")?;
    let summary: Option<Summary> = optional(given, "summary")?;
    let view = view(messages, summary.as_ref(), &policy, target.as_ref());
    let warnings: Vec<_> = view
        .warnings
        .iter()
        .map(|warning| warning.code.as_str())
        .collect();
    let mut result = serde_json::Map::new();
    result.insert("messages".to_owned(), json!(view.messages));
    result.insert("in_view".to_owned(), json!(view.in_view));
    result.insert("warnings".to_owned(), json!(warnings));
    if view.degraded {
        result.insert("degraded".to_owned(), true.into());
    }
    if let (Some(true), ViewPolicy::Summary { trigger, keep, .. }) =
        (optional(given, "cut")?, policy)
    {
        let covers_seq = summary.map_or(0, |summary| summary.covers_seq);
        let cut = summary::cut(summary::uncovered(messages, covers_seq), trigger, keep);
        let count = cut.map_or(0, |cut| cut.count);
        result.insert("compress".to_owned(), count.into());
    }
    Ok(Value::Object(result))
}

async fn dump<S: Storage>(storage: &S, table: Table) -> Result<Value, String> {
    let records = storage
        .scan(table, &Range::all(), ScanOptions::default())
        .await;
    let records = records.map_err(|error| error.to_string())?;
    let rows = records
        .into_iter()
        .map(|record| json!({ "key": record.key, "value": record.value }));
    Ok(rows.collect())
}

#[derive(Deserialize)]
struct KeyFields {
    namespace: String,
    graph: String,
    node: String,
    thread: String,
    memory_type: MemoryType,
}

impl KeyFields {
    fn key(self) -> Result<HistoryKey, MemoryError> {
        HistoryKey::new(
            self.namespace,
            self.graph,
            self.node,
            self.thread,
            self.memory_type,
        )
    }
}

fn field<T: DeserializeOwned>(object: &Value, name: &str) -> Result<T, String> {
    optional(object, name)?.ok_or_else(|| format!("{name} is missing"))
}

fn optional<T: DeserializeOwned>(object: &Value, name: &str) -> Result<Option<T>, String> {
    let value = object.get(name).cloned().unwrap_or(Value::Null);
    serde_json::from_value(value).map_err(|error| format!("{name}: {error}"))
}
