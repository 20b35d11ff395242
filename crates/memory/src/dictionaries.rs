//! What agents keep for themselves under names of their own: one small dictionary of each `agent_memory` node for each
//! thread, `[namespace, thread, graph, node]`, so that a thread goes with all of them in one range.
//!
//! A change is an operation, not a new dictionary: two tabs that write different keys at once both keep theirs.

use mnemograph_compact::FromJson;
use mnemograph_storage::{
    Batch, Durability, Key, Outcome, Part as KeyPart, Range, Record, ScanOptions, Storage, Table,
    get,
};
use serde::Serialize;
use serde_json::{Map, Value as Json};

use crate::error::MemoryError;
use crate::history::TRIES;
use crate::keys::check_id;
use crate::records::{Quarantined, check_version, parse_body, text, value};

/// The longest key, in characters.
pub const MAX_KEY: usize = 200;

/// A change of a dictionary.
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum DictionaryOp {
    /// Keeps a value under a key, in place of what was there.
    Set {
        /// The key.
        key: String,
        /// The value.
        value: Json,
    },
    /// Forgets what is under a key.
    Delete {
        /// The key.
        key: String,
    },
    /// Forgets everything.
    Clear {},
    /// Keeps these in the place of all that is there. People do so; models have no tool for it.
    Replace {
        /// They.
        values: Map<String, Json>,
    },
}

/// How much a dictionary holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, FromJson)]
pub struct DictionaryLimits {
    /// Keys at most.
    pub max_keys: usize,
    /// Characters of one value at most, as JSON text.
    pub max_value_chars: usize,
}

impl DictionaryOp {
    /// The dictionary after the change.
    ///
    /// # Errors
    /// Why it cannot be made, for the model that wants it.
    pub fn apply(
        &self,
        mut values: Map<String, Json>,
        limits: DictionaryLimits,
    ) -> Result<Map<String, Json>, String> {
        match self {
            Self::Clear {} => values.clear(),
            Self::Replace { values } => {
                let mut entries = values.iter().map(|(key, value)| Self::Set {
                    key: key.clone(),
                    value: value.clone(),
                });
                return entries.try_fold(Map::new(), |so_far, set| set.apply(so_far, limits));
            }
            Self::Delete { key } => {
                if values.shift_remove(key).is_none() {
                    return Err(format!("There is nothing under the key {key:?}."));
                }
            }
            Self::Set { key, value } => {
                let length = key.chars().count();
                if length == 0 || length > MAX_KEY {
                    return Err(format!(
                        "A key has 1 to {MAX_KEY} characters, not {length}."
                    ));
                }
                let most = limits.max_value_chars;
                let length = value.to_string().chars().count();
                if length > most {
                    return Err(format!(
                        "The value has {length} characters; {most} are allowed. Keep a shorter one."
                    ));
                }
                if !values.contains_key(key) && values.len() >= limits.max_keys {
                    let most = limits.max_keys;
                    return Err(format!(
                        "There are {most} keys already, and no more are allowed. Delete one first."
                    ));
                }
                values.insert(key.clone(), value.clone());
            }
        }
        Ok(values)
    }
}

/// The dictionaries of a graph on a thread.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dictionaries {
    /// Those that are stored, by the state id of their node: `<node>`, in a sub-graph `<graph>.<node>`.
    pub values: Map<String, Json>,
    /// Records that could not be read. They stay where they are.
    pub quarantined: Vec<Quarantined>,
}

fn of_graph(namespace: &str, thread: &str, graph: &str) -> Result<Key, MemoryError> {
    check_id("namespace", namespace)?;
    check_id("thread", thread)?;
    check_id("graph", graph)?;
    Ok(Key::new([namespace, thread, graph]))
}

fn key_of(namespace: &str, thread: &str, graph: &str, node: &str) -> Result<Key, MemoryError> {
    check_id("node", node)?;
    Ok(of_graph(namespace, thread, graph)?.with(node))
}

/// All stored dictionaries of a graph on a thread.
///
/// # Errors
/// `E_BAD_ID`; what the storage reports.
pub async fn load<S: Storage>(
    storage: &S,
    namespace: &str,
    thread: &str,
    graph: &str,
) -> Result<Dictionaries, MemoryError> {
    let range = Range::prefix(&of_graph(namespace, thread, graph)?);
    let records = storage
        .scan(Table::Dictionaries, &range, ScanOptions::default())
        .await?;
    let mut found = Dictionaries::default();
    for record in records {
        let Some(KeyPart::Text(node)) = record.key.parts().last() else {
            continue;
        };
        match read(&record) {
            Ok(values) => {
                found.values.insert(node.clone(), Json::Object(values));
            }
            Err(quarantined) => found.quarantined.push(quarantined),
        }
    }
    Ok(found)
}

/// Changes a dictionary, whose values are `initial` while nothing is stored, and gives what it is then.
///
/// # Errors
/// `E_MEMORY_WRITE` if the change cannot be made or the record cannot be read; `E_STORE_CONFLICT` after eight tries;
/// `E_BAD_ID`; what the storage reports. Then nothing is changed.
pub async fn change<S: Storage>(
    storage: &S,
    (namespace, thread, graph, node): (&str, &str, &str, &str),
    op: &DictionaryOp,
    initial: &Map<String, Json>,
    limits: DictionaryLimits,
) -> Result<Map<String, Json>, MemoryError> {
    let key = key_of(namespace, thread, graph, node)?;
    let refused = |problem: String| MemoryError::Dictionary { problem };
    for _ in 0..TRIES {
        let record = get(storage, Table::Dictionaries, &key).await?;
        let present = match &record {
            None => initial.clone(),
            Some(record) => read(record).map_err(|damaged| {
                refused(format!(
                    "What is stored of it cannot be read ({}).",
                    damaged.detail
                ))
            })?,
        };
        let new = op.apply(present, limits).map_err(refused)?;
        let body = Json::String(Json::Object(new.clone()).to_string());
        let batch = Batch::new(Durability::Strict)
            .check(
                Table::Dictionaries,
                key.clone(),
                record.map(|record| record.rev),
            )
            .put(Table::Dictionaries, key.clone(), value([("body", body)]));
        if storage.commit(batch).await? == Outcome::Committed {
            return Ok(new);
        }
    }
    Err(MemoryError::Conflict {
        what: format!("the dictionary of node {node:?} in thread {thread:?}"),
        tries: TRIES,
    })
}

/// Removes a dictionary: its initial values hold again. How many keys were stored, 0 if it cannot be read.
///
/// # Errors
/// `E_BAD_ID`; what the storage reports.
pub async fn remove<S: Storage>(
    storage: &S,
    namespace: &str,
    thread: &str,
    graph: &str,
    node: &str,
) -> Result<u64, MemoryError> {
    let key = key_of(namespace, thread, graph, node)?;
    let record = get(storage, Table::Dictionaries, &key).await?;
    let batch = Batch::new(Durability::Strict).delete(Table::Dictionaries, key);
    storage.commit(batch).await?;
    let values = record.and_then(|record| read(&record).ok());
    Ok(values.map_or(0, |values| values.len() as u64))
}

fn read(record: &Record) -> Result<Map<String, Json>, Quarantined> {
    let body = check_version(&record.value)
        .and_then(|()| text(&record.value, "body"))
        .and_then(parse_body);
    match body {
        Ok(Json::Object(values)) => Ok(values),
        Ok(_) => Err(Quarantined {
            key: record.key.clone(),
            damage: crate::records::Damage::WrongType,
            detail: "its body is no object".to_owned(),
        }),
        Err(fault) => Err(fault.at(record.key.clone())),
    }
}
