//! Storage on IndexedDB in a worker: nothing needs a window.
#![cfg(target_arch = "wasm32")]
#![allow(clippy::unwrap_used, clippy::panic)]

mod suite;

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

#[wasm_bindgen_test]
async fn the_suite_passes_in_a_worker() {
    suite::conforms("worker").await;
}
