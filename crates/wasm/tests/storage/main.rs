//! Storages behind the boundary: whatever a host's adapter does, the outcome is typed.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use js_sys::{Array, Function, Object};
use mnemograph_indexeddb::{IndexedDbOptions, IndexedDbStorage};
use mnemograph_storage::conformance::{CaseResult, run, run_volatile};
use mnemograph_storage::{
    Batch, Durability, Key, MemoryStorage, Range, Record, ScanOptions, Storage, StoreError, Table,
    Value,
};
use mnemograph_wasm::{AnyStorage, JsStorage};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen(module = "/tests/storage/adapter.js")]
extern "C" {
    fn open(how: &str, name: &str) -> JsValue;
    fn answering(answer: &JsValue) -> JsValue;
    fn both(what: &JsValue) -> JsValue;
    #[wasm_bindgen(js_name = scanAnswers)]
    fn scan_answers() -> Object;
    #[wasm_bindgen(js_name = commitAnswers)]
    fn commit_answers() -> Object;
    fn failures() -> Object;
    fn strangers() -> Array;
}

async fn conformance(how: &str) -> Vec<CaseResult> {
    run(async |name: &str| Ok(AnyStorage::from(JsStorage::new(open(how, name))?))).await
}

fn failed(results: &[CaseResult]) -> Vec<&CaseResult> {
    let failed = results.iter().filter(|result| result.failure.is_some());
    failed.collect()
}

/// The members of an object, in order.
fn members(object: &Object) -> Vec<(String, JsValue)> {
    let entries = Object::entries(object);
    let pair = |entry: JsValue| {
        let entry: Array = entry.unchecked_into();
        (entry.get(0).as_string().unwrap(), entry.get(1))
    };
    entries.iter().map(pair).collect()
}

async fn scan(adapter: JsValue) -> Result<Vec<Record>, StoreError> {
    let storage = AnyStorage::from(JsStorage::new(adapter)?).with_deadline(30);
    let options = ScanOptions {
        limit: Some(2),
        reverse: false,
    };
    let prefix = Range::prefix(&Key::new(["a"]));
    storage.scan(Table::Heads, &prefix, options).await
}

async fn commit(adapter: JsValue) -> Result<mnemograph_storage::Outcome, StoreError> {
    let storage = AnyStorage::from(JsStorage::new(adapter)?).with_deadline(30);
    let batch = Batch::new(Durability::Strict);
    let batch = batch.put(Table::Heads, Key::new(["a"]), Value::new());
    storage.commit(batch).await
}

#[wasm_bindgen_test]
async fn honest_adapters_pass_the_suite() {
    for how in ["honest", "later"] {
        let results = conformance(how).await;
        assert!(
            failed(&results).is_empty(),
            "{how}: {:#?}",
            failed(&results)
        );
    }
}

#[wasm_bindgen_test]
async fn lying_adapters_fail_it() {
    let lies = [
        ("ignoresChecks", "checks.conflict_leaves_nothing"),
        ("losesDeletes", "writes.deletes_what_it_should"),
        ("ordersByLocale", "order.integers_before_texts"),
        ("readsThenWrites", "concurrency.appends_leave_no_gap"),
    ];
    for (how, case) in lies {
        let results = conformance(how).await;
        let names: Vec<&str> = failed(&results)
            .iter()
            .map(|result| result.name.as_str())
            .collect();
        assert!(names.contains(&case), "{how}: {names:?}");
    }
}

#[wasm_bindgen_test]
async fn memory_and_indexeddb_pass_it_behind_the_deadline() {
    let results = run_volatile(async |_: &str| Ok(AnyStorage::from(MemoryStorage::new()))).await;
    assert!(failed(&results).is_empty(), "{:#?}", failed(&results));
    let open = async |name: &str| {
        let storage = IndexedDbStorage::open(name, IndexedDbOptions::default()).await;
        storage.map(AnyStorage::from)
    };
    let results = run(open).await;
    assert!(failed(&results).is_empty(), "{:#?}", failed(&results));
}

#[wasm_bindgen_test]
async fn a_scan_that_answers_garbage_is_refused_and_says_why() {
    for (name, answer) in members(&scan_answers()) {
        match scan(answering(&answer)).await {
            Err(StoreError::Corrupt(why)) => assert!(why.starts_with("scan of heads: "), "{why}"),
            other => panic!("{name}: {other:?}"),
        }
    }
}

#[wasm_bindgen_test]
async fn the_fault_of_a_record_is_named() {
    let why = async |name: &str| {
        let answers = members(&scan_answers());
        let (_, answer) = answers
            .into_iter()
            .find(|(other, _)| other == name)
            .unwrap();
        scan(answering(&answer)).await.unwrap_err().to_string()
    };
    assert!(why("no rev").await.ends_with("record 0: rev is missing"));
    assert!(
        why("wrong order")
            .await
            .ends_with("record 1: its key is out of order")
    );
    assert!(
        why("other key")
            .await
            .ends_with("record 0: its key is outside the range")
    );
    assert!(
        why("number")
            .await
            .ends_with("number is no list of records")
    );
}

#[wasm_bindgen_test]
async fn a_commit_that_answers_garbage_is_refused_and_its_outcome_unknown() {
    for (name, answer) in members(&commit_answers()) {
        let error = commit(answering(&answer)).await.unwrap_err();
        assert!(matches!(error, StoreError::Corrupt(_)), "{name}: {error:?}");
        assert!(error.outcome_unknown());
    }
}

#[wasm_bindgen_test]
async fn a_failing_adapter_gives_its_code() {
    for (name, case) in members(&failures()) {
        let case: Array = case.unchecked_into();
        let what: Function = case.get(0).unchecked_into();
        let expected = case.get(1).as_string().unwrap();
        let scanned = scan(both(&what)).await.unwrap_err();
        assert_eq!(scanned.code(), expected, "scan {name}: {scanned}");
        let committed = commit(both(&what)).await.unwrap_err();
        assert_eq!(committed.code(), expected, "commit {name}: {committed}");
    }
}

#[wasm_bindgen_test]
async fn commits_that_find_no_room_are_counted() {
    let all = members(&failures());
    let (_, case) = all.into_iter().find(|(name, _)| name == "is full").unwrap();
    let what: JsValue = case.unchecked_into::<Array>().get(0);
    let storage = AnyStorage::from(JsStorage::new(both(&what)).unwrap());
    let handle = storage.clone();
    for _ in 0..2 {
        let batch = Batch::new(Durability::Relaxed);
        let batch = batch.put(Table::Heads, Key::new(["a"]), Value::new());
        storage.commit(batch).await.unwrap_err();
    }
    assert_eq!(handle.quota_errors(), 2);
}

#[wasm_bindgen_test]
fn what_is_no_adapter_is_refused() {
    for stranger in strangers().iter() {
        let error = JsStorage::new(stranger).unwrap_err();
        assert_eq!(error.code(), "E_STORE_UNAVAILABLE");
    }
}
