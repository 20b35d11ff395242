//! Deleting a thread: all that is its own, and nothing else.

use mnemograph_memory::history::{self, Read};
use mnemograph_memory::thread::{self, ThreadListOptions};
use mnemograph_memory::{HistoryKey, JournalRow, MemoryType};
use mnemograph_storage::{Key, MemoryStorage, Range, ScanOptions, Storage, Table, Value};
use pollster::block_on;

use super::threads::{ids, open};
use crate::support::faulty_storage::{Call, FaultyStorage};
use crate::support::*;

fn history_of(namespace: &str, graph: &str, node: &str, thread: &str) -> HistoryKey {
    HistoryKey::new(namespace, graph, node, thread, MemoryType::Buffer).unwrap()
}

#[test]
fn deleting_a_thread_takes_all_its_histories_and_nothing_else() {
    let storage = MemoryStorage::new();
    let own = [
        history_of("me", "g1", "m1", "t"),
        history_of("me", "g1", "m2", "t"),
        history_of("me", "g2", "m1", "t"),
    ];
    let others = [
        history_of("me", "g1", "m1", "t2"),
        history_of("me", "t", "m1", "g1"),
        history_of("you", "g1", "m1", "t"),
    ];
    for (i, key) in own.iter().chain(&others).enumerate() {
        let row = JournalRow {
            round: round(&format!("j{i}"), "u9"),
            seen_seq: 0,
            updated_at: 0,
        };
        block_on(history::open_round(&storage, key, None, &row, nothing())).unwrap();
        block_on(history::append(
            &storage,
            key,
            None,
            &round(&format!("r{i}"), "u1"),
            0,
            nothing(),
        ))
        .unwrap();
    }
    // Cleared once, and one whose head is damaged.
    block_on(history::clear(&storage, &own[1])).unwrap();
    let head = Key::new(["me", "g2", "m1", "t", "buffer_memory"]);
    damage(&storage, Table::Heads, &head, Value::clear);
    open(&storage, "t", "ann", "Hi", 0).unwrap();
    open(&storage, "t2", "ann", "Hi", 0).unwrap();

    let mut found = block_on(thread::histories(&storage, "me", "t")).unwrap();
    found.sort();
    assert_eq!(found, own);
    assert!(block_on(thread::delete(&storage, "me", "t")).unwrap());
    assert!(!block_on(thread::delete(&storage, "me", "t")).unwrap());

    assert_eq!(ids(&storage, &ThreadListOptions::default()), ["t2"]);
    assert_eq!(
        block_on(thread::histories(&storage, "me", "t")).unwrap(),
        []
    );
    for key in &own {
        assert_eq!(
            block_on(history::load(&storage, key, Read::All))
                .unwrap()
                .base,
            None
        );
    }
    for key in &others {
        assert_eq!(check_whole(&storage, key).len(), 1);
    }
    // Three of others in each table, two rows a head; the epoch counter; the other thread and its entry.
    let left = |table| records(&storage, table).len();
    assert_eq!(
        (
            left(Table::Rounds),
            left(Table::RoundIds),
            left(Table::Journal),
            left(Table::Heads)
        ),
        (3, 3, 3, 6)
    );
    assert_eq!(
        (
            left(Table::Threads),
            left(Table::Transcripts),
            left(Table::Meta)
        ),
        (1, 1, 1)
    );
}

#[test]
fn deleting_reads_no_head_of_other_threads() {
    let storage = FaultyStorage::new(MemoryStorage::new());
    for i in 0..50 {
        let key = history_of("me", "g", "m", &format!("t{i}"));
        block_on(history::append(
            &storage,
            &key,
            None,
            &round("r", "u1"),
            0,
            nothing(),
        ))
        .unwrap();
    }
    let _ = storage.take_calls();
    block_on(thread::delete(&storage, "me", "t7")).unwrap();
    let scans = storage
        .take_calls()
        .into_iter()
        .filter(|call| matches!(call, Call::Scan(Table::Heads)))
        .count();
    assert_eq!(scans, 2);
    let prefix = Key::new([mnemograph_storage::Part::from("me"), 0.into(), "t7".into()]);
    let rows = block_on(storage.scan(
        Table::Heads,
        &Range::prefix(&prefix),
        ScanOptions::default(),
    ))
    .unwrap();
    assert_eq!(rows, []);
}
