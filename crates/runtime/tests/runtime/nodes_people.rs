//! Interrupts where other things go on, inside loops and sub-graphs; giving up.

use crate::support::{Bench, code, output, steps};
use mnemograph_engine::{RunResult, RunStatus};
use mnemograph_runtime::ResumeOptions;
use mnemograph_storage::MemoryStorage;
use mnemograph_testkit::{Answer, graph, inner, node, plan};
use serde_json::{Value, json};

/// Answers the first open question of a run in a page that is opened later.
fn answer(
    bench: &mut Bench,
    document: &Value,
    waiting: &RunResult,
    action: &str,
    data: Value,
) -> RunResult {
    let options = ResumeOptions {
        run_id: waiting.run_id.clone(),
        interrupt: waiting.interrupts[0].id.clone(),
        action: action.to_owned(),
        data,
        is_locked: true,
        ..ResumeOptions::default()
    };
    bench.pump.resume(&plan(document), options).unwrap()
}

fn approve(bench: &mut Bench, document: &Value, waiting: &RunResult) -> RunResult {
    answer(bench, document, waiting, "approve", json!(null))
}

#[test]
fn other_branches_end_before_the_run_waits() {
    let document = graph(
        &[
            node("chat", "chat_trigger", json!({})),
            node("ask", "human_approval", json!({"prompt": "May I?"})),
            node("yes", "reply", json!({"text": "yes"})),
            node("wait", "delay", json!({"ms": 50})),
            node("other", "reply", json!({"text": "other"})),
            node("join", "merge", json!({})),
            node("end", "reply", json!({"text": "end"})),
        ],
        &[
            "chat.out > ask.in",
            "ask.approve > yes.in",
            "chat.out > wait.in",
            "wait.out > other.in",
            "yes.out > join.in",
            "other.out > join.in",
            "join.out > end.in",
        ],
    );
    let storage = MemoryStorage::new();
    let waiting = Bench::on(storage.clone(), "default").say(&plan(&document), "x");
    assert_eq!(
        (waiting.status, waiting.text.as_str()),
        (RunStatus::Waiting, "other")
    );
    let mut later = Bench::later(storage, []);
    assert_eq!(
        approve(&mut later, &document, &waiting).text,
        "other\nyes\nend"
    );
}

#[test]
fn two_questions_are_answered_one_after_the_other() {
    let document = graph(
        &[
            node("chat", "chat_trigger", json!({})),
            node("a", "human_approval", json!({"prompt": "A?"})),
            node("b", "human_approval", json!({"prompt": "B?"})),
            node("join", "merge", json!({})),
            node(
                "end",
                "reply",
                json!({"text": "{{ nodes.a.action }} {{ nodes.b.action }}"}),
            ),
        ],
        &[
            "chat.out > a.in",
            "chat.out > b.in",
            "a.approve > join.in",
            "b.reject > join.in",
            "join.out > end.in",
        ],
    );
    let mut bench = Bench::new();
    let both = bench.say(&plan(&document), "x");
    assert_eq!(both.interrupts.len(), 2);
    let one = approve(&mut bench, &document, &both);
    assert_eq!(
        (
            one.status,
            one.interrupts.len(),
            one.interrupts[0].prompt.as_str()
        ),
        (RunStatus::Waiting, 1, "B?")
    );
    assert_eq!(
        answer(&mut bench, &document, &one, "reject", json!(null)).text,
        "approve reject"
    );
}

#[test]
fn a_question_inside_a_loop_is_asked_in_each_pass() {
    let document = steps(
        &[
            node(
                "each",
                "for_each",
                json!({"items": ["a", "b"], "result": "{{ nodes.ask.text }}"}),
            ),
            output("v", "{{ nodes.each.results }}"),
        ],
        &[inner(
            "each",
            "ask",
            "ask_user",
            json!({"prompt": "{{ item }}?"}),
        )],
        &["each.body > ask.in"],
    );
    let storage = MemoryStorage::new();
    let first = Bench::on(storage.clone(), "default").say(&plan(&document), "x");
    assert_eq!(
        (
            first.interrupts[0].prompt.as_str(),
            first.interrupts[0].path.as_slice()
        ),
        ("a?", &["each[0]".to_owned()][..])
    );
    let mut later = Bench::later(storage, []);
    let second = answer(&mut later, &document, &first, "answer", json!("one"));
    assert_eq!(second.interrupts[0].prompt, "b?");
    assert_ne!(second.interrupts[0].id, first.interrupts[0].id);
    let done = answer(&mut later, &document, &second, "answer", json!("two"));
    assert_eq!(
        (done.status, &done.outputs["v"]),
        (RunStatus::Succeeded, &json!(["one", "two"])),
        "{:?}",
        done.error
    );
}

#[test]
fn a_question_inside_a_sub_graph_goes_on_there() {
    let mut document = steps(
        &[
            node(
                "sub",
                "subgraph",
                json!({"graph": "inside", "inputs": {"who": "{{ trigger.text }}"}}),
            ),
            output("v", "{{ nodes.sub.answer }}"),
        ],
        &[],
        &[],
    );
    let inside = graph(
        &[
            node("start", "graph_input", json!({"inputs": [{"name": "who"}]})),
            node(
                "ask",
                "ask_user",
                json!({"prompt": "Age of {{ inputs.who }}?"}),
            ),
            node(
                "out",
                "output",
                json!({"name": "answer", "value": "{{ inputs.who }}: {{ nodes.ask.text }}"}),
            ),
        ],
        &["start.out > ask.in", "ask.out > out.in"],
    );
    document["graphs"] = json!({"inside": {"nodes": inside["nodes"], "edges": inside["edges"]}});
    let storage = MemoryStorage::new();
    let waiting = Bench::on(storage.clone(), "default").say(&plan(&document), "Ada");
    assert_eq!(
        (
            waiting.interrupts[0].prompt.as_str(),
            waiting.interrupts[0].path.as_slice()
        ),
        ("Age of Ada?", &["sub".to_owned()][..])
    );
    let done = answer(
        &mut Bench::later(storage, []),
        &document,
        &waiting,
        "answer",
        json!(36),
    );
    assert_eq!((done.error, &done.outputs["v"]), (None, &json!("Ada: 36")));
}

#[test]
fn an_approval_of_a_tool_inside_a_loop_is_asked_for_each_call() {
    let document = steps(
        &[
            node(
                "each",
                "for_each",
                json!({"items": ["a", "b"], "result": "{{ nodes.agent.output }}"}),
            ),
            output("v", "{{ nodes.each.results }}"),
        ],
        &[
            inner("each", "agent", "ai_agent", json!({"prompt": "{{ item }}"})),
            node("model", "llm_model", json!({"model": "default"})),
            node(
                "pay",
                "tool",
                json!({"run": "host:pay", "require_approval": true}),
            ),
        ],
        &[
            "each.body > agent.in",
            "link_llm model.llm > agent.llm",
            "link_tool pay.tool > agent.tools",
        ],
    );
    let mut bench = Bench::new();
    bench.host.answers(
        "default",
        [
            Answer::tool_call("1", "pay", json!({})),
            Answer::text("A"),
            Answer::tool_call("2", "pay", json!({})),
            Answer::text("B"),
        ],
    );
    bench.host.answers("pay", [Answer::text("paid")]);
    let first = bench.say(&plan(&document), "x");
    assert_eq!(
        (first.status, first.interrupts[0].path.as_slice()),
        (RunStatus::Waiting, &["each[0]".to_owned()][..])
    );
    assert!(
        bench
            .host
            .0
            .calls
            .borrow()
            .iter()
            .all(|call| call.name != "pay")
    );
    let second = approve(&mut bench, &document, &first);
    assert_eq!(second.status, RunStatus::Waiting);
    let done = answer(&mut bench, &document, &second, "reject", json!(null));
    assert_eq!((done.error, &done.outputs["v"]), (None, &json!(["A", "B"])));
    let paid = bench
        .host
        .0
        .calls
        .borrow()
        .iter()
        .filter(|call| call.name == "pay")
        .count();
    assert_eq!(paid, 1);
}

#[test]
fn limits_of_time_do_not_count_what_a_person_takes() {
    let mut each = node("each", "for_each", json!({"items": [1]}));
    each["timeout_ms"] = json!(100);
    let mut document = steps(
        &[each, node("say", "reply", json!({"text": "done"}))],
        &[
            inner("each", "before", "delay", json!({"ms": 40})),
            inner("each", "ask", "human_approval", json!({"prompt": "?"})),
            inner("each", "after", "delay", json!({"ms": 40})),
        ],
        &[
            "each.body > before.in",
            "before.out > ask.in",
            "ask.approve > after.in",
        ],
    );
    document["limits"] = json!({"run_ms": 150});
    for (ms, expected) in [(40, ""), (70, "E_STEP_TIMEOUT")] {
        document["nodes"][5]["settings"]["ms"] = json!(ms);
        let mut bench = Bench::new();
        let waiting = bench.say(&plan(&document), "x");
        bench.host.advance_by(1_000_000);
        let done = approve(&mut bench, &document, &waiting);
        assert_eq!(code(&done), expected, "{ms}");
    }
    document["nodes"][5]["settings"]["ms"] = json!(1_000);
    document["nodes"][1]["timeout_ms"] = json!(null);
    let mut bench = Bench::new();
    let waiting = bench.say(&plan(&document), "x");
    bench.host.advance_by(1_000_000);
    assert_eq!(
        code(&approve(&mut bench, &document, &waiting)),
        "E_RUN_TIMEOUT"
    );
}

#[test]
fn a_waiting_run_that_is_given_up_frees_its_thread() {
    let document = steps(&[node("ask", "ask_user", json!({"prompt": "?"}))], &[], &[]);
    let plan = plan(&document);
    let mut bench = Bench::new();
    let waiting = bench.say(&plan, "x");
    assert_eq!(code(&bench.say(&plan, "y")), "E_BUSY");
    assert!(pollster::block_on(bench.runtime.drop_waiting(&waiting.run_id)).unwrap());
    assert!(!pollster::block_on(bench.runtime.drop_waiting(&waiting.run_id)).unwrap());
    assert_eq!(bench.say(&plan, "y").status, RunStatus::Waiting);
}

#[test]
fn a_run_is_cancelled_while_other_things_wait() {
    let document = graph(
        &[
            node("chat", "chat_trigger", json!({})),
            node("ask", "ask_user", json!({"prompt": "?"})),
            node("slow", "call", json!({"function": "slow"})),
        ],
        &["chat.out > ask.in", "chat.out > slow.in"],
    );
    let plan = plan(&document);
    let mut bench = Bench::new();
    bench.host.answers("slow", [Answer::Hang]);
    let run = bench.begin(&plan, "x");
    bench.runtime.cancel(&run, "stop");
    bench.pump.finish();
    assert_eq!(bench.last_result().status, RunStatus::Cancelled);
    assert_eq!(bench.host.0.aborts.borrow().len(), 1);
    assert!(
        pollster::block_on(bench.runtime.waiting(Some("t")))
            .unwrap()
            .is_empty()
    );
}
