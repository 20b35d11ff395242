//! The `json` node.

use super::{json_text, kind};
use crate::error::RunError;
use mnemograph_graph::{JsonOp, JsonPath, compact_json};
use serde_json::{Map, Value};

/// Does what the node is set to; gives its output and whether that could be done.
///
/// - `parse` reads text as JSON; what is no text is taken as read. Lenient, it also finds JSON in code fences and in
///   prose, and drops trailing commas ([`json_text::find`]).
/// - `stringify` writes compact JSON, text in quotation marks.
/// - `get` takes what is at the path; a text is read first, as by `parse`.
/// - `merge` joins two objects, objects inside them too; of two other values under one key the second one counts.
///   Texts are read first; null and an absent second input are the empty object.
///
/// What cannot be done gives null and `false` when lenient.
///
/// # Errors
/// `E_JSON` if it cannot be done and the node is not lenient. A path that cannot be read is one always.
pub(crate) fn run(
    op: JsonOp,
    lenient: bool,
    path: Option<&str>,
    input: Value,
    other: Option<Value>,
) -> Result<(Value, bool), RunError> {
    let done = match op {
        JsonOp::Parse => parse(input, lenient),
        JsonOp::Stringify => Ok(Value::String(compact_json(&input))),
        JsonOp::Get => {
            let path = JsonPath::parse(path.unwrap_or_default()).map_err(|fault| {
                error(format!("The path cannot be read: {fault}."))
                    .hint("Write a path as items[0].name, or as a JSON pointer: /items/0/name.")
            })?;
            parse(input, lenient).and_then(|input| get(&input, &path))
        }
        JsonOp::Merge => {
            let other = other.unwrap_or_default();
            parse(input, lenient)
                .and_then(|left| Ok((left, parse(other, lenient)?)))
                .and_then(|(left, right)| merge(left, right))
        }
    };
    match done {
        Ok(value) => Ok((value, true)),
        Err(_) if lenient => Ok((Value::Null, false)),
        Err(fault) => Err(fault),
    }
}

fn parse(input: Value, lenient: bool) -> Result<Value, RunError> {
    let Value::String(text) = input else {
        return Ok(input);
    };
    let text = text.trim_start_matches('\u{feff}');
    match mnemograph_graph::json::parse(text) {
        Ok(value) => Ok(value),
        Err(fault) => {
            let found = if lenient { json_text::find(text) } else { None };
            found.ok_or_else(|| {
                error(format!("The text is not JSON: {fault}.")).hint(
                    "Turn 'lenient' on to read JSON from code fences and prose, and wire 'ok' to see whether it was found.",
                )
            })
        }
    }
}

fn get(input: &Value, path: &JsonPath) -> Result<Value, RunError> {
    let found = path.find(input).map_err(|(number, at)| {
        error(format!(
            "Step {number} of the path leads nowhere: there is {} without it.",
            kind(at)
        ))
        .hint("Turn 'lenient' on for null in that case, and wire 'ok' to see whether it was there.")
    });
    found.cloned()
}

fn merge(left: Value, right: Value) -> Result<Value, RunError> {
    let mut merged = object(left)?;
    merge_into(&mut merged, object(right)?);
    Ok(Value::Object(merged))
}

fn object(value: Value) -> Result<Map<String, Value>, RunError> {
    match value {
        Value::Null => Ok(Map::new()),
        Value::Object(map) => Ok(map),
        other => Err(
            error(format!("Only objects can be merged, not {}.", kind(&other)))
                .hint("Join lists with `+` in an expression."),
        ),
    }
}

fn merge_into(left: &mut Map<String, Value>, right: Map<String, Value>) {
    for (key, value) in right {
        match (left.get_mut(&key), value) {
            (Some(Value::Object(inner)), Value::Object(value)) => merge_into(inner, value),
            (Some(place), value) => *place = value,
            (None, value) => {
                left.insert(key, value);
            }
        }
    }
}

fn error(message: String) -> RunError {
    RunError::new("E_JSON", message)
}

#[cfg(test)]
mod tests {
    use super::JsonOp::{Get, Merge, Parse, Stringify};
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    /// What the node gives, lenient or not; `None` is a failure, which only `ok` or the error tells.
    #[track_caller]
    fn done(
        op: JsonOp,
        lenient: bool,
        path: &str,
        input: Value,
        other: Option<Value>,
    ) -> Option<Value> {
        match run(op, lenient, Some(path), input, other) {
            Ok((value, true)) => Some(value),
            Ok((value, false)) => {
                assert!(lenient && value.is_null());
                None
            }
            Err(error) => {
                assert!(!lenient && error.code == "E_JSON" && error.hint.is_some());
                assert!(!format!("{error:?}").contains("secret"));
                None
            }
        }
    }

    #[test]
    fn parse_reads_text_and_takes_other_values_as_read() {
        for lenient in [true, false] {
            for (input, expected) in [
                (
                    json!(r#" {"a": [1, null]} "#),
                    Some(json!({"a": [1, null]})),
                ),
                (json!("\u{feff}5"), Some(json!(5))),
                (json!("null"), Some(json!(null))),
                (json!("\"x\""), Some(json!("x"))),
                (json!({"a": 1}), Some(json!({"a": 1}))),
                (json!(null), Some(json!(null))),
                (json!(7), Some(json!(7))),
                (json!(""), None),
                (json!("secret"), None),
                (json!(r#"{"secret": "#), None),
                (json!("[".repeat(100_000)), None),
            ] {
                assert_eq!(
                    done(Parse, lenient, "", input.clone(), None),
                    expected,
                    "{input}"
                );
            }
        }
    }

    #[test]
    fn only_lenient_reading_finds_json_in_other_text() {
        let text = json!("Here you are:\n```json\n{\"a\": 1,}\n```");
        assert_eq!(
            done(Parse, true, "", text.clone(), None),
            Some(json!({"a": 1}))
        );
        assert_eq!(done(Parse, false, "", text, None), None);
    }

    #[test]
    fn stringify_writes_compact_json_that_parse_reads() {
        for (input, expected) in [
            (json!({"a": [1.0, "x"]}), r#"{"a":[1,"x"]}"#),
            (json!("5"), "\"5\""),
            (json!(null), "null"),
        ] {
            let text = done(Stringify, false, "", input.clone(), None).unwrap();
            assert_eq!(text, json!(expected));
            let read = done(Parse, false, "", text, None).unwrap();
            assert_eq!(compact_json(&read), expected);
        }
    }

    #[test]
    fn get_follows_the_path_and_tells_null_from_nothing() {
        let input = json!({"a": {"b.c": [10, {"d": null}]}, "": 5, "x/y": 6, "text": "secret"});
        for lenient in [true, false] {
            for (path, expected) in [
                ("", Some(input.clone())),
                (r#"a["b.c"][0]"#, Some(json!(10))),
                ("a['b.c'][-1]", Some(json!({"d": null}))),
                ("/a/b.c/1/d", Some(json!(null))),
                ("/x~1y", Some(json!(6))),
                ("/", Some(json!(5))),
                ("a.b", None),
                ("a['b.c'][2]", None),
                ("a['b.c'][-3]", None),
                ("/a/b.c/-", None),
                ("/a/b.c/01", None),
                ("text.length", None),
                ("text[0]", None),
            ] {
                assert_eq!(
                    done(Get, lenient, path, input.clone(), None),
                    expected,
                    "{path}"
                );
                let text = json!(input.to_string());
                assert_eq!(
                    done(Get, lenient, path, text, None),
                    expected,
                    "{path} of text"
                );
            }
        }
    }

    #[test]
    fn a_path_that_cannot_be_read_is_an_error_also_when_lenient() {
        let error = run(Get, true, Some("a[b"), json!({}), None).unwrap_err();
        assert_eq!(error.code, "E_JSON");
        assert!(error.message.contains("path"));
    }

    #[test]
    fn merge_joins_objects_and_the_second_value_counts() {
        let left = json!({"a": {"x": 1, "y": [1, 2]}, "b": 1, "c": 1});
        let right = json!({"a": {"y": [3], "z": 2}, "b": {"deep": true}, "c": null, "d": 4});
        let merged =
            json!({"a": {"x": 1, "y": [3], "z": 2}, "b": {"deep": true}, "c": null, "d": 4});
        for lenient in [true, false] {
            for (left, right, expected) in [
                (left.clone(), Some(right.clone()), Some(merged.clone())),
                (
                    json!(left.to_string()),
                    Some(json!(right.to_string())),
                    Some(merged.clone()),
                ),
                (left.clone(), None, Some(left.clone())),
                (json!(null), Some(right.clone()), Some(right.clone())),
                (left.clone(), Some(json!([1])), None),
                (json!("secret"), Some(right.clone()), None),
                (json!([1]), Some(json!([2])), None),
            ] {
                assert_eq!(done(Merge, lenient, "", left, right), expected);
            }
        }
    }

    proptest! {
        #[test]
        fn merging_with_nothing_or_itself_changes_nothing(keys in prop::collection::vec(("[ab]{1,2}", 0..3_i64), 0..4)) {
            let map: Map<String, Value> = keys.into_iter().map(|(key, n)| (key, json!({"n": n}))).collect();
            let value = Value::Object(map);
            for (left, right) in [(&value, &json!({})), (&json!({}), &value), (&value, &value)] {
                let merged = done(Merge, false, "", left.clone(), Some(right.clone()));
                prop_assert_eq!(merged.as_ref(), Some(&value));
            }
        }
    }
}
