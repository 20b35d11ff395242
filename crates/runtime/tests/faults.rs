//! Callbacks and storage that misbehave: each ends in its code, and the next run works.
#![allow(clippy::allow_attributes, reason = "tests may panic")]
#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod support;

use mnemograph_engine::{Failure, RunResult, RunStatus};
use mnemograph_runtime::Delivery;
use mnemograph_storage::MemoryStorage;
use mnemograph_testkit::{Answer, chat_graph, edge, node, plan};
use serde_json::{Value, json};
use support::Bench;

/// Runs one message against these model answers; then another one, which must work.
fn model_fault(settings: impl FnOnce(&mut Value), answers: Vec<Answer>) -> (Bench, RunResult) {
    let mut bench = Bench::new();
    let plan = plan(&chat_graph("g", settings));
    bench.host.answers("default", answers);
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

fn code(result: &RunResult) -> &str {
    result
        .error
        .as_ref()
        .map_or("", |error| error.code.as_str())
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
        let mut bench = Bench::new();
        let plan = plan(&chat_graph("g", slow));
        bench.host.answers("default", [call, Answer::text("done")]);
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
    let mut bench = Bench::new();
    bench
        .host
        .answers("default", [Answer::tool_call("a", "weather", json!({}))]);
    bench.host.answers(
        "weather",
        [Answer::Fail(Failure {
            code: None,
            ..Failure::new("", "no net")
        })],
    );
    let result = bench.say(&plan(&chat_graph("g", fail)), "go");
    assert_eq!(code(&result), "E_TOOL");
}

#[test]
fn limits_end_a_run() {
    let loops = vec![Answer::tool_call("a", "weather", json!({}))];
    let (_, result) = model_fault(
        |graph| graph["nodes"][1]["settings"]["max_iterations"] = json!(3),
        loops,
    );
    assert_eq!(
        (code(&result), result.status),
        ("E_AGENT_LIMIT", RunStatus::Failed)
    );
    assert_eq!(
        result.messages.len(),
        1 + 3 * 2,
        "what was done is on the result"
    );

    let mut bench = Bench::new();
    bench.host.answers("default", [Answer::Hang]);
    let result = bench.say(
        &plan(&chat_graph("g", |graph| {
            graph["limits"] = json!({"run_ms": 1_000})
        })),
        "go",
    );
    assert_eq!(
        (code(&result), result.status),
        ("E_RUN_TIMEOUT", RunStatus::Limit)
    );

    let mut bench = Bench::new();
    bench.host.answers("default", [Answer::text("hi")]);
    let result = bench.say(
        &plan(&chat_graph("g", |graph| {
            graph["limits"] = json!({"steps": 2})
        })),
        "go",
    );
    assert_eq!(
        (code(&result), result.status),
        ("E_STEP_LIMIT", RunStatus::Limit)
    );
}

#[test]
fn tool_results_come_in_call_order_whatever_ends_first() {
    let mut bench = Bench::new();
    let plan = plan(&chat_graph("g", |_| {}));
    bench.host.answers(
        "default",
        [
            Answer::Value(json!({"tool_calls": [
                {"call_id": "a", "name": "weather", "args": {}}, {"call_id": "b", "name": "weather", "args": {}}]})),
            Answer::text("done"),
        ],
    );
    bench.host.answers("weather", [Answer::Hang]);
    let options = bench.options(Some("t"), "go");
    let run = bench.pump.start(&plan, options);
    bench.pump.settle();
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

#[test]
fn cancelling_keeps_what_was_said_and_marks_it() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let mut bench = Bench::new();
    let plan = plan(&chat_graph("g", |_| {}));
    bench.host.answers(
        "default",
        [
            Answer::StreamThenHang(vec![text("Once "), text("upon")]),
            Answer::text("fine"),
        ],
    );
    let options = bench.options(Some("t"), "a story");
    let run = bench.pump.start(&plan, options);
    bench.pump.settle();
    bench.runtime.cancel(&run, "stop button");
    bench.runtime.cancel(&run, "again");
    bench.pump.finish();
    let result = bench.host.0.results.borrow().last().unwrap().clone();
    assert_eq!(
        (result.status, code(&result)),
        (RunStatus::Cancelled, "E_CANCELLED")
    );
    assert_eq!(result.text, "Once upon");
    assert_eq!(
        bench.host.0.aborts.borrow().as_slice(),
        [(3, "stop button".to_owned())]
    );
    bench.say(&plan, "go on");
    assert_eq!(
        bench.last_prompt(),
        [
            "system: Be kind.",
            "user: a story",
            "assistant: Once upon",
            "user: go on"
        ]
    );
}

#[test]
fn cancelling_a_tool_leaves_its_call_with_a_synthetic_result() {
    let mut bench = Bench::new();
    let plan = plan(&chat_graph("g", |_| {}));
    bench.host.answers(
        "default",
        [
            Answer::tool_call("a", "weather", json!({})),
            Answer::text("fine"),
        ],
    );
    bench.host.answers("weather", [Answer::Hang]);
    let options = bench.options(Some("t"), "weather?");
    let run = bench.pump.start(&plan, options);
    bench.pump.settle();
    bench.runtime.cancel(&run, "stop");
    bench.pump.finish();
    bench.say(&plan, "well?");
    let prompt = bench.last_prompt();
    assert_eq!(prompt[1..3], ["user: weather?", "assistant: [a weather]"]);
    assert!(prompt[3].starts_with("tool: {a!"), "{prompt:?}");
}

#[test]
fn a_page_that_closes_in_mid_stream_loses_neither_question_nor_answer_so_far() {
    let storage = MemoryStorage::new();
    let plan = plan(&chat_graph("g", |_| {}));
    let mut before = Bench::on(storage.clone(), "default");
    before.host.answers(
        "default",
        [Answer::tool_call("a", "weather", json!({})), Answer::Hang],
    );
    before.host.answers("weather", [Answer::text("sunny")]);
    let options = before.options(Some("t"), "weather?");
    before.pump.start(&plan, options);
    before.pump.settle();
    drop(before);
    let mut after = Bench::on(storage, "default");
    after.host.answers("default", [Answer::text("fine")]);
    let mut options = after.options(Some("t"), "again");
    options.run_id = "later".to_owned();
    after.pump.run(&plan, options);
    assert_eq!(
        after.last_prompt()[1..4],
        [
            "user: weather?",
            "assistant: [a weather]",
            "tool: {a sunny}"
        ]
    );
}

#[test]
fn closing_ends_runs_and_refuses_new_ones() {
    let mut bench = Bench::new();
    let plan = plan(&chat_graph("g", |_| {}));
    bench.host.answers("default", [Answer::Hang]);
    let options = bench.options(Some("t"), "hello");
    bench.pump.start(&plan, options);
    bench.pump.settle();
    let runtime = bench.runtime.clone();
    let mut closing = Box::pin(async move { runtime.close().await });
    let mut context = std::task::Context::from_waker(std::task::Waker::noop());
    assert!(closing.as_mut().poll(&mut context).is_pending());
    bench.pump.finish();
    assert!(closing.as_mut().poll(&mut context).is_ready());
    assert_eq!(
        bench.host.0.results.borrow()[0].status,
        RunStatus::Cancelled
    );
    let options = bench.options(Some("t"), "hello?");
    let refused = bench.runtime.start(plan, options).err().unwrap();
    assert_eq!(refused.code(), "E_CLOSED");
}

#[test]
fn a_turn_whose_page_was_closed_is_marked_by_the_next_one() {
    let storage = MemoryStorage::new();
    let plan = plan(&chat_graph("g", |_| {}));
    let mut before = Bench::on(storage.clone(), "default");
    before.host.answers("default", [Answer::Hang]);
    let options = before.options(Some("t"), "hello?");
    before.pump.start(&plan, options);
    before.pump.settle();
    drop(before);
    let mut after = Bench::on(storage, "default");
    after.host.answers("default", [Answer::text("fine")]);
    let mut options = after.options(Some("t"), "again");
    options.run_id = "later".to_owned();
    after.pump.run(&plan, options);
    let turns = pollster::block_on(
        after
            .runtime
            .threads_transcript("t", mnemograph_memory::thread::TranscriptPage::default()),
    )
    .unwrap();
    let statuses: Vec<_> = turns.iter().map(|turn| turn.status).collect();
    use mnemograph_memory::ShownStatus::{Aborted, Complete};
    assert_eq!(statuses, [Aborted, Complete]);
}

#[test]
fn a_tool_that_needs_approval_is_never_run_unasked() {
    let approve =
        |graph: &mut Value| graph["nodes"][4]["settings"]["require_approval"] = json!(true);
    let mut bench = Bench::new();
    let plan = plan(&chat_graph("g", approve));
    bench.host.answers(
        "default",
        [
            Answer::tool_call("a", "weather", json!({})),
            Answer::text("done"),
        ],
    );
    bench.host.answers("weather", [Answer::text("ran")]);
    assert_eq!(bench.say(&plan, "go").text, "done");
    let line = bench.last_prompt().pop().unwrap();
    assert!(line.contains("not run"), "{line}");
    assert_eq!(
        bench.host.0.calls.borrow().len(),
        2,
        "only the model was called"
    );
}

#[test]
fn the_fallback_model_answers_when_the_main_one_fails() {
    let fallback = |graph: &mut Value| {
        let nodes = graph["nodes"].as_array_mut().unwrap();
        nodes.push(node("spare", "llm_model", json!({"model": "spare"})));
        let edges = graph["edges"].as_array_mut().unwrap();
        edges.push(edge("link_llm", "spare.llm", "agent.llm"));
    };
    let mut bench = Bench::new();
    bench
        .host
        .answers("default", [Answer::Fail(Failure::new("E_LLM", "down"))]);
    bench.host.answers("spare", [Answer::text("here")]);
    let result = bench.say(&plan(&chat_graph("g", fallback)), "go");
    assert_eq!(
        (result.status, result.text.as_str()),
        (RunStatus::Succeeded, "here")
    );
}

#[test]
fn a_manual_run_gives_named_outputs_in_their_types() {
    let document = json!({
        "format": "mnemograph", "format_version": 1, "id": "m",
        "nodes": [
            node("start", "manual_trigger", json!({})),
            node("out", "output", json!({"name": "sum", "value": "{{ trigger.data.a + 1 }}"})),
        ],
        "edges": [edge("run", "start.out", "out.in")],
    });
    let mut bench = Bench::new();
    let mut options = bench.options(None, "");
    options.input.text = None;
    options.input.data = json!({"a": 41});
    let result = bench.pump.run(&plan(&document), options);
    assert_eq!(
        (result.status, &result.outputs["sum"]),
        (RunStatus::Succeeded, &json!(42))
    );
}
