//! Laws of parsing and of the semantic hash over generated documents.
#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use mnemograph_graph::{Severity, parse};
use proptest::collection::vec;
use proptest::prelude::*;
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

fn is_consistent(text: &str) {
    let parsed = parse(text);
    let errors = parsed
        .problems
        .iter()
        .filter(|problem| problem.severity == Severity::Error)
        .count();
    assert_eq!(parsed.graph.is_some(), errors == 0);
    assert_eq!(parsed.hash.is_some(), errors == 0);
    for problem in &parsed.problems {
        assert!(
            !problem.message.is_empty() && !problem.hint.is_empty(),
            "{problem:?}"
        );
    }
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
