//! D33: what a closed tab leaves, and a run that was thought dead.

use mnemograph_memory::history;
use mnemograph_memory::{Appended, Base, JournalRow, Round, Status};
use mnemograph_storage::{Batch, MemoryStorage, Storage, Table};
use pollster::block_on;

use crate::support::interleave::{Yielding, interleave};
use crate::support::*;

fn open<S: Storage>(storage: &S, base: Option<&Base>, round: &Round) -> Base {
    let row = JournalRow {
        round: round.clone(),
        seen_seq: 0,
        updated_at: 5,
    };
    block_on(history::open_round(storage, &key(), base, &row, nothing())).unwrap()
}

fn recover<S: Storage>(storage: &S, live: &[&str]) -> Vec<String> {
    let recovered = block_on(history::recover(storage, &key(), |run| live.contains(&run))).unwrap();
    assert_eq!(recovered.quarantined, []);
    recovered
        .rounds
        .into_iter()
        .map(|round| round.round_id)
        .collect()
}

#[test]
fn rounds_of_live_runs_are_neither_shown_nor_finished() {
    let storage = MemoryStorage::new();
    open(&storage, None, &round("r1", "u1"));
    open(&storage, None, &round("r2", "u2 a2"));
    assert_eq!(load(&storage).messages, []);
    assert_eq!(recover(&storage, &["run_r1"]), ["r2"]);
    assert_eq!(check_whole(&storage, &key()), ["r2"]);
    assert_eq!(records(&storage, Table::Journal).len(), 1);
}

#[test]
fn what_is_recovered_is_aborted_and_whole() {
    let storage = MemoryStorage::new();
    open(&storage, None, &round("r1", "u1 a1*[x,y] t:x"));
    assert_eq!(recover(&storage, &[]), ["r1"]);
    let loaded = load(&storage);
    assert_eq!(show(&loaded.messages), "u1 a1*[x,y] t:x");
    assert!(
        loaded
            .messages
            .iter()
            .all(|message| message.status == Status::Aborted)
    );
    let shown = mnemograph_memory::repair(&loaded.messages, None).messages;
    assert_eq!(show(&shown), "u1 a1*[x,y] t:x t:y°");
    assert_eq!(recover(&storage, &[]), Vec::<String>::new());
}

#[test]
fn the_latest_row_of_a_round_is_recovered() {
    let storage = MemoryStorage::new();
    let base = open(&storage, None, &round("r1", "u1"));
    open(&storage, Some(&base), &round("r1", "u1 a1*[x] t:x"));
    assert_eq!(recover(&storage, &[]), ["r1"]);
    assert_eq!(show(&load(&storage).messages), "u1 a1*[x] t:x");
}

#[test]
fn a_row_whose_round_is_stored_is_only_removed() {
    let storage = MemoryStorage::new();
    let base = open(&storage, None, &round("r1", "u1"));
    let row = records(&storage, Table::Journal)[0].clone();
    stored(&storage, Some(&base), &round("r1", "u1 a1"));
    put(&storage, Table::Journal, row.key, row.value);
    assert_eq!(recover(&storage, &[]), Vec::<String>::new());
    assert_eq!(records(&storage, Table::Journal), []);
    assert_eq!(show(&load(&storage).messages), "u1 a1");
}

#[test]
fn a_row_of_a_cleared_history_is_only_removed() {
    let storage = MemoryStorage::new();
    open(&storage, None, &round("r1", "u1"));
    let row = records(&storage, Table::Journal)[0].clone();
    block_on(history::clear(&storage, &key())).unwrap();
    put(&storage, Table::Journal, row.key, row.value);
    assert_eq!(recover(&storage, &[]), Vec::<String>::new());
    assert_eq!(
        (records(&storage, Table::Journal), load(&storage).messages),
        (vec![], vec![])
    );
}

#[test]
fn a_run_that_lives_after_all_loses_and_doubles_nothing() {
    let storage = MemoryStorage::new();
    let base = open(&storage, None, &round("r1", "u1"));
    assert_eq!(recover(&storage, &[]), ["r1"]);
    // It goes on: its journal comes back, and is recovered again with more in it.
    let base = open(&storage, Some(&base), &round("r1", "u1 a1*[x]"));
    assert_eq!(recover(&storage, &[]), ["r1"]);
    assert_eq!(show(&load(&storage).messages), "u1 a1*[x]");
    open(&storage, Some(&base), &round("r1", "u1 a1*[x]"));
    assert_eq!(recover(&storage, &[]), ["r1"]);
    assert_eq!(check_whole(&storage, &key()), ["r1"]);
    // Another round in between, then the run ends.
    stored(&storage, None, &round("r2", "u2 a2"));
    let base = stored(&storage, Some(&base), &round("r1", "u1 a1*[x] t:x a3"));
    assert_eq!(show(&load(&storage).messages), "u2 a2 u1 a1*[x] t:x a3");
    assert_eq!(check_whole(&storage, &key()), ["r2", "r1"]);
    // From now on it is an ordinary round.
    let again = block_on(append(&storage, Some(&base), &round("r1", "u1"))).unwrap();
    assert!(matches!(again, Appended::Already { count: 4, .. }));
}

/// Whenever the run writes its journal again while it is being recovered, nothing of that is lost.
#[test]
fn recovery_removes_no_row_that_is_newer_than_what_it_stores() {
    for steps in 0..12 {
        let storage = MemoryStorage::new();
        let base = open(&storage, None, &round("r1", "u1"));
        let slow = Yielding(storage.clone());
        let recovery = async {
            history::recover(&slow, &key(), |_| false).await.unwrap();
        };
        let row = JournalRow {
            round: round("r1", "u1 a1"),
            seen_seq: 0,
            updated_at: 6,
        };
        let journal = async {
            history::write_journal(&slow, &key(), &base, &row)
                .await
                .unwrap();
        };
        let mut schedule = vec![true; steps];
        schedule.extend([false, false]);
        schedule.extend([true; 30]);
        interleave(&schedule, recovery, journal);
        recover(&storage, &[]);
        assert_eq!(
            show(&load(&storage).messages),
            "u1 a1",
            "after {steps} steps"
        );
        assert_eq!(check_whole(&storage, &key()), ["r1"]);
    }
}

#[test]
fn an_append_takes_its_own_row_along_and_no_other() {
    let storage = MemoryStorage::new();
    open(&storage, None, &round("r1", "u1"));
    let base = open(&storage, None, &round("r2", "u2"));
    stored(&storage, Some(&base), &round("r2", "u2 a2"));
    let left: Vec<_> = records(&storage, Table::Journal)
        .into_iter()
        .map(|record| record.key)
        .collect();
    assert_eq!(left, [head_key().with(1).with("r1")]);
}

#[test]
fn an_empty_row_is_only_removed() {
    let storage = MemoryStorage::new();
    open(&storage, None, &round("r1", "u1"));
    let mut row = records(&storage, Table::Journal)[0].clone();
    row.value.insert("body".to_owned(), serde_json::json!("[]"));
    // SHA-256 of `[]`.
    let hash = "4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945";
    row.value.insert("hash".to_owned(), serde_json::json!(hash));
    put(&storage, Table::Journal, row.key, row.value);
    assert_eq!(recover(&storage, &[]), Vec::<String>::new());
    assert_eq!(records(&storage, Table::Journal), []);
}

#[test]
fn what_goes_along_with_a_replacement_is_written_with_it() {
    let storage = MemoryStorage::new();
    let base = open(&storage, None, &round("r1", "u1"));
    recover(&storage, &[]);
    let key_of_entry = mnemograph_storage::Key::new(["me", "t", "1"]);
    let extra = Batch::new(mnemograph_storage::Durability::Relaxed).put(
        Table::Transcripts,
        key_of_entry,
        mnemograph_storage::Value::new(),
    );
    let r = round("r1", "u1 a1");
    block_on(history::append(&storage, &key(), Some(&base), &r, 0, extra)).unwrap();
    assert_eq!(records(&storage, Table::Transcripts).len(), 1);
}
