//! The vectors of conversation memory on IndexedDB: what the native test shows of the storage in RAM holds there too.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use mnemograph_indexeddb::{IndexedDbOptions, IndexedDbStorage};
use mnemograph_memory::conformance;
use serde_json::Value;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
async fn vectors_hold_on_indexeddb() {
    for (file, text) in conformance::FILES {
        let cases: Vec<Value> = serde_json::from_str(text).unwrap();
        assert!(!cases.is_empty(), "{file} has no case");
        for case in &cases {
            let name = format!("{file}: {}", case["name"]);
            let storage = IndexedDbStorage::open(&name, IndexedDbOptions::default());
            let storage = storage.await.unwrap();
            let actual = conformance::perform(&storage, &case["given"]).await;
            let actual = actual.unwrap_or_else(|fault| panic!("{name}: {fault}"));
            storage.close();
            assert_eq!(actual, case["expected"], "{name}");
        }
    }
}
