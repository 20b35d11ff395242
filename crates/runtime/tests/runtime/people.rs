//! Runs that wait for a person: put away, answered in another page, once.

use crate::support::Bench;
use mnemograph_engine::{EventData, RunStatus};
use mnemograph_runtime::ResumeOptions;
use mnemograph_storage::MemoryStorage;
use mnemograph_testkit::{Answer, chat_graph, graph, node, plan};
use serde_json::{Value, json};

fn answer(run: &str, interrupt: &str, action: &str, data: Value) -> ResumeOptions {
    ResumeOptions {
        run_id: run.to_owned(),
        interrupt: interrupt.to_owned(),
        action: action.to_owned(),
        data,
        is_locked: true,
        ..ResumeOptions::default()
    }
}

fn approval() -> Value {
    graph(
        &[
            node("chat", "chat_trigger", json!({})),
            node("count", "call", json!({"function": "count"})),
            node(
                "ask",
                "human_approval",
                json!({"prompt": "Refund {{ trigger.text }}?", "timeout_ms": 10_000}),
            ),
            node(
                "yes",
                "reply",
                json!({"text": "refunded: {{ nodes.ask.data.comment }}"}),
            ),
            node("no", "reply", json!({"text": "declined"})),
            node("late", "reply", json!({"text": "too late"})),
        ],
        &[
            "chat.out > count.in",
            "count.out > ask.in",
            "ask.approve > yes.in",
            "ask.reject > no.in",
            "ask.timeout > late.in",
        ],
    )
}

#[test]
fn an_approval_is_answered_in_another_page_and_no_node_runs_twice() {
    let plan = plan(&approval());
    let storage = MemoryStorage::new();
    let mut bench = Bench::on(storage.clone(), "default");
    bench.host.answers("count", [Answer::Value(json!(1))]);
    let waiting = bench.say(&plan, "5 EUR");
    assert_eq!(waiting.status, RunStatus::Waiting);
    let open = &waiting.interrupts[0];
    assert_eq!(
        (open.prompt.as_str(), open.actions.as_slice()),
        (
            "Refund 5 EUR?",
            &["approve".to_owned(), "reject".to_owned()][..]
        )
    );
    assert_eq!(bench.say(&plan, "another").error.unwrap().code, "E_BUSY");

    let mut later = Bench::later(storage, []);
    let listed = pollster::block_on(later.runtime.waiting(Some("t"))).unwrap();
    assert_eq!(listed[0].run_id, waiting.run_id);
    let wrong = later.pump.resume(
        &plan,
        answer(&waiting.run_id, &open.id, "maybe", json!(null)),
    );
    assert_eq!(wrong.unwrap_err().code(), "E_RESUME_INVALID");
    let data = json!({"comment": "ok"});
    let done = later
        .pump
        .resume(
            &plan,
            answer(&waiting.run_id, &open.id, "approve", data.clone()),
        )
        .unwrap();
    assert_eq!(
        (done.status, done.text.as_str()),
        (RunStatus::Succeeded, "refunded: ok")
    );
    assert!(
        later.host.0.calls.borrow().is_empty(),
        "the call was not made again"
    );
    let again = later
        .pump
        .resume(&plan, answer(&waiting.run_id, &open.id, "approve", data));
    assert_eq!(again.unwrap_err().code(), "E_RESUME_STALE");
    later.host.answers("count", [Answer::Value(json!(2))]);
    assert_eq!(
        later.say(&plan, "next").error,
        None,
        "the thread is free again"
    );
}

#[test]
fn an_answer_after_its_time_goes_to_timeout() {
    let plan = plan(&approval());
    let mut bench = Bench::new();
    bench.host.answers("count", [Answer::Value(json!(1))]);
    let waiting = bench.say(&plan, "x");
    bench.host.advance_by(1_000_000);
    let done = bench
        .pump
        .resume(
            &plan,
            answer(
                &waiting.run_id,
                &waiting.interrupts[0].id,
                "approve",
                json!(null),
            ),
        )
        .unwrap();
    assert_eq!(done.text, "too late");
}

#[test]
fn a_changed_graph_is_refused_unless_that_is_allowed() {
    let mut bench = Bench::new();
    bench.host.answers("count", [Answer::Value(json!(1))]);
    let waiting = bench.say(&plan(&approval()), "x");
    let mut changed = approval();
    changed["nodes"][4]["settings"]["text"] = json!("no");
    let changed = plan(&changed);
    let reject = || {
        answer(
            &waiting.run_id,
            &waiting.interrupts[0].id,
            "reject",
            json!(null),
        )
    };
    let refused = bench.pump.resume(&changed, reject()).unwrap_err();
    assert_eq!(refused.code(), "E_GRAPH_CHANGED");
    let allowed = ResumeOptions {
        allow_changed_graph: true,
        ..reject()
    };
    assert_eq!(bench.pump.resume(&changed, allowed).unwrap().text, "no");
}

#[test]
fn a_question_is_answered_by_text_and_both_are_shown() {
    let document = graph(
        &[
            node("chat", "chat_trigger", json!({})),
            node("ask", "ask_user", json!({"prompt": "Your name?"})),
            node(
                "say",
                "reply",
                json!({"text": "Hello {{ nodes.ask.text }}"}),
            ),
        ],
        &["chat.out > ask.in", "ask.out > say.in"],
    );
    let plan = plan(&document);
    let mut bench = Bench::new();
    let waiting = bench.say(&plan, "hi");
    assert_eq!(waiting.text, "Your name?");
    let done = bench
        .pump
        .resume(
            &plan,
            answer(
                &waiting.run_id,
                &waiting.interrupts[0].id,
                "answer",
                json!("Ada"),
            ),
        )
        .unwrap();
    assert_eq!(done.text, "Your name?\nHello Ada");
}

#[test]
fn a_tool_that_looks_at_its_arguments_first_may_ask_then() {
    let plan = plan(&chat_graph("g", |_| {}));
    let storage = MemoryStorage::new();
    let mut bench = Bench::on(storage.clone(), "default");
    let call = Answer::tool_call("a", "weather", json!({"x": 1}));
    bench.host.answers("default", [call]);
    bench.host.answers("weather", [Answer::Ask(json!("early"))]);
    let waiting = bench.say(&plan, "go");
    assert_eq!(waiting.status, RunStatus::Waiting, "{:?}", waiting.error);
    let asked = waiting.interrupts[0].call.as_ref().unwrap();
    assert_eq!(
        (asked.name.as_str(), &asked.args),
        ("weather", &json!({"x": 1}))
    );
    let mut later = Bench::later(storage, [Answer::text("done")]);
    later.host.answers("weather", [Answer::Ask(json!("ran"))]);
    let id = waiting.interrupts[0].id.clone();
    let answer = answer(&waiting.run_id, &id, "approve", json!({}));
    let done = later.pump.resume(&plan, answer).unwrap();
    assert_eq!(done.text, "done");
    assert_eq!(later.last_prompt().pop().unwrap(), "tool: {a ran}");
    let told = bench.host.0.events.borrow();
    let calls = told
        .iter()
        .filter(|event| matches!(event.data, EventData::ToolCall { .. }));
    assert_eq!(calls.count(), 1, "the call is told once");
}

#[test]
fn a_tool_that_needs_approval_waits_and_its_round_is_stored_once() {
    let approve =
        |graph: &mut Value| graph["nodes"][4]["settings"]["require_approval"] = json!(true);
    for (action, line) in [
        ("approve", "tool: {a ran}"),
        (
            "reject",
            "tool: {a! The person declined this call; it was not made. They said: no}",
        ),
    ] {
        let plan = plan(&chat_graph("g", approve));
        let storage = MemoryStorage::new();
        let mut bench = Bench::on(storage.clone(), "default");
        bench.host.answers(
            "default",
            [Answer::tool_call("a", "weather", json!({"x": 1}))],
        );
        let waiting = bench.say(&plan, "go");
        assert_eq!(
            waiting.interrupts[0].call.as_ref().unwrap().args,
            json!({"x": 1})
        );
        let mut later = Bench::later(storage, [Answer::text("done")]);
        later.host.answers("weather", [Answer::text("ran")]);
        let id = waiting.interrupts[0].id.clone();
        let done = later
            .pump
            .resume(
                &plan,
                answer(&waiting.run_id, &id, action, json!({"comment": "no"})),
            )
            .unwrap();
        assert_eq!(done.text, "done");
        assert_eq!(later.last_prompt().pop().unwrap(), line);
        later.say(&plan, "again");
        let prompt = later.last_prompt();
        assert_eq!(
            prompt
                .iter()
                .filter(|line| line.as_str() == "user: go")
                .count(),
            1,
            "{prompt:?}"
        );
    }
}
