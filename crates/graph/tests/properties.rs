//! Laws of parsing and of the semantic hash over generated documents.
#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::cell::Cell;
use std::rc::Rc;

use mnemograph_graph::catalogue::{Kind, spec};
use mnemograph_graph::{Code, EdgeType, Graph, Severity, parse, templates};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use serde_json::{Map, Value, json};

/// Any JSON value of little depth; its keys and texts are those of documents more often than not.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop_oneof![
        prop::sample::select(WORDS).prop_map(str::to_owned),
        "[a-z_.-]{0,6}",
        ".{0,8}",
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.clone().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 6, move |inner| {
        prop_oneof![
            vec(inner.clone(), 0..6).prop_map(Value::Array),
            vec((word.clone(), inner), 0..6).prop_map(|entries| entries.into_iter().collect()),
        ]
    })
}

const WORDS: &[&str] = &[
    "format",
    "mnemograph",
    "format_version",
    "id",
    "nodes",
    "edges",
    "type",
    "from",
    "to",
    "settings",
    "limits",
    "requires",
    "on_error",
    "retry",
    "mode",
    "branch",
    "chat_trigger",
    "ai_agent",
    "llm_model",
    "buffer_memory",
    "tool",
    "reply",
    "output",
    "note",
    "run",
    "data",
    "link_memory",
    "link_llm",
    "link_tool",
    "a.out",
    "a.in",
    "b.llm",
    "a.llm",
    "a.memory",
    "text",
    "scope",
    "thread",
    "__proto__",
    "x-a",
    "a",
    "b",
];

/// A document whose frame is right and whose parts are anything.
fn broken_document() -> impl Strategy<Value = Value> {
    let node = (any_json(), prop::sample::select(WORDS), any_json(), any_json()).prop_map(
        |(id, node_type, settings, rest)| json!({"id": id, "type": node_type, "settings": settings, "on_error": rest}),
    );
    let edge = (
        prop::sample::select(WORDS),
        prop::sample::select(WORDS),
        prop::sample::select(WORDS),
    )
        .prop_map(|(edge_type, from, to)| json!({"type": edge_type, "from": from, "to": to}));
    (vec(node, 0..6), vec(edge, 0..6), any_json(), any_json()).prop_map(
        |(nodes, edges, limits, requires)| {
            json!({
                "format": "mnemograph", "format_version": 1, "id": "g",
                "nodes": nodes, "edges": edges, "limits": limits, "requires": requires
            })
        },
    )
}

/// Types, and settings with which most of them are sound.
const NODES: &[(&str, &str)] = &[
    ("chat_trigger", "{}"),
    ("manual_trigger", "{}"),
    ("event_trigger", r#"{"thread_id": "{{ trigger.data }}"}"#),
    (
        "graph_input",
        r#"{"inputs": [{"name": "q", "required": true}, {"name": "p", "default": 1}]}"#,
    ),
    (
        "var",
        r#"{"name": "v", "type": "integer", "default": "1", "scope": "thread"}"#,
    ),
    ("var", r#"{"name": "w", "scope": "call"}"#),
    ("var_set", r#"{"input": 1}"#),
    (
        "var_set",
        r#"{"op": "append", "input": "{{ variables.v }}"}"#,
    ),
    (
        "buffer_memory",
        r#"{"set_from_input": true, "output_messages": true}"#,
    ),
    ("ai_agent", "{}"),
    ("llm_response", r#"{"use_chat_history": true}"#),
    ("chat_history", "{}"),
    ("llm_model", "{}"),
    ("tool", r#"{"run": "graph:a"}"#),
    ("classifier", r#"{"classes": [{"id": "a"}, {"id": "b"}]}"#),
    ("extract", r#"{"schema": {}}"#),
    (
        "condition",
        r#"{"cases": [{"id": "a", "when": "true"}, {"id": "b", "when": {"any": [{"value": 1, "to": 2}]}}]}"#,
    ),
    (
        "switch",
        r#"{"value": 1, "cases": [{"id": "a", "equals": 1}]}"#,
    ),
    ("while_loop", r#"{"condition": "true"}"#),
    ("for_each", r#"{"items": [], "concurrency": 2}"#),
    ("for_each", "{}"),
    ("break", "{}"),
    ("continue", "{}"),
    ("merge", r#"{"mode": "any"}"#),
    ("coalesce", "{}"),
    ("subgraph", r#"{"graph": "a", "inputs": {"q": 1}}"#),
    ("subgraph", r#"{"graph": "b"}"#),
    ("human_approval", r#"{"prompt": "?"}"#),
    ("ask_user", r#"{"prompt": "?"}"#),
    ("stop", "{}"),
    ("fail", "{}"),
    ("delay", r#"{"ms": 1}"#),
    ("text", r#"{"template": "{{ inputs.a }}", "inputs": ["a"]}"#),
    (
        "set",
        r#"{"fields": [{"name": "a", "value": 1}], "inputs": ["a"]}"#,
    ),
    ("json", r#"{"op": "merge"}"#),
    ("list", "{}"),
    ("regex", r#"{"pattern": "a(b)", "group": 1}"#),
    ("table", "{}"),
    ("reply", r#"{"text": "x"}"#),
    ("output", r#"{"name": "a"}"#),
    (
        "http_request",
        r#"{"url": "x", "method": "POST", "body_type": "json"}"#,
    ),
    ("call", r#"{"function": "f"}"#),
    ("emit", r#"{"event": "e"}"#),
    ("note", "{}"),
];

/// Ports of which most nodes have some.
const PORTS: &[&str] = &[
    "in",
    "out",
    "in",
    "out",
    "body",
    "done",
    "error",
    "a",
    "b",
    "else",
    "output",
    "input",
    "value",
    "text",
    "messages",
    "messages_in",
    "memory",
    "llm",
    "tool",
    "tools",
    "ref",
    "var",
    "condition",
    "items",
    "results",
    "q",
    "data",
    "json",
    "timeout",
    "approve",
    "outputs",
    "history",
];

/// The port by which control leaves a node that control enters or that starts.
fn exit(node_type: &str) -> Option<&'static str> {
    match node_type {
        "while_loop" | "for_each" => Some("done"),
        "condition" | "switch" | "classifier" => Some("a"),
        "human_approval" => Some("approve"),
        "break" | "continue" | "stop" | "fail" => None,
        _ => {
            let kind = spec(node_type).unwrap().kind;
            matches!(kind, Kind::Step | Kind::Trigger).then_some("out")
        }
    }
}

/// Nodes of all types with edges and containers at will: sometimes sound, mostly not.
fn any_graph() -> impl Strategy<Value = Value> {
    let node = (
        prop::sample::select(NODES),
        prop::option::weighted(0.1, 0_usize..8),
        prop::bool::weighted(0.3),
        prop::bool::weighted(0.2),
    );
    let edge = (
        prop::sample::select(EdgeType::ALL),
        0_usize..8,
        prop::sample::select(PORTS),
        0_usize..8,
        prop::sample::select(PORTS),
    );
    let run = (0_usize..8, 0_usize..8);
    (vec(node, 1..6), vec(run, 0..6), vec(edge, 0..2)).prop_map(|(nodes, runs, edges)| {
        let types: Vec<&str> = nodes.iter().map(|node| node.0.0).collect();
        let count = types.len();
        let runs = runs.into_iter().filter_map(|(from, to)| {
            let (from, to) = (from % count, to % count);
            let port = exit(types[from])?;
            let is_sound = from < to && spec(types[to]).unwrap().kind == Kind::Step;
            let edge = json!({"type": "run", "from": format!("n{from}.{port}"), "to": format!("n{to}.in")});
            is_sound.then_some(edge)
        });
        let edges = edges.into_iter().map(|(flow, from, from_port, to, to_port)| {
            json!({"type": flow.as_str(), "from": format!("n{from}.{from_port}"), "to": format!("n{to}.{to_port}")})
        });
        let edges: Vec<Value> = runs.chain(edges).collect();
        let nodes = nodes.into_iter().enumerate();
        let nodes = nodes.map(|(index, ((node_type, settings), parent, disabled, branches))| {
            let mode = if branches { "branch" } else { "fail" };
            let settings: Value = serde_json::from_str(settings).unwrap();
            json!({
                "id": format!("n{index}"), "type": node_type, "settings": settings,
                "parent": parent.map(|index| format!("n{index}")), "disabled": disabled, "on_error": {"mode": mode}
            })
        });
        json!({"nodes": nodes.collect::<Vec<_>>(), "edges": edges})
    })
}

/// A document of such graphs.
fn any_document() -> impl Strategy<Value = Value> {
    let simple = json!({"nodes": [{"id": "in", "type": "graph_input"}, {"id": "o", "type": "output", "settings": {"name": "a", "value": 1}}]});
    let inner = prop_oneof![4 => Just(simple), 1 => any_graph()];
    (any_graph(), vec(inner, 2), 1_u32..4).prop_map(|(mut document, graphs, limit)| {
        let keys = ["a", "b"].iter().map(|key| (*key).to_owned());
        document["graphs"] = keys.zip(graphs).collect::<Map<_, _>>().into();
        document["format"] = json!("mnemograph");
        document["format_version"] = json!(1);
        document["id"] = json!("g");
        document["limits"] = json!({"max_parallel": limit, "depth": limit});
        document
    })
}

/// A sound document: a chain of agents and replies, with models, tools and memories linked at will.
fn sound_document() -> impl Strategy<Value = Value> {
    let step = (
        any::<bool>(),
        1_u32..20,
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
    );
    (vec(step, 0..8), any::<bool>(), 1_u32..1_000).prop_map(|(steps, has_chat, limit)| {
        let trigger = if has_chat { "chat_trigger" } else { "manual_trigger" };
        let mut nodes = vec![json!({"id": "start", "type": trigger}), json!({"id": "model", "type": "llm_model"})];
        let mut edges = Vec::new();
        let mut before = "start".to_owned();
        for (index, (is_agent, number, has_memory, has_tool, is_branching)) in steps.into_iter().enumerate() {
            let id = format!("step{index}");
            edges.push(json!({"type": "run", "from": format!("{before}.out"), "to": format!("{id}.in")}));
            if is_agent {
                let mode = if is_branching { "branch" } else { "fail" };
                nodes.push(json!({
                    "id": id, "type": "ai_agent", "on_error": {"mode": mode},
                    "settings": {"max_iterations": number, "params": {"n": number, "t": 0.5}}
                }));
                edges.push(json!({"type": "link_llm", "from": "model.llm", "to": format!("{id}.llm")}));
                if has_memory {
                    nodes.push(json!({"id": format!("memory{index}"), "type": "buffer_memory"}));
                    edges.push(json!({"type": "link_memory", "from": format!("memory{index}.memory"), "to": format!("{id}.memory")}));
                }
                if has_tool {
                    nodes.push(json!({"id": format!("tool{index}"), "type": "tool", "settings": {"run": "host:t"}}));
                    edges.push(json!({"type": "link_tool", "from": format!("tool{index}.tool"), "to": format!("{id}.tools")}));
                }
            } else {
                nodes.push(json!({"id": id, "type": "reply", "settings": {"text": format!("reply {number}")}}));
            }
            before = id;
        }
        json!({
            "format": "mnemograph", "format_version": 1, "id": "g", "nodes": nodes, "edges": edges,
            "limits": {"steps": limit}
        })
    })
}

/// The same value with the keys of every object in the opposite order.
fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let entries = map
                .iter()
                .rev()
                .map(|(key, value)| (key.clone(), reversed(value)));
            Value::Object(entries.collect::<Map<_, _>>())
        }
        Value::Array(list) => list.iter().map(reversed).collect(),
        other => other.clone(),
    }
}

fn is_consistent(text: &str) -> bool {
    let parsed = parse(text);
    let errors = parsed
        .problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .count();
    assert_eq!(parsed.graph.is_some(), errors == 0);
    assert_eq!(parsed.hash.is_some(), errors == 0);
    for problem in &parsed.problems {
        assert_ne!(problem.code, Code::Internal, "{problem:?}");
        assert!(
            !problem.message.is_empty() && !problem.hint.is_empty(),
            "{problem:?}"
        );
    }
    if let Some(graph) = &parsed.graph {
        let saved = serde_json::to_string(&graph.document).unwrap();
        assert_eq!(parse(&saved).hash, parsed.hash);
        for graph in std::iter::once(graph).chain(graph.graphs.values().map(Rc::as_ref)) {
            is_indexed(graph);
        }
    }
    parsed.graph.is_some()
}

/// What the indexes of a graph say of each other.
fn is_indexed(graph: &Graph) {
    for (ix, node) in graph.nodes() {
        assert_eq!(graph.find(&node.id), Some(ix));
        assert_eq!(graph.container_of(ix), node.parent);
        for child in graph.children(ix) {
            assert_eq!(graph.container_of(*child), Some(ix));
        }
        templates(node);
        // Who has surely run before another has not after it.
        for (other, _) in graph.nodes() {
            let is_step = |ix| matches!(graph.node(ix).unwrap().kind, Kind::Step | Kind::Trigger);
            if is_step(ix) && is_step(other) && graph.is_sure(ix, other) {
                assert!(!graph.is_sure(other, ix));
            }
        }
    }
    for edge in graph.edges() {
        let (from, to) = (graph.node(edge.from).unwrap(), graph.node(edge.to).unwrap());
        assert!(from.ports().any(|port| port.name == edge.from_port));
        assert!(to.ports().any(|port| port.name == edge.to_port));
    }
}

/// How many documents of all node types are judged: `GRAPHS=100000 cargo test -p mnemograph-graph --release` for the
/// long form.
fn many() -> u32 {
    let given = std::env::var("GRAPHS").ok();
    given.and_then(|text| text.parse().ok()).unwrap_or(3_000)
}

#[test]
fn documents_of_all_node_types_are_judged() {
    let config = ProptestConfig {
        cases: many(),
        failure_persistence: None,
        rng_seed: RngSeed::Fixed(7),
        ..ProptestConfig::default()
    };
    let sound = Cell::new(0);
    let mut runner = TestRunner::new(config);
    let judged = runner.run(&any_document(), |document| {
        let is_sound = is_consistent(&document.to_string());
        sound.set(sound.get() + u32::from(is_sound));
        Ok(())
    });
    judged.unwrap();
    assert!(
        sound.get() > many() / 100,
        "{} documents are sound",
        sound.get()
    );
}

proptest! {
    #[test]
    fn any_text_is_judged(text in ".{0,200}") {
        is_consistent(&text);
    }

    #[test]
    fn any_text_of_json_marks_is_judged(text in r#"[\[\]{}",:\\0-9a-eu+.\- ]{0,80}"#) {
        is_consistent(&text);
    }

    #[test]
    fn any_json_is_judged(value in any_json()) {
        is_consistent(&value.to_string());
    }

    #[test]
    fn any_parts_in_a_right_frame_are_judged(value in broken_document()) {
        is_consistent(&value.to_string());
    }

    #[test]
    fn a_cut_document_is_judged(value in sound_document(), part in 0.0..1.0_f64) {
        let text = value.to_string();
        let cut: String = text.chars().take((text.len() as f64 * part) as usize).collect();
        is_consistent(&cut);
    }

    #[test]
    fn a_sound_document_is_accepted_and_saved_with_the_same_hash(value in sound_document()) {
        let parsed = parse(&value.to_string());
        prop_assert!(parsed.graph.is_some(), "{:?}", parsed.problems);
        let graph = parsed.graph.unwrap();
        let saved = serde_json::to_string(&graph.document).unwrap();
        let again = parse(&saved);
        prop_assert_eq!(&again.hash, &parsed.hash);
        prop_assert_eq!(again.problems, parsed.problems);
        prop_assert_eq!(serde_json::to_string(&again.graph.unwrap().document).unwrap(), saved);
    }

    #[test]
    fn moving_and_reordering_keep_the_hash_and_the_numbers_of_nodes(
        value in sound_document(),
        turn in 0_usize..10,
        at in (any::<i16>(), any::<i16>()),
    ) {
        let mut moved = reversed(&value);
        let nodes = moved["nodes"].as_array_mut().unwrap();
        for node in nodes.iter_mut() {
            node["ui"] = json!({"x": at.0, "y": at.1});
            node["title"] = json!("moved");
        }
        let places = nodes.len();
        nodes.rotate_left(turn % places);
        nodes.insert(turn % places, json!({"id": "a_note", "type": "note", "settings": {"text": "x"}}));
        let (before, after) = (parse(&value.to_string()), parse(&moved.to_string()));
        prop_assert_eq!(&before.hash, &after.hash);
        let (before, after) = (before.graph.unwrap(), after.graph.unwrap());
        for (ix, node) in before.nodes() {
            prop_assert_eq!(after.find(&node.id), Some(ix));
        }
    }

    #[test]
    fn swapping_two_edges_changes_the_hash(value in sound_document(), a in 0_usize..20, b in 0_usize..20) {
        let count = value["edges"].as_array().unwrap().len();
        if count < 2 {
            return Ok(());
        }
        let (a, b) = (a % count, (a + 1 + b % (count - 1)) % count);
        let mut swapped = value.clone();
        swapped["edges"].as_array_mut().unwrap().swap(a, b);
        prop_assert_ne!(parse(&value.to_string()).hash, parse(&swapped.to_string()).hash);
    }
}
