//! Which way control goes: switch, merge, stop, fail, triggers.

use crate::support::{Bench, output, run, steps};
use mnemograph_engine::{RunInput, RunStatus};
use mnemograph_testkit::{Answer, graph, node, plan};
use serde_json::{Value, json};

fn switch(settings: Value) -> Value {
    steps(
        &[node("which", "switch", settings)],
        &[
            node("one", "reply", json!({"text": "one"})),
            node("two", "reply", json!({"text": "two"})),
            node("none", "reply", json!({"text": "none"})),
        ],
        &[
            "which.one > one.in",
            "which.two > two.in",
            "which.default > none.in",
        ],
    )
}

#[test]
fn switch_takes_the_first_case_with_the_value_strictly() {
    let cases = json!([{"id": "one", "equals": ["Ada", 1, true]}, {"id": "two", "equals": "1"}]);
    let table = [
        (json!("{{ trigger.text }}"), true, "Ada", "one"),
        (json!("{{ trigger.text }}"), true, "ADA", "none"),
        (json!("{{ trigger.text }}"), false, "ADA", "one"),
        (json!("{{ trigger.text }}"), true, "1", "two"),
        (json!("{{ 0 + 1 }}"), true, "", "one"),
        (json!("{{ 1 == 1 }}"), true, "", "one"),
        (json!([1]), true, "", "none"),
    ];
    for (value, case_sensitive, text, expected) in table {
        let document =
            switch(json!({"value": value, "cases": cases, "case_sensitive": case_sensitive}));
        assert_eq!(run(&document, text).text, expected, "{value} {text}");
    }
}

#[test]
fn merge_all_waits_for_every_branch_that_runs_and_any_for_the_first() {
    for (mode, expected) in [("all", "succeeded succeeded"), ("any", "succeeded pending")] {
        let mut document = graph(
            &[
                node("chat", "chat_trigger", json!({})),
                node("a", "call", json!({"function": "quick"})),
                node("b", "delay", json!({"ms": 500})),
                node(
                    "skip",
                    "condition",
                    json!({"cases": [{"id": "never", "when": "false"}]}),
                ),
                node("c", "reply", json!({"text": "never"})),
                node("join", "merge", json!({"mode": mode})),
                node(
                    "say",
                    "reply",
                    json!({"text": "{{ nodes.a.status }} {{ nodes.b.status }}"}),
                ),
            ],
            &[
                "chat.out > a.in",
                "chat.out > b.in",
                "chat.out > skip.in",
                "skip.never > c.in",
                "a.out > join.in",
                "b.out > join.in",
                "c.out > join.in",
                "join.out > say.in",
            ],
        );
        document["limits"] = json!({"max_parallel": 3});
        let mut bench = Bench::new();
        bench.host.answers("quick", [Answer::Value(json!(1))]);
        let result = bench.say(&plan(&document), "x");
        // The reply comes after what stands before it, but reads what there was.
        assert_eq!((result.error, result.status), (None, RunStatus::Succeeded));
        let expected = if mode == "any" {
            ["succeeded succeeded", expected]
        } else {
            [expected, expected]
        };
        assert!(
            expected.contains(&result.text.as_str()),
            "{mode}: {}",
            result.text
        );
        let started = bench
            .host
            .0
            .events
            .borrow()
            .iter()
            .filter(|event| {
                event.node.as_deref() == Some("say") && event.data.type_name() == "node_started"
            })
            .count();
        assert_eq!(started, 1, "what follows runs once");
    }
}

#[test]
fn stop_ends_the_run_well_and_what_is_left_does_not_run() {
    for (status, expected) in [
        ("succeeded", RunStatus::Succeeded),
        ("partial", RunStatus::Partial),
    ] {
        let document = steps(
            &[
                node("first", "reply", json!({"text": "first"})),
                node("end", "stop", json!({"status": status})),
            ],
            &[
                node("later", "delay", json!({"ms": 10})),
                node("last", "reply", json!({"text": "last"})),
            ],
            &["chat.out > later.in", "later.out > last.in"],
        );
        let result = run(&document, "x");
        assert_eq!((result.status, result.text.as_str()), (expected, "first"));
    }
}

#[test]
fn stop_inside_a_loop_ends_the_run() {
    let document = steps(
        &[
            node("loop", "for_each", json!({"items": [1, 2, 3]})),
            node("after", "reply", json!({"text": "after"})),
        ],
        &[
            mnemograph_testkit::inner("loop", "say", "reply", json!({"text": "{{ item }}"})),
            mnemograph_testkit::inner("loop", "end", "stop", json!({})),
        ],
        &["loop.body > say.in", "say.out > end.in"],
    );
    let result = run(&document, "x");
    assert_eq!(
        (result.status, result.text.as_str()),
        (RunStatus::Succeeded, "1")
    );
}

#[test]
fn fail_ends_the_run_with_the_authors_code_and_words() {
    let document = steps(
        &[node(
            "no",
            "fail",
            json!({"code": "E_SOLD_OUT", "message": "no {{ trigger.text }}"}),
        )],
        &[],
        &[],
    );
    let result = run(&document, "bread");
    let error = result.error.unwrap();
    assert_eq!(
        (
            error.code.as_str(),
            error.message.as_str(),
            error.node.as_deref()
        ),
        ("E_SOLD_OUT", "no bread", Some("no"))
    );
    assert_eq!(result.status, RunStatus::Failed);
}

#[test]
fn an_event_starts_its_trigger_and_the_others_are_skipped() {
    let document = graph(
        &[
            node("chat", "chat_trigger", json!({})),
            node("event", "event_trigger", json!({})),
            node("said", "reply", json!({"text": "a message"})),
            node(
                "told",
                "output",
                json!({"name": "v", "value": "{{ nodes.event.name }}:{{ nodes.event.data.id }}:{{ nodes.chat.status }}"}),
            ),
        ],
        &["chat.out > said.in", "event.out > told.in"],
    );
    let plan = plan(&document);
    let mut bench = Bench::new();
    let mut options = bench.options(None, "");
    options.input = RunInput {
        trigger: Some("event".to_owned()),
        event: "order".to_owned(),
        data: json!({"id": 7}),
        ..RunInput::default()
    };
    let result = bench.pump.run(&plan, options);
    assert_eq!(
        (result.error, &result.outputs["v"]),
        (None, &json!("order:7:skipped"))
    );
    let mut options = bench.options(None, "");
    options.input = RunInput {
        trigger: Some("said".to_owned()),
        ..RunInput::default()
    };
    assert_eq!(
        bench.pump.run(&plan, options).error.unwrap().code,
        "E_TRIGGER"
    );
}

#[test]
fn a_wired_input_whose_source_was_skipped_is_absent() {
    let document = steps(
        &[node(
            "which",
            "condition",
            json!({"cases": [{"id": "never", "when": "false"}]}),
        )],
        &[
            node("a", "call", json!({"function": "f"})),
            node("out", "output", json!({"name": "v"})),
        ],
        &[
            "which.never > a.in",
            "which.else > out.in",
            "data a.result > out.value",
        ],
    );
    let error = run(&document, "x").error.unwrap();
    assert_eq!(
        (error.code.as_str(), error.node.as_deref()),
        ("E_INPUT_ABSENT", Some("out"))
    );
}

#[test]
fn outputs_of_a_sub_graph_are_its_ports_and_not_those_of_the_run() {
    let inside = steps(&[output("a", "1"), output("b", "{{ 1 + 1 }}")], &[], &[]);
    let mut nodes = inside["nodes"].clone();
    nodes[0] = node("chat", "graph_input", json!({}));
    let mut document = steps(
        &[
            node("sub", "subgraph", json!({"graph": "g2"})),
            output("all", "{{ nodes.sub.outputs }}"),
            output("b", "{{ nodes.sub.b }}"),
        ],
        &[],
        &[],
    );
    document["graphs"] = json!({"g2": {"nodes": nodes, "edges": inside["edges"]}});
    let result = run(&document, "x");
    assert_eq!(
        json!(result.outputs),
        json!({"all": {"a": "1", "b": 2}, "b": 2}),
        "{:?}",
        result.error
    );
}
