//! What holds for all values.

use mnemograph_graph::{Coerced, Table, ValueType, coerce, compact_json};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::{Value, json};

const WORDS: &[&str] = &[
    "",
    "1",
    "-0",
    "007",
    "1.5",
    "1e5",
    "9007199254740993",
    "true",
    "No",
    "null",
    "[1]",
    "{}",
    "a,b\n1,2",
    "a\n\"",
    "\"x\"",
    " ",
    "\u{feff}a",
    "columns",
    "rows",
    "data",
    "name",
    "type",
    "integer",
    "float",
    "json",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(WORDS).prop_map(str::to_owned),
        "[-+0-9.eE]{0,8}",
        "[a,\"\r\n 1]{0,12}",
        ".{0,8}",
    ]
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-3_i64..3).prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        prop_oneof![
            any::<f64>(),
            (-4_i32..4).prop_map(|n| f64::from(n) / 2.0),
            Just(9.1e15)
        ]
        .prop_map(Value::from),
        text().prop_map(Value::from),
    ]
}

fn any_json() -> impl Strategy<Value = Value> {
    scalar().prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..5).prop_map(Value::Array),
            vec((text(), inner), 0..5).prop_map(|entries| entries.into_iter().collect()),
        ]
    })
}

/// A list of objects with few keys, so that columns fill.
fn objects() -> impl Strategy<Value = Value> {
    let row = vec(
        (
            prop::sample::select(&["a", "b", "c d", "e\"f", "\u{feff}"][..]),
            scalar(),
        ),
        0..4,
    );
    vec(row, 0..6).prop_map(|rows| {
        let object = |row: Vec<(&str, Value)>| {
            row.into_iter()
                .map(|(key, value)| (key.to_owned(), value))
                .collect()
        };
        Value::Array(rows.into_iter().map(object).collect())
    })
}

/// Anything that might be a table.
fn tabular() -> impl Strategy<Value = Value> {
    let column = prop_oneof![
        text().prop_map(Value::from),
        (text(), prop::sample::select(WORDS))
            .prop_map(|(name, kind)| json!({"name": name, "type": kind})),
    ];
    let frame = (vec(column, 0..4), vec(vec(scalar(), 0..4), 0..4))
        .prop_map(|(columns, rows)| json!({"columns": columns, "rows": rows}));
    prop_oneof![
        frame,
        objects(),
        "[ab,\"\r\n1.]{0,24}".prop_map(Value::from)
    ]
}

fn value_of(coerced: Coerced) -> Option<Value> {
    match coerced {
        Coerced::Fit(value) | Coerced::FitWith(value, _) => Some(value),
        Coerced::Misfit => None,
    }
}

/// Text that is JSON of a text has another JSON inside.
fn is_twice_json(value: &Value, to: ValueType) -> bool {
    let is_quoted = |text: &str| text.trim_start().starts_with('"');
    to == ValueType::Json && value.as_str().is_some_and(is_quoted)
}

fn check_twice_is_once(value: &Value) {
    for to in ValueType::ALL {
        let Some(once) = value_of(coerce(value, *to)) else {
            continue;
        };
        if !is_twice_json(value, *to) {
            let twice = value_of(coerce(&once, *to)).map(|twice| twice.to_string());
            assert_eq!(twice, Some(once.to_string()), "{value} as {to:?}");
        }
    }
}

proptest! {
    #[test]
    fn coercing_twice_is_coercing_once(value in any_json()) {
        check_twice_is_once(&value);
    }

    #[test]
    fn coercing_tables_twice_is_coercing_them_once(value in tabular()) {
        check_twice_is_once(&value);
    }

    #[test]
    fn what_was_coerced_has_the_type(value in any_json()) {
        let as_type = |to| value_of(coerce(&value, to)).filter(|value| !value.is_null());
        prop_assert!(as_type(ValueType::String).is_none_or(|value| value.is_string()));
        let is_digits = |text: &str| text.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit());
        prop_assert!(as_type(ValueType::Integer).is_none_or(|value| value.is_i64() || value.as_str().is_some_and(is_digits)));
        prop_assert!(as_type(ValueType::Float).is_none_or(|value| value.is_f64()));
        prop_assert!(as_type(ValueType::Boolean).is_none_or(|value| value.is_boolean()));
        prop_assert!(as_type(ValueType::Csv).is_none_or(|value| value.is_string()));
        prop_assert!(as_type(ValueType::Dataframe).is_none_or(|value| value["columns"].is_array() && value["rows"].is_array()));
    }

    #[test]
    fn integers_and_floats_survive_as_text(int in any::<i64>(), float in any::<f64>()) {
        let printed = value_of(coerce(&json!(int), ValueType::String)).unwrap();
        let read = value_of(coerce(&printed, ValueType::Integer)).unwrap();
        prop_assert_eq!(value_of(coerce(&json!(int), ValueType::Integer)).unwrap(), read);
        let printed = value_of(coerce(&json!(float), ValueType::String)).unwrap();
        let read = value_of(coerce(&printed, ValueType::Float)).unwrap();
        prop_assert_eq!(read.as_f64(), if float.is_finite() { Some(float) } else { None });
    }

    #[test]
    fn compact_json_reads_back_as_the_same_value(value in any_json()) {
        let read: Value = serde_json::from_str(&compact_json(&value)).unwrap();
        prop_assert_eq!(compact_json(&read), compact_json(&value));
    }

    #[test]
    fn fields_of_any_text_survive_csv(rows in vec(vec(text(), 3), 0..6)) {
        // A column that holds a word is text, so every cell keeps its exact characters.
        let mut rows = rows;
        rows.push(vec!["word".to_owned(); 3]);
        let frame = json!({"columns": ["a", "b\"", "c,\n"], "rows": rows});
        let csv = value_of(coerce(&frame, ValueType::Csv)).unwrap();
        let (table, warning) = Table::read(&csv).unwrap();
        prop_assert_eq!(json!(table.rows), json!(rows));
        prop_assert_eq!(&table.columns[2].name, "c,\n");
        prop_assert_eq!(warning, None);
    }

    #[test]
    fn a_table_keeps_its_values_through_csv(value in objects()) {
        let (before, _) = Table::read(&value).unwrap();
        let (after, _) = Table::read(&json!(before.to_csv())).unwrap();
        let names = |table: &Table| table.columns.iter().map(|column| column.name.clone()).collect::<Vec<_>>();
        prop_assert_eq!(names(&before), names(&after));
        if before.columns.is_empty() {
            return Ok(());
        }
        prop_assert_eq!(before.rows.len(), after.rows.len());
        for (index, column) in before.columns.iter().enumerate() {
            // Text may look like a number; a lonely empty cell is written as empty text.
            if matches!(column.value_type, ValueType::Integer | ValueType::Float | ValueType::Boolean) {
                prop_assert_eq!(&after.columns[index].value_type, &column.value_type);
                for (before, after) in before.rows.iter().zip(&after.rows) {
                    prop_assert_eq!(&before[index], &after[index]);
                }
            }
        }
    }

    #[test]
    fn any_text_is_csv_or_has_a_reason(text in "[ab,\"\r\n1.\u{feff}]{0,40}") {
        match Table::read(&json!(text)) {
            Ok((table, _)) => {
                let width = table.columns.len();
                prop_assert!(table.rows.iter().all(|row| row.len() == width));
            }
            Err(reason) => prop_assert!(!reason.is_empty()),
        }
    }
}
