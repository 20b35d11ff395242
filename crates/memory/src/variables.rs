//! Variables that live as long as their thread: `[namespace, thread, graph, variable]`, so that a thread goes with
//! all of them in one range.

use mnemograph_storage::{
    Batch, Durability, Key, Outcome, Part as KeyPart, Range, ScanOptions, Storage, Table,
};
use serde_json::{Map, Value as Json};

use crate::error::MemoryError;
use crate::keys::check_id;
use crate::records::{Quarantined, check_version, parse_body, text, value};

/// The variables of a graph on a thread.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Variables {
    /// Values by the variable's state id: `<node>`, in a sub-graph `<graph>.<node>`.
    pub values: Map<String, Json>,
    /// Records that could not be read. They stay where they are.
    pub quarantined: Vec<Quarantined>,
}

/// The key of one thread's variables, the prefix of all of them.
pub(crate) fn of_thread(namespace: &str, thread: &str) -> Key {
    Key::new([namespace, thread])
}

fn of_graph(namespace: &str, thread: &str, graph: &str) -> Result<Key, MemoryError> {
    check_id("namespace", namespace)?;
    check_id("thread", thread)?;
    check_id("graph", graph)?;
    Ok(of_thread(namespace, thread).with(graph))
}

/// All stored variables of a graph on a thread.
///
/// # Errors
/// `E_BAD_ID`; what the storage reports.
pub async fn load<S: Storage>(
    storage: &S,
    namespace: &str,
    thread: &str,
    graph: &str,
) -> Result<Variables, MemoryError> {
    let range = Range::prefix(&of_graph(namespace, thread, graph)?);
    let records = storage
        .scan(Table::Variables, &range, ScanOptions::default())
        .await?;
    let mut found = Variables::default();
    for record in records {
        let Some(KeyPart::Text(id)) = record.key.parts().last() else {
            continue;
        };
        let read = check_version(&record.value)
            .and_then(|()| text(&record.value, "body"))
            .and_then(parse_body);
        match read {
            Ok(body) => {
                found.values.insert(id.clone(), body);
            }
            Err(fault) => found.quarantined.push(fault.at(record.key.clone())),
        }
    }
    Ok(found)
}

/// Stores a variable, or removes it: then its default holds again.
///
/// # Errors
/// `E_BAD_ID`; what the storage reports.
pub async fn write<S: Storage>(
    storage: &S,
    namespace: &str,
    thread: &str,
    graph: &str,
    variable: &str,
    new: Option<&Json>,
) -> Result<(), MemoryError> {
    check_id("variable", variable)?;
    let key = of_graph(namespace, thread, graph)?.with(variable);
    let batch = Batch::new(Durability::Strict);
    let batch = match new {
        Some(new) => {
            let record = value([("body", Json::String(new.to_string()))]);
            batch.put(Table::Variables, key, record)
        }
        None => batch.delete(Table::Variables, key),
    };
    match storage.commit(batch).await? {
        Outcome::Committed => Ok(()),
        // Nothing was checked, so nothing can have been in the way.
        Outcome::Conflict => Err(MemoryError::Conflict {
            what: format!("the variable {variable:?}"),
            tries: 1,
        }),
    }
}
