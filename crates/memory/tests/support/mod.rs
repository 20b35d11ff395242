//! What the tests of this crate share.
#![allow(
    dead_code,
    clippy::allow_attributes,
    reason = "each test binary uses some of it"
)]

// By path: testkit stands above this crate, so this crate cannot depend on it.
#[path = "../../../testkit/src/faulty_storage.rs"]
#[allow(unreachable_pub, reason = "it is public there")]
pub(crate) mod faulty_storage;
pub(crate) mod interleave;
pub(crate) mod notation;

use mnemograph_memory::history::{self, Loaded, Read};
use mnemograph_memory::{Appended, Base, HistoryKey, MemoryError, MemoryType, Message, Round};
use mnemograph_storage::{
    Batch, Durability, Key, MemoryStorage, Outcome, Range, Record, ScanOptions, Storage, Table,
    Value,
};
use pollster::block_on;

/// This many cases of a property, or more if `PROPTEST_CASES` says so.
pub(crate) fn cases(least: u32) -> proptest::test_runner::Config {
    let mut config = proptest::test_runner::Config::default();
    config.cases = config.cases.max(least);
    config
}

pub(crate) fn key() -> HistoryKey {
    key_of("thread")
}

pub(crate) fn key_of(thread: &str) -> HistoryKey {
    HistoryKey::new("me", "graph", "memory_1", thread, MemoryType::Buffer).unwrap()
}

/// A complete round of these messages.
pub(crate) fn round(id: &str, notation: &str) -> Round {
    let mut round = Round::new(id, format!("run_{id}"));
    round.messages = notation::parse(notation);
    round
}

pub(crate) fn nothing() -> Batch {
    Batch::new(Durability::Relaxed)
}

pub(crate) async fn append<S: Storage>(
    storage: &S,
    base: Option<&Base>,
    round: &Round,
) -> Result<Appended, MemoryError> {
    history::append(storage, &key(), base, round, 0, nothing()).await
}

/// Appends what must be stored now, and gives the next base.
pub(crate) fn stored<S: Storage>(storage: &S, base: Option<&Base>, round: &Round) -> Base {
    match block_on(append(storage, base, round)).unwrap() {
        Appended::Stored { base, .. } => base,
        other => panic!("{} was not stored: {other:?}", round.id),
    }
}

pub(crate) fn load<S: Storage>(storage: &S) -> Loaded {
    block_on(history::load(storage, &key(), Read::All)).unwrap()
}

pub(crate) fn show(messages: &[Message]) -> String {
    notation::show(messages)
}

/// Everything in the storage, to compare.
pub(crate) fn dump<S: Storage>(storage: &S) -> Vec<(Table, Record)> {
    let records = |table: &Table| {
        let records =
            block_on(storage.scan(*table, &Range::all(), ScanOptions::default())).unwrap();
        records
            .into_iter()
            .map(|record| (*table, record))
            .collect::<Vec<_>>()
    };
    Table::ALL.iter().flat_map(records).collect()
}

pub(crate) fn records(storage: &MemoryStorage, table: Table) -> Vec<Record> {
    block_on(storage.scan(table, &Range::all(), ScanOptions::default())).unwrap()
}

/// Writes behind the crate's back.
pub(crate) fn put(storage: &MemoryStorage, table: Table, key: Key, value: Value) {
    let batch = Batch::new(Durability::Strict).put(table, key, value);
    assert_eq!(block_on(storage.commit(batch)).unwrap(), Outcome::Committed);
}

/// Changes a record behind the crate's back.
pub(crate) fn damage(
    storage: &MemoryStorage,
    table: Table,
    key: &Key,
    change: impl FnOnce(&mut Value),
) {
    let record = block_on(mnemograph_storage::get(storage, table, key))
        .unwrap()
        .unwrap();
    let mut value = record.value;
    change(&mut value);
    put(storage, table, key.clone(), value);
}

pub(crate) fn remove(storage: &MemoryStorage, table: Table, key: &Key) {
    let batch = Batch::new(Durability::Strict).delete(table, key.clone());
    assert_eq!(block_on(storage.commit(batch)).unwrap(), Outcome::Committed);
}

/// The key of the head of [`key`].
pub(crate) fn head_key() -> Key {
    Key::new(["me", "graph", "memory_1", "thread", "buffer_memory"])
}

/// Reads a history and checks that it is whole: places without gaps within rounds, rising between them, and a head that
/// tells the truth. Gives the ids of its rounds.
pub(crate) fn check_whole<S: Storage>(storage: &S, key: &HistoryKey) -> Vec<String> {
    let loaded = block_on(history::load(storage, key, Read::All)).unwrap();
    assert_eq!(loaded.quarantined, Vec::new());
    assert_eq!(loaded.count, loaded.messages.len() as u64);
    let mut rounds: Vec<String> = Vec::new();
    let mut last = 0;
    for message in &loaded.messages {
        let (round, seq) = (message.round.clone().unwrap(), message.seq.unwrap());
        if rounds.last() == Some(&round) {
            assert_eq!(seq, last + 1, "a gap within {round}");
        } else {
            assert!(seq > last, "{round} is out of order");
            assert!(!rounds.contains(&round), "{round} is there twice");
            rounds.push(round);
        }
        last = seq;
    }
    if let Some(base) = loaded.base {
        assert!(base.next_seq > last);
    }
    rounds
}
