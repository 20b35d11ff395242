//! Graphs for tests.

use mnemograph_engine::{HostCatalogue, Plan};
use serde_json::{Value, json};
use std::rc::Rc;

/// A node.
#[must_use]
pub fn node(id: &str, node_type: &str, settings: Value) -> Value {
    json!({"id": id, "type": node_type, "settings": settings})
}

/// An edge; `type` follows from the ports.
#[must_use]
pub fn edge(edge_type: &str, from: &str, to: &str) -> Value {
    json!({"type": edge_type, "from": from, "to": to})
}

/// A chat with memory and one tool `weather`: trigger → agent → reply. `change` may edit the document.
#[must_use]
pub fn chat_graph(id: &str, change: impl FnOnce(&mut Value)) -> Value {
    let mut graph = json!({
        "format": "mnemograph", "format_version": 1, "id": id, "name": id,
        "nodes": [
            node("chat", "chat_trigger", json!({})),
            node("agent", "ai_agent", json!({"system_prompt": "Be kind."})),
            node("model", "llm_model", json!({"model": "default"})),
            node("memory", "buffer_memory", json!({})),
            node("weather", "tool", json!({"run": "host:weather", "description": "Tells the weather."})),
            node("reply", "reply", json!({})),
        ],
        "edges": [
            edge("run", "chat.out", "agent.in"),
            edge("run", "agent.out", "reply.in"),
            edge("data", "chat.text", "agent.input"),
            edge("data", "agent.output", "reply.text"),
            edge("link_llm", "model.llm", "agent.llm"),
            edge("link_memory", "memory.memory", "agent.memory"),
            edge("link_tool", "weather.tool", "agent.tools"),
        ],
    });
    change(&mut graph);
    graph
}

/// The document, planned for a host that offers everything it needs.
///
/// # Panics
/// If the document has an error.
#[must_use]
pub fn plan(document: &Value) -> Rc<Plan> {
    let loaded = mnemograph_engine::load(&document.to_string(), None::<&HostCatalogue>);
    Rc::new(
        loaded
            .plan
            .unwrap_or_else(|| panic!("{:#?}", loaded.problems)),
    )
}

/// A graph from nodes and edges in short: `chat.out > agent.in`, with the edge's type before it where it is not `run`:
/// `data chat.text > agent.input`.
#[must_use]
pub fn graph(nodes: &[Value], edges: &[&str]) -> Value {
    let edges: Vec<Value> = edges
        .iter()
        .map(|line| {
            let mut words = line.split_whitespace().filter(|word| *word != ">");
            let first = words.next().unwrap_or_default();
            let (kind, from) = if first.contains('.') {
                ("run", first)
            } else {
                (first, words.next().unwrap_or_default())
            };
            edge(kind, from, words.next().unwrap_or_default())
        })
        .collect();
    json!({
        "format": "mnemograph", "format_version": 1, "id": "g",
        "nodes": nodes, "edges": edges,
    })
}

/// A node in the body of a container.
#[must_use]
pub fn inner(parent: &str, id: &str, node_type: &str, settings: Value) -> Value {
    let mut node = node(id, node_type, settings);
    node["parent"] = json!(parent);
    node
}
