//! `http_request`, `call`, `emit` and `delay`, and the limits of time.

use crate::support::{Bench, code, output, steps};
use mnemograph_engine::{EventData, Failure, RunResult, RunStatus};
use mnemograph_runtime::HostPayload;
use mnemograph_testkit::{Answer, inner, node, plan};
use serde_json::{Value, json};

fn http(settings: Value, on_error: Value, answers: Vec<Answer>) -> (Bench, RunResult) {
    let mut request = node("get", "http_request", settings);
    request["on_error"] = on_error;
    let document = steps(&[request, output("all", "{{ nodes.get }}")], &[], &[]);
    let mut bench = Bench::new();
    bench.host.answers("http", answers);
    let result = bench.say(&plan(&document), "é&");
    (bench, result)
}

fn status(status: u16) -> Answer {
    Answer::Value(json!({"status": status, "headers": {}, "body": "{\"a\": 1}"}))
}

#[test]
fn http_request_sends_what_is_set_and_gives_the_answer() {
    let settings = json!({
        "method": "POST", "url": "https://x.test/{{ trigger.text | urlencode }}", "headers": {"x-a": "{{ 1 }}"},
        "query": {"q": "{{ trigger.text }}"}, "body_type": "json", "body": {"n": "{{ 1 + 1 }}"},
    });
    let (bench, result) = http(settings, json!({}), vec![status(200)]);
    let expected = json!({"status": "succeeded", "http_status": 200, "headers": {}, "body": "{\"a\": 1}", "json": {"a": 1}});
    assert_eq!(result.outputs["all"], expected, "{:?}", result.error);
    let calls = bench.host.0.calls.borrow();
    let HostPayload::Work { payload, .. } = &calls[0].payload else {
        panic!("{:?}", calls[0]);
    };
    assert_eq!(
        *payload,
        json!({
            "method": "POST", "url": "https://x.test/%C3%A9%26", "headers": {"x-a": 1}, "query": {"q": "é&"},
            "body_type": "json", "body": {"n": 2}, "max_bytes": 1_048_576,
        })
    );
}

#[test]
fn http_request_fails_with_the_code_of_what_happened() {
    let url = || json!({"url": "https://x.test"});
    let retry = json!({"retry": {"max": 2, "delay_ms": 5}});
    let blocked = || Answer::Fail(Failure::new("E_HTTP_BLOCKED", "not allowed"));
    let unnamed = || {
        Answer::Fail(Failure {
            code: None,
            ..Failure::new("", "offline")
        })
    };
    for (answers, on_error, expected, calls) in [
        (vec![status(404)], json!({}), "E_HTTP_STATUS", 1),
        (vec![status(503)], json!({}), "E_HTTP_STATUS", 1),
        (
            vec![status(503), status(503), status(200)],
            retry.clone(),
            "",
            3,
        ),
        (vec![status(503)], retry, "E_HTTP_STATUS", 3),
        (
            vec![status(503)],
            json!({"retry": {"max": 2, "on": ["E_HTTP_NETWORK"]}}),
            "E_HTTP_STATUS",
            1,
        ),
        (vec![blocked()], json!({}), "E_HTTP_BLOCKED", 1),
        (vec![unnamed()], json!({}), "E_HTTP_NETWORK", 1),
        (vec![Answer::Hang], json!({}), "E_HTTP_NETWORK", 1),
    ] {
        let (bench, result) = http(url(), on_error, answers);
        assert_eq!(
            (code(&result), bench.host.0.calls.borrow().len()),
            (expected, calls)
        );
        if expected == "E_HTTP_STATUS" {
            assert!(result.error.unwrap().status.is_some());
        }
    }
}

#[test]
fn a_call_has_a_time_limit_and_is_told_to_stop() {
    let mut limited = node(
        "call",
        "call",
        json!({"function": "slow", "timeout_ms": 70}),
    );
    for (timeout_ms, ms) in [(None, 70), (Some(20), 20)] {
        if let Some(timeout_ms) = timeout_ms {
            limited["timeout_ms"] = json!(timeout_ms);
        }
        let mut bench = Bench::new();
        bench.host.answers("slow", [Answer::Hang]);
        let error = bench
            .say(&plan(&steps(&[limited.clone()], &[], &[])), "x")
            .error
            .unwrap();
        assert_eq!(error.code, "E_CALL");
        assert!(
            error.message.contains(&format!("{ms} ms")),
            "{}",
            error.message
        );
        assert_eq!(bench.host.0.aborts.borrow().len(), 1);
    }
}

#[test]
fn emit_tells_the_page_and_delay_waits() {
    let document = steps(
        &[
            node("wait", "delay", json!({"ms": "{{ 20 * 2 }}"})),
            node(
                "tell",
                "emit",
                json!({"event": "moved", "data": {"to": "{{ trigger.text }}"}}),
            ),
        ],
        &[],
        &[],
    );
    let mut bench = Bench::new();
    assert_eq!(bench.say(&plan(&document), "x").error, None);
    let events = bench.host.0.events.borrow();
    let told = events.iter().find_map(|event| match &event.data {
        EventData::Custom { name, value } => {
            Some((name.as_str(), value.clone(), event.t - events[0].t))
        }
        _ => None,
    });
    assert_eq!(told, Some(("moved", json!({"to": "x"}), 40)));
    for ms in [json!(-1), json!(60_001), json!("soon"), json!(null)] {
        let document = steps(&[node("wait", "delay", json!({"ms": ms}))], &[], &[]);
        let loaded = mnemograph_engine::load(&document.to_string(), None);
        if let Some(plan) = loaded.plan {
            let result = Bench::new().say(&std::rc::Rc::new(plan), "x");
            assert_eq!(code(&result), "E_COERCE", "{ms}");
        }
    }
}

#[test]
fn a_container_that_takes_too_long_fails_whatever_it_does_with_failed_items() {
    for (container, on_item_error) in [
        ("while_loop", None),
        ("for_each", Some("fail")),
        ("for_each", Some("null")),
        ("for_each", Some("drop")),
    ] {
        let settings = match on_item_error {
            Some(how) => json!({"items": [1, 2, 3, 4], "on_item_error": how}),
            None => json!({"condition": "true"}),
        };
        let mut looped = node("loop", container, settings);
        looped["timeout_ms"] = json!(25);
        let document = steps(
            &[looped],
            &[inner("loop", "wait", "delay", json!({"ms": 10}))],
            &["loop.body > wait.in"],
        );
        let mut bench = Bench::new();
        let result = bench.say(&plan(&document), "x");
        let error = result.error.clone().expect(container);
        assert_eq!(
            (error.code.as_str(), error.node.as_deref()),
            ("E_STEP_TIMEOUT", Some("loop")),
            "{container} {on_item_error:?}"
        );
        let events = bench.host.0.events.borrow();
        assert_eq!(events.last().unwrap().t - events[0].t, 25);
    }
}

#[test]
fn a_run_has_a_time_limit() {
    let mut document = steps(
        &[
            node("a", "delay", json!({"ms": 80})),
            node("b", "delay", json!({"ms": 80})),
        ],
        &[],
        &[],
    );
    document["limits"] = json!({"run_ms": 100});
    let result = Bench::new().say(&plan(&document), "x");
    assert_eq!(
        (code(&result), result.status),
        ("E_RUN_TIMEOUT", RunStatus::Limit)
    );
}
