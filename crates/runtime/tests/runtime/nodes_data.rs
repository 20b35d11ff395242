//! The pull nodes, each with a table of settings and what comes of them.

use crate::support::{output, run, steps};
use mnemograph_testkit::node;
use serde_json::{Value, json};

/// All ports of a pull node, or the code with which reading it fails.
fn pulled(node_type: &str, settings: Value) -> Result<Value, String> {
    let document = steps(
        &[output("all", "{{ nodes.x }}")],
        &[node("x", node_type, settings)],
        &[],
    );
    let result = run(&document, " Ada ");
    match result.error {
        None => Ok(result.outputs["all"].clone()),
        Some(error) => {
            assert_eq!(error.node.as_deref(), Some("x"), "{error:?}");
            Err(error.code)
        }
    }
}

fn check(node_type: &str, table: &[(Value, Result<Value, &str>)]) {
    for (settings, expected) in table {
        let expected = expected.clone().map_err(str::to_owned);
        assert_eq!(pulled(node_type, settings.clone()), expected, "{settings}");
    }
}

#[test]
fn text() {
    check(
        "text",
        &[
            (
                json!({"template": "a{{ trigger.text }}b"}),
                Ok(json!({"output": "a Ada b"})),
            ),
            (
                json!({"template": "{{ [1, true, none] }}"}),
                Ok(json!({"output": "[1,true,null]"})),
            ),
            (json!({"template": "{{ env.nothing }}"}), Err("E_TEMPLATE")),
        ],
    );
}

#[test]
fn set() {
    let field = |value_type: &str, value: Value| json!({"fields": [{"name": "f", "type": value_type, "value": value}]});
    let gives = |value: Value| Ok(json!({"output": {"f": value}}));
    check(
        "set",
        &[
            (field("integer", json!("{{ 1 + 1 }}")), gives(json!(2))),
            (field("integer", json!(" 7 ")), gives(json!(7))),
            (field("integer", json!("x")), Err("E_COERCE")),
            (field("boolean", json!("Yes")), gives(json!(true))),
            (field("string", json!([1])), gives(json!("[1]"))),
            (
                field("json", json!({"a": "{{ trigger.text | trim }}"})),
                gives(json!({"a": "Ada"})),
            ),
        ],
    );
}

#[test]
fn json_node() {
    let fenced = "Here: ```json\n{\"a\": [1, {\"b\": 2}]}\n```";
    check(
        "json",
        &[
            (
                json!({"input": "{\"a\": 1}"}),
                Ok(json!({"output": {"a": 1}, "ok": true})),
            ),
            (
                json!({"input": "{"}),
                Ok(json!({"output": null, "ok": false})),
            ),
            (json!({"input": "{", "lenient": false}), Err("E_JSON")),
            (json!({"input": fenced, "lenient": false}), Err("E_JSON")),
            (
                json!({"input": fenced}),
                Ok(json!({"output": {"a": [1, {"b": 2}]}, "ok": true})),
            ),
            (
                json!({"op": "stringify", "input": {"b": 1, "a": [null]}}),
                Ok(json!({"output": "{\"b\":1,\"a\":[null]}", "ok": true})),
            ),
            (
                json!({"op": "get", "path": "a[1].b", "input": {"a": [0, {"b": 5}]}}),
                Ok(json!({"output": 5, "ok": true})),
            ),
            (
                json!({"op": "get", "path": "a.z", "input": {"a": {}}}),
                Ok(json!({"output": null, "ok": false})),
            ),
            (
                json!({"op": "merge", "input": {"a": 1, "b": {"c": 1}}, "other": {"b": {"d": 2}}}),
                Ok(json!({"output": {"a": 1, "b": {"c": 1, "d": 2}}, "ok": true})),
            ),
        ],
    );
}

#[test]
fn list() {
    let gives =
        |items: Value| Ok(json!({"count": items.as_array().unwrap().len(), "output": items}));
    check(
        "list",
        &[
            (json!({"items": [3, 1, 2]}), gives(json!([3, 1, 2]))),
            (
                json!({"items": [3, 1, 2], "filter": "item > 1", "sort_by": "item", "map": "item * 10 + index"}),
                gives(json!([20, 31])),
            ),
            (
                json!({"items": [1, 2, 3], "sort_by": "item", "descending": true, "end": -1}),
                gives(json!([3, 2])),
            ),
            (
                json!({"items": [1, 2, 3], "start": -2}),
                gives(json!([2, 3])),
            ),
            (
                json!({"items": [1, 2, 3], "start": 2, "end": 1}),
                gives(json!([])),
            ),
            (
                json!({"items": [1, "1", 1], "unique": true}),
                gives(json!([1, "1"])),
            ),
            (
                json!({"items": [{"k": 1, "n": 1}, {"k": 1, "n": 2}], "unique_by": "item.k"}),
                gives(json!([{"k": 1, "n": 1}])),
            ),
            (json!({"items": [1, "a"], "sort_by": "item"}), Err("E_EXPR")),
            (json!({"items": [1], "map": "item.k"}), Err("E_EXPR")),
            (json!({"items": "text"}), Err("E_ITEMS_TYPE")),
        ],
    );
}

#[test]
fn regex() {
    check(
        "regex",
        &[
            (
                json!({"text": "a1 b22", "pattern": "[a-z]([0-9]+)", "group": 1}),
                Ok(json!({"matches": ["1", "22"], "first": "1", "output": "a1 b22", "ok": true})),
            ),
            (
                json!({"text": "a1 b22", "pattern": "[A-Z]([0-9]+)", "flags": "i", "replace": "<$1>"}),
                Ok(
                    json!({"matches": ["a1", "b22"], "first": "a1", "output": "<1> <22>", "ok": true}),
                ),
            ),
            (
                json!({"text": "none", "pattern": "[0-9]"}),
                Ok(json!({"matches": [], "first": null, "output": "none", "ok": false})),
            ),
            (
                json!({"text": "a".repeat(20_000), "pattern": "a"}),
                Err("E_REGEX"),
            ),
        ],
    );
}

#[test]
fn table() {
    let all = json!({
        "csv": "a,b\r\n1,x\r\n2,y\r\n",
        "dataframe": {"columns": [{"name": "a", "type": "integer"}, {"name": "b", "type": "string"}], "rows": [[1, "x"], [2, "y"]]},
        "rows": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}],
    });
    check(
        "table",
        &[
            (json!({"input": "a,b\r\n1,x\r\n2,y\r\n"}), Ok(all.clone())),
            (
                json!({"input": [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}]}),
                Ok(all.clone()),
            ),
            (json!({"input": all["dataframe"]}), Ok(all.clone())),
            (json!({"input": 7}), Err("E_COERCE")),
        ],
    );
}

#[test]
fn coalesce_gives_the_first_input_with_a_value() {
    for (case, expected) in [("a", json!("from a")), ("b", json!("from b"))] {
        let document = steps(
            &[node(
                "which",
                "switch",
                json!({"value": "{{ trigger.text }}", "cases": [{"id": "a", "equals": "a"}, {"id": "b", "equals": "b"}]}),
            )],
            &[
                node("a", "call", json!({"function": "f", "args": "from a"})),
                node("b", "call", json!({"function": "f", "args": "from b"})),
                node("join", "merge", json!({})),
                node("one", "coalesce", json!({})),
                node("out", "output", json!({"name": "v"})),
            ],
            &[
                "which.a > a.in",
                "which.b > b.in",
                "a.out > join.in",
                "b.out > join.in",
                "join.out > out.in",
                "data a.result > one.a",
                "data b.result > one.b",
                "data one.output > out.value",
            ],
        );
        let mut bench = crate::support::Bench::new();
        bench.host.script("f", |call| match &call.payload {
            mnemograph_runtime::HostPayload::Work { payload, .. } => {
                mnemograph_testkit::Answer::Value(payload.clone())
            }
            other => panic!("{other:?}"),
        });
        let result = bench.say(&mnemograph_testkit::plan(&document), case);
        assert_eq!(result.outputs["v"], expected, "{:?}", result.error);
    }
}
