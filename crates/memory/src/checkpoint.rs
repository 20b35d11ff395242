//! Runs that wait for people: `[namespace, thread, run]`, so that a thread tells of its own at once.

use mnemograph_storage::{
    Batch, Durability, Key, Outcome, Part as KeyPart, Range, Record, Scan, ScanOptions, Storage,
    Table,
};
use serde_json::Value as Json;

use crate::error::MemoryError;
use crate::keys::check_id;
use crate::records::{Fault, check_version, integer, parse_body, text, value};

/// A run that waits, as it is stored.
#[derive(Debug, Clone, PartialEq)]
pub struct Waiting {
    /// The run.
    pub run_id: String,
    /// Its thread; its own id where it has none.
    pub thread: String,
    /// The graph.
    pub graph: String,
    /// Semantic hash of the graph.
    pub graph_hash: String,
    /// Whose run it is.
    pub actor: String,
    /// When it was put away, milliseconds since the epoch.
    pub created_at: u64,
    /// The open questions, as the engine gave them.
    pub interrupts: Json,
    /// All that it needs to go on.
    pub body: Json,
}

/// What is stored, with what it takes to claim it.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// The run.
    pub waiting: Waiting,
    key: Key,
    rev: u64,
}

fn key(namespace: &str, thread: &str, run_id: &str) -> Result<Key, MemoryError> {
    check_id("namespace", namespace)?;
    check_id("thread", thread)?;
    check_id("run", run_id)?;
    Ok(Key::new([namespace, thread, run_id]))
}

/// Puts a run away.
///
/// # Errors
/// `E_BAD_ID`; what the storage reports.
pub async fn save<S: Storage>(
    storage: &S,
    namespace: &str,
    waiting: &Waiting,
) -> Result<(), MemoryError> {
    let key = key(namespace, &waiting.thread, &waiting.run_id)?;
    let record = value([
        ("graph", waiting.graph.clone().into()),
        ("graph_hash", waiting.graph_hash.clone().into()),
        ("actor", waiting.actor.clone().into()),
        ("created_at", waiting.created_at.into()),
        ("interrupts", waiting.interrupts.to_string().into()),
        ("body", waiting.body.to_string().into()),
    ]);
    let batch = Batch::new(Durability::Strict).put(Table::Checkpoints, key, record);
    done(storage.commit(batch).await?, &waiting.run_id)
}

/// What [`list`] reads.
///
/// # Errors
/// `E_BAD_ID`.
pub fn scan(namespace: &str, thread: Option<&str>) -> Result<Scan, MemoryError> {
    check_id("namespace", namespace)?;
    let mut prefix = Key::new([namespace]);
    if let Some(thread) = thread {
        check_id("thread", thread)?;
        prefix = prefix.with(thread);
    }
    Ok(Scan {
        table: Table::Checkpoints,
        range: Range::prefix(&prefix),
        options: ScanOptions::default(),
    })
}

/// The runs that wait, of a thread or of all.
///
/// # Errors
/// `E_BAD_ID`; what the storage reports. Records that cannot be read are left out.
pub async fn list<S: Storage>(
    storage: &S,
    namespace: &str,
    thread: Option<&str>,
) -> Result<Vec<Stored>, MemoryError> {
    let scan = scan(namespace, thread)?;
    let records = storage.scan(scan.table, &scan.range, scan.options).await?;
    Ok(records
        .into_iter()
        .filter_map(|record| read(record).ok())
        .collect())
}

/// The run with this id, if it waits.
///
/// # Errors
/// `E_BAD_ID`; what the storage reports.
pub async fn find<S: Storage>(
    storage: &S,
    namespace: &str,
    run_id: &str,
) -> Result<Option<Stored>, MemoryError> {
    let all = list(storage, namespace, None).await?;
    Ok(all
        .into_iter()
        .find(|stored| stored.waiting.run_id == run_id))
}

/// Takes a run out of the storage: of several that try, one succeeds. False for the others.
///
/// # Errors
/// What the storage reports.
pub async fn claim<S: Storage>(storage: &S, stored: &Stored) -> Result<bool, MemoryError> {
    let batch = Batch::new(Durability::Strict)
        .check(Table::Checkpoints, stored.key.clone(), Some(stored.rev))
        .delete(Table::Checkpoints, stored.key.clone());
    Ok(storage.commit(batch).await? == Outcome::Committed)
}

/// Removes a run that was to wait.
///
/// # Errors
/// `E_BAD_ID`; what the storage reports.
pub async fn remove<S: Storage>(
    storage: &S,
    namespace: &str,
    thread: &str,
    run_id: &str,
) -> Result<(), MemoryError> {
    let key = key(namespace, thread, run_id)?;
    let batch = Batch::new(Durability::Strict).delete(Table::Checkpoints, key);
    done(storage.commit(batch).await?, run_id)
}

fn done(outcome: Outcome, run_id: &str) -> Result<(), MemoryError> {
    match outcome {
        Outcome::Committed => Ok(()),
        Outcome::Conflict => Err(MemoryError::Conflict {
            what: format!("the checkpoint of the run {run_id:?}"),
            tries: 1,
        }),
    }
}

fn read(record: Record) -> Result<Stored, Fault> {
    let value = &record.value;
    check_version(value)?;
    let mut parts = record.key.parts().iter().rev();
    let (Some(KeyPart::Text(run_id)), Some(KeyPart::Text(thread))) = (parts.next(), parts.next())
    else {
        return Err(Fault {
            damage: crate::records::Damage::BadKey,
            detail: "the key is no checkpoint's".to_owned(),
        });
    };
    let waiting = Waiting {
        run_id: run_id.clone(),
        thread: thread.clone(),
        graph: text(value, "graph")?.to_owned(),
        graph_hash: text(value, "graph_hash")?.to_owned(),
        actor: text(value, "actor")?.to_owned(),
        created_at: integer(value, "created_at")?,
        interrupts: parse_body(text(value, "interrupts")?)?,
        body: parse_body(text(value, "body")?)?,
    };
    Ok(Stored {
        waiting,
        rev: record.rev,
        key: record.key,
    })
}
