//! Graphs beyond one agent: branches, loops, variables, sub-graphs, data, errors.

use crate::support::{Bench, code, output, run, steps};
use mnemograph_engine::RunStatus;
use mnemograph_testkit::{Answer, graph, inner, node, plan};
use serde_json::{Value, json};

#[test]
fn a_condition_takes_the_first_case_that_holds() {
    let cases = json!([
        {"id": "number", "when": "trigger.text == \"1\""},
        {"id": "ada", "when": {"any": [
            {"value": "{{ trigger.text }}", "op": "starts_with", "to": "Ada"},
            {"value": "{{ trigger.text }}", "op": "eq", "to": "ada"},
        ]}},
    ]);
    let document = graph(
        &[
            node("chat", "chat_trigger", json!({})),
            node("which", "condition", json!({"cases": cases})),
            node("a", "reply", json!({"text": "one"})),
            node("b", "reply", json!({"text": "hello Ada"})),
            node("c", "reply", json!({"text": "who?"})),
            node(
                "after",
                "output",
                json!({"name": "taken", "value": "{{ nodes.a.status }}/{{ nodes.b.status }}/{{ nodes.c.status }}"}),
            ),
        ],
        &[
            "chat.out > which.in",
            "which.number > a.in",
            "which.ada > b.in",
            "which.else > c.in",
            "a.out > after.in",
            "b.out > after.in",
            "c.out > after.in",
        ],
    );
    for (text, reply, taken) in [
        ("1", "one", "succeeded/skipped/skipped"),
        ("Ada Lovelace", "hello Ada", "skipped/succeeded/skipped"),
        ("{{ 1 }}", "who?", "skipped/skipped/succeeded"),
    ] {
        let result = run(&document, text);
        assert_eq!(
            (result.text.as_str(), &result.outputs["taken"]),
            (reply, &json!(taken))
        );
    }
}

#[test]
fn a_loop_counts_with_a_session_variable_and_stops_by_what_its_pass_wrote() {
    let document = graph(
        &[
            node("chat", "chat_trigger", json!({})),
            node(
                "n",
                "var",
                json!({"name": "n", "type": "integer", "default": 0}),
            ),
            node(
                "loop",
                "while_loop",
                json!({"condition": "variables.n < 3", "result": "{{ nodes.say.status }}"}),
            ),
            inner("loop", "add", "var_set", json!({"op": "add", "input": 1})),
            inner(
                "loop",
                "say",
                "reply",
                json!({"text": "{{ variables.loop_index }}:{{ variables.n }}"}),
            ),
            node(
                "end",
                "reply",
                json!({"text": "{{ nodes.loop.iterations }} {{ variables.n }} {{ nodes.loop.result }}"}),
            ),
        ],
        &[
            "chat.out > loop.in",
            "loop.body > add.in",
            "add.out > say.in",
            "loop.done > end.in",
            "link_var n.ref > add.var",
        ],
    );
    assert_eq!(run(&document, "go").text, "0:1\n1:2\n2:3\n3 3 succeeded");
}

#[test]
fn nested_loops_have_fresh_frames_and_name_each_index() {
    let document = graph(
        &[
            node("chat", "chat_trigger", json!({})),
            node(
                "rows",
                "for_each",
                json!({"items": [["a", "b"], ["c"]], "result": "{{ nodes.cells.results }}"}),
            ),
            inner(
                "rows",
                "cells",
                "for_each",
                json!({"items": "{{ item }}", "result": "{{ loops.rows.index }}{{ index }}{{ item }}"}),
            ),
            inner("cells", "note", "text", json!({"template": "{{ item }}"})),
            inner(
                "cells",
                "keep",
                "output",
                json!({"name": "last", "value": "{{ nodes.note.output }}"}),
            ),
            node(
                "end",
                "output",
                json!({"name": "all", "value": "{{ nodes.rows.results }}"}),
            ),
        ],
        &[
            "chat.out > rows.in",
            "rows.body > cells.in",
            "cells.body > keep.in",
            "rows.done > end.in",
        ],
    );
    let result = run(&document, "go");
    assert_eq!(
        result.outputs["all"],
        json!([["00a", "01b"], ["10c"]]),
        "{:?}",
        result.error
    );
    assert_eq!(result.outputs["last"], "c");
}

#[test]
fn break_ends_the_loop_and_continue_the_pass() {
    let document = graph(
        &[
            node("chat", "chat_trigger", json!({})),
            node(
                "each",
                "for_each",
                json!({"items": [1, 2, 3, 4], "result": "{{ item }}"}),
            ),
            inner(
                "each",
                "which",
                "condition",
                json!({"cases": [
                    {"id": "two", "when": "item == 2"}, {"id": "three", "when": "item == 3"},
                ]}),
            ),
            inner("each", "next", "continue", json!({})),
            inner("each", "stop", "break", json!({})),
            inner("each", "say", "reply", json!({"text": "{{ item }}"})),
            node(
                "end",
                "output",
                json!({"name": "all", "value": "{{ nodes.each.results }}"}),
            ),
        ],
        &[
            "chat.out > each.in",
            "each.body > which.in",
            "which.two > next.in",
            "which.three > stop.in",
            "which.else > say.in",
            "each.done > end.in",
        ],
    );
    let result = run(&document, "go");
    assert_eq!(
        (result.text.as_str(), &result.outputs["all"]),
        ("1", &json!([1, 2, 3]))
    );
}

#[test]
fn thread_variables_outlive_runs_and_pages_and_session_variables_do_not() {
    let document = graph(
        &[
            node("chat", "chat_trigger", json!({})),
            node(
                "kept",
                "var",
                json!({"name": "kept", "type": "integer", "scope": "thread", "default": 0}),
            ),
            node(
                "short",
                "var",
                json!({"name": "short", "type": "integer", "default": 0}),
            ),
            node("a", "var_set", json!({"op": "add", "input": 1})),
            node("b", "var_set", json!({"op": "add", "input": 1})),
            node(
                "say",
                "reply",
                json!({"text": "{{ nodes.kept.output }} {{ variables.short }}"}),
            ),
        ],
        &[
            "chat.out > a.in",
            "a.out > b.in",
            "b.out > say.in",
            "link_var kept.ref > a.var",
            "link_var short.ref > b.var",
        ],
    );
    let plan = plan(&document);
    let mut bench = Bench::new();
    assert_eq!(bench.say(&plan, "x").text, "1 1");
    assert_eq!(bench.say(&plan, "x").text, "2 1");
    assert_eq!(bench.say_in(&plan, Some("other"), "x").text, "1 1");
    let mut later = Bench::later(bench.runtime.storage().clone(), []);
    assert_eq!(later.say(&plan, "x").text, "3 1");
    let without = later.say_in(&plan, None, "x");
    assert_eq!(
        without.text, "1 1",
        "without a thread it behaves as session"
    );
    assert!(
        without
            .warnings
            .iter()
            .any(|warning| warning.code == "W_THREAD_WITHOUT_CHAT")
    );
}

#[test]
fn what_is_not_there_is_an_error_or_empty_with_a_warning() {
    let mut document = steps(&[output("a", "<{{ env.nothing }}>")], &[], &[]);
    assert_eq!(code(&run(&document, "x")), "E_TEMPLATE");
    document["missing"] = json!("error");
    assert_eq!(code(&run(&document, "x")), "E_TEMPLATE");
    document["missing"] = json!("empty");
    let result = run(&document, "x");
    assert_eq!(result.outputs["a"], "<>", "{:?}", result.error);
    let warning = &result.warnings[0];
    assert_eq!(
        (warning.code.as_str(), warning.node.as_deref()),
        ("W_TEMPLATE_MISSING", Some("out_a"))
    );
    assert!(
        warning.message.contains("line 1, column"),
        "{}",
        warning.message
    );
    let strict = mnemograph_engine::load(
        &steps(&[output("a", "<{{ env.nothing }}>")], &[], &[]).to_string(),
        None,
    );
    let lenient = mnemograph_engine::load(&document.to_string(), None);
    assert_ne!(strict.hash, lenient.hash, "the graph does something else");
}

#[test]
fn the_outputs_of_a_step_have_a_size_limit() {
    let mut document = steps(
        &[
            node("made", "llm_response", json!({"prompt": "go"})),
            output("a", "{{ nodes.made.output }}"),
        ],
        &[node("model", "llm_model", json!({}))],
        &["link_llm model.llm > made.llm"],
    );
    document["limits"] = json!({"node_output": 300});
    for (length, expected) in [(20, ""), (400, "E_OUTPUT_LIMIT")] {
        let mut bench = Bench::new();
        bench
            .host
            .answers("default", [Answer::text(&"x".repeat(length))]);
        let result = bench.say(&plan(&document), "x");
        assert_eq!(code(&result), expected, "{:?}", result.error);
    }
}

#[test]
fn what_cannot_be_coerced_is_written_as_it_is_with_a_warning() {
    let document = graph(
        &[
            node("chat", "chat_trigger", json!({})),
            node("n", "var", json!({"name": "n", "type": "integer"})),
            node("set", "var_set", json!({"input": "{{ trigger.text }}"})),
            node(
                "is",
                "condition",
                json!({"cases": [{"id": "yes", "when": "variables.n == 1"}]}),
            ),
            node("yes", "reply", json!({"text": "a number"})),
            node("no", "reply", json!({"text": "{{ variables.n }}"})),
        ],
        &[
            "chat.out > set.in",
            "set.out > is.in",
            "is.yes > yes.in",
            "is.else > no.in",
            "link_var n.ref > set.var",
        ],
    );
    assert_eq!(run(&document, "1").text, "a number");
    let odd = run(&document, "abc");
    assert_eq!(odd.text, "abc");
    assert_eq!(odd.warnings[0].code, "W_VAR_UNCOERCED");
}

fn with_graphs(mut document: Value, graphs: Value) -> Value {
    document["graphs"] = graphs;
    document
}

fn greeter() -> Value {
    let inner = graph(
        &[
            node(
                "input",
                "graph_input",
                json!({"inputs": [{"name": "who", "type": "string", "required": true}]}),
            ),
            node(
                "hello",
                "text",
                json!({"template": "Hello {{ inputs.who }}"}),
            ),
            node(
                "out",
                "output",
                json!({"name": "greeting", "value": "{{ nodes.hello.output }}"}),
            ),
        ],
        &["input.out > out.in"],
    );
    json!({"greeter": {"nodes": inner["nodes"], "edges": inner["edges"]}})
}

#[test]
fn a_sub_graph_takes_inputs_and_gives_outputs() {
    let document = graph(
        &[
            node("chat", "chat_trigger", json!({})),
            node(
                "greet",
                "subgraph",
                json!({"graph": "greeter", "inputs": {"who": "{{ trigger.text }}"}}),
            ),
            node(
                "say",
                "reply",
                json!({"text": "{{ nodes.greet.greeting }}!"}),
            ),
        ],
        &["chat.out > greet.in", "greet.out > say.in"],
    );
    let document = with_graphs(document, greeter());
    let mut bench = Bench::new();
    let result = bench.say(&plan(&document), "Ada");
    assert_eq!((result.text.as_str(), result.error), ("Hello Ada!", None));
    let events = bench.host.0.events.borrow();
    let inside = events
        .iter()
        .find(|event| event.node.as_deref() == Some("out"))
        .unwrap();
    assert_eq!(*inside.path, ["greet"]);
}

#[test]
fn a_tool_can_be_a_sub_graph() {
    let document = graph(
        &[
            node("chat", "chat_trigger", json!({})),
            node("agent", "ai_agent", json!({})),
            node("model", "llm_model", json!({"model": "default"})),
            node(
                "tool",
                "tool",
                json!({"run": "graph:greeter", "name": "greet", "description": "Greets."}),
            ),
            node("say", "reply", json!({"text": "{{ nodes.agent.output }}"})),
        ],
        &[
            "chat.out > agent.in",
            "agent.out > say.in",
            "link_llm model.llm > agent.llm",
            "link_tool tool.tool > agent.tools",
        ],
    );
    let plan = plan(&with_graphs(document, greeter()));
    let mut bench = Bench::new();
    bench.host.answers(
        "default",
        [
            Answer::tool_call("c", "greet", json!({"who": "Bob"})),
            Answer::text("done"),
        ],
    );
    assert_eq!(bench.say(&plan, "x").text, "done");
    assert_eq!(bench.last_prompt().pop().unwrap(), "tool: {c Hello Bob}");
    let parameters = bench.host.requests()[0].tools[0].parameters.clone();
    assert_eq!(parameters["required"], json!(["who"]));
}

#[test]
fn an_error_takes_its_branch_or_is_passed_over_and_the_run_is_partial() {
    for (mode, text) in [
        ("branch", "E_SOLD_OUT nothing left"),
        ("continue", "went on"),
    ] {
        let mut failing = node(
            "fail",
            "fail",
            json!({"code": "E_SOLD_OUT", "message": "nothing left"}),
        );
        failing["on_error"] = json!({"mode": "branch"});
        let mut call = node("call", "call", json!({"function": "stock"}));
        call["on_error"] = json!({"mode": mode, "default": if mode == "continue" { json!({"result": 0}) } else { json!({}) }});
        let document = graph(
            &[
                node("chat", "chat_trigger", json!({})),
                call,
                failing,
                node("ok", "reply", json!({"text": "went on"})),
                node(
                    "bad",
                    "reply",
                    json!({"text": "{{ nodes.fail.error.code }} {{ nodes.fail.error.message }}"}),
                ),
            ],
            if mode == "branch" {
                &[
                    "chat.out > call.in",
                    "call.out > ok.in",
                    "call.error > fail.in",
                    "fail.error > bad.in",
                ]
            } else {
                &[
                    "chat.out > call.in",
                    "call.out > ok.in",
                    "chat.out > fail.in",
                    "fail.error > bad.in",
                ]
            },
        );
        let mut bench = Bench::new();
        bench.host.answers(
            "stock",
            [Answer::Fail(mnemograph_engine::Failure::new(
                "E_CALL", "no",
            ))],
        );
        let result = bench.say(&plan(&document), "x");
        assert_eq!(result.status, RunStatus::Partial);
        assert!(result.text.contains(text), "{}", result.text);
    }
}

#[test]
fn a_failed_call_is_made_again_as_its_policy_says() {
    let mut call = node(
        "call",
        "call",
        json!({"function": "flaky", "args": {"n": "{{ 1 + 1 }}"}}),
    );
    call["on_error"] = json!({"retry": {"max": 2, "delay_ms": 5}});
    let document = graph(
        &[
            node("chat", "chat_trigger", json!({})),
            call,
            node(
                "say",
                "reply",
                json!({"text": "{{ nodes.call.result.ok }}"}),
            ),
        ],
        &["chat.out > call.in", "call.out > say.in"],
    );
    let no = Answer::Fail(mnemograph_engine::Failure {
        retryable: true,
        ..mnemograph_engine::Failure::new("E_CALL", "busy")
    });
    let mut bench = Bench::new();
    bench.host.answers(
        "flaky",
        [no.clone(), no.clone(), Answer::Value(json!({"ok": 7}))],
    );
    assert_eq!(bench.say(&plan(&document), "x").text, "7");
    let mut bench = Bench::new();
    bench.host.answers("flaky", [no]);
    let error = bench.say(&plan(&document), "x").error.unwrap();
    assert_eq!(
        (error.code.as_str(), error.attempt, error.node.as_deref()),
        ("E_CALL", 3, Some("call"))
    );
}

#[test]
fn text_of_people_is_never_a_template() {
    for text in ["{{ 1 + 1 }}", "{% raw %}", "$& __proto__ {{ variables.x }}"] {
        let document = graph(
            &[
                node("chat", "chat_trigger", json!({})),
                node("t", "text", json!({"template": "{{ trigger.text }}"})),
                node("say", "reply", json!({"text": "{{ nodes.t.output }}"})),
            ],
            &["chat.out > say.in"],
        );
        assert_eq!(run(&document, text).text, text);
    }
}

#[test]
fn limits_of_steps_passes_and_items_end_the_run_with_their_codes() {
    let endless = graph(
        &[
            node("chat", "chat_trigger", json!({})),
            node(
                "loop",
                "while_loop",
                json!({"condition": "true", "max_iterations": 1_000}),
            ),
            inner("loop", "say", "merge", json!({})),
        ],
        &["chat.out > loop.in", "loop.body > say.in"],
    );
    let code = |document: &Value| run(document, "x").error.map(|error| error.code);
    assert_eq!(code(&endless).as_deref(), Some("E_LOOP_LIMIT"));
    let mut steps = endless.clone();
    steps["limits"] = json!({"loop_passes": 10_000, "steps": 50});
    let result = run(&steps, "x");
    assert_eq!(
        (result.status, result.error.unwrap().code.as_str()),
        (RunStatus::Limit, "E_STEP_LIMIT")
    );
    let items = graph(
        &[
            node("chat", "chat_trigger", json!({})),
            node(
                "each",
                "for_each",
                json!({"items": [1, 2, 3], "max_items": 2}),
            ),
            inner("each", "say", "merge", json!({})),
        ],
        &["chat.out > each.in", "each.body > say.in"],
    );
    assert_eq!(code(&items).as_deref(), Some("E_LOOP_LIMIT"));
}

#[test]
fn an_event_finds_its_trigger_and_its_thread() {
    use mnemograph_engine::{RunInput, event_thread};
    let document = graph(
        &[
            node("chat", "chat_trigger", json!({})),
            node(
                "paid",
                "event_trigger",
                json!({"event": "paid", "thread_id": "order {{ trigger.data.order }}"}),
            ),
            node(
                "say",
                "output",
                json!({"name": "n", "value": "{{ nodes.paid.name | default('chat') }}"}),
            ),
            node("reply", "reply", json!({"text": "hi"})),
        ],
        &[
            "chat.out > say.in",
            "paid.out > say.in",
            "chat.out > reply.in",
        ],
    );
    let plan = plan(&document);
    let event = |name: &str| RunInput {
        event: name.to_owned(),
        data: json!({"order": 7}),
        ..RunInput::default()
    };
    assert_eq!(
        event_thread(&plan, &event("paid")).unwrap().as_deref(),
        Some("order 7")
    );
    assert_eq!(
        event_thread(&plan, &event("lost")).unwrap_err().code,
        "E_TRIGGER"
    );
    let mut bench = Bench::new();
    let mut options = bench.options(Some("order 7"), "");
    options.input = event("paid");
    let result = bench.pump.run(&plan, options);
    assert_eq!((result.error, &result.outputs["n"]), (None, &json!("paid")));
    assert_eq!(bench.say(&plan, "x").outputs["n"], "chat");
}
