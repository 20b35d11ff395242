//! The vectors of `tests/conformance/memory`. `UPDATE_VECTORS=1` writes what is derived in them anew; what a person wrote
//! (the notation) is never changed, and checked in both modes.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::allow_attributes,
    reason = "a test"
)]

mod support;

use std::fs;
use std::path::{Path, PathBuf};

use mnemograph_memory::{Message, ModelRef, conformance, repair};
use mnemograph_storage::MemoryStorage;
use serde_json::{Value, json};
use support::notation;

#[test]
fn vectors_hold() {
    let update = std::env::var_os("UPDATE_VECTORS").is_some();
    let mut count = 0;
    for path in vector_files() {
        let text = fs::read_to_string(&path).unwrap();
        let mut cases: Vec<Value> = serde_json::from_str(&text).unwrap();
        for case in &mut cases {
            let name = format!("{}: {}", path.display(), case["name"]);
            check(case, &name, update);
            count += 1;
        }
        if update {
            let cases: Vec<String> = cases.iter().map(|case| format!("  {case}")).collect();
            fs::write(&path, format!("[\n{}\n]\n", cases.join(",\n"))).unwrap();
        }
    }
    assert!(count > 0, "there are no vectors");
}

#[test]
fn the_browser_runs_every_file() {
    let names = vector_files();
    let names = names
        .iter()
        .map(|path| path.file_name().unwrap().to_str().unwrap());
    let listed = conformance::FILES.iter().map(|(name, _)| *name);
    assert_eq!(listed.collect::<Vec<_>>(), names.collect::<Vec<_>>());
}

fn vector_files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/memory");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    files.sort();
    files
}

fn check(case: &mut Value, name: &str, update: bool) {
    let derived = with_messages(&case["given"]);
    if update {
        case["given"] = derived;
    } else {
        assert_eq!(
            case["given"], derived,
            "{name}: messages are not those of the notation"
        );
    }
    let storage = MemoryStorage::new();
    let actual = pollster::block_on(conformance::perform(&storage, &case["given"]));
    let actual = actual.unwrap_or_else(|fault| panic!("{name}: {fault}"));
    check_shows(case, &actual, name);
    check_twice(case, &actual, name);
    if update {
        case["expected"] = actual;
    } else {
        assert_eq!(case["expected"], actual, "{name}");
    }
}

/// The value with `messages` beside each `notation`.
fn with_messages(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(with_messages).collect(),
        Value::Object(fields) => {
            let mut object: serde_json::Map<_, _> = fields
                .iter()
                .map(|(name, field)| (name.clone(), with_messages(field)))
                .collect();
            if let Some(text) = fields.get("notation").and_then(Value::as_str) {
                let mut messages = notation::parse(text);
                if fields
                    .get("numbered")
                    .is_some_and(|numbered| numbered == true)
                {
                    for (message, seq) in messages.iter_mut().zip(1..) {
                        message.seq = Some(seq);
                    }
                }
                object.insert("messages".to_owned(), json!(messages));
            }
            Value::Object(object)
        }
        other => other.clone(),
    }
}

/// R14: a view that is read again is the same view.
fn check_twice(case: &Value, actual: &Value, name: &str) {
    let Some(messages) = actual.get("messages") else {
        return;
    };
    let messages: Vec<Message> = serde_json::from_value(messages.clone()).unwrap();
    let target: Option<ModelRef> = serde_json::from_value(case["given"]["target"].clone()).unwrap();
    assert_eq!(
        repair(&messages, target.as_ref()).messages,
        messages,
        "{name}, repaired again"
    );
}

/// What a person expects, in notation: `shows` of the case or of a step.
fn check_shows(case: &Value, actual: &Value, name: &str) {
    let check_one = |shows: &Value, result: &Value, place: &str| {
        let Some(shows) = shows.as_str() else { return };
        let messages: Vec<Message> = serde_json::from_value(result["messages"].clone()).unwrap();
        assert_eq!(notation::show(&messages), shows, "{name}{place}");
    };
    check_one(&case["shows"], actual, "");
    for (field, expected) in case
        .get("gives")
        .and_then(Value::as_object)
        .into_iter()
        .flatten()
    {
        assert_eq!(&actual[field], expected, "{name}, {field}");
    }
    if let Some(warns) = case.get("warns") {
        assert_eq!(warns, &actual["warnings"], "{name}");
    }
    for (place, step) in case["given"]["steps"]
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
    {
        let result = &actual["results"][place];
        check_one(&step["shows"], result, &format!(", step {place}"));
        for (field, expected) in step
            .get("gives")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
        {
            assert_eq!(&result[field], expected, "{name}, step {place}, {field}");
        }
    }
}
