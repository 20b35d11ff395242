//! The graph's vectors, judged with the templates too: what a page's `check` finds is what the vectors say.
#![allow(clippy::allow_attributes, reason = "tests may panic")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use serde_json::Value;

#[test]
fn whole_documents_have_the_problems_of_their_vectors() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/conformance/graph");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "json") {
            continue;
        }
        let cases: Vec<Value> =
            serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for case in cases {
            let text = match &case["text"] {
                Value::String(text) => text.clone(),
                _ => case["graph"].to_string(),
            };
            let loaded = mnemograph_engine::load(&text, None);
            let mut found: Vec<_> = loaded.problems.iter().map(|p| p.code.as_str()).collect();
            let wanted = case["problems"].as_array().unwrap();
            let mut wanted: Vec<_> = wanted.iter().map(|p| p["code"].as_str().unwrap()).collect();
            found.sort_unstable();
            wanted.sort_unstable();
            assert_eq!(found, wanted, "{}: {}", path.display(), case["name"]);
            count += 1;
        }
    }
    assert!(count > 150, "{count}");
}
