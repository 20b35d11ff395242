//! CSV text by RFC 4180.

use mnemograph_graph::{Column, Table, ValueType};
use serde_json::{Value, json};

/// The names of the columns and the rows of CSV text, and whether there was a warning.
fn read(text: &str) -> (Vec<String>, Value, bool) {
    let (table, warning) = Table::read(&json!(text)).unwrap();
    let names = table.columns.into_iter().map(|column| column.name);
    (names.collect(), json!(table.rows), warning.is_some())
}

#[track_caller]
fn check(text: &str, names: &[&str], rows: Value) {
    let (found, cells, is_warned) = read(text);
    assert_eq!(found, names, "{text:?}");
    assert_eq!(cells, rows, "{text:?}");
    assert!(!is_warned, "{text:?}");
}

#[track_caller]
fn check_warned(text: &str, names: &[&str], rows: Value) {
    let (found, cells, is_warned) = read(text);
    assert_eq!(
        (found, cells),
        (names.iter().map(|name| (*name).to_owned()).collect(), rows),
        "{text:?}"
    );
    assert!(is_warned, "{text:?}");
}

#[test]
fn lines_may_end_in_any_way_and_blank_ones_are_no_records() {
    let rows = json!([["x", "y"], ["z", "w"]]);
    for text in [
        "a,b\r\nx,y\r\nz,w\r\n",
        "a,b\nx,y\nz,w",
        "a,b\rx,y\rz,w\r",
        "\n\na,b\r\n\r\nx,y\n\n\nz,w\n\n",
        "\u{feff}a,b\nx,y\nz,w\n",
    ] {
        check(text, &["a", "b"], rows.clone());
    }
}

#[test]
fn quotation_marks_hold_commas_line_ends_and_themselves() {
    check(
        "\"a,1\",\"b\"\"\"\r\n\"x\r\ny\",\"\"\"\"\r\n\" z \", w ",
        &["a,1", "b\""],
        json!([["x\r\ny", "\""], [" z ", " w "]]),
    );
}

#[test]
fn an_empty_field_is_null_and_a_quoted_one_is_empty_text() {
    check(
        "a,b\n,\"\"\nx,y\n",
        &["a", "b"],
        json!([[null, ""], ["x", "y"]]),
    );
    check("a,b\n,\n", &["a", "b"], json!([[null, null]]));
    check(
        "a,b\n1,\"\"\n,2\n",
        &["a", "b"],
        json!([[1, null], [null, 2]]),
    );
    check("a\n\"\"\nx\n", &["a"], json!([[""], ["x"]]));
}

#[test]
fn short_rows_are_filled_up_and_surplus_empty_cells_dropped_with_a_warning() {
    check_warned(
        "a,b,c\nx\ny,z\n",
        &["a", "b", "c"],
        json!([["x", null, null], ["y", "z", null]]),
    );
    check_warned(
        "a,b\nx,y,\nz,w,\"\",\n",
        &["a", "b"],
        json!([["x", "y"], ["z", "w"]]),
    );
}

#[test]
fn columns_without_a_name_and_repeated_names_get_one() {
    check(
        "a,,\" \"\n1,2,3\n",
        &["a", "column_2", "column_3"],
        json!([[1, 2, 3]]),
    );
    check(
        "column_2,\n1,2\n",
        &["column_2", "column_3"],
        json!([[1, 2]]),
    );
    check_warned(
        "a,a,a_2,a\n1,2,3,4\n",
        &["a", "a_3", "a_2", "a_4"],
        json!([[1, 2, 3, 4]]),
    );
}

#[test]
fn what_is_not_csv_is_refused_with_the_place_and_without_the_content() {
    for (text, reason) in [
        (
            "a,b\nsecret,2,3",
            "row 1 has 3 cells, but there are 2 columns; is a comma not in quotation marks?",
        ),
        ("a\nx\n\"secret", "record 3: a quotation mark is not closed"),
        (
            "a\n\"secret\"x",
            "record 2: text follows a closing quotation mark",
        ),
        (
            "a\n\"secret\" ,x",
            "record 2: text follows a closing quotation mark",
        ),
        (
            "a\nsecret\"x\"",
            "record 2: a quotation mark stands inside a field that does not begin with one; write the field in quotation marks and double those inside it",
        ),
    ] {
        assert_eq!(
            Table::read(&json!(text)),
            Err(reason.to_owned()),
            "{text:?}"
        );
    }
}

#[test]
fn types_of_columns_are_inferred() {
    for (cells, value_type, expected) in [
        (
            vec!["1", "-20", "0"],
            ValueType::Integer,
            json!([1, -20, 0]),
        ),
        (
            vec!["1", "2.50", "-0.5"],
            ValueType::Float,
            json!([1.0, 2.5, -0.5]),
        ),
        (vec!["1.0", "2.0"], ValueType::Float, json!([1.0, 2.0])),
        (
            vec!["1e+5", "1.5E3", "2e-3"],
            ValueType::Float,
            json!([1e5, 1.5e3, 2e-3]),
        ),
        (
            vec!["true", "FALSE", "True"],
            ValueType::Boolean,
            json!([true, false, true]),
        ),
        (vec!["1", "x"], ValueType::String, json!(["1", "x"])),
        (vec!["true", "1"], ValueType::String, json!(["true", "1"])),
        (vec!["yes", "no"], ValueType::String, json!(["yes", "no"])),
        (vec!["007", "008"], ValueType::String, json!(["007", "008"])),
        (vec!["1", "007"], ValueType::String, json!(["1", "007"])),
        (vec!["+49", "+1"], ValueType::String, json!(["+49", "+1"])),
        (vec!["1E5", "2e6"], ValueType::String, json!(["1E5", "2e6"])),
        (
            vec!["\"1,000\"", "\"2,000\""],
            ValueType::String,
            json!(["1,000", "2,000"]),
        ),
        (vec![".5", "5."], ValueType::String, json!([".5", "5."])),
        (vec![" 5", "6 "], ValueType::String, json!([" 5", "6 "])),
        (vec!["-0"], ValueType::String, json!(["-0"])),
        (vec!["1e+999"], ValueType::String, json!(["1e+999"])),
        (vec!["2026-01-01"], ValueType::String, json!(["2026-01-01"])),
        (
            vec!["NaN", "inf", "null"],
            ValueType::String,
            json!(["NaN", "inf", "null"]),
        ),
        (vec!["\"1\"", "\"2\""], ValueType::Integer, json!([1, 2])),
        (
            vec!["9007199254740992"],
            ValueType::Integer,
            json!([9_007_199_254_740_992_i64]),
        ),
    ] {
        let text = format!("a\n{}\n", cells.join("\n"));
        let (table, warning) = Table::read(&json!(text)).unwrap();
        let column = Column {
            name: "a".to_owned(),
            value_type,
        };
        assert_eq!(table.columns, [column], "{cells:?}");
        let found: Vec<Value> = table.rows.into_iter().flatten().collect();
        assert_eq!(json!(found).to_string(), expected.to_string(), "{cells:?}");
        assert_eq!(warning, None, "{cells:?}");
    }
}

#[test]
fn one_integer_of_many_digits_makes_its_column_text() {
    let (table, warning) =
        Table::read(&json!("n,id\n1,2\n3,12345678901234567890\n4,1.5\n")).unwrap();
    assert_eq!(table.columns[0].value_type, ValueType::Integer);
    assert_eq!(table.columns[1].value_type, ValueType::String);
    assert_eq!(
        json!(table.rows),
        json!([[1, "2"], [3, "12345678901234567890"], [4, "1.5"]])
    );
    assert!(warning.unwrap().contains("Column 2"));
}
