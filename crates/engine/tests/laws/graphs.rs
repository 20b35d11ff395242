//! The graphs that are walked: the playground's examples, and some beside this file that press all of the rest together.

use mnemograph_engine::{HostCatalogue, HostNode, HostPort, Plan};
use mnemograph_graph::ValueType;
use serde_json::json;
use std::path::PathBuf;
use std::rc::Rc;

/// Node types that stand in sub-graphs alone.
pub(crate) const NOT_WALKED: [&str; 1] = ["graph_input"];

pub(crate) fn plans() -> Vec<Rc<Plan>> {
    let examples = folder("../../www/examples");
    let dense = folder("tests/laws/graphs");
    // The dense ones come up as often as the examples.
    [&examples, &dense, &dense, &dense]
        .into_iter()
        .flatten()
        .map(|text| plan(text, None))
        .chain([with_host_nodes()])
        .collect()
}

/// A node type of the host in a loop and beside it, with retries and both exits.
fn with_host_nodes() -> Rc<Plan> {
    let port = |name: &str| HostPort {
        name: name.to_owned(),
        value_type: ValueType::Any,
        required: false,
    };
    let look = HostNode {
        node_type: "look".to_owned(),
        inputs: vec![port("given")],
        outputs: vec![port("seen")],
        exits: vec!["found".to_owned(), "missing".to_owned()],
        timeout_ms: 40,
    };
    let host = HostCatalogue {
        nodes: vec![look],
        ..HostCatalogue::default()
    };
    let retried =
        json!({"mode": "continue", "default": {"seen": null}, "retry": {"max": 2, "delay_ms": 7}});
    let document = json!({
        "format": "mnemograph", "format_version": 1, "id": "hosted", "name": "Hosted",
        "limits": {"max_parallel": 3},
        "nodes": [
            {"id": "chat", "type": "chat_trigger"},
            {"id": "first", "type": "look", "settings": {"what": "{{ trigger.text }}"}, "on_error": retried},
            {"id": "each", "type": "for_each", "settings": {
                "items": [1, 2, 3], "concurrency": 2, "on_item_error": "null", "result": "{{ nodes.inner.seen | default(none) }}",
            }},
            {"id": "inner", "type": "look", "parent": "each", "settings": {"what": ["{{ item }}"]}},
            {"id": "say", "type": "reply", "settings": {"text": "{{ nodes.first.seen | default('none') }}"}},
            {"id": "sorry", "type": "reply", "settings": {"text": "{{ nodes.each.results | tojson }}"}},
        ],
        "edges": [
            {"type": "run", "from": "chat.out", "to": "first.in"},
            {"type": "data", "from": "chat.text", "to": "first.given"},
            {"type": "run", "from": "first.found", "to": "say.in"},
            {"type": "run", "from": "first.missing", "to": "each.in"},
            {"type": "run", "from": "each.body", "to": "inner.in"},
            {"type": "run", "from": "each.done", "to": "sorry.in"},
        ],
    });
    plan(&document.to_string(), Some(&host))
}

/// The texts of a folder's files, in the order of their names.
fn folder(path: &str) -> Vec<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
    let mut files: Vec<PathBuf> = std::fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let texts = files.iter().map(std::fs::read_to_string);
    texts.map(Result::unwrap).collect()
}

fn plan(text: &str, host: Option<&HostCatalogue>) -> Rc<Plan> {
    let loaded = mnemograph_engine::load(text, host);
    let problems: Vec<String> = loaded
        .problems
        .iter()
        .map(|problem| format!("{:?} {:?} {}", problem.node, problem.path, problem.message))
        .collect();
    Rc::new(loaded.plan.unwrap_or_else(|| panic!("{problems:#?}")))
}
