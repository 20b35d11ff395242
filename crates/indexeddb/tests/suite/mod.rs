//! The conformance suite on IndexedDB.

use mnemograph_indexeddb::{IndexedDbOptions, IndexedDbStorage};
use mnemograph_storage::conformance::run;

/// Runs the suite on databases whose names begin so.
pub(crate) async fn conforms(prefix: &str) {
    let open = async |name: &str| {
        let name = format!("{prefix} {name}");
        IndexedDbStorage::open(&name, IndexedDbOptions::default()).await
    };
    let results = run(open).await;
    assert!(results.len() > 30);
    let failed: Vec<_> = results
        .iter()
        .filter(|result| result.failure.is_some())
        .collect();
    assert!(failed.is_empty(), "{failed:#?}");
}
