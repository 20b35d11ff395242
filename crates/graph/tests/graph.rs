//! What the engine asks a graph.
#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use mnemograph_graph::{
    EdgeIx, ErrorMode, Graph, NodeIx, Scope, Settings, ToolErrors, ToolRun, parse,
};
use serde_json::json;

fn graph() -> Graph {
    let document = json!({
        "format": "mnemograph", "format_version": 1, "id": "support", "name": "Support",
        "x-app": {"kept": true},
        "nodes": [
            {"id": "remark", "type": "note"},
            {"id": "chat", "type": "chat_trigger"},
            {"id": "off", "type": "manual_trigger", "disabled": true},
            {"id": "agent", "type": "ai_agent", "title": "Agent", "timeout_ms": 5000,
             "on_error": {"mode": "branch", "retry": {"max": 2}}},
            {"id": "model", "type": "llm_model"},
            {"id": "spare", "type": "llm_model", "settings": {"model": "small"}},
            {"id": "unused", "type": "llm_model", "settings": {"model": "huge"}, "disabled": true},
            {"id": "search", "type": "tool", "settings": {"run": "host:web search", "name": "search"}},
            {"id": "memory", "type": "buffer_memory", "settings": {"scope": "session"}},
            {"id": "old", "type": "buffer_memory", "settings": {"output_messages": true}, "disabled": true},
            {"id": "answer", "type": "reply"},
            {"id": "sorry", "type": "reply", "settings": {"text": "Sorry."}}
        ],
        "edges": [
            {"type": "run", "from": "chat.out", "to": "agent.in"},
            {"type": "run", "from": "agent.out", "to": "answer.in"},
            {"type": "run", "from": "agent.error", "to": "sorry.in"},
            {"type": "link_llm", "from": "unused.llm", "to": "agent.llm"},
            {"type": "link_llm", "from": "spare.llm", "to": "agent.llm"},
            {"type": "link_llm", "from": "model.llm", "to": "agent.llm"},
            {"type": "link_tool", "from": "search.tool", "to": "agent.tools"},
            {"type": "link_memory", "from": "memory.memory", "to": "agent.memory"},
            {"type": "data", "from": "agent.output", "to": "answer.text"}
        ],
        "limits": {"steps": 20},
        "requires": {"models": ["small", "extra"], "functions": ["lookup"]}
    });
    let parsed = parse(&document.to_string());
    assert_eq!(parsed.problems, []);
    parsed.graph.unwrap()
}

fn ids(graph: &Graph, list: impl IntoIterator<Item = NodeIx>) -> Vec<&str> {
    list.into_iter()
        .map(|ix| graph.node(ix).unwrap().id.as_str())
        .collect()
}

#[test]
fn nodes_stand_in_the_order_of_their_ids_and_notes_last() {
    let graph = graph();
    let order: Vec<&str> = graph.nodes().map(|(_, node)| node.id.as_str()).collect();
    assert_eq!(
        order,
        [
            "agent", "answer", "chat", "memory", "model", "off", "old", "search", "sorry", "spare",
            "unused", "remark"
        ]
    );
    for (ix, node) in graph.nodes() {
        assert_eq!(graph.find(&node.id), Some(ix));
        assert_eq!(graph.node(ix).map(|node| &node.id), Some(&node.id));
    }
    assert_eq!(graph.find("nobody"), None);
}

#[test]
fn edges_are_found_from_both_ends() {
    let graph = graph();
    let at = |id: &str| graph.find(id).unwrap();
    let targets = |port: &str| ids(&graph, graph.runs_from(at("agent"), port).iter().copied());
    assert_eq!(targets("out"), ["answer"]);
    assert_eq!(targets("error"), ["sorry"]);
    assert_eq!(targets("nothing"), [""; 0]);
    let edges = |list: &[EdgeIx]| -> Vec<String> {
        let edges = list.iter().map(|ix| graph.run_edge(*ix).unwrap());
        let id = |ix| graph.node(ix).unwrap().id.as_str();
        edges
            .map(|edge| format!("{}.{} {}", id(edge.from), edge.from_port, id(edge.to)))
            .collect()
    };
    assert_eq!(
        edges(graph.run_edges_out(at("agent"))),
        ["agent.out answer", "agent.error sorry"]
    );
    assert_eq!(edges(graph.run_edges_in(at("agent"))), ["chat.out agent"]);
    assert_eq!(
        graph.data_into(at("answer"), "text"),
        Some((at("agent"), "output"))
    );
    assert_eq!(graph.data_into(at("agent"), "input"), None);
    assert_eq!(
        graph.reply_source(at("answer")),
        Some((at("agent"), "output"))
    );
    assert_eq!(graph.reply_source(at("sorry")), None);
    assert_eq!(graph.reply_source(at("agent")), None);
    assert_eq!(graph.edges().len(), 9);
}

#[test]
fn outputs_are_the_open_data_ports() {
    let graph = graph();
    let outputs = |id: &str| -> Vec<&str> {
        graph
            .node(graph.find(id).unwrap())
            .unwrap()
            .outputs()
            .map(|port| port.name.as_ref())
            .collect()
    };
    assert_eq!(
        outputs("agent"),
        [
            "output",
            "messages",
            "json",
            "usage",
            "iterations",
            "error",
            "status"
        ]
    );
    assert_eq!(outputs("memory"), [""; 0]);
    assert_eq!(outputs("old"), ["messages"]);
    assert_eq!(outputs("remark"), [""; 0]);
}

#[test]
fn nodes_know_their_place_in_the_document() {
    let graph = graph();
    let agent = graph.node(graph.find("agent").unwrap()).unwrap();
    assert_eq!(agent.pointer.key("settings").as_str(), "/nodes/3/settings");
}

#[test]
fn links_keep_the_order_of_edges_and_leave_out_what_is_disabled() {
    let graph = graph();
    let agent = graph.find("agent").unwrap();
    let linked = |port: &str| ids(&graph, graph.links(agent, port).iter().copied());
    assert_eq!(linked("llm"), ["spare", "model"]);
    assert_eq!(linked("tools"), ["search"]);
    assert_eq!(linked("memory"), ["memory"]);
    assert_eq!(ids(&graph, graph.triggers().iter().copied()), ["chat"]);
}

#[test]
fn settings_have_their_defaults() {
    let graph = graph();
    let node = |id: &str| graph.node(graph.find(id).unwrap()).unwrap();
    let Settings::AiAgent(agent) = &node("agent").settings else {
        panic!()
    };
    assert_eq!(
        (
            agent.system_prompt.as_str(),
            &agent.prompt,
            agent.max_iterations,
            agent.tool_errors
        ),
        ("", &None, 10, ToolErrors::ToModel)
    );
    assert_eq!(
        (
            agent.parallel_tools,
            agent.tool_result_max_chars,
            &agent.output_schema,
            agent.stream
        ),
        (4, 16_000, &None, true)
    );
    assert!(agent.params.is_empty());
    let Settings::LlmModel(model) = &node("model").settings else {
        panic!()
    };
    assert_eq!((model.model.as_str(), model.max_retries), ("default", 2));
    let Settings::Tool(tool) = &node("search").settings else {
        panic!()
    };
    assert_eq!(
        (tool.name.as_str(), &tool.description, &tool.parameters),
        ("search", &None, &None)
    );
    assert_eq!(tool.run, ToolRun::Host("web search".to_owned()));
    assert_eq!((tool.require_approval, tool.timeout_ms), (false, 30_000));
    let memory = node("memory").settings.memory().unwrap();
    assert_eq!(
        (memory.scope, memory.set_from_input, memory.output_messages),
        (Scope::Session, false, false)
    );
    assert_eq!((&memory.retention, &memory.token_guard), (&None, &None));
    let policy = &node("agent").on_error;
    assert_eq!(
        (policy.mode, policy.retry.max, policy.retry.delay_ms),
        (ErrorMode::Branch, 2, 1_000)
    );
    assert_eq!(
        (policy.retry.factor, policy.retry.max_delay_ms),
        (2.0, 30_000)
    );
    assert_eq!(node("agent").timeout_ms, Some(5_000));
    assert_eq!((graph.limits.steps, graph.limits.run_ms), (20, 300_000));
    assert_eq!(
        (graph.limits.llm_timeout_ms, graph.limits.llm_idle_ms),
        (120_000, 60_000)
    );
}

#[test]
fn needs_merge_what_nodes_name_and_what_the_document_adds() {
    let needs = graph().needs();
    assert_eq!(needs.models, ["default", "extra", "small"]);
    assert_eq!(needs.tools, ["web search"]);
    assert_eq!(needs.functions, ["lookup"]);
    assert_eq!(needs.nodes, [""; 0]);
}

#[test]
fn a_graph_without_a_name_goes_by_its_id() {
    let graph = parse(
        r#"{"format": "mnemograph", "format_version": 1, "id": "g", "nodes": [{"id": "start", "type": "manual_trigger"}]}"#,
    )
    .graph
    .unwrap();
    assert_eq!((graph.id.as_str(), graph.name.as_str()), ("g", "g"));
}

#[test]
fn the_document_is_saved_as_it_was_written() {
    let text = r#"{"format":"mnemograph","format_version":1,"id":"g","name":"G","description":"d","nodes":[{"id":"start","type":"manual_trigger","type_version":1,"title":"t","ui":{"x":1},"x-n":[1.5]},{"id":"result","type":"output","settings":{"name":"n","value":{"b":1,"a":2},"unknown":1},"on_error":{"mode":"continue"},"timeout_ms":5,"disabled":true}],"edges":[{"id":"e","type":"run","from":"start.out","to":"result.in","ui":{},"x-e":null}],"limits":{"steps":"5"},"requires":{"models":["a"]},"ui":{},"x-d":{"__proto__":1}}"#;
    let graph = parse(text).graph.unwrap();
    assert_eq!(serde_json::to_string(&graph.document).unwrap(), text);
}
