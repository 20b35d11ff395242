//! The texts of all problems, for review: a changed text is seen here and nowhere else.
#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::PathBuf;

use expect_test::expect_file;
use mnemograph_graph::{Code, parse};
use serde_json::Value;

#[test]
fn messages_and_hints_are_as_reviewed() {
    let mut texts: BTreeSet<(Code, String, String)> = BTreeSet::new();
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/graph");
    for file in [
        "valid",
        "document",
        "nodes",
        "edges",
        "flow",
        "types",
        "containers",
        "variables",
        "subgraphs",
    ] {
        let text = std::fs::read_to_string(folder.join(file).with_extension("json")).unwrap();
        let cases: Vec<Value> = serde_json::from_str(&text).unwrap();
        for case in cases {
            let document = case["text"]
                .as_str()
                .map_or_else(|| case["graph"].to_string(), str::to_owned);
            let problems = parse(&document).problems.into_iter();
            texts.extend(problems.map(|problem| (problem.code, problem.message, problem.hint)));
        }
    }
    let mut table = String::new();
    for code in Code::ALL {
        writeln!(table, "{code} — {}", code.summary().trim()).unwrap();
        for (_, message, hint) in texts.iter().filter(|(other, _, _)| other == code) {
            writeln!(table, "    {message}\n        {hint}").unwrap();
        }
    }
    expect_file!["messages.txt"].assert_eq(&table);
}
