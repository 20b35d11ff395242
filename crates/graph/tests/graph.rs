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
    EdgeIx, ErrorMode, Graph, NodeIx, Scope, Settings, TemplateKind, ToolErrors, ToolRun,
    input_schema, parse, templates,
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

fn parsed(document: &serde_json::Value) -> Graph {
    let parsed = parse(&document.to_string());
    assert_eq!(parsed.problems, []);
    parsed.graph.unwrap()
}

/// A loop that counts in a variable, and asks a sub-graph in each pass.
fn looping() -> Graph {
    parsed(&json!({
        "format": "mnemograph", "format_version": 1, "id": "g",
        "nodes": [
            {"id": "start", "type": "manual_trigger"},
            {"id": "loop", "type": "while_loop", "settings": {"condition": "variables.count < 3", "result": ["{{ variables.count }}"]}},
            {"id": "inner", "type": "for_each", "parent": "loop", "settings": {"items": [1]}},
            {"id": "ask", "type": "subgraph", "parent": "inner", "settings": {"graph": "find", "inputs": {"q": "{{ item }}"}}},
            {"id": "count", "type": "var", "settings": {"name": "count", "type": "integer", "default": "0"}},
            {"id": "old", "type": "var", "settings": {"name": "old"}, "disabled": true},
            {"id": "add", "type": "var_set", "parent": "loop", "settings": {"op": "add", "input": 1}},
            {"id": "label", "type": "text", "settings": {"template": "{{ inputs.n }}", "inputs": ["n"]}},
            {"id": "check", "type": "condition", "settings": {"cases": [
                {"id": "yes", "when": {"all": [{"value": "{{ trigger.data }}", "op": "eq", "to": {"a": "{{ run.id }}"}}]}},
                {"id": "maybe", "when": "true"}
            ]}},
            {"id": "f", "type": "call", "settings": {"function": "f", "args": {"x": 1}}},
            {"id": "end", "type": "output", "settings": {"name": "end"}}
        ],
        "edges": [
            {"type": "run", "from": "start.out", "to": "loop.in"},
            {"type": "run", "from": "loop.body", "to": "inner.in"},
            {"type": "run", "from": "inner.body", "to": "ask.in"},
            {"type": "run", "from": "inner.done", "to": "add.in"},
            {"type": "link_var", "from": "count.ref", "to": "add.var"},
            {"type": "run", "from": "loop.done", "to": "check.in"},
            {"type": "run", "from": "check.yes", "to": "f.in"},
            {"type": "run", "from": "f.out", "to": "end.in"},
            {"type": "run", "from": "check.maybe", "to": "end.in"},
            {"type": "data", "from": "loop.iterations", "to": "label.n"},
            {"type": "data", "from": "label.output", "to": "end.value"}
        ],
        "graphs": {"find": {
            "name": "Find",
            "nodes": [
                {"id": "in", "type": "graph_input", "settings": {"inputs": [
                    {"name": "q", "type": "string", "required": true}, {"name": "top", "type": "integer", "default": "5"}]}},
                {"id": "f", "type": "call", "settings": {"function": "g"}},
                {"id": "hit", "type": "output", "settings": {"name": "hit", "value": 1}}
            ],
            "edges": [{"type": "run", "from": "in.out", "to": "f.in"}, {"type": "run", "from": "f.out", "to": "hit.in"}]
        }}
    }))
}

#[test]
fn containers_know_their_children_and_nodes_their_container() {
    let graph = looping();
    let at = |id: &str| graph.find(id).unwrap();
    let children = |id: &str| ids(&graph, graph.children(at(id)).iter().copied());
    assert_eq!(children("loop"), ["add", "inner"]);
    assert_eq!(children("inner"), ["ask"]);
    assert_eq!(children("check"), [""; 0]);
    assert_eq!(graph.container_of(at("ask")), Some(at("inner")));
    assert_eq!(graph.container_of(at("inner")), Some(at("loop")));
    assert_eq!(graph.container_of(at("loop")), None);
}

#[test]
fn variables_are_found_by_name_and_have_typed_defaults() {
    let graph = looping();
    let count = graph.var("count").unwrap();
    assert_eq!(Some(count), graph.find("count"));
    let Settings::Var(var) = &graph.node(count).unwrap().settings else {
        panic!()
    };
    assert_eq!(var.default, json!(0));
    assert_eq!(graph.var("old"), None);
    let add = graph.find("add").unwrap();
    assert_eq!(graph.links(add, "var"), [count]);
}

#[test]
fn sub_graphs_are_graphs_of_their_own() {
    let graph = looping();
    let find = graph.graphs.get("find").unwrap();
    assert_eq!(
        (find.id.as_str(), find.name.as_str(), &find.hash),
        ("find", "Find", &graph.hash)
    );
    assert_eq!(find.limits, graph.limits);
    assert!(find.graphs.is_empty());
    let input = find.graph_input().unwrap();
    assert_eq!(find.triggers(), [input]);
    assert_eq!(graph.graph_input(), None);
    let Settings::GraphInput(settings) = &find.node(input).unwrap().settings else {
        panic!()
    };
    assert_eq!(
        input_schema(&settings.inputs),
        json!({
            "type": "object",
            "properties": {"q": {"type": "string"}, "top": {"type": "integer", "default": 5}},
            "required": ["q"]
        })
    );
    assert_eq!(graph.needs().functions, ["f", "g"]);
    assert_eq!(
        find.node(input).unwrap().pointer.as_str(),
        "/graphs/find/nodes/0"
    );
}

#[test]
fn ports_follow_from_settings_and_sub_graphs() {
    let graph = looping();
    let ports = |id: &str| -> Vec<String> {
        let node = graph.node(graph.find(id).unwrap()).unwrap();
        let name = |port: &mnemograph_graph::Port| format!("{} {}", port.flow.as_str(), port.name);
        node.ports().map(name).collect()
    };
    assert_eq!(
        ports("ask"),
        [
            "run in",
            "run out",
            "data outputs",
            "data error",
            "data status",
            "data q",
            "data top",
            "data hit"
        ]
    );
    assert_eq!(
        ports("check"),
        [
            "run in",
            "run else",
            "data error",
            "data status",
            "run yes",
            "run maybe"
        ]
    );
    assert_eq!(ports("count"), ["link_var ref", "data output"]);
    let ask = graph.node(graph.find("ask").unwrap()).unwrap();
    let inputs: Vec<_> = ask
        .inputs()
        .map(|port| port.setting_path().unwrap())
        .collect();
    assert_eq!(inputs, ["inputs/q", "inputs/top"]);
}

#[test]
fn templates_are_found_by_the_table() {
    let graph = looping();
    let found = |id: &str| -> Vec<(String, TemplateKind, String)> {
        let node = graph.node(graph.find(id).unwrap()).unwrap();
        let templates = templates(node).into_iter();
        templates
            .map(|template| (template.path, template.kind, template.source.to_string()))
            .collect()
    };
    let expected = |list: &[(&str, TemplateKind, &str)]| -> Vec<(String, TemplateKind, String)> {
        let list = list.iter();
        list.map(|(path, kind, source)| ((*path).to_owned(), *kind, (*source).to_owned()))
            .collect()
    };
    use TemplateKind::{Expression, Text, Value};
    assert_eq!(
        found("loop"),
        expected(&[
            ("condition", Expression, "\"variables.count < 3\""),
            ("result", Value, "[\"{{ variables.count }}\"]")
        ])
    );
    assert_eq!(
        found("check"),
        expected(&[
            ("cases/0/when/all/0/value", Value, "\"{{ trigger.data }}\""),
            ("cases/0/when/all/0/to", Value, "{\"a\":\"{{ run.id }}\"}"),
            ("cases/1/when", Expression, "\"true\"")
        ])
    );
    assert_eq!(
        found("ask"),
        expected(&[("inputs/q", Value, "\"{{ item }}\"")])
    );
    assert_eq!(found("f"), expected(&[("args", Value, "{\"x\":1}")]));
    assert_eq!(
        found("label"),
        expected(&[("template", Text, "\"{{ inputs.n }}\"")])
    );
    assert_eq!(found("start"), []);
}

#[test]
fn what_has_surely_run_is_known() {
    let graph = looping();
    let is_sure = |reader: &str, source: &str| {
        graph.is_sure(graph.find(reader).unwrap(), graph.find(source).unwrap())
    };
    for source in ["start", "loop", "inner"] {
        assert!(is_sure("ask", source), "{source}");
    }
    for source in ["start", "loop", "check"] {
        assert!(is_sure("end", source), "{source}");
    }
    assert!(!is_sure("end", "f"));
    assert!(!is_sure("check", "add"), "a loop may make no pass");
    assert!(is_sure("add", "inner") && !is_sure("add", "ask"));
    assert!(is_sure("label", "loop") && !is_sure("label", "f"));
}
