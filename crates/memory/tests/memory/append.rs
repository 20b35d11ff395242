//! What an append costs, and what it does when others are faster.

use mnemograph_memory::history::{self, Read};
use mnemograph_memory::{Appended, HistoryKey, JournalRow, MemoryType, Round, Status, check_id};
use mnemograph_storage::{Batch, Durability, Key, MemoryStorage, Table, Value};
use pollster::block_on;
use proptest::prelude::*;
use serde_json::json;

use crate::support::faulty_storage::{Call, Fault, FaultyStorage};
use crate::support::*;

fn journal_row(round: &Round) -> JournalRow {
    JournalRow {
        round: round.clone(),
        seen_seq: 0,
        updated_at: 1,
    }
}

fn commits(calls: &[Call]) -> Vec<&Batch> {
    calls
        .iter()
        .filter_map(|call| match call {
            Call::Commit(batch) => Some(&**batch),
            Call::Scan(_) | Call::ScanAll(_) => None,
        })
        .collect()
}

#[test]
fn with_a_fresh_base_nothing_is_read_and_one_strict_batch_is_written() {
    let storage = FaultyStorage::new(MemoryStorage::new());
    let mut base = stored(&storage, None, &round("r0", "u0 a0"));
    storage.take_calls();
    for i in 1..4 {
        base = stored(
            &storage,
            Some(&base),
            &round(&format!("r{i}"), &format!("u{i} a{i}")),
        );
        let calls = storage.take_calls();
        assert_eq!(calls.len(), 1);
        assert_eq!(commits(&calls)[0].durability(), Durability::Strict);
    }
    assert_eq!(check_whole(&storage, &key()), ["r0", "r1", "r2", "r3"]);
}

#[test]
fn a_turn_is_one_relaxed_and_one_strict_commit_with_all_that_goes_along() {
    let storage = FaultyStorage::new(MemoryStorage::new());
    let extra = |n: u64| {
        nothing().put(
            Table::Transcripts,
            Key::new(["me", "t"]).with(n),
            Value::new(),
        )
    };
    let r = round("r1", "u1 a1");
    let base = block_on(history::open_round(
        &storage,
        &key(),
        None,
        &journal_row(&r),
        extra(1),
    ))
    .unwrap();
    let opened = storage.take_calls();
    assert_eq!(
        commits(&opened)
            .iter()
            .map(|batch| batch.durability())
            .collect::<Vec<_>>(),
        [Durability::Relaxed]
    );
    assert_eq!(records(storage.inner(), Table::Journal).len(), 1);

    let base = block_on(history::write_journal(
        &storage,
        &key(),
        &base,
        &journal_row(&r),
    ))
    .unwrap();
    assert_eq!(
        storage.take_calls().len(),
        1,
        "renewing the journal reads nothing"
    );
    let appended = block_on(history::append(
        &storage,
        &key(),
        Some(&base),
        &r,
        0,
        extra(2),
    ))
    .unwrap();
    assert!(matches!(appended, Appended::Stored { .. }));
    assert_eq!(storage.take_calls().len(), 1);
    assert_eq!(records(storage.inner(), Table::Transcripts).len(), 2);
    assert_eq!(records(storage.inner(), Table::Journal).len(), 0);
}

#[test]
fn a_stale_base_costs_a_look_and_the_round_is_stored_behind_the_others() {
    let storage = MemoryStorage::new();
    let old = stored(&storage, None, &round("r0", "u0 a0"));
    stored(&storage, Some(&old), &round("r1", "u1 a1"));
    let base = stored(&storage, Some(&old), &round("r2", "u2 a2"));
    assert_eq!(base.next_seq, 7);
    assert_eq!(check_whole(&storage, &key()), ["r0", "r1", "r2"]);
}

#[test]
fn after_eight_conflicts_the_round_is_still_in_the_journal() {
    let storage = FaultyStorage::new(MemoryStorage::new());
    let r = round("r1", "u1 a1");
    let base = block_on(history::open_round(
        &storage,
        &key(),
        None,
        &journal_row(&r),
        nothing(),
    ))
    .unwrap();
    storage.take_calls();
    storage.fail_always(Some(Fault::Conflict));
    let error = block_on(append(&storage, Some(&base), &r)).unwrap_err();
    assert_eq!(
        (error.code(), error.retryable()),
        ("E_STORE_CONFLICT", true)
    );
    let calls = storage.take_calls();
    assert_eq!(commits(&calls).len(), 8);
    storage.heal();
    assert_eq!(records(storage.inner(), Table::Journal).len(), 1);
    stored(&storage, Some(&base), &r);
    assert_eq!(records(storage.inner(), Table::Journal).len(), 0);
}

#[test]
fn checks_that_go_along_and_fail_write_nothing() {
    let storage = MemoryStorage::new();
    let extra = nothing().check(Table::Threads, Key::new(["me", "t"]), Some(7));
    let error = block_on(history::append(
        &storage,
        &key(),
        None,
        &round("r", "u1"),
        0,
        extra,
    ))
    .unwrap_err();
    assert_eq!(error.code(), "E_STORE_CONFLICT");
    assert_eq!(dump(&storage), []);
}

#[test]
fn an_epoch_is_never_given_twice() {
    let storage = MemoryStorage::new();
    let mut seen = Vec::new();
    for i in 0..4 {
        let thread = key_of(&format!("t{i}"));
        let r = round(&format!("r{i}"), "u1");
        let base = block_on(history::open_round(
            &storage,
            &thread,
            None,
            &journal_row(&r),
            nothing(),
        ))
        .unwrap();
        seen.push(base.epoch);
        seen.push(block_on(history::clear(&storage, &thread)).unwrap().epoch);
    }
    // The counter is lost, then damaged: it goes on above what heads have.
    remove(&storage, Table::Meta, &Key::new(["next_epoch"]));
    seen.push(
        block_on(history::clear(&storage, &key_of("t0")))
            .unwrap()
            .epoch,
    );
    damage(&storage, Table::Meta, &Key::new(["next_epoch"]), |value| {
        value.insert("next".to_owned(), json!("soon"));
    });
    seen.push(
        block_on(history::clear(&storage, &key_of("t1")))
            .unwrap()
            .epoch,
    );
    assert!(seen.windows(2).all(|pair| pair[0] < pair[1]), "{seen:?}");
}

#[test]
fn two_first_writers_share_one_history() {
    let storage = MemoryStorage::new();
    let (a, b) = (round("rA", "u1 a1"), round("rB", "u2 a2"));
    let base_a = block_on(history::open_round(
        &storage,
        &key(),
        None,
        &journal_row(&a),
        nothing(),
    ))
    .unwrap();
    let base_b = block_on(history::open_round(
        &storage,
        &key(),
        None,
        &journal_row(&b),
        nothing(),
    ))
    .unwrap();
    assert_eq!(base_a.epoch, base_b.epoch);
    stored(&storage, Some(&base_b), &b);
    stored(&storage, Some(&base_a), &a);
    assert_eq!(check_whole(&storage, &key()), ["rB", "rA"]);
}

#[test]
fn what_was_cleared_does_not_come_back_through_the_journal() {
    let storage = MemoryStorage::new();
    let r = round("r1", "u1 a1");
    let base = block_on(history::open_round(
        &storage,
        &key(),
        None,
        &journal_row(&r),
        nothing(),
    ))
    .unwrap();
    block_on(history::clear(&storage, &key())).unwrap();
    let kept = block_on(history::write_journal(
        &storage,
        &key(),
        &base,
        &journal_row(&r),
    ))
    .unwrap();
    assert_eq!(kept, base);
    assert_eq!(records(&storage, Table::Journal), []);
    // The start of a run that was overtaken still writes what goes along.
    let extra = nothing().put(Table::Transcripts, Key::new(["me", "t"]), Value::new());
    block_on(history::open_round(
        &storage,
        &key(),
        Some(&base),
        &journal_row(&r),
        extra,
    ))
    .unwrap();
    assert_eq!(records(&storage, Table::Journal), []);
    assert_eq!(records(&storage, Table::Transcripts).len(), 1);
    assert_eq!(
        block_on(append(&storage, Some(&base), &r)).unwrap(),
        Appended::Stale
    );
}

#[test]
fn clearing_takes_this_history_only_and_keeps_its_head() {
    let storage = MemoryStorage::new();
    let others = [
        HistoryKey::new("me", "graph", "memory_1", "thread", MemoryType::Window).unwrap(),
        HistoryKey::new("me", "graph", "memory_1", "threa", MemoryType::Buffer).unwrap(),
        HistoryKey::new("me", "graph", "memory_2", "thread", MemoryType::Buffer).unwrap(),
        HistoryKey::new("me", "graph2", "memory_1", "thread", MemoryType::Buffer).unwrap(),
        HistoryKey::new("m", "graph", "memory_1", "thread", MemoryType::Buffer).unwrap(),
    ];
    for (i, other) in others.iter().enumerate() {
        block_on(history::append(
            &storage,
            other,
            None,
            &round(&format!("o{i}"), "u1 a1"),
            0,
            nothing(),
        ))
        .unwrap();
    }
    stored(&storage, None, &round("r1", "u1 a1"));
    put(
        &storage,
        Table::Summaries,
        head_key().with("current"),
        Value::new(),
    );
    let before = dump(&storage);
    let cleared = block_on(history::clear(&storage, &key())).unwrap();
    assert_eq!(cleared.messages, 2);
    let gone = before.len() - dump(&storage).len();
    assert_eq!(gone, 3, "a round, its id, a summary");
    for other in &others {
        assert_eq!(check_whole(&storage, other).len(), 1);
    }
    assert_eq!(load(&storage).base.unwrap().epoch, cleared.epoch);
}

#[test]
fn a_round_record_says_what_is_in_it() {
    let storage = MemoryStorage::new();
    let mut r = round("r1", "u1 a1*[x]");
    r.end(Status::Failed, Some("E_LLM".to_owned()));
    r.parent = Some("r0".to_owned());
    r.messages[0].seq = Some(99);
    block_on(history::append(&storage, &key(), None, &r, 7, nothing())).unwrap();
    let record = &records(&storage, Table::Rounds)[0];
    let names: Vec<&String> = record.value.keys().collect();
    assert_eq!(
        names,
        [
            "v",
            "round_id",
            "n",
            "seen_seq",
            "status",
            "error_code",
            "parent",
            "bytes",
            "hash",
            "body"
        ]
    );
    let body = record.value["body"].as_str().unwrap();
    assert!(!body.contains("seq"), "a place is derived, never stored");
    assert_eq!(record.value["bytes"], json!(body.len()));
    assert_eq!(record.value["seen_seq"], json!(7));
    let seqs: Vec<_> = load(&storage)
        .messages
        .iter()
        .map(|message| message.seq)
        .collect();
    assert_eq!(seqs, [Some(1), Some(2)]);
}

#[test]
fn data_that_nests_too_deep_is_refused_before_it_is_stored() {
    let storage = MemoryStorage::new();
    for (depth, fits) in [(64, true), (200, false)] {
        let data = (0..depth).fold(json!(1), |inner, _| json!([inner]));
        let mut r = round(&format!("r{depth}"), "u1");
        r.messages[0].meta.insert("deep".to_owned(), data);
        let appended = block_on(append(&storage, None, &r));
        match appended {
            Ok(_) => assert!(fits),
            Err(error) => assert_eq!((fits, error.code()), (false, "E_MEMORY_WRITE")),
        }
    }
    assert_eq!(check_whole(&storage, &key()), ["r64"]);
}

#[test]
fn ids_are_measured_in_utf16() {
    for (id, good) in [
        (String::new(), false),
        ("x".to_owned(), true),
        ("x".repeat(16_384), true),
        ("x".repeat(16_385), false),
        ("🔥".repeat(8_192), true),
        ("🔥".repeat(8_193), false),
        ("ä".repeat(16_384), true),
        ("\u{0}".to_owned(), true),
    ] {
        let checked = check_id("thread", &id);
        assert_eq!(checked.is_ok(), good, "{} bytes", id.len());
        assert!(checked.is_ok() || checked.unwrap_err().code() == "E_BAD_ID");
    }
}

fn hostile() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[ab]{1,2}",
        1 => prop_oneof![
            Just("__proto__"), Just("constructor"), Just("%"), Just("a%"), Just("🔥"), Just("a\u{0}"), Just("buffer_memory"),
            Just("a|b"), Just("\u{FFFF}"), Just("..")
        ]
        .prop_map(str::to_owned),
        1 => Just("x".repeat(10_000)),
    ]
}

proptest! {
    #![proptest_config(cases(300))]

    #[test]
    fn no_id_reaches_into_another(
        ids in prop::collection::btree_set((hostile(), hostile(), hostile(), hostile()), 2..6),
        cleared in any::<prop::sample::Index>(),
    ) {
        let storage = MemoryStorage::new();
        let keys: Vec<HistoryKey> = ids
            .iter()
            .map(|(namespace, graph, node, thread)| {
                HistoryKey::new(namespace, graph, node, thread, MemoryType::Buffer).unwrap()
            })
            .collect();
        for (i, key) in keys.iter().enumerate() {
            let r = round(&format!("r{i}"), "u1");
            block_on(history::append(&storage, key, None, &r, 0, nothing())).unwrap();
        }
        let cleared = cleared.index(keys.len());
        block_on(history::clear(&storage, &keys[cleared])).unwrap();
        for (i, key) in keys.iter().enumerate() {
            let rounds = check_whole(&storage, key);
            if i == cleared {
                prop_assert_eq!(rounds, Vec::<String>::new());
            } else {
                prop_assert_eq!(rounds, [format!("r{i}")]);
            }
            let tail = block_on(history::load(&storage, key, Read::Tail(5))).unwrap();
            prop_assert_eq!(tail.messages.len(), usize::from(i != cleared));
        }
    }
}
