//! The table of types, cell by cell.

use mnemograph_graph::{Coerced, MAX_VALUE_DEPTH, ValueType, coerce};
use serde_json::{Value, json};

/// Each value fits without a warning and becomes the other one, which is the same in JSON text too.
fn fits(to: ValueType, rows: &[(Value, Value)]) {
    for (value, expected) in rows {
        let Coerced::Fit(found) = coerce(value, to) else {
            panic!("{value} as {to:?}: {:?}", coerce(value, to));
        };
        assert_eq!(found.to_string(), expected.to_string(), "{value} as {to:?}");
    }
}

fn fits_with_warning(to: ValueType, rows: &[(Value, Value)]) {
    for (value, expected) in rows {
        let Coerced::FitWith(found, warning) = coerce(value, to) else {
            panic!("{value} as {to:?}: {:?}", coerce(value, to));
        };
        assert_eq!(found.to_string(), expected.to_string(), "{value} as {to:?}");
        assert!(!warning.is_empty());
    }
}

fn misfits(to: ValueType, values: &[Value]) {
    for value in values {
        assert_eq!(coerce(value, to), Coerced::Misfit, "{value} as {to:?}");
    }
}

#[test]
fn null_stays_null_whatever_the_type() {
    for to in ValueType::ALL {
        fits(*to, &[(json!(null), json!(null))]);
    }
}

#[test]
fn string_takes_everything() {
    fits(
        ValueType::String,
        &[
            (json!(""), json!("")),
            (json!(" a\n"), json!(" a\n")),
            (json!(true), json!("true")),
            (json!(false), json!("false")),
            (json!(0), json!("0")),
            (json!(-7), json!("-7")),
            (json!(u64::MAX), json!("18446744073709551615")),
            (json!(2.0), json!("2")),
            (json!(-0.0), json!("0")),
            (json!(2.5), json!("2.5")),
            (json!(1e15), json!("1000000000000000")),
            (json!(1e16), json!("1e+16")),
            (json!(1.5e300), json!("1.5e+300")),
            (json!(0.000001), json!("0.000001")),
            (json!(-0.0000012), json!("-0.0000012")),
            (json!(1.5e-7), json!("1.5e-7")),
            (json!([1.0, "a", null]), json!(r#"[1,"a",null]"#)),
            (
                json!({"b": 1, "a": {"q": "\""}}),
                json!(r#"{"b":1,"a":{"q":"\""}}"#),
            ),
        ],
    );
}

#[test]
fn integer_takes_whole_numbers_decimal_text_and_booleans() {
    fits(
        ValueType::Integer,
        &[
            (json!(5), json!(5)),
            (json!(-5), json!(-5)),
            (json!(3.0), json!(3)),
            (json!(-0.0), json!(0)),
            (json!(1e15), json!(1_000_000_000_000_000_i64)),
            (json!(true), json!(1)),
            (json!(false), json!(0)),
            (json!("12"), json!(12)),
            (json!(" -12\n"), json!(-12)),
            (json!("+7"), json!(7)),
            (json!("007"), json!(7)),
            (json!("-0"), json!(0)),
            (json!("3.0"), json!(3)),
            (json!("3."), json!(3)),
            (
                json!(9_007_199_254_740_992_i64),
                json!(9_007_199_254_740_992_i64),
            ),
            (
                json!("-9007199254740992"),
                json!(-9_007_199_254_740_992_i64),
            ),
        ],
    );
    misfits(
        ValueType::Integer,
        &[
            json!(""),
            json!(" "),
            json!("-"),
            json!("."),
            json!(".0"),
            json!("3.5"),
            json!("1e3"),
            json!("0x10"),
            json!("1,000"),
            json!("1 000"),
            json!("1_000"),
            json!("--1"),
            json!("twelve"),
            json!("٣"),
            json!("true"),
            json!("NaN"),
            json!(0.5),
            json!(1e300),
            json!([]),
            json!([1]),
            json!({}),
        ],
    );
}

#[test]
fn an_integer_that_a_float_cannot_hold_stays_text() {
    fits_with_warning(
        ValueType::Integer,
        &[
            (json!(9_007_199_254_740_993_i64), json!("9007199254740993")),
            (json!(i64::MIN), json!("-9223372036854775808")),
            (json!(u64::MAX), json!("18446744073709551615")),
            (json!("9007199254740993"), json!("9007199254740993")),
            (
                json!(" -0012345678901234567890123.0 "),
                json!("-12345678901234567890123"),
            ),
            (json!(1e20), json!("100000000000000000000")),
        ],
    );
}

#[test]
fn float_takes_numbers_and_decimal_text() {
    fits(
        ValueType::Float,
        &[
            (json!(5), json!(5.0)),
            (json!(2.5), json!(2.5)),
            (json!("2.5"), json!(2.5)),
            (json!(" -2 "), json!(-2.0)),
            (json!("+.5"), json!(0.5)),
            (json!("5."), json!(5.0)),
            (json!("1e3"), json!(1000.0)),
            (json!("1.5E-3"), json!(0.0015)),
            (json!("007.50"), json!(7.5)),
            (json!("1e-999"), json!(0.0)),
            (json!("0.1"), json!(0.1)),
            (json!(1_u64 << 60), json!(1_152_921_504_606_846_976.0)),
        ],
    );
    fits_with_warning(
        ValueType::Float,
        &[
            (
                json!(9_007_199_254_740_993_i64),
                json!(9_007_199_254_740_992.0),
            ),
            (json!("9007199254740993"), json!(9_007_199_254_740_992.0)),
            (json!(u64::MAX), json!(u64::MAX as f64)),
        ],
    );
    misfits(
        ValueType::Float,
        &[
            json!(""),
            json!("1e999"),
            json!("e3"),
            json!("1e"),
            json!("1e+"),
            json!("."),
            json!("1.2.3"),
            json!("1,5"),
            json!("inf"),
            json!("NaN"),
            json!("0x1p3"),
            json!(true),
            json!([1.0]),
            json!({}),
        ],
    );
}

#[test]
fn boolean_takes_eight_words_and_two_numbers() {
    for word in ["true", "YES", "On", "1", " True\n"] {
        fits(ValueType::Boolean, &[(json!(word), json!(true))]);
    }
    for word in ["false", "No", "OFF", "0", "\tfalse"] {
        fits(ValueType::Boolean, &[(json!(word), json!(false))]);
    }
    fits(
        ValueType::Boolean,
        &[
            (json!(true), json!(true)),
            (json!(false), json!(false)),
            (json!(1), json!(true)),
            (json!(1.0), json!(true)),
            (json!(0), json!(false)),
            (json!(-0.0), json!(false)),
        ],
    );
    misfits(
        ValueType::Boolean,
        &[
            json!(""),
            json!("y"),
            json!("2"),
            json!("1.0"),
            json!("wahr"),
            json!(2),
            json!(-1),
            json!(0.5),
            json!([]),
            json!({}),
        ],
    );
}

#[test]
fn json_reads_text_that_is_json_and_keeps_other_text() {
    fits(
        ValueType::Json,
        &[
            (json!({"a": [1, 2.5]}), json!({"a": [1, 2.5]})),
            (json!(5), json!(5)),
            (json!(true), json!(true)),
            (json!(r#" {"a": [1]} "#), json!({"a": [1]})),
            (json!("5"), json!(5)),
            (json!("null"), json!(null)),
            (json!("\"5\""), json!("5")),
            (json!("hello"), json!("hello")),
            (json!(""), json!("")),
            (json!("{a: 1}"), json!("{a: 1}")),
            (json!("[1,]"), json!("[1,]")),
            (json!("007"), json!("007")),
            (json!("[".repeat(100_000)), json!("[".repeat(100_000))),
        ],
    );
}

#[test]
fn csv_keeps_text_and_writes_lists_of_objects_and_dataframes() {
    let frame = json!({"columns": [{"name": "a", "type": "integer"}, {"name": "b"}], "rows": [[1, "x"], [null, ""]]});
    fits(
        ValueType::Csv,
        &[
            (json!("a,b\n1,2"), json!("a,b\n1,2")),
            (json!(""), json!("")),
            (
                json!([{"a": 1, "b": "x, y"}, {"b": "\"", "c": [1.0]}]),
                json!("a,b,c\r\n1,\"x, y\",\r\n,\"\"\"\",[1]\r\n"),
            ),
            (frame, json!("a,b\r\n1,x\r\n,\"\"\r\n")),
            (json!([]), json!("")),
        ],
    );
    fits_with_warning(ValueType::Csv, &[(json!("a,b\n1"), json!("a,b\n1"))]);
    misfits(
        ValueType::Csv,
        &[
            json!("a,b\n1,2,3"),
            json!("a\n\"open"),
            json!(r#"[{"a": 1}]"#),
            json!(5),
            json!(true),
            json!([1, 2]),
            json!([[1, 2]]),
            json!({"a": 1}),
        ],
    );
}

#[test]
fn dataframe_reads_all_four_forms() {
    let expected = json!({
        "columns": [{"name": "a", "type": "integer"}, {"name": "b", "type": "string"}],
        "rows": [[1, "x"], [2, null]]
    });
    fits(
        ValueType::Dataframe,
        &[
            (expected.clone(), expected.clone()),
            (
                json!({"columns": ["a", "b"], "data": [[1, "x"], [2, null]], "index": [0, 1]}),
                expected.clone(),
            ),
            (json!([{"a": 1, "b": "x"}, {"a": 2}]), expected.clone()),
            (json!("a,b\r\n1,x\r\n2,\r\n"), expected),
            (json!([]), json!({"columns": [], "rows": []})),
            (json!(""), json!({"columns": [], "rows": []})),
        ],
    );
    misfits(
        ValueType::Dataframe,
        &[
            json!(5),
            json!(true),
            json!([1]),
            json!({"a": 1}),
            json!({"columns": ["a"]}),
            json!({"columns": [1], "rows": []}),
            json!({"columns": ["a"], "rows": [1]}),
            json!({"columns": ["a"], "rows": [[1, 2]]}),
            json!({"columns": [{"name": "a", "type": "integer"}], "rows": [["x"]]}),
            json!("a\n\"open"),
        ],
    );
}

#[test]
fn any_and_messages_are_not_changed() {
    for value in [json!("5"), json!(5), json!([1]), json!({"a": 1})] {
        fits(ValueType::Any, &[(value.clone(), value)]);
    }
    fits(
        ValueType::Message,
        &[(json!({"role": "user"}), json!({"role": "user"}))],
    );
    fits(
        ValueType::Messages,
        &[(json!([{"role": "user"}]), json!([{"role": "user"}]))],
    );
    misfits(ValueType::Message, &[json!("a"), json!([{}]), json!(1)]);
    misfits(ValueType::Messages, &[json!("a"), json!({}), json!([1])]);
}

#[test]
fn a_value_that_is_nested_too_deep_fits_nothing() {
    let nested = |depth: usize| (0..depth).fold(json!(1), |value, _| json!([value]));
    for to in ValueType::ALL {
        assert_eq!(coerce(&nested(MAX_VALUE_DEPTH + 1), *to), Coerced::Misfit);
    }
    let deepest = nested(MAX_VALUE_DEPTH);
    assert_eq!(
        coerce(&deepest, ValueType::Json),
        Coerced::Fit(deepest.clone())
    );
}
