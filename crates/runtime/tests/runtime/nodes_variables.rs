//! `var_set`: operations, types, sub-graphs.

use crate::support::{Bench, code, output, run, steps};
use mnemograph_runtime::StateKind;
use mnemograph_storage::MemoryStorage;
use mnemograph_testkit::{ScriptedHost, node, plan};
use serde_json::{Value, json};

/// Writes one after the other to a variable and gives it.
fn write(var: Value, writes: &[Value]) -> Value {
    let sets: Vec<Value> = writes
        .iter()
        .enumerate()
        .map(|(n, settings)| node(&format!("set{n}"), "var_set", settings.clone()))
        .chain([output("v", "{{ nodes.v.output }}")])
        .collect();
    let mut settings = json!({"name": "v"});
    settings
        .as_object_mut()
        .unwrap()
        .extend(var.as_object().unwrap().clone());
    let edges: Vec<String> = (0..writes.len())
        .map(|n| format!("link_var v.ref > set{n}.var"))
        .collect();
    steps(
        &sets,
        &[node("v", "var", settings)],
        &edges.iter().map(String::as_str).collect::<Vec<_>>(),
    )
}

#[test]
fn each_operation_by_type() {
    let append = |input: Value| json!({"op": "append", "input": input});
    let add = |input: Value| json!({"op": "add", "input": input});
    let clear = || json!({"op": "clear"});
    let table = [
        (
            json!({"type": "string"}),
            vec![append(json!("a")), append(json!("{{ 1 }}"))],
            Ok(json!("a1")),
        ),
        (
            json!({"type": "json"}),
            vec![append(json!(1)), append(json!([2]))],
            Ok(json!([1, [2]])),
        ),
        (
            json!({"type": "json", "default": [0]}),
            vec![append(json!(1))],
            Ok(json!([0, 1])),
        ),
        (
            json!({"type": "json", "default": {"a": 1}}),
            vec![append(json!(1))],
            Err("E_COERCE"),
        ),
        (
            json!({"type": "integer", "default": 1}),
            vec![append(json!(1))],
            Err("E_COERCE"),
        ),
        (
            json!({"type": "csv", "default": "a\r\n1\r\n"}),
            vec![append(json!([{"a": 2}]))],
            Ok(json!("a\r\n1\r\n2\r\n")),
        ),
        (
            json!({"type": "integer", "default": 5}),
            vec![add(json!(2)), add(json!(-3))],
            Ok(json!(4)),
        ),
        (
            json!({"type": "float", "default": 0.5}),
            vec![add(json!("0.25"))],
            Ok(json!(0.75)),
        ),
        (
            json!({"type": "integer", "default": 5}),
            vec![json!({"input": 7}), clear()],
            Ok(json!(5)),
        ),
        (
            json!({"type": "string"}),
            vec![json!({"input": {"a": 1}})],
            Ok(json!("{\"a\":1}")),
        ),
        (
            json!({"type": "boolean"}),
            vec![json!({"input": "Off"})],
            Ok(json!(false)),
        ),
    ];
    for scope in ["session", "thread"] {
        for (var, writes, expected) in &table {
            let mut var = var.clone();
            var["scope"] = json!(scope);
            let document = write(var.clone(), writes);
            let result = run(&document, "x");
            match expected {
                Ok(value) => assert_eq!(
                    result.outputs.get("v"),
                    Some(value),
                    "{var} {:?}",
                    result.error
                ),
                Err(expected) => assert_eq!(code(&result), *expected, "{var}"),
            }
        }
    }
}

#[test]
fn a_thread_variable_can_be_looked_at_and_cleared_and_others_cannot() {
    let var = json!({"type": "integer", "default": 7, "scope": "thread"});
    let plan = plan(&write(var, &[json!({"input": "{{ trigger.text }}"})]));
    let mut bench = Bench::new();
    let look = |bench: &Bench| {
        let seen = pollster::block_on(bench.runtime.state_inspect(&plan, "v", "t")).unwrap();
        (seen.value, seen.count)
    };
    let nodes = mnemograph_runtime::Runtime::<MemoryStorage, ScriptedHost>::state_nodes(&plan);
    assert_eq!(nodes.len(), 1);
    assert_eq!(
        (nodes[0].node.as_str(), nodes[0].kind),
        ("v", StateKind::Variable)
    );
    assert_eq!(look(&bench), (Some(json!(7)), 0), "its default");
    bench.say(&plan, "12");
    assert_eq!(look(&bench), (Some(json!(12)), 1));
    let cleared = pollster::block_on(bench.runtime.state_clear(&plan, "v", "t")).unwrap();
    assert_eq!((cleared.messages, look(&bench)), (1, (Some(json!(7)), 0)));

    let session = self::plan(&write(json!({}), &[json!({"input": 1})]));
    assert!(
        mnemograph_runtime::Runtime::<MemoryStorage, ScriptedHost>::state_nodes(&session)
            .is_empty()
    );
    let looked = pollster::block_on(bench.runtime.state_inspect(&session, "v", "t"));
    assert_eq!(looked.unwrap_err().code(), "E_NOT_FOUND");
}

#[test]
fn a_cleared_thread_variable_has_its_default_in_the_next_run() {
    let var = || json!({"type": "integer", "scope": "thread", "default": 1});
    let mut bench = Bench::new();
    let mut last =
        |writes: &[Value]| bench.say(&plan(&write(var(), writes)), "x").outputs["v"].clone();
    assert_eq!(last(&[json!({"op": "add", "input": 1})]), 2);
    assert_eq!(last(&[]), 2);
    assert_eq!(last(&[json!({"op": "clear"})]), 1);
    assert_eq!(last(&[]), 1);
}

#[test]
fn variables_of_a_sub_graph_are_its_own() {
    let inside = write(
        json!({"type": "integer", "scope": "thread", "default": 0}),
        &[json!({"op": "add", "input": 1})],
    );
    let mut nodes = inside["nodes"].clone();
    nodes[0] = node("chat", "graph_input", json!({}));
    let graph = json!({"nodes": nodes, "edges": inside["edges"]});
    let mut document = steps(
        &[
            node("a", "subgraph", json!({"graph": "one"})),
            node("b", "subgraph", json!({"graph": "one"})),
            node("c", "subgraph", json!({"graph": "two"})),
            output(
                "all",
                "{{ nodes.a.v }} {{ nodes.b.v }} {{ nodes.c.v }} {{ nodes.v.output }}",
            ),
        ],
        &[node(
            "v",
            "var",
            json!({"name": "v", "type": "integer", "scope": "thread", "default": 9}),
        )],
        &[],
    );
    document["graphs"] = json!({"one": graph, "two": graph});
    let mut bench = Bench::new();
    let plan = plan(&document);
    for expected in ["1 2 1 9", "3 4 2 9"] {
        let result = bench.say(&plan, "x");
        assert_eq!(
            result.outputs.get("all"),
            Some(&json!(expected)),
            "{:?}",
            result.error
        );
    }
}
