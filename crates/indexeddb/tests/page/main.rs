//! Storage on IndexedDB in a page.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

#[path = "../suite/mod.rs"]
mod suite;
mod supervision;
mod support;

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

#[wasm_bindgen_test]
async fn the_suite_passes() {
    suite::conforms("page").await;
}

#[wasm_bindgen_test]
async fn the_suite_passes_where_get_all_has_no_direction() {
    let _broken = support::Broken::new("noGetAllRecords");
    suite::conforms("no direction").await;
}
