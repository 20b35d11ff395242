//! Lists of objects and dataframes.

use mnemograph_graph::{Coerced, MAX_CELLS, Table, ValueType, coerce};
use serde_json::{Map, Value, json};

fn types(table: &Table) -> Vec<&'static str> {
    let columns = table.columns.iter();
    columns.map(|column| column.value_type.as_str()).collect()
}

#[test]
fn a_column_of_values_has_the_type_that_holds_for_all_of_them() {
    for (cells, value_type, expected) in [
        (json!([1, 2.0, null]), "integer", json!([1, 2, null])),
        (json!([1, 2.5]), "float", json!([1.0, 2.5])),
        (json!([1e300, 1]), "float", json!([1e300, 1.0])),
        (json!([true, null]), "boolean", json!([true, null])),
        (json!(["1", "2"]), "string", json!(["1", "2"])),
        (json!([null, null]), "string", json!([null, null])),
        (json!(["5", 5, true]), "json", json!(["5", 5, true])),
        (json!([[1], {"a": 1}]), "json", json!([[1], {"a": 1}])),
    ] {
        let objects = cells.as_array().unwrap().iter();
        let list: Vec<Value> = objects.map(|cell| json!({"a": cell})).collect();
        let (table, warning) = Table::read(&json!(list)).unwrap();
        assert_eq!(types(&table), [value_type], "{cells}");
        let found: Vec<Value> = table.rows.into_iter().flatten().collect();
        assert_eq!(json!(found).to_string(), expected.to_string(), "{cells}");
        assert_eq!(warning, None);
    }
}

#[test]
fn integers_of_many_digits_make_a_column_text() {
    let list = json!([{"id": u64::MAX}, {"id": 1}, {"id": 0.5}]);
    let (table, warning) = Table::read(&list).unwrap();
    assert_eq!(types(&table), ["string"]);
    assert_eq!(
        json!(table.rows),
        json!([["18446744073709551615"], ["1"], ["0.5"]])
    );
    assert!(warning.is_some());
}

#[test]
fn a_given_type_holds_for_every_cell() {
    let frame = json!({
        "columns": [
            {"name": "s", "type": "string"}, {"name": "i", "type": "integer"}, {"name": "f", "type": "float"},
            {"name": "b", "type": "boolean"}, {"name": "j", "type": "json"}
        ],
        "rows": [[1, "2", 3, "yes", "5"], [null, null, null, null, [1]]]
    });
    let (table, warning) = Table::read(&frame).unwrap();
    let expected = json!([["1", 2, 3.0, true, "5"], [null, null, null, null, [1]]]);
    assert_eq!(json!(table.rows).to_string(), expected.to_string());
    assert_eq!(warning, None);
    assert_eq!(
        Table::read(
            &json!({"columns": [{"name": "a"}, {"name": "b", "type": "integer"}], "rows": [[1, 1], [1, "secret"]]})
        ),
        Err("the cell in row 2, column 2 is no integer".to_owned())
    );
}

#[test]
fn an_unknown_type_is_inferred_with_a_warning() {
    let (table, warning) =
        Table::read(&json!({"columns": [{"name": "a", "type": "int64"}], "rows": [[1]]})).unwrap();
    assert_eq!(types(&table), ["integer"]);
    assert!(warning.unwrap().contains("column 1"));
}

#[test]
fn rows_that_are_too_short_are_filled_up_with_a_warning() {
    let (table, warning) =
        Table::read(&json!({"columns": ["a", "b"], "rows": [[1], [1, 2]]})).unwrap();
    assert_eq!(json!(table.rows), json!([[1, null], [1, 2]]));
    assert!(warning.is_some());
}

#[test]
fn objects_take_their_keys_in_the_order_of_first_appearance() {
    let list = json!([{"b": 1}, {"a": 2, "b": 3}]);
    let (table, _) = Table::read(&list).unwrap();
    assert_eq!(
        table.to_objects().to_string(),
        r#"[{"b":1,"a":null},{"b":3,"a":2}]"#
    );
}

#[test]
fn objects_with_many_different_keys_make_no_giant_table() {
    let side = 1_001;
    assert!(side * side > MAX_CELLS);
    let list: Vec<Value> = (0..side)
        .map(|index| json!({format!("k{index}"): 1}))
        .collect();
    assert_eq!(coerce(&json!(list), ValueType::Dataframe), Coerced::Misfit);
    let header = (0..side)
        .map(|index| format!("k{index}"))
        .collect::<Vec<_>>()
        .join(",");
    let text = format!("{header}\n{}", "1\n".repeat(side));
    assert_eq!(coerce(&json!(text), ValueType::Csv), Coerced::Misfit);
}

#[test]
fn many_equal_names_are_renamed_in_little_time() {
    let names = vec!["a"; 50_000];
    let (table, warning) = Table::read(&json!({"columns": names, "rows": []})).unwrap();
    assert_eq!(table.columns.last().unwrap().name, "a_50000");
    assert!(warning.is_some());
}

#[test]
fn keys_that_javascript_treats_specially_are_keys() {
    let list = json!([{"__proto__": 1, "constructor": "x", "": true}]);
    let Coerced::Fit(frame) = coerce(&list, ValueType::Dataframe) else {
        panic!("no fit");
    };
    assert_eq!(Table::read(&list).unwrap().0.to_objects(), list);
    assert_eq!(frame["columns"][0]["name"], "__proto__");
    assert_eq!(
        Map::from_iter([
            ("type".to_owned(), json!("boolean")),
            ("name".to_owned(), json!(""))
        ]),
        *frame["columns"][2].as_object().unwrap()
    );
}
