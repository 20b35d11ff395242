//! Any text is judged at once and without a panic.
#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::fmt::Write;

use mnemograph_graph::{
    Code, MAX_BYTES, MAX_EDGES, MAX_LISTED, MAX_NODES, Parsed, Severity, parse,
};
use serde_json::{Value, json};

fn codes(parsed: &Parsed) -> Vec<Code> {
    parsed.problems.iter().map(|problem| problem.code).collect()
}

fn document(nodes: &[Value], edges: &[Value]) -> String {
    json!({"format": "mnemograph", "format_version": 1, "id": "g", "nodes": nodes, "edges": edges})
        .to_string()
}

fn reply(index: usize) -> Value {
    json!({"id": format!("n{index}"), "type": "reply", "settings": {"text": "x"}})
}

fn run(from: usize, to: usize) -> Value {
    json!({"type": "run", "from": format!("n{from}.out"), "to": format!("n{to}.in")})
}

#[test]
fn ten_thousand_brackets_do_not_overflow_the_stack() {
    for text in [
        "[".repeat(10_000),
        "[".repeat(10_000) + &"]".repeat(10_000),
        "{\"a\":".repeat(10_000) + "1" + &"}".repeat(10_000),
        format!(
            "{{\"format\":\"mnemograph\",\"x-a\":{}",
            "[{\"a\":".repeat(10_000)
        ),
    ] {
        assert_eq!(codes(&parse(&text)), [Code::DocLimit]);
    }
}

#[test]
fn closing_brackets_and_quotes_do_not_hide_depth() {
    assert_eq!(
        codes(&parse(&("]".repeat(100) + &"[".repeat(65)))),
        [Code::DocLimit]
    );
    assert_eq!(
        codes(&parse(&format!("\"\\\\\"{}", "[".repeat(65)))),
        [Code::DocLimit]
    );
    assert_eq!(
        codes(&parse(&format!("\"\\\"{}", "[".repeat(65)))),
        [Code::Json]
    );
}

#[test]
fn a_document_of_two_megabytes_is_read_and_a_larger_one_is_not() {
    let frame = document(&[json!({"id": "n", "type": "manual_trigger"})], &[]);
    let fill = |length: usize| {
        frame.replacen('{', &format!("{{\"x-fill\":\"{}\",", "a".repeat(length)), 1)
    };
    let overhead = fill(0).len();
    assert_eq!(codes(&parse(&fill(MAX_BYTES - overhead))), []);
    assert_eq!(
        codes(&parse(&fill(MAX_BYTES - overhead + 1))),
        [Code::DocLimit]
    );
}

#[test]
fn nodes_and_edges_have_a_limit() {
    let chain = |count: usize| {
        let mut nodes = vec![json!({"id": "n0", "type": "chat_trigger"})];
        nodes.extend((1..count).map(reply));
        let edges: Vec<Value> = (1..count).map(|index| run(index - 1, index)).collect();
        (nodes, edges)
    };
    let (nodes, edges) = chain(MAX_NODES);
    assert_eq!(codes(&parse(&document(&nodes, &edges))), []);
    let (nodes, edges) = chain(MAX_NODES + 1);
    assert_eq!(codes(&parse(&document(&nodes, &edges))), [Code::DocLimit]);
    let (nodes, _) = chain(3);
    let edges: Vec<Value> = std::iter::repeat_n(run(0, 1), MAX_EDGES + 1).collect();
    assert_eq!(codes(&parse(&document(&nodes, &edges))), [Code::DocLimit]);
}

#[test]
fn a_circle_of_all_nodes_is_one_problem() {
    let nodes: Vec<Value> = (0..MAX_NODES).map(reply).collect();
    let edges: Vec<Value> = (0..MAX_NODES)
        .map(|index| run(index, (index + 1) % MAX_NODES))
        .collect();
    let parsed = parse(&document(&nodes, &edges));
    assert_eq!(codes(&parsed), [Code::Cycle, Code::Trigger]);
    assert!(
        parsed.problems[0].message.len() < 200,
        "{}",
        parsed.problems[0].message
    );
}

#[test]
fn a_dense_graph_that_shares_one_memory_is_judged_at_once() {
    let mut nodes = vec![
        json!({"id": "start", "type": "chat_trigger"}),
        json!({"id": "m", "type": "buffer_memory"}),
        json!({"id": "l", "type": "llm_model"}),
    ];
    let mut edges = Vec::new();
    // A tree of agents of which each two exclude each other, with a fork beside every one: no pair is found.
    for index in 0..900 {
        nodes.push(
            json!({"id": format!("a{index}"), "type": "ai_agent", "on_error": {
                // The leaves of the tree have nothing to branch to.
                "mode": if index < 450 { "branch" } else { "fail" },
            }}),
        );
        edges.push(
            json!({"type": "link_memory", "from": "m.memory", "to": format!("a{index}.memory")}),
        );
        edges.push(json!({"type": "link_llm", "from": "l.llm", "to": format!("a{index}.llm")}));
        if index > 0 {
            let port = if index % 2 == 0 { "out" } else { "error" };
            let parent = (index - 1) / 2;
            edges.push(json!({"type": "run", "from": format!("a{parent}.{port}"), "to": format!("a{index}.in")}));
        }
    }
    nodes.push(reply(0));
    for index in 0..900 {
        edges.push(json!({"type": "run", "from": format!("a{index}.out"), "to": "n0.in"}));
    }
    edges.push(json!({"type": "run", "from": "start.out", "to": "a0.in"}));
    let text = json!({
        "format": "mnemograph", "format_version": 1, "id": "g", "limits": {"max_parallel": 2},
        "nodes": nodes, "edges": edges
    });
    assert_eq!(codes(&parse(&text.to_string())), []);
}

#[test]
fn problems_beyond_the_list_are_counted() {
    let nodes: Vec<Value> = (0..MAX_NODES).map(|_| json!({"id": "no id"})).collect();
    let edges: Vec<Value> = (0..MAX_EDGES)
        .map(|_| json!({"type": "run", "from": "nodd.out", "to": "x"}))
        .collect();
    let parsed = parse(&document(&nodes, &edges));
    assert_eq!(parsed.problems.len(), MAX_LISTED);
    assert_eq!(parsed.omitted, 2 * MAX_NODES + 2 * MAX_EDGES - MAX_LISTED);
    assert!(parsed.graph.is_none());
}

#[test]
fn warnings_do_not_push_errors_out_of_the_list() {
    let settings: serde_json::Map<String, Value> = (0..3 * MAX_LISTED)
        .map(|index| (format!("unknown{index}"), json!(1)))
        .collect();
    let start = json!({"id": "n0", "type": "manual_trigger", "settings": settings});
    let parsed = parse(&document(
        &[start.clone(), json!({"id": "r", "type": "reply"})],
        &[run(0, 1)],
    ));
    let errors = parsed
        .problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .count();
    assert_eq!((errors, parsed.omitted), (2, 2 * MAX_LISTED));
    let parsed = parse(&document(&[start], &[]));
    assert!(parsed.graph.is_some(), "warnings alone refuse no graph");
}

#[test]
fn long_names_are_cut_in_messages() {
    let long = "ä".repeat(100_000);
    let mut text = document(
        &[
            json!({"id": long, "type": long}),
            json!({"id": "a", "type": long}),
        ],
        &[json!({"type": long, "from": long, "to": long})],
    );
    text = text.replacen('{', &format!("{{\"{long}\":1,"), 1);
    let parsed = parse(&text);
    assert!(parsed.problems.len() > 3);
    for problem in &parsed.problems {
        assert!(
            problem.message.len() < 500 && problem.hint.len() < 500,
            "{problem:?}"
        );
        assert!(problem.path.as_ref().is_none_or(|path| path.len() <= 1_000));
    }
}

#[test]
fn many_repeated_keys_under_a_long_name_are_listed_in_part() {
    let mut text = format!("{{\"{}\":{{\"a\":0", "k".repeat(500_000));
    for index in 0..50_000 {
        write!(text, ",\"a\":{index}").unwrap();
    }
    text.push_str("}}");
    let parsed = parse(&text);
    assert!(parsed.problems.len() < 50);
    let size: usize = parsed
        .problems
        .iter()
        .map(|problem| format!("{problem:?}").len())
        .sum();
    assert!(size < 50_000, "{size}");
}

#[test]
fn members_of_prototypes_are_plain_data() {
    let names = [
        "__proto__",
        "constructor",
        "prototype",
        "toString",
        "hasOwnProperty",
    ];
    let mut nodes = vec![json!({"id": "start", "type": "manual_trigger"})];
    let mut edges = Vec::new();
    let mut before = "start";
    for name in names {
        nodes.push(json!({"id": name, "type": "output", "settings": {"name": name, "value": {name: {name: 1}}}}));
        edges.push(
            json!({"type": "run", "from": format!("{before}.out"), "to": format!("{name}.in")}),
        );
        before = name;
    }
    let parsed = parse(&document(&nodes, &edges));
    let graph = parsed.graph.unwrap();
    for name in names {
        assert_eq!(graph.node(graph.find(name).unwrap()).unwrap().id, name);
    }
}

#[test]
fn many_users_of_a_sub_graph_with_many_ports_are_judged_at_once() {
    let inputs: Vec<Value> = (0..200)
        .map(|index| json!({"name": format!("i{index}")}))
        .collect();
    let mut inner =
        vec![json!({"id": "in", "type": "graph_input", "settings": {"inputs": inputs}})];
    inner.extend((0..900).map(|index| {
        json!({"id": format!("o{index}"), "type": "output", "settings": {"name": format!("o{index}"), "value": 1}})
    }));
    let mut nodes = vec![json!({"id": "n0", "type": "manual_trigger"})];
    nodes.extend((1..1_000).map(
        |index| json!({"id": format!("n{index}"), "type": "subgraph", "settings": {"graph": "g"}}),
    ));
    let edges: Vec<Value> = (1..1_000)
        .flat_map(|index| {
            let value = json!({"type": "data", "from": format!("n{}.o899", index - 1), "to": format!("n{index}.i199")});
            [run(index - 1, index), value]
        })
        .filter(|edge| edge["from"] != "n0.o899")
        .collect();
    let mut document: Value = serde_json::from_str(&document(&nodes, &edges)).unwrap();
    document["graphs"] = json!({"g": {"nodes": inner}});
    let parsed = parse(&document.to_string());
    assert!(parsed.graph.is_some(), "{:?}", parsed.problems.first());
}

#[test]
fn loops_two_thousand_deep_are_judged_at_once() {
    let mut nodes = vec![json!({"id": "n0", "type": "manual_trigger"})];
    let mut edges = vec![run(0, 1)];
    for index in 1..MAX_NODES {
        let parent = (index > 1).then(|| format!("n{}", index - 1));
        nodes.push(json!({"id": format!("n{index}"), "type": "while_loop", "settings": {"condition": "true"}, "parent": parent}));
        if index > 1 {
            edges.push(json!({"type": "run", "from": format!("n{}.body", index - 1), "to": format!("n{index}.in")}));
        }
    }
    assert_eq!(codes(&parse(&document(&nodes, &edges))), []);
    nodes[1]["parent"] = json!(format!("n{}", MAX_NODES - 1));
    let found = codes(&parse(&document(&nodes, &edges)));
    assert!(found.contains(&Code::ContainerCrossing));
}

#[test]
fn a_thousand_sub_graphs_in_each_other_are_judged_at_once() {
    let graph = |index: usize| {
        let next = format!("g{}", index + 1);
        json!({"nodes": [{"id": "in", "type": "graph_input"}, {"id": "s", "type": "subgraph", "settings": {"graph": next}}],
               "edges": [{"type": "run", "from": "in.out", "to": "s.in"}]})
    };
    let mut graphs: serde_json::Map<String, Value> = (0..990)
        .map(|index| (format!("g{index}"), graph(index)))
        .collect();
    graphs.insert(
        "g990".to_owned(),
        json!({"nodes": [{"id": "in", "type": "graph_input"}]}),
    );
    let nodes = [
        json!({"id": "n0", "type": "manual_trigger"}),
        json!({"id": "n1", "type": "subgraph", "settings": {"graph": "g0"}}),
    ];
    let mut document: Value = serde_json::from_str(&document(&nodes, &[run(0, 1)])).unwrap();
    document["graphs"] = Value::Object(graphs);
    assert_eq!(codes(&parse(&document.to_string())), [Code::Depth]);
    document["graphs"]["g990"] = graph(999);
    document["graphs"]["g990"]["nodes"][1]["settings"]["graph"] = json!("g0");
    assert_eq!(
        codes(&parse(&document.to_string())),
        [Code::Depth, Code::Depth]
    );
}

#[test]
fn nodes_of_all_graphs_are_counted_together() {
    let nodes: Vec<Value> = (1..MAX_NODES).map(reply).collect();
    let mut document: Value = serde_json::from_str(&document(
        &[json!({"id": "n0", "type": "manual_trigger"})],
        &[],
    ))
    .unwrap();
    document["graphs"] = json!({"a": {"nodes": nodes}, "b": {"nodes": [reply(0)]}});
    assert_eq!(codes(&parse(&document.to_string())), [Code::DocLimit]);
}
