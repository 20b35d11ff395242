//! Damaged records: left out and told, never an error for the thread, never deleted.

use mnemograph_memory::history::{self, Read};
use mnemograph_memory::{Appended, Damage, JournalRow, MemoryError};
use mnemograph_storage::{Key, MemoryStorage, Record, Table, Value};
use pollster::block_on;
use proptest::prelude::*;
use serde_json::json;

use crate::support::*;

fn three() -> MemoryStorage {
    let storage = MemoryStorage::new();
    for i in 1..4 {
        block_on(append(
            &storage,
            None,
            &round(&format!("r{i}"), &format!("u{i} a{i}")),
        ))
        .unwrap();
    }
    storage
}

fn second(storage: &MemoryStorage) -> Record {
    records(storage, Table::Rounds)[1].clone()
}

fn set(name: &str, value: serde_json::Value) -> impl Fn(&mut Value) + '_ {
    move |record| {
        record.insert(name.to_owned(), value.clone());
    }
}

/// A body with its own right hash.
fn body(body: &'static str) -> impl Fn(&mut Value) {
    use sha2::{Digest, Sha256};
    move |record| {
        let hash: String = Sha256::digest(body.as_bytes())
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        record.insert("body".to_owned(), json!(body));
        record.insert("hash".to_owned(), json!(hash));
    }
}

#[test]
fn a_damaged_round_hides_nothing_but_itself() {
    type Change = Box<dyn Fn(&mut Value)>;
    let rows: Vec<(Change, Damage)> = vec![
        (Box::new(set("v", json!(2))), Damage::NewerVersion),
        (Box::new(set("v", json!("1"))), Damage::WrongType),
        (Box::new(set("v", json!(0))), Damage::WrongType),
        (Box::new(set("round_id", json!(7))), Damage::WrongType),
        (Box::new(set("n", json!(3))), Damage::WrongCount),
        (Box::new(set("n", json!("2"))), Damage::WrongType),
        (Box::new(set("n", json!(-2))), Damage::WrongType),
        (Box::new(set("seen_seq", json!(null))), Damage::WrongType),
        (Box::new(set("status", json!("done"))), Damage::WrongType),
        (Box::new(set("error_code", json!([]))), Damage::WrongType),
        (Box::new(set("hash", json!("00"))), Damage::WrongHash),
        (Box::new(set("hash", json!(0))), Damage::WrongType),
        (Box::new(set("body", json!("[]"))), Damage::WrongHash),
        (Box::new(set("body", json!([]))), Damage::WrongType),
        (Box::new(body("[{\"v\":1")), Damage::BadJson),
        (Box::new(body("{}")), Damage::BadMessage),
        (Box::new(body("[{\"id\":\"x\"},{}]")), Damage::BadMessage),
        (Box::new(body("[]")), Damage::WrongCount),
        (Box::new(Value::clear), Damage::WrongType),
    ];
    for (change, expected) in rows {
        let storage = three();
        let key = second(&storage).key;
        damage(&storage, Table::Rounds, &key, change);
        let before = dump(&storage);
        let loaded = load(&storage);
        assert_eq!(show(&loaded.messages), "u1 a1 u3 a3");
        assert_eq!(loaded.quarantined.len(), 1);
        assert_eq!(
            (loaded.quarantined[0].damage, &loaded.quarantined[0].key),
            (expected, &key)
        );
        let tail = block_on(history::load(
            &storage,
            &crate::support::key(),
            Read::Tail(3),
        ))
        .unwrap();
        assert_eq!(show(&tail.messages), "u1 a1 u3 a3");
        assert_eq!(dump(&storage), before, "I9");
        // Life goes on around it.
        let base = stored(&storage, loaded.base.as_ref(), &round("r4", "u4 a4"));
        assert_eq!(base.next_seq, 9);
        assert_eq!(show(&load(&storage).messages), "u1 a1 u3 a3 u4 a4");
        assert_eq!(second(&storage).key, key);
    }
}

#[test]
fn a_key_of_another_shape_is_damage_too() {
    let storage = three();
    let value = second(&storage).value;
    let prefix = head_key().with(1);
    for key in [prefix.with("x"), prefix.with(9).with("y")] {
        put(&storage, Table::Rounds, key, value.clone());
    }
    let loaded = load(&storage);
    assert_eq!(show(&loaded.messages), "u1 a1 u2 a2 u3 a3");
    let damages: Vec<_> = loaded
        .quarantined
        .iter()
        .map(|quarantined| quarantined.damage)
        .collect();
    assert_eq!(damages, [Damage::BadKey, Damage::BadKey]);
}

#[test]
fn a_head_is_rebuilt_from_the_rounds_and_written_by_the_next_append() {
    let lost: fn(&MemoryStorage) = |storage| remove(storage, Table::Heads, &head_key());
    let garbled: fn(&MemoryStorage) =
        |storage| damage(storage, Table::Heads, &head_key(), Value::clear);
    let typed: fn(&MemoryStorage) = |storage| {
        damage(storage, Table::Heads, &head_key(), |value| {
            set("next_seq", json!("7"))(value)
        })
    };
    for harm in [lost, garbled, typed] {
        let storage = three();
        let good = load(&storage);
        harm(&storage);
        let before = dump(&storage);
        let loaded = load(&storage);
        assert_eq!(dump(&storage), before, "I9");
        assert!(loaded.head_rebuilt);
        assert_eq!(loaded.messages, good.messages);
        assert_eq!((loaded.count, loaded.bytes), (good.count, good.bytes));
        let (base, good_base) = (loaded.base.unwrap(), good.base.unwrap());
        assert_eq!(
            (base.epoch, base.next_seq),
            (good_base.epoch, good_base.next_seq)
        );
        stored(&storage, Some(&base), &round("r4", "u4 a4"));
        assert!(!load(&storage).head_rebuilt);
        // A writer from before the damage is not turned away.
        stored(&storage, Some(&good_base), &round("r5", "u5"));
        assert_eq!(
            check_whole(&storage, &key()),
            ["r1", "r2", "r3", "r4", "r5"]
        );
    }
}

#[test]
fn a_head_that_counts_too_low_meets_no_round() {
    let storage = three();
    for (next_seq, through_load) in [(1, true), (2, false), (1, false)] {
        damage(&storage, Table::Heads, &head_key(), |value| {
            set("next_seq", json!(next_seq))(value)
        });
        let before = load(&storage);
        let base = through_load.then_some(before.base).flatten();
        let name = format!("n{next_seq}{through_load}");
        stored(&storage, base.as_ref(), &round(&name, "u1"));
        let loaded = load(&storage);
        assert_eq!(loaded.messages.len(), before.messages.len() + 1);
        assert_eq!(
            loaded.messages.last().unwrap().round.as_ref().unwrap(),
            &name
        );
    }
}

#[test]
fn a_head_of_newer_code_is_read_around_and_never_written() {
    let storage = three();
    let base = load(&storage).base;
    damage(&storage, Table::Heads, &head_key(), |value| {
        set("v", json!(9))(value)
    });
    let before = dump(&storage);
    let loaded = load(&storage);
    assert_eq!(loaded.messages.len(), 6);
    assert_eq!(loaded.base, None);
    for base in [None, base] {
        let error = block_on(append(&storage, base.as_ref(), &round("r4", "u4"))).unwrap_err();
        assert_eq!(error.code(), "E_STORE_VERSION");
        assert!(matches!(error, MemoryError::NewerRecord { version: 9, .. }));
    }
    assert_eq!(
        block_on(history::clear(&storage, &key()))
            .unwrap_err()
            .code(),
        "E_STORE_VERSION"
    );
    assert_eq!(dump(&storage), before);
}

#[test]
fn a_damaged_round_id_stores_nothing_twice() {
    let storage = three();
    let id = |round: &str| head_key().with(round);
    damage(&storage, Table::RoundIds, &id("r2"), Value::clear);
    let again = block_on(append(&storage, None, &round("r2", "u2 a2"))).unwrap();
    assert!(
        matches!(
            again,
            Appended::Already {
                first_seq: 3,
                count: 2,
                ..
            }
        ),
        "{again:?}"
    );
    // A row that names a round which is not there says nothing.
    put(&storage, Table::RoundIds, id("r9"), Value::new());
    stored(&storage, None, &round("r9", "u9 a9"));
    assert_eq!(check_whole(&storage, &key()), ["r1", "r2", "r3", "r9"]);
}

#[test]
fn a_lost_row_of_a_life_is_written_again() {
    let storage = three();
    let base = load(&storage).base.unwrap();
    let life = records(&storage, Table::Heads)[0].key.clone();
    assert_eq!(life.parts().len(), 7);
    remove(&storage, Table::Heads, &life);
    stored(&storage, Some(&base), &round("r4", "u4"));
    assert!(
        records(&storage, Table::Heads)
            .iter()
            .any(|record| record.key == life)
    );
    assert_eq!(check_whole(&storage, &key()).len(), 4);
}

#[test]
fn a_journal_row_that_cannot_be_read_stays_and_is_told() {
    let storage = MemoryStorage::new();
    let row = |id: &str| JournalRow {
        round: round(id, "u1 a1"),
        seen_seq: 0,
        updated_at: 1,
    };
    for id in ["r1", "r2"] {
        block_on(history::open_round(
            &storage,
            &key(),
            None,
            &row(id),
            nothing(),
        ))
        .unwrap();
    }
    let bad = head_key().with(1).with("r1");
    damage(&storage, Table::Journal, &bad, |value| {
        set("hash", json!("00"))(value)
    });
    let recovered = block_on(history::recover(&storage, &key(), |_| false)).unwrap();
    assert_eq!(recovered.rounds.len(), 1);
    assert_eq!(
        (
            recovered.quarantined[0].damage,
            &recovered.quarantined[0].key
        ),
        (Damage::WrongHash, &bad)
    );
    assert_eq!(records(&storage, Table::Journal).len(), 1);
    assert_eq!(check_whole(&storage, &key()), ["r2"]);
}

#[test]
fn the_first_round_is_recovered_though_the_head_is_lost() {
    let lost: fn(&MemoryStorage) = |storage| remove(storage, Table::Heads, &head_key());
    let garbled: fn(&MemoryStorage) =
        |storage| damage(storage, Table::Heads, &head_key(), Value::clear);
    for (harm, by_recovery) in [
        (lost, true),
        (lost, false),
        (garbled, true),
        (garbled, false),
    ] {
        let storage = MemoryStorage::new();
        let row = JournalRow {
            round: round("r1", "u1 a1"),
            seen_seq: 0,
            updated_at: 1,
        };
        let base = block_on(history::open_round(&storage, &key(), None, &row, nothing())).unwrap();
        harm(&storage);
        assert_eq!(load(&storage).messages, []);
        if by_recovery {
            block_on(history::recover(&storage, &key(), |_| false)).unwrap();
        } else {
            stored(&storage, Some(&base), &row.round);
        }
        assert_eq!(check_whole(&storage, &key()), ["r1"]);
        assert_eq!(load(&storage).base.unwrap().epoch, base.epoch);
        assert_eq!(records(&storage, Table::Journal), []);
    }
}

fn garbage() -> impl Strategy<Value = serde_json::Value> {
    prop_oneof![
        Just(json!(null)),
        Just(json!(0)),
        Just(json!(1)),
        Just(json!(-1)),
        Just(json!(1.5)),
        Just(json!("")),
        Just(json!("[]")),
        Just(json!([])),
        Just(json!({})),
        Just(json!(true)),
        Just(json!(9_007_199_254_740_991_u64)),
        Just(json!("failed")),
    ]
}

proptest! {
    #![proptest_config(cases(400))]

    /// Whatever stands in the fields, reading gives the other rounds and changes nothing.
    #[test]
    fn any_damage_is_survived(
        table in prop_oneof![Just(Table::Rounds), Just(Table::Heads), Just(Table::RoundIds), Just(Table::Meta)],
        row in any::<prop::sample::Index>(),
        field in any::<prop::sample::Index>(),
        with in prop::option::of(garbage()),
    ) {
        let storage = three();
        let rows = records(&storage, table);
        let record = &rows[row.index(rows.len())];
        let names: Vec<&String> = record.value.keys().collect();
        let name = names[field.index(names.len())].clone();
        damage(&storage, table, &record.key, |value| {
            match with {
                Some(garbage) => value.insert(name, garbage),
                None => value.shift_remove(&name),
            };
        });
        let before = dump(&storage);
        let loaded = load(&storage);
        prop_assert!(loaded.quarantined.len() <= 1);
        let epoch_damaged = table == Table::Heads && loaded.messages.is_empty();
        prop_assert!(epoch_damaged || loaded.messages.len() >= 4);
        let tail = block_on(history::load(&storage, &key(), Read::Tail(2))).unwrap();
        prop_assert!(epoch_damaged || !tail.messages.is_empty());
        prop_assert_eq!(dump(&storage), before);
        // Writing works, or says why not.
        match block_on(append(&storage, None, &round("r4", "u4 a4"))) {
            Ok(Appended::Stored { .. }) => {}
            Ok(other) => panic!("{other:?}"),
            Err(error) => prop_assert_eq!(error.code(), "E_STORE_VERSION"),
        }
    }
}

#[test]
fn keys_of_tables_are_what_the_documents_say() {
    let storage = three();
    let keys = |table| {
        records(&storage, table)
            .into_iter()
            .map(|record| json!(record.key))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        keys(Table::Rounds)[0],
        json!(["me", "graph", "memory_1", "thread", "buffer_memory", 1, 1])
    );
    assert_eq!(
        keys(Table::RoundIds)[0],
        json!(["me", "graph", "memory_1", "thread", "buffer_memory", "r1"])
    );
    assert_eq!(
        keys(Table::Heads)[1],
        json!(["me", "graph", "memory_1", "thread", "buffer_memory"])
    );
    assert_eq!(
        keys(Table::Heads)[0],
        json!(["me", 0, "thread", "graph", "memory_1", "buffer_memory", 1])
    );
    assert_eq!(json!(Key::new(["next_epoch"])), keys(Table::Meta)[0]);
}
