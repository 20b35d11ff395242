//! What the tests share: one data set, and tables of templates.

use mnemograph_template::{ErrorKind, Missing, Options, RenderError, Template};
use serde_json::{Map, Value, json};

/// The data of the tables.
pub(crate) fn data() -> Map<String, Value> {
    let data = json!({
        "name": "Ada",
        "text": "the quick brown fox",
        "accent": "Ünïcödé 🦊 fox",
        "empty": "",
        "none": null,
        "yes": true,
        "no": false,
        "zero": 0,
        "int": 42,
        "negative": -7,
        "big": i64::MAX,
        "huge": u64::MAX,
        "float": 2.5,
        "whole": 3.0,
        "list": [3, 1, 2],
        "words": ["pear", "Apple", "fig"],
        "nothing": [],
        "map": {"b": 1, "a": {"deep": ["x", {"y": "z"}]}, "n": null},
        "people": [
            {"name": "Ann", "age": 31, "team": "b"},
            {"name": "bob", "age": 25, "team": "a"},
            {"name": "Cid", "age": 31, "team": "a"},
        ],
        "template": "{{ name }}{% if x %}{# c #}",
        "when": "2026-03-04T05:06:07.089+02:00",
    });
    match data {
        Value::Object(mut map) => {
            map.remove("none");
            map.insert("null".to_owned(), Value::Null);
            map
        }
        _ => unreachable!(),
    }
}

pub(crate) fn parse(source: &str) -> Template {
    Template::parse(source).unwrap_or_else(|error| panic!("{source}\n{error} {:?}", error.hint))
}

pub(crate) fn render(source: &str) -> Result<String, RenderError> {
    let rendered = parse(source).render(&data(), &Options::default())?;
    assert_eq!(rendered.warnings, [], "{source}");
    Ok(rendered.text)
}

pub(crate) fn empty() -> Options {
    Options {
        missing: Missing::Empty,
        ..Options::default()
    }
}

/// Each template renders to the text beside it.
#[track_caller]
pub(crate) fn check(table: &[(&str, &str)]) {
    for (source, expected) in table {
        match render(source) {
            Ok(text) => assert_eq!(text, *expected, "{source}"),
            Err(error) => panic!("{source}\n{error}"),
        }
    }
}

/// Each template fails with the kind beside it, at line 1 and the column, with a part of the message.
#[track_caller]
pub(crate) fn check_fails(table: &[(&str, ErrorKind, u32, &str)]) {
    for (source, kind, column, message) in table {
        match render(source) {
            Ok(text) => panic!("{source}\nrendered {text}"),
            Err(error) => {
                assert_eq!(error.code, "E_TEMPLATE");
                assert_eq!(
                    (error.kind, error.line, error.column),
                    (*kind, 1, *column),
                    "{source}\n{error}"
                );
                assert!(error.message.contains(message), "{source}\n{error}");
            }
        }
    }
}

/// Each template does not parse, at line 1 and the column, with a part of the message.
#[track_caller]
pub(crate) fn check_refused(table: &[(&str, u32, &str)]) {
    for (source, column, message) in table {
        match Template::parse(source) {
            Ok(_) => panic!("{source}\nparsed"),
            Err(error) => {
                assert_eq!(error.code(), "E_TEMPLATE_SYNTAX");
                assert_eq!(
                    (error.line, error.column),
                    (1, *column),
                    "{source}\n{error}"
                );
                assert!(error.message.contains(message), "{source}\n{error}");
            }
        }
    }
}
