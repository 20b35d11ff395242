//! What happens around the one connection: other tabs, a browser that closes it, databases that are not ours.

use crate::support::{
    Broken, PATIENT, SHORT, close_raw, delete_later, delete_raw, dump, fresh, fresh_with, kill,
    open_raw, put, put_raw, seen_texts, value,
};
use futures_util::future::{join, join_all};
use js_sys::Array;
use mnemograph_indexeddb::{IndexedDbOptions, IndexedDbStorage};
use mnemograph_storage::{
    Batch, Durability, Key, Outcome, Range, ScanOptions, Storage, StoreError, Table, get,
};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::wasm_bindgen_test;

fn a() -> Key {
    Key::new(["a"])
}

async fn code_of_opening(name: &str, options: IndexedDbOptions) -> &'static str {
    let opened = IndexedDbStorage::open(name, options).await;
    opened.map_or_else(|error| error.code(), |_| "opened")
}

/// Writes and reads. A storage of little patience may have to be asked again.
async fn works(storage: &IndexedDbStorage) {
    let mut before = get(storage, Table::Heads, &a()).await;
    for _ in 0..200 {
        if before.as_ref().is_err_and(StoreError::retryable) {
            before = get(storage, Table::Heads, &a()).await;
        }
    }
    let rev = before.unwrap().map_or(0, |record| record.rev);
    assert_eq!(storage.commit(put(&a(), 1)).await, Ok(Outcome::Committed));
    let after = get(storage, Table::Heads, &a()).await.unwrap().unwrap();
    assert_eq!(after.rev, rev + 1);
}

#[wasm_bindgen_test]
async fn records_at_rest_are_readable() {
    let name = "at rest";
    let storage = fresh(name).await;
    let key = Key::new(["a"]).with(7);
    storage.commit(put(&key, 5)).await.unwrap();
    let raw = open_raw(name, 1, Array::new()).await.unwrap();
    assert_eq!(
        dump(&raw, "heads").await.unwrap().as_string().unwrap(),
        r#"[{"key":["a",7],"rev":1,"value":{"x":5}}]"#
    );
    close_raw(&raw);
}

#[wasm_bindgen_test]
async fn the_fingerprint_is_out_of_reach() {
    let name = "fingerprint";
    let storage = fresh(name).await;
    let all = storage
        .scan(Table::Meta, &Range::all(), ScanOptions::default())
        .await;
    assert_eq!(all, Ok(vec![]));
    let batch = Batch::new(Durability::Relaxed).delete_range(Table::Meta, Range::all());
    storage.commit(batch).await.unwrap();
    storage.close();
    assert_eq!(code_of_opening(name, PATIENT).await, "opened");
}

#[wasm_bindgen_test]
async fn an_upgrade_by_another_tab_is_not_blocked_and_then_our_code_is_too_old() {
    let name = "upgraded elsewhere";
    let storage = fresh(name).await;
    let newer = open_raw(name, 2, Array::new()).await.unwrap();
    let error = storage.commit(put(&a(), 1)).await.unwrap_err();
    assert_eq!(error.code(), "E_STORE_VERSION");
    assert_eq!(code_of_opening(name, PATIENT).await, "E_STORE_VERSION");
    close_raw(&newer);
}

#[wasm_bindgen_test]
async fn a_deletion_by_another_tab_is_not_blocked_and_the_next_call_begins_anew() {
    let name = "deleted elsewhere";
    let storage = fresh(name).await;
    works(&storage).await;
    assert_eq!(storage.losses(), 0);
    delete_raw(name).await.unwrap();
    assert_eq!(get(&storage, Table::Heads, &a()).await, Ok(None));
    works(&storage).await;
    assert_eq!(storage.losses(), 1);
}

#[wasm_bindgen_test]
async fn a_connection_that_the_browser_closed_is_opened_again() {
    let broken = Broken::new("opened");
    let storage = fresh("closed by the browser").await;
    for tell in [true, false, true] {
        works(&storage).await;
        kill(tell);
        works(&storage).await;
        kill(tell);
        let found = storage
            .scan(Table::Heads, &Range::all(), ScanOptions::default())
            .await;
        assert_eq!(found.unwrap().len(), 1);
    }
    assert_eq!(storage.losses(), 0);
    drop(broken);
}

#[wasm_bindgen_test]
async fn calls_that_overlap_share_one_opening() {
    let broken = Broken::new("opened");
    let storage = fresh("shared opening").await;
    let before = seen_texts().len();
    kill(true);
    let found = join_all((0..5).map(async |n| {
        let key = Key::new(["k"]).with(n);
        storage.commit(put(&key, 1)).await
    }))
    .await;
    assert!(
        found
            .iter()
            .all(|outcome| *outcome == Ok(Outcome::Committed))
    );
    assert_eq!(seen_texts().len(), before + 1);
    drop(broken);
}

#[wasm_bindgen_test]
async fn a_batch_that_was_aborted_by_a_dying_connection_runs_once_more() {
    let storage = fresh("aborted").await;
    let broken = Broken::new("commitAbortsOnce");
    assert_eq!(storage.commit(put(&a(), 1)).await, Ok(Outcome::Committed));
    assert_eq!(seen_texts().len(), 2);
    drop(broken);
    let found = get(&storage, Table::Heads, &a()).await.unwrap().unwrap();
    assert_eq!((found.rev, found.value), (1, value(1)));
    let broken = Broken::new("commitAborts");
    let error = storage.commit(put(&a(), 2)).await.unwrap_err();
    assert_eq!(error.code(), "E_STORE_UNAVAILABLE");
    assert_eq!(seen_texts().len(), 2);
    drop(broken);
    let found = get(&storage, Table::Heads, &a()).await.unwrap().unwrap();
    assert_eq!((found.rev, found.value), (1, value(1)));
}

#[wasm_bindgen_test]
async fn no_room_is_told_and_leaves_nothing() {
    let storage = fresh("quota").await;
    for how in ["putThrowsQuota", "commitAbortsForQuota"] {
        let broken = Broken::new(how);
        let batch = put(&a(), 1).merge(put(&Key::new(["too much"]), 1));
        let error = storage.commit(batch).await.unwrap_err();
        assert_eq!(error.code(), "E_STORE_QUOTA", "{how}");
        drop(broken);
        assert_eq!(get(&storage, Table::Heads, &a()).await, Ok(None));
    }
    works(&storage).await;
}

#[wasm_bindgen_test]
async fn a_commit_is_one_transaction_of_the_asked_durability() {
    let storage = fresh("durability").await;
    let broken = Broken::new("transactions");
    let batch = |durability| {
        Batch::new(durability)
            .check(Table::Rounds, a(), None)
            .put(Table::Heads, a(), value(1))
    };
    storage.commit(batch(Durability::Strict)).await.unwrap();
    storage.commit(batch(Durability::Relaxed)).await.unwrap();
    let only_checks = Batch::new(Durability::Relaxed).check(Table::Heads, a(), Some(2));
    storage.commit(only_checks).await.unwrap();
    assert_eq!(
        seen_texts(),
        [
            "heads,rounds readwrite strict",
            "heads,rounds readwrite relaxed",
            "heads readonly relaxed",
        ]
    );
    drop(broken);
}

#[wasm_bindgen_test]
async fn a_newer_or_a_foreign_database_is_refused() {
    delete_raw("newer").await.unwrap();
    close_raw(&open_raw("newer", 7, Array::new()).await.unwrap());
    assert_eq!(code_of_opening("newer", PATIENT).await, "E_STORE_VERSION");

    delete_raw("foreign").await.unwrap();
    close_raw(
        &open_raw("foreign", 1, Array::of1(&"other".into()))
            .await
            .unwrap(),
    );
    assert_eq!(code_of_opening("foreign", PATIENT).await, "E_STORE_VERSION");

    delete_raw("unsigned").await.unwrap();
    let tables: Array = Table::ALL
        .iter()
        .map(|table| JsValue::from_str(table.name()))
        .collect();
    close_raw(&open_raw("unsigned", 1, tables).await.unwrap());
    assert_eq!(
        code_of_opening("unsigned", PATIENT).await,
        "E_STORE_VERSION"
    );
    // And none of them is kept open.
    for name in ["newer", "foreign", "unsigned"] {
        delete_raw(name).await.unwrap();
    }
}

#[wasm_bindgen_test]
async fn a_place_without_indexeddb_is_told() {
    for how in ["getterThrows", "noFactory", "openThrows"] {
        let broken = Broken::new(how);
        assert_eq!(
            code_of_opening("nowhere", PATIENT).await,
            "E_STORE_UNAVAILABLE",
            "{how}"
        );
        drop(broken);
    }
    let broken = Broken::new("noFactory");
    let deleted = IndexedDbStorage::delete_database("nowhere", PATIENT).await;
    assert_eq!(deleted.unwrap_err().code(), "E_STORE_UNAVAILABLE");
    drop(broken);
}

#[wasm_bindgen_test]
async fn an_opening_that_hangs_times_out_and_goes_on_by_itself() {
    let name = "hanging";
    delete_raw(name).await.unwrap();
    let tables = Array::new();
    let stubborn = open_raw(name, 1, tables).await.unwrap();
    // Our opening waits for the deletion, and that for a connection that does not listen.
    delete_later(name);
    assert_eq!(code_of_opening(name, SHORT).await, "E_STORE_TIMEOUT");
    close_raw(&stubborn);
    assert_eq!(code_of_opening(name, PATIENT).await, "opened");
    delete_raw(name).await.unwrap();
}

#[wasm_bindgen_test]
async fn a_storage_goes_on_after_an_opening_that_hung() {
    let name = "hanging later";
    let storage = fresh_with(name, SHORT).await;
    works(&storage).await;
    let stubborn = open_raw(name, 1, Array::new()).await.unwrap();
    delete_later(name);
    // The deletion closes ours; the next call opens again and has to wait.
    let mut error = None;
    for _ in 0..3 {
        error = storage.commit(put(&a(), 1)).await.err();
    }
    assert_eq!(error.unwrap().code(), "E_STORE_TIMEOUT");
    close_raw(&stubborn);
    works(&storage).await;
}

#[wasm_bindgen_test]
async fn an_opening_that_is_blocked_is_told_to_all_who_wait() {
    let name = "blocked";
    let options = IndexedDbOptions {
        open_timeout_ms: 60_000,
        ..SHORT
    };
    let storage = fresh_with(name, options).await;
    let stubborn = open_raw(name, 1, Array::new()).await.unwrap();
    let broken = Broken::new("openIsBlocked");
    storage.commit(put(&a(), 1)).await.unwrap();
    delete_later(name);
    // The first call still finds our connection, or already none.
    let _ = storage.commit(put(&a(), 1)).await;
    let (one, two) = join(
        storage.commit(put(&a(), 1)),
        get(&storage, Table::Heads, &a()),
    )
    .await;
    assert_eq!(one.unwrap_err().code(), "E_STORE_BLOCKED");
    assert_eq!(two.unwrap_err().code(), "E_STORE_BLOCKED");
    // Who comes later does not wait any longer either.
    let late = storage.commit(put(&a(), 1)).await;
    assert_eq!(late.unwrap_err().code(), "E_STORE_BLOCKED");
    drop(broken);
    close_raw(&stubborn);
    works(&storage).await;
}

#[wasm_bindgen_test]
async fn a_database_is_deleted_under_its_own_connections_and_told_to_be_blocked_by_others() {
    let name = "to be deleted";
    let storage = fresh(name).await;
    works(&storage).await;
    IndexedDbStorage::delete_database(name, SHORT)
        .await
        .unwrap();
    assert_eq!(get(&storage, Table::Heads, &a()).await, Ok(None));
    let stubborn = open_raw(name, 1, Array::new()).await.unwrap();
    let blocked = IndexedDbStorage::delete_database(name, SHORT).await;
    assert_eq!(blocked.unwrap_err().code(), "E_STORE_BLOCKED");
    close_raw(&stubborn);
}

#[wasm_bindgen_test]
async fn a_closed_storage_stays_closed_and_what_had_begun_completes() {
    let name = "closed";
    let storage = fresh(name).await;
    let (committed, ()) = join(storage.commit(put(&a(), 1)), async { storage.close() }).await;
    assert_eq!(committed, Ok(Outcome::Committed));
    storage.close();
    let error = storage.commit(put(&a(), 2)).await.unwrap_err();
    assert_eq!(error.code(), "E_CLOSED");
    let error = get(&storage.clone(), Table::Heads, &a()).await.unwrap_err();
    assert_eq!(error.code(), "E_CLOSED");
    // Nothing holds the database.
    let again = IndexedDbStorage::open(name, PATIENT).await.unwrap();
    let found = get(&again, Table::Heads, &a()).await.unwrap().unwrap();
    assert_eq!(found.value, value(1));
    drop(again);
    delete_raw(name).await.unwrap();
}

#[wasm_bindgen_test]
async fn a_damaged_record_does_not_hide_the_others() {
    let name = "damaged";
    let storage = fresh(name).await;
    let raw = open_raw(name, 1, Array::new()).await.unwrap();
    for record in [
        "good",
        "badRev",
        "badValue",
        "lone",
        "big",
        "foreignKey",
        "textKey",
    ] {
        put_raw(&raw, "heads", record).await.unwrap();
    }
    close_raw(&raw);
    let options = ScanOptions::default();
    let found = storage
        .scan(Table::Heads, &Range::prefix(&a()), options)
        .await
        .unwrap();
    let revs: Vec<u64> = found.iter().map(|record| record.rev).collect();
    assert_eq!(revs, [3, 0, 0, 0, 0]);
    assert_eq!(found[0].value, value(1));
    for (record, n) in found.iter().zip(1..).skip(1) {
        assert_eq!(record.key, a().with(n));
        assert!(record.value.contains_key("unreadable"), "{record:?}");
    }
    // It can be replaced and deleted like any other.
    storage.commit(put(&a().with(2), 2)).await.unwrap();
    let repaired = get(&storage, Table::Heads, &a().with(2))
        .await
        .unwrap()
        .unwrap();
    assert_eq!((repaired.rev, repaired.value), (1, value(2)));
}
