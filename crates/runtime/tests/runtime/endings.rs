//! How a run ends: by a limit, by cancelling, with its page, by closing, with outputs.

use crate::support::{Bench, chat, chat_with, code};
use mnemograph_engine::RunStatus;
use mnemograph_memory::{ShownStatus, thread::TranscriptPage};
use mnemograph_storage::MemoryStorage;
use mnemograph_testkit::{Answer, chat_graph, edge, node, plan};
use serde_json::json;

#[test]
fn limits_end_a_run() {
    let (mut bench, plan) = chat_with(
        |graph| graph["nodes"][1]["settings"]["max_iterations"] = json!(3),
        [Answer::tool_call("a", "weather", json!({}))],
    );
    bench.host.answers("weather", [Answer::text("sunny")]);
    let result = bench.say(&plan, "go");
    assert_eq!(
        (code(&result), result.status),
        ("E_AGENT_LIMIT", RunStatus::Failed)
    );
    assert_eq!(
        result.messages.len(),
        1 + 3 * 2,
        "what was done is on the result"
    );

    let (mut bench, plan) = chat_with(
        |graph| graph["limits"] = json!({"run_ms": 1_000}),
        [Answer::Hang],
    );
    let result = bench.say(&plan, "go");
    assert_eq!(
        (code(&result), result.status),
        ("E_RUN_TIMEOUT", RunStatus::Limit)
    );

    let (mut bench, plan) = chat_with(
        |graph| graph["limits"] = json!({"steps": 2}),
        [Answer::text("hi")],
    );
    let result = bench.say(&plan, "go");
    assert_eq!(
        (code(&result), result.status),
        ("E_STEP_LIMIT", RunStatus::Limit)
    );
}

#[test]
fn cancelling_keeps_what_was_said_and_marks_it() {
    let text = |text: &str| json!({"type": "text", "text": text});
    let (mut bench, plan) = chat([
        Answer::StreamThenHang(vec![text("Once "), text("upon")]),
        Answer::text("fine"),
    ]);
    let run = bench.begin(&plan, "a story");
    bench.runtime.cancel(&run, "stop button");
    bench.runtime.cancel(&run, "again");
    bench.pump.finish();
    let result = bench.last_result();
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
    let (mut bench, plan) = chat([
        Answer::tool_call("a", "weather", json!({})),
        Answer::text("fine"),
    ]);
    bench.host.answers("weather", [Answer::Hang]);
    let run = bench.begin(&plan, "weather?");
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
    before.begin(&plan, "weather?");
    drop(before);
    let mut after = Bench::later(storage, [Answer::text("fine")]);
    after.say(&plan, "again");
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
fn a_turn_whose_page_was_closed_is_marked_by_the_next_one() {
    let storage = MemoryStorage::new();
    let plan = plan(&chat_graph("g", |_| {}));
    let mut before = Bench::on(storage.clone(), "default");
    before.host.answers("default", [Answer::Hang]);
    before.begin(&plan, "hello?");
    drop(before);
    let mut after = Bench::later(storage, [Answer::text("fine")]);
    after.say(&plan, "again");
    let turns = pollster::block_on(
        after
            .runtime
            .threads_transcript("t", TranscriptPage::default()),
    )
    .unwrap();
    let statuses: Vec<_> = turns.iter().map(|turn| turn.status).collect();
    assert_eq!(statuses, [ShownStatus::Aborted, ShownStatus::Complete]);
}

/// What a later page sends its model of a run that streamed so, was told to do that, and is gone.
fn left_behind(chunks: &[&str], then: impl FnOnce(&mut Bench)) -> Vec<String> {
    let storage = MemoryStorage::new();
    let plan = plan(&chat_graph("g", |_| {}));
    let mut before = Bench::on(storage.clone(), "default");
    let chunks = chunks
        .iter()
        .map(|text| json!({"type": "text", "text": text}));
    let stream = Answer::StreamThenHang(chunks.collect());
    before.host.answers("default", [stream]);
    before.begin(&plan, "a story");
    then(&mut before);
    drop(before);
    let mut after = Bench::later(storage, [Answer::text("fine")]);
    after.say(&plan, "go on");
    after.last_prompt()
}

#[test]
fn a_page_that_is_hidden_leaves_the_text_so_far() {
    let suspended = left_behind(&["Once ", "upon"], |bench| {
        bench.runtime.suspend();
        bench.pump.settle();
    });
    assert_eq!(suspended[1..3], ["user: a story", "assistant: Once upon"]);
    let unheard = left_behind(&["Once ", "upon"], |_| {});
    assert_eq!(unheard[1..], ["user: a story", "user: go on"]);
}

#[test]
fn closing_ends_runs_and_refuses_new_ones() {
    let (mut bench, plan) = chat([Answer::Hang]);
    bench.begin(&plan, "hello");
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

#[test]
fn the_life_of_a_database_has_one_id_in_all_pages() {
    let storage = MemoryStorage::new();
    let generation = |fresh: &str| {
        let bench = Bench::on(storage.clone(), "default");
        pollster::block_on(bench.runtime.store_generation(fresh)).unwrap()
    };
    assert_eq!(generation("one"), "one");
    assert_eq!(generation("two"), "one");
    let made_anew = Bench::on(MemoryStorage::new(), "default");
    let id = pollster::block_on(made_anew.runtime.store_generation("two"));
    assert_eq!(id.unwrap(), "two");
}
