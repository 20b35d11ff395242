//! The graphs that are walked: the playground's examples, and some that press all of the rest together.

use mnemograph_engine::Plan;
use serde_json::{Value, json};
use std::path::PathBuf;
use std::rc::Rc;

/// Node types that stand in sub-graphs alone.
pub(crate) const NOT_WALKED: [&str; 1] = ["graph_input"];

pub(crate) fn plans() -> Vec<Rc<Plan>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../www/examples");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let examples = files
        .iter()
        .map(|path| serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap());
    // The dense ones come up as often as the examples.
    let own = || [loops(), people(), models(), data()];
    examples
        .chain(own())
        .chain(own())
        .chain(own())
        .map(|document| plan(&document))
        .collect()
}

fn plan(document: &Value) -> Rc<Plan> {
    let loaded = mnemograph_engine::load(&document.to_string(), None);
    let problems: Vec<String> = loaded
        .problems
        .iter()
        .map(|problem| format!("{:?} {:?} {}", problem.node, problem.path, problem.message))
        .collect();
    Rc::new(loaded.plan.unwrap_or_else(|| panic!("{problems:#?}")))
}

/// Nodes as `(id, type, parent or "", more fields)`, edges as `from > to` with the type before it if it is not `run`.
fn graph(id: &str, limits: Value, nodes: &[(&str, &str, &str, Value)], edges: &str) -> Value {
    let nodes: Vec<Value> = nodes
        .iter()
        .map(|(id, node_type, parent, more)| {
            let mut node = more.as_object().unwrap().clone();
            node.insert("id".to_owned(), json!(id));
            node.insert("type".to_owned(), json!(node_type));
            if !parent.is_empty() {
                node.insert("parent".to_owned(), json!(parent));
            }
            Value::Object(node)
        })
        .collect();
    let edges: Vec<Value> = edges
        .split(',')
        .map(|edge| {
            let words: Vec<&str> = edge.split_whitespace().collect();
            match words.as_slice() {
                [from, ">", to] => json!({"type": "run", "from": from, "to": to}),
                [kind, from, ">", to] => json!({"type": kind, "from": from, "to": to}),
                other => panic!("{other:?} is no edge"),
            }
        })
        .collect();
    json!({"format": "mnemograph", "format_version": 1, "id": id, "limits": limits, "nodes": nodes, "edges": edges})
}

/// A sub-graph.
fn part(nodes: &[(&str, &str, &str, Value)], edges: &str) -> Value {
    let whole = graph("part", json!({}), nodes, edges);
    json!({"nodes": whole["nodes"], "edges": whole["edges"]})
}

/// Loops in loops, branches out of them, retries, three at a time.
fn loops() -> Value {
    let retry =
        json!({"mode": "continue", "default": {"result": 0}, "retry": {"max": 2, "delay_ms": 10}});
    graph(
        "loops",
        json!({"max_parallel": 3, "loop_passes": 30, "steps": 25, "run_ms": 4_000}),
        &[
            ("start", "chat_trigger", "", json!({})),
            (
                "mine",
                "var",
                "",
                json!({"settings": {"name": "mine", "type": "integer", "scope": "thread", "default": 1}}),
            ),
            (
                "count",
                "var",
                "",
                json!({"settings": {"name": "count", "type": "integer", "default": 0}}),
            ),
            (
                "each",
                "for_each",
                "",
                json!({"settings": {"items": "{{ [1, 2, 3, 4] }}", "concurrency": 3, "result": "{{ nodes.ask.result }}", "on_item_error": "null"}, "on_error": {"mode": "continue"}}),
            ),
            (
                "ask",
                "call",
                "each",
                json!({"settings": {"function": "ask", "args": {"n": "{{ item }}"}}, "timeout_ms": 500, "on_error": retry}),
            ),
            (
                "big",
                "condition",
                "each",
                json!({"settings": {"cases": [{"id": "yes", "when": "item > 2"}]}}),
            ),
            (
                "say",
                "reply",
                "each",
                json!({"settings": {"text": "item {{ item }}"}}),
            ),
            ("skip", "continue", "each", json!({})),
            (
                "again",
                "while_loop",
                "",
                json!({"settings": {"condition": "variables.count < 3", "test": "after", "max_iterations": 5, "on_limit": "done"}, "timeout_ms": 5_000, "on_error": {"mode": "branch"}}),
            ),
            (
                "inner",
                "while_loop",
                "again",
                json!({"settings": {"condition": "loops.inner.index < 2"}}),
            ),
            (
                "tick",
                "call",
                "inner",
                json!({"settings": {"function": "tick", "args": {}}, "on_error": {"mode": "branch"}}),
            ),
            ("enough", "break", "inner", json!({})),
            (
                "add",
                "var_set",
                "again",
                json!({"settings": {"op": "add", "input": 1}}),
            ),
            (
                "keep",
                "var_set",
                "again",
                json!({"settings": {"input": "{{ nodes.count.output }}"}}),
            ),
            ("late", "delay", "", json!({"settings": {"ms": 100}})),
            ("all", "merge", "", json!({"settings": {"mode": "any"}})),
            (
                "bad",
                "fail",
                "",
                json!({"settings": {"code": "E_BAD", "message": "bad"}, "on_error": {"mode": "branch"}}),
            ),
            (
                "end",
                "output",
                "",
                json!({"settings": {"name": "end", "value": "{{ nodes.each.results|default([]) }}"}}),
            ),
            (
                "words",
                "note",
                "",
                json!({"settings": {"text": "A note."}}),
            ),
        ],
        "start.out > each.in, each.body > ask.in, ask.out > big.in, big.yes > say.in, big.else > skip.in, each.done > again.in, \
         again.body > inner.in, inner.body > tick.in, tick.error > enough.in, inner.done > add.in, add.out > keep.in, \
         link_var count.ref > add.var, link_var mine.ref > keep.var, again.done > late.in, again.error > bad.in, \
         late.out > all.in, bad.error > all.in, all.out > end.in",
    )
}

/// People, and agents with tools that ask them.
fn people() -> Value {
    let mut document = graph(
        "people",
        json!({"max_parallel": 2, "steps": 60, "run_ms": 60_000}),
        &[
            ("start", "chat_trigger", "", json!({})),
            (
                "agent",
                "ai_agent",
                "",
                json!({"settings": {"max_iterations": 3, "system_prompt": "Hi {{ trigger.text }}"}, "on_error": {"mode": "branch"}}),
            ),
            (
                "model",
                "llm_model",
                "",
                json!({"settings": {"max_retries": 1}}),
            ),
            (
                "spare",
                "llm_model",
                "",
                json!({"settings": {"model": "spare", "max_retries": 0}}),
            ),
            (
                "memory",
                "window_memory",
                "",
                json!({"settings": {"window_size": 4}}),
            ),
            (
                "tool",
                "tool",
                "",
                json!({"settings": {"run": "host:tool", "timeout_ms": 300}}),
            ),
            (
                "pay",
                "tool",
                "",
                json!({"settings": {"run": "host:pay", "require_approval": true}}),
            ),
            (
                "helper",
                "tool",
                "",
                json!({"settings": {"run": "graph:helper", "description": "Helps."}}),
            ),
            (
                "approve",
                "human_approval",
                "",
                json!({"settings": {"prompt": "Go on with {{ nodes.agent.output }}?", "timeout_ms": 2_000}}),
            ),
            (
                "name",
                "ask_user",
                "",
                json!({"settings": {"prompt": "Who are you?"}}),
            ),
            (
                "other",
                "ai_agent",
                "",
                json!({"settings": {"prompt": "x"}}),
            ),
            (
                "session",
                "buffer_memory",
                "",
                json!({"settings": {"scope": "session"}}),
            ),
            (
                "reply",
                "reply",
                "",
                json!({"settings": {"text": "{{ nodes.agent.output|default('') }}"}}),
            ),
            ("stop", "stop", "", json!({})),
        ],
        "start.out > agent.in, start.out > name.in, agent.out > approve.in, agent.error > stop.in, approve.approve > reply.in, \
         approve.reject > stop.in, approve.timeout > stop.in, name.out > other.in, link_llm model.llm > agent.llm, \
         link_llm spare.llm > agent.llm, link_llm model.llm > other.llm, link_memory memory.memory > agent.memory, \
         link_memory session.memory > other.memory, link_tool tool.tool > agent.tools, link_tool pay.tool > agent.tools, \
         link_tool helper.tool > agent.tools",
    );
    document["graphs"] = json!({"helper": part(
        &[
            ("given", "graph_input", "", json!({})),
            ("sure", "human_approval", "", json!({"settings": {"prompt": "Sure?"}})),
            ("done", "output", "", json!({"settings": {"name": "result", "value": "helped"}})),
        ],
        "given.out > sure.in, sure.approve > done.in, sure.reject > done.in",
    )});
    document
}

/// Calls of models that are no agents, and work of the host.
fn models() -> Value {
    let schema = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
    graph(
        "models",
        json!({"steps": 60, "run_ms": 60_000}),
        &[
            ("start", "chat_trigger", "", json!({})),
            (
                "event",
                "event_trigger",
                "",
                json!({"settings": {"event": "paid"}}),
            ),
            ("manual", "manual_trigger", "", json!({})),
            (
                "kind",
                "classifier",
                "",
                json!({"settings": {"classes": [{"id": "a", "description": "A"}, {"id": "b", "description": "B"}]}, "on_error": {"mode": "continue"}}),
            ),
            (
                "facts",
                "extract",
                "",
                json!({"settings": {"schema": schema}, "on_error": {"mode": "continue", "retry": {"max": 1, "delay_ms": 5}}}),
            ),
            (
                "answer",
                "llm_response",
                "",
                json!({"settings": {"prompt": "x", "output_schema": schema, "use_chat_history": true}, "on_error": {"mode": "continue"}}),
            ),
            ("model", "llm_model", "", json!({})),
            (
                "get",
                "http_request",
                "",
                json!({"settings": {"url": "https://example.com/{{ run.id }}"}, "on_error": {"mode": "continue"}, "timeout_ms": 400}),
            ),
            (
                "tell",
                "emit",
                "",
                json!({"settings": {"event": "told", "data": {"a": "{{ nodes.get.http_status|default(0) }}"}}}),
            ),
            (
                "past",
                "chat_history",
                "",
                json!({"settings": {"limit": 5}}),
            ),
            (
                "way",
                "switch",
                "",
                json!({"settings": {"value": "{{ nodes.kind.class|default('none') }}", "cases": [{"id": "a", "equals": "a"}]}}),
            ),
            (
                "reply",
                "reply",
                "",
                json!({"settings": {"text": "{{ nodes.answer.output|default('') }}"}}),
            ),
            (
                "end",
                "output",
                "",
                json!({"settings": {"name": "past", "value": "{{ nodes.past.count }}"}}),
            ),
        ],
        "start.out > kind.in, event.out > facts.in, manual.out > get.in, kind.a > answer.in, kind.b > facts.in, kind.other > way.in, \
         way.a > reply.in, way.default > get.in, answer.out > reply.in, facts.out > get.in, get.out > tell.in, tell.out > end.in, \
         link_llm model.llm > kind.llm, link_llm model.llm > facts.llm, link_llm model.llm > answer.llm",
    )
}

/// Nodes that only compute, and a sub-graph.
fn data() -> Value {
    let mut document = graph(
        "data",
        json!({"steps": 40, "node_output": 4_000}),
        &[
            ("start", "manual_trigger", "", json!({})),
            (
                "text",
                "text",
                "",
                json!({"settings": {"template": "{{ trigger.data }} {{ run.id }}"}}),
            ),
            (
                "json",
                "json",
                "",
                json!({"settings": {"op": "parse", "input": "{{ nodes.text.output }}", "lenient": true}}),
            ),
            (
                "list",
                "list",
                "",
                json!({"settings": {"items": "{{ [3, 1, 2] }}", "sort_by": "item"}}),
            ),
            (
                "regex",
                "regex",
                "",
                json!({"settings": {"text": "{{ nodes.text.output }}", "pattern": "[a-z]+"}}),
            ),
            (
                "table",
                "table",
                "",
                json!({"settings": {"input": "a,b\n1,2"}}),
            ),
            (
                "first",
                "coalesce",
                "",
                json!({"settings": {"inputs": ["one", "two"]}}),
            ),
            (
                "set",
                "set",
                "",
                json!({"settings": {"fields": [{"name": "a", "value": "{{ nodes.list.output }}"}]}}),
            ),
            (
                "sub",
                "subgraph",
                "",
                json!({"settings": {"graph": "twice", "inputs": {"n": "{{ nodes.list.output|first }}"}}, "on_error": {"mode": "continue"}}),
            ),
            (
                "end",
                "output",
                "",
                json!({"settings": {"name": "all", "value": "{{ [nodes.first.output, nodes.set.output, nodes.regex.output, nodes.table.rows] }}"}}),
            ),
        ],
        "start.out > sub.in, sub.out > end.in, data json.output > first.one, data text.output > first.two",
    );
    document["graphs"] = json!({"twice": part(
        &[
            ("given", "graph_input", "", json!({"settings": {"inputs": [{"name": "n", "type": "integer"}]}})),
            ("work", "call", "", json!({"settings": {"function": "twice", "args": {"n": "{{ inputs.n }}"}}})),
            ("done", "output", "", json!({"settings": {"name": "result", "value": "{{ nodes.work.result }}"}})),
        ],
        "given.out > work.in, work.out > done.in",
    )});
    document
}
