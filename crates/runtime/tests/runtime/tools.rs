//! Tools that misbehave, and what the model is told of it.

use crate::support::{chat, chat_with, code};
use mnemograph_engine::{Failure, RunStatus};
use mnemograph_runtime::Delivery;
use mnemograph_testkit::Answer;
use serde_json::{Value, json};

#[test]
fn tool_faults_are_told_to_the_model() {
    let slow = |graph: &mut Value| graph["nodes"][4]["settings"]["timeout_ms"] = json!(10);
    let cases: Vec<(&str, Answer, Answer, &str)> = vec![
        (
            "throws",
            Answer::tool_call("a", "weather", json!({})),
            Answer::Fail(Failure::new("E_TOOL", "no net")),
            "no net",
        ),
        (
            "hangs",
            Answer::tool_call("a", "weather", json!({})),
            Answer::Hang,
            "did not answer within 10 ms",
        ),
        (
            "is unknown",
            Answer::tool_call("a", "whether", json!({})),
            Answer::Hang,
            "no tool 'whether'",
        ),
        (
            "answers no JSON",
            Answer::tool_call("a", "weather", json!({})),
            Answer::Raw("oops".to_owned()),
            "not usable JSON",
        ),
        (
            "is called with broken arguments",
            Answer::Value(
                json!({"tool_calls": [{"call_id": "a", "name": "weather", "args_raw": "{oops"}]}),
            ),
            Answer::Hang,
            "not valid JSON",
        ),
    ];
    for (name, call, answer, expected) in cases {
        let (mut bench, plan) = chat_with(slow, [call, Answer::text("done")]);
        bench.host.answers("weather", [answer]);
        let result = bench.say(&plan, "go");
        assert_eq!(
            (result.status, result.text.as_str()),
            (RunStatus::Succeeded, "done"),
            "a tool that {name}"
        );
        let prompt = bench.last_prompt();
        let line = prompt.last().unwrap();
        assert!(
            line.starts_with("tool: {a!") && line.contains(expected),
            "a tool that {name}: {line}"
        );
    }
}

#[test]
fn a_failing_tool_can_fail_the_agent() {
    let fail = |graph: &mut Value| graph["nodes"][1]["settings"]["tool_errors"] = json!("fail");
    let (mut bench, plan) = chat_with(fail, [Answer::tool_call("a", "weather", json!({}))]);
    bench.host.answers(
        "weather",
        [Answer::Fail(Failure {
            code: None,
            ..Failure::new("", "no net")
        })],
    );
    let result = bench.say(&plan, "go");
    assert_eq!(code(&result), "E_TOOL");
}

#[test]
fn tool_results_come_in_call_order_whatever_ends_first() {
    let (mut bench, plan) = chat([
        Answer::Value(json!({"tool_calls": [
                {"call_id": "a", "name": "weather", "args": {}}, {"call_id": "b", "name": "weather", "args": {}}]})),
        Answer::text("done"),
    ]);
    bench.host.answers("weather", [Answer::Hang]);
    let run = bench.begin(&plan, "go");
    let calls: Vec<_> = bench
        .host
        .0
        .calls
        .borrow()
        .iter()
        .skip(1)
        .map(|call| call.call_id)
        .collect();
    assert_eq!(calls.len(), 2, "both run at once");
    for (call, text) in calls.iter().zip(["\"first\"", "\"second\""]).rev() {
        bench
            .host
            .push_delivery(&run, *call, Delivery::Done(text.to_owned()));
    }
    bench.pump.finish();
    assert_eq!(
        bench.last_prompt()[2..],
        [
            "assistant: [a weather] [b weather]",
            "tool: {a first}",
            "tool: {b second}"
        ]
    );
}
