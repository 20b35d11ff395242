//! The other side of the tests: what another tab or a failing browser does, in JavaScript.

use js_sys::{Array, Function};
use mnemograph_indexeddb::{IndexedDbOptions, IndexedDbStorage};
use mnemograph_storage::{Batch, Durability, Key, Table, Value};
use wasm_bindgen::prelude::*;

#[wasm_bindgen(module = "/tests/page/browser.js")]
extern "C" {
    /// Opens a database by hand, with these tables if it is new, and lets go of nothing by itself.
    #[wasm_bindgen(catch, js_name = openRaw)]
    pub(crate) async fn open_raw(
        name: &str,
        version: u32,
        tables: Array,
    ) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(js_name = closeRaw)]
    pub(crate) fn close_raw(db: &JsValue);
    #[wasm_bindgen(catch, js_name = putRaw)]
    pub(crate) async fn put_raw(db: &JsValue, table: &str, make: &str) -> Result<JsValue, JsValue>;
    /// All records of a table as JSON.
    #[wasm_bindgen(catch, js_name = dump)]
    pub(crate) async fn dump(db: &JsValue, table: &str) -> Result<JsValue, JsValue>;
    #[wasm_bindgen(catch, js_name = deleteRaw)]
    pub(crate) async fn delete_raw(name: &str) -> Result<JsValue, JsValue>;
    /// Asks for the deletion and does not wait.
    #[wasm_bindgen(js_name = deleteLater)]
    pub(crate) fn delete_later(name: &str);
    /// Replaces a part of the browser until the function that comes back is called.
    #[wasm_bindgen(js_name = breakBrowser)]
    pub(crate) fn break_browser(how: &str) -> Function;
    /// What the replaced part has seen since.
    pub(crate) fn seen() -> Array;
    /// Closes the connections that were opened while `opened` was replaced, with or without telling.
    #[wasm_bindgen(js_name = kill)]
    pub(crate) fn kill(tell: bool);
}

/// Puts the browser together again.
pub(crate) struct Broken(Function);

impl Broken {
    pub(crate) fn new(how: &str) -> Self {
        Self(break_browser(how))
    }
}

impl Drop for Broken {
    fn drop(&mut self) {
        let _ = self.0.call0(&JsValue::UNDEFINED);
    }
}

pub(crate) fn seen_texts() -> Vec<String> {
    seen().iter().filter_map(|text| text.as_string()).collect()
}

/// Time limits that no test should run into.
pub(crate) const PATIENT: IndexedDbOptions = IndexedDbOptions {
    open_timeout_ms: 60_000,
    blocked_timeout_ms: 60_000,
};

/// Time limits for tests that run into them.
pub(crate) const SHORT: IndexedDbOptions = IndexedDbOptions {
    open_timeout_ms: 150,
    blocked_timeout_ms: 50,
};

/// An empty database of this name.
pub(crate) async fn fresh(name: &str) -> IndexedDbStorage {
    fresh_with(name, PATIENT).await
}

pub(crate) async fn fresh_with(name: &str, options: IndexedDbOptions) -> IndexedDbStorage {
    delete_raw(name).await.unwrap();
    let patient = IndexedDbStorage::open(name, PATIENT).await;
    patient.unwrap().close();
    IndexedDbStorage::open(name, options).await.unwrap()
}

pub(crate) fn value(x: i32) -> Value {
    Value::from_iter([("x".to_owned(), x.into())])
}

pub(crate) fn put(key: &Key, x: i32) -> Batch {
    Batch::new(Durability::Relaxed).put(Table::Heads, key.clone(), value(x))
}
