//! The semantic hash: what a graph *does*, whatever it looks like.
//!
//! SHA-256 of canonical JSON (keys sorted, no white space). Left out are `ui`, `title`, `name`, `description`,
//! `x-` keys, ids of edges, notes, unknown settings and settings that equal their default; nodes stand in the
//! order of their ids, edges in the order of the document, which decides ties. Sub-graphs stand in the order of
//! their keys.

use std::fmt::Write;

use mnemograph_compact::sort_by;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

use crate::catalogue::Kind;
use crate::check::{Draft, DraftGraph, DraftNode};
use crate::policy::{LIMITS, Missing, ON_ERROR};
use crate::settings::{whole, without_defaults};

pub(crate) fn semantic(draft: &Draft) -> String {
    let mut document = body(&draft.root);
    document.insert(
        "format_version".to_owned(),
        draft.head.format_version.into(),
    );
    document.insert("id".to_owned(), draft.head.id.as_str().into());
    let limits = without_defaults(LIMITS, &draft.limits_map);
    document.insert("limits".to_owned(), Value::Object(limits));
    document.insert("requires".to_owned(), requires(draft));
    if draft.head.missing == Missing::Empty {
        document.insert("missing".to_owned(), "empty".into());
    }
    // Left out where there are none, so that graphs from before there were any keep their hash.
    if !draft.graphs.is_empty() {
        let graphs = draft.graphs.iter();
        let graphs = graphs.map(|sub| (sub.key.clone(), Value::Object(body(&sub.body))));
        document.insert("graphs".to_owned(), Value::Object(graphs.collect()));
    }
    let document = Value::Object(document);
    let mut text = String::new();
    canonical(&document, &mut text);
    let mut hex = String::with_capacity(64);
    for byte in Sha256::digest(text.as_bytes()) {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

/// Nodes and edges.
fn body(graph: &DraftGraph) -> Map<String, Value> {
    let mut nodes: Vec<&DraftNode> = graph
        .nodes
        .iter()
        .filter(|node| node.spec.is_some_and(|spec| spec.kind != Kind::Note))
        .collect();
    sort_by(&mut nodes, |a, b| a.id().cmp(b.id()));
    let edges = graph.edges.iter().map(|read| &read.edge);
    let edges = edges
        .map(|edge| json!({"type": edge.edge_type.as_str(), "from": edge.from, "to": edge.to}));
    let mut map = Map::new();
    map.insert("nodes".to_owned(), nodes.into_iter().map(node).collect());
    map.insert("edges".to_owned(), edges.collect());
    map
}

fn node(node: &DraftNode) -> Value {
    let settings = node
        .spec
        .map(|spec| without_defaults(spec.settings, &node.map))
        .unwrap_or_default();
    let mut map = Map::new();
    map.insert("id".to_owned(), Value::from(node.id()));
    map.insert(
        "type".to_owned(),
        Value::from(node.document.node_type.as_str()),
    );
    map.insert(
        "type_version".to_owned(),
        Value::from(node.document.type_version.unwrap_or(1)),
    );
    map.insert("settings".to_owned(), Value::Object(settings));
    map.insert(
        "on_error".to_owned(),
        Value::Object(without_defaults(ON_ERROR, &node.on_error_map)),
    );
    if let Some(parent) = &node.document.parent {
        map.insert("parent".to_owned(), Value::from(parent.as_str()));
    }
    if let Some(timeout) = node.document.timeout_ms {
        map.insert("timeout_ms".to_owned(), Value::from(timeout));
    }
    if node.document.disabled {
        map.insert("disabled".to_owned(), Value::Bool(true));
    }
    if !node.document.renamed_from.is_empty() {
        map.insert(
            "renamed_from".to_owned(),
            Value::from(node.document.renamed_from.clone()),
        );
    }
    Value::Object(map)
}

/// Empty lists are left out, so that a further list in a later version changes no hash.
fn requires(draft: &Draft) -> Value {
    let requires = &draft.head.requires;
    let lists = [
        ("models", &requires.models),
        ("tools", &requires.tools),
        ("functions", &requires.functions),
        ("nodes", &requires.nodes),
    ];
    lists
        .into_iter()
        .filter(|(_, list)| !list.is_empty())
        .map(|(key, list)| (key.to_owned(), Value::from(list.as_slice())))
        .collect()
}

/// Writes a value with sorted keys. A float without fraction is written as an integer, since JavaScript knows no
/// difference and would send back the other form.
fn canonical(value: &Value, out: &mut String) {
    match value {
        Value::Object(map) => {
            let mut entries: Vec<_> = map.iter().collect();
            sort_by(&mut entries, |a, b| a.0.cmp(b.0));
            out.push('{');
            for (index, (key, value)) in entries.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                canonical(&Value::from(key.as_str()), out);
                out.push(':');
                canonical(value, out);
            }
            out.push('}');
        }
        Value::Array(list) => {
            out.push('[');
            for (index, value) in list.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                canonical(value, out);
            }
            out.push(']');
        }
        Value::Number(number) => {
            match number.as_f64().filter(|_| number.is_f64()).and_then(whole) {
                Some(whole) => out.push_str(&whole.to_string()),
                None => out.push_str(&number.to_string()),
            }
        }
        Value::Null | Value::Bool(_) | Value::String(_) => out.push_str(&value.to_string()),
    }
}
