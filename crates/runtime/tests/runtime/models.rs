//! Models that misbehave: each fault ends in its code, and the next run works.

use crate::support::{Bench, chat_with, code};
use mnemograph_engine::{Failure, RunResult, RunStatus};
use mnemograph_runtime::Delivery;
use mnemograph_testkit::{Answer, edge, node};
use serde_json::{Value, json};

/// Runs one message against these model answers; then another one, which must work.
fn model_fault(settings: impl FnOnce(&mut Value), answers: Vec<Answer>) -> (Bench, RunResult) {
    let (mut bench, plan) = chat_with(settings, answers);
    bench.host.answers("weather", [Answer::text("sunny")]);
    let result = bench.say(&plan, "first");
    let terminal = bench
        .host
        .0
        .events
        .borrow()
        .iter()
        .filter(|event| event.data.is_terminal())
        .count();
    assert_eq!(terminal, 1, "exactly one terminal event");
    bench.host.answers("default", [Answer::text("fine")]);
    let next = bench.say(&plan, "second");
    assert_eq!(
        (next.status, next.text.as_str()),
        (RunStatus::Succeeded, "fine"),
        "the next run works"
    );
    (bench, result)
}

#[test]
fn every_model_fault_has_its_code() {
    let busy = Failure {
        retryable: true,
        ..Failure::new("E_LLM", "busy")
    };
    let cases: Vec<(&str, &str, Answer)> = vec![
        (
            "throws",
            "E_LLM",
            Answer::Fail(Failure {
                code: None,
                ..Failure::new("", "boom")
            }),
        ),
        ("stays busy", "E_LLM", Answer::Fail(busy)),
        ("hangs", "E_LLM_TIMEOUT", Answer::Hang),
        (
            "hangs in mid-stream",
            "E_LLM_TIMEOUT",
            Answer::StreamThenHang(vec![json!({"type": "text", "text": "Wel"})]),
        ),
        (
            "answers nothing",
            "E_LLM_RESPONSE",
            Answer::Value(Value::Null),
        ),
        (
            "answers a number",
            "E_LLM_RESPONSE",
            Answer::Value(json!(7)),
        ),
        ("answers a list", "E_LLM_RESPONSE", Answer::Value(json!([]))),
        (
            "answers a foreign object",
            "E_LLM_RESPONSE",
            Answer::Value(json!({"choices": []})),
        ),
        (
            "answers parts of no kind",
            "E_LLM_RESPONSE",
            Answer::Value(json!({"parts": [{"type": "telepathy"}]})),
        ),
        (
            "answers a tool result",
            "E_LLM_RESPONSE",
            Answer::Value(json!({"parts": [
            {"type": "tool_result", "call_id": "x", "name": "weather", "is_error": false, "content": []}]})),
        ),
        (
            "answers no JSON",
            "E_LLM_RESPONSE",
            Answer::Raw("{".to_owned()),
        ),
        (
            "answers deep JSON",
            "E_LLM_RESPONSE",
            Answer::Raw("[".repeat(100_000)),
        ),
        (
            "streams garbage",
            "E_LLM_RESPONSE",
            Answer::Stream(vec![json!({"type": "smell"})]),
        ),
        (
            "calls nothing",
            "E_LLM_RESPONSE",
            Answer::Value(json!({"tool_calls": [{"name": "", "args": {}}]})),
        ),
        (
            "reports its own failure",
            "E_LLM",
            Answer::Stream(vec![json!({"type": "finish", "reason": "error"})]),
        ),
        (
            "is filtered",
            "E_LLM_RESPONSE",
            Answer::Stream(vec![json!({"type": "finish", "reason": "content_filter"})]),
        ),
        (
            "is cut in a call",
            "E_LLM_RESPONSE",
            Answer::Stream(vec![
                json!({"type": "tool_call", "index": 0, "call_id": "x", "name": "weather", "args": "{\"ci"}),
                json!({"type": "finish", "reason": "length"}),
            ]),
        ),
    ];
    for (name, expected, answer) in cases {
        let (_, result) = model_fault(|_| {}, vec![answer]);
        assert_eq!(
            (code(&result), result.status),
            (expected, RunStatus::Failed),
            "a model that {name}"
        );
        assert_eq!(
            result.error.unwrap().node.as_deref(),
            Some("agent"),
            "a model that {name}"
        );
    }
}

#[test]
fn a_failed_question_is_not_asked_again_in_the_next_prompt() {
    let (bench, _) = model_fault(|_| {}, vec![Answer::Fail(Failure::new("E_LLM", "boom"))]);
    assert_eq!(bench.last_prompt(), ["system: Be kind.", "user: second"]);
}

#[test]
fn a_failure_after_a_finished_tool_stays_in_view_so_that_it_is_not_done_twice() {
    let (bench, _) = model_fault(
        |_| {},
        vec![
            Answer::tool_call("a", "weather", json!({})),
            Answer::Fail(Failure::new("E_LLM", "boom")),
        ],
    );
    let prompt = bench.last_prompt();
    assert_eq!(
        prompt[1..4],
        ["user: first", "assistant: [a weather]", "tool: {a sunny}"]
    );
    assert!(
        prompt[4].starts_with("assistant:") && prompt[4].contains("E_LLM"),
        "{prompt:?}"
    );
    assert_eq!(prompt.last().unwrap(), "user: second");
}

#[test]
fn a_busy_model_is_asked_again_and_stores_one_user_message() {
    let busy = Answer::Fail(Failure {
        retryable: true,
        ..Failure::new("E_LLM", "busy")
    });
    let (bench, result) = model_fault(|_| {}, vec![busy.clone(), busy, Answer::text("at last")]);
    assert_eq!(
        (result.status, result.text.as_str()),
        (RunStatus::Succeeded, "at last")
    );
    assert_eq!(
        bench.last_prompt(),
        [
            "system: Be kind.",
            "user: first",
            "assistant: at last",
            "user: second"
        ]
    );
    assert_eq!(
        bench
            .host
            .event_types()
            .iter()
            .filter(|kind| **kind == "node_retry")
            .count(),
        2
    );
}

#[test]
fn a_second_and_a_late_answer_change_nothing() {
    let (bench, result) = model_fault(|_| {}, vec![Answer::Twice(json!("one"), json!("two"))]);
    assert_eq!(result.text, "one");
    assert_eq!(bench.runtime.late_answers(), 1);
    bench
        .runtime
        .deliver("run1", 1, Delivery::Done("\"later\"".to_owned()));
    bench
        .runtime
        .deliver("no such run", 99, Delivery::Delta("{}".to_owned()));
    assert_eq!(bench.runtime.late_answers(), 3);
}

#[test]
fn a_call_that_ran_out_of_time_is_told_to_stop() {
    let (bench, result) = model_fault(
        |graph| graph["limits"] = json!({"llm_idle_ms": 50}),
        vec![Answer::Hang],
    );
    assert_eq!(code(&result), "E_LLM_TIMEOUT");
    assert_eq!(result.error.unwrap().attempt, 3);
    assert_eq!(bench.host.0.aborts.borrow().len(), 3);
}

#[test]
fn the_fallback_model_answers_when_the_main_one_fails() {
    let fallback = |graph: &mut Value| {
        let nodes = graph["nodes"].as_array_mut().unwrap();
        nodes.push(node("spare", "llm_model", json!({"model": "spare"})));
        let edges = graph["edges"].as_array_mut().unwrap();
        edges.push(edge("link_llm", "spare.llm", "agent.llm"));
    };
    let down = Answer::Fail(Failure::new("E_LLM", "down"));
    let (mut bench, plan) = chat_with(fallback, [down]);
    bench.host.answers("spare", [Answer::text("here")]);
    let result = bench.say(&plan, "go");
    assert_eq!(
        (result.status, result.text.as_str()),
        (RunStatus::Succeeded, "here")
    );
}

#[test]
fn the_model_is_told_of_the_form_that_the_answer_should_have() {
    let schema = json!({"type": "object", "properties": {"city": {"type": "string"}}});
    let asks = |graph: &mut Value| graph["nodes"][1]["settings"]["output_schema"] = schema.clone();
    let (mut bench, plan) = chat_with(asks, [Answer::text("{}")]);
    bench.say(&plan, "go");
    assert_eq!(
        bench.host.requests()[0].response_format.as_ref(),
        schema.as_object()
    );
    let (mut bench, plan) = chat_with(|_| {}, [Answer::text("hi")]);
    bench.say(&plan, "go");
    assert_eq!(bench.host.requests()[0].response_format, None);
}
