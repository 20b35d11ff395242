//! The examples of the playground: each loads without a problem and comes to its end.

use crate::support::{Bench, code};
use mnemograph_engine::{Failure, Plan, RunResult, RunStatus};
use mnemograph_runtime::{HostPayload, ResumeOptions};
use mnemograph_testkit::{Answer, plan};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::rc::Rc;

/// The tools and models that the playground registers.
const TOOLS: [&str; 3] = ["weather", "calculator", "clock"];
const MODELS: [&str; 2] = ["default", "failing"];

fn documents() -> BTreeMap<String, Value> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../www/examples");
    std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, serde_json::from_str(&text).unwrap())
        })
        .collect()
}

/// An example with a page of its own. The model repeats what it was told last, behind `said: `.
struct Example {
    bench: Bench,
    plan: Rc<Plan>,
}

impl Example {
    fn new(name: &str) -> Self {
        let bench = Bench::new();
        bench.host.script("default", |call| {
            let HostPayload::Model { request, .. } = &call.payload else {
                return Answer::Hang;
            };
            let last = request.messages.last().unwrap();
            Answer::text(&format!("said: {}", last.text()))
        });
        let failure = Failure::new("E_LLM", "This model always fails.");
        bench.host.answers(
            "failing",
            [Answer::Fail(Failure {
                retryable: true,
                ..failure
            })],
        );
        Self {
            bench,
            plan: plan(&documents()[name]),
        }
    }

    fn say(&mut self, text: &str) -> RunResult {
        self.bench.say(&self.plan, text)
    }

    fn answer(&mut self, waiting: &RunResult, action: &str, data: Value) -> RunResult {
        assert_eq!(waiting.status, RunStatus::Waiting, "{:?}", waiting.error);
        let options = ResumeOptions {
            run_id: waiting.run_id.clone(),
            interrupt: waiting.interrupts[0].id.clone(),
            action: action.to_owned(),
            data,
            is_locked: true,
            ..ResumeOptions::default()
        };
        self.bench.pump.resume(&self.plan, options).unwrap()
    }
}

/// The text of a run that went well.
fn text(result: &RunResult) -> &str {
    assert_eq!((result.status, code(result)), (RunStatus::Succeeded, ""));
    &result.text
}

#[test]
fn a_long_conversation_is_sent_as_notes_and_its_last_messages() {
    let mut example = Example::new("long-conversation");
    for turn in 1..=4 {
        let said = format!("message {turn}");
        assert_eq!(text(&example.say(&said)), format!("said: {said}"));
        example.bench.pump.finish_tasks();
    }
    example.say("the last");
    let sent = example.bench.last_prompt();
    assert!(sent[1].contains("Notes on the earlier part"), "{sent:?}");
    assert_eq!(
        sent[2..],
        [
            "user: message 4",
            "assistant: said: message 4",
            "user: the last"
        ]
    );
}

#[test]
fn a_notebook_is_all_that_its_agent_knows_of_earlier_messages() {
    let mut example = Example::new("notebook");
    let set = json!({"key": "name", "value": "Ada"});
    let answers = [Answer::tool_call("c", "set", set), Answer::text("Noted.")];
    example.bench.host.answers("default", answers);
    assert_eq!(text(&example.say("My name is Ada.")), "Noted.");
    example
        .bench
        .host
        .answers("default", [Answer::text("Ada.")]);
    assert_eq!(text(&example.say("What is my name?")), "Ada.");
    let sent = example.bench.last_prompt();
    assert_eq!(sent.len(), 3, "{sent:?}");
    assert!(sent[1].contains("\"name\": \"Ada\""), "{sent:?}");
    assert_eq!(sent[2], "user: What is my name?");
}

#[test]
fn every_example_has_its_test() {
    let names: Vec<String> = documents().into_keys().collect();
    let source = include_str!("examples.rs");
    for name in &names {
        assert!(
            source.contains(&format!("Example::new(\"{name}\")")),
            "{name}"
        );
    }
    assert!(names.len() >= 11, "{names:?}");
}

#[test]
fn no_example_has_a_problem() {
    for (name, document) in documents() {
        let loaded = mnemograph_engine::load(
            &document.to_string(),
            None::<&mnemograph_engine::HostCatalogue>,
        );
        assert!(loaded.problems.is_empty(), "{name}: {:#?}", loaded.problems);
        assert_eq!(document["id"], json!(name));
        assert_ne!(document["description"], Value::Null, "{name}");
        assert_ne!(
            document["x-playground"]["suggestions"],
            Value::Null,
            "{name}"
        );
    }
}

/// Whether all names that a node setting gives are among these.
fn uses_only(document: &Value, node_type: &str, setting: &str, known: &[&str]) {
    for node in document["nodes"].as_array().unwrap() {
        if node["type"] == node_type {
            let name = node["settings"][setting].as_str().unwrap();
            let name = name.strip_prefix("host:").unwrap_or(name);
            assert!(known.contains(&name), "{}: {name}", document["id"]);
        }
    }
}

#[test]
fn the_playground_has_what_the_examples_need() {
    for document in documents().values() {
        uses_only(document, "llm_model", "model", &MODELS);
        uses_only(document, "tool", "run", &TOOLS);
    }
}

#[test]
fn the_chats_remember_as_their_scope_says() {
    for (mut example, prompt) in [
        (Example::new("chat-with-memory"), 4),
        (Example::new("forgets-everything"), 2),
    ] {
        assert_eq!(text(&example.say("one")), "said: one");
        assert_eq!(text(&example.say("two")), "said: two");
        assert_eq!(example.bench.last_prompt().len(), prompt);
    }
}

#[test]
fn the_assistant_calls_its_tools() {
    let mut example = Example::new("assistant-with-tools");
    let call = Answer::tool_call("a", "weather", json!({"city": "Oslo"}));
    example
        .bench
        .host
        .answers("default", [call, Answer::text("It is sunny.")]);
    example
        .bench
        .host
        .answers("weather", [Answer::text("sunny")]);
    assert_eq!(text(&example.say("weather?")), "It is sunny.");
    assert_eq!(
        example.bench.last_prompt().pop().unwrap(),
        "tool: {a sunny}"
    );
}

#[test]
fn a_tool_waits_for_its_approval() {
    for (action, told) in [("approve", "sunny"), ("reject", "declined")] {
        let mut example = Example::new("tool-with-approval");
        let call = Answer::tool_call("a", "weather", json!({"city": "Oslo"}));
        example
            .bench
            .host
            .answers("default", [call, Answer::text("done")]);
        example
            .bench
            .host
            .answers("weather", [Answer::text("sunny")]);
        let waiting = example.say("weather?");
        assert_eq!(
            waiting.interrupts[0].call.as_ref().unwrap().args,
            json!({"city": "Oslo"})
        );
        let done = example.answer(&waiting, action, Value::Null);
        assert_eq!(text(&done), "done");
        assert!(example.bench.last_prompt().pop().unwrap().contains(told));
    }
}

#[test]
fn a_refund_needs_a_person_and_all_else_does_not() {
    let mut example = Example::new("support-bot");
    assert_eq!(text(&example.say("Hello")), "said: Hello");
    let waiting = example.say("I want a REFUND for order 1042.");
    assert!(
        waiting.interrupts[0]
            .prompt
            .starts_with("Refund order 1042?")
    );
    let done = example.answer(&waiting, "approve", Value::Null);
    assert_eq!(text(&done), "Your refund is on its way.");
    let waiting = example.say("refund!");
    assert!(
        waiting.interrupts[0]
            .prompt
            .starts_with("Refund order without a number?")
    );
    let done = example.answer(&waiting, "reject", json!({"comment": "Too late."}));
    assert_eq!(text(&done), "We cannot refund this order. Too late.");
    let waiting = example.say("refund!");
    let done = example.answer(&waiting, "reject", Value::Null);
    assert_eq!(text(&done), "We cannot refund this order. ");
}

#[test]
fn the_quiz_counts_over_runs_and_begins_again() {
    let mut example = Example::new("quiz");
    for (said, answer) in [
        (
            "Start",
            "Three questions.\n1. What is the capital of Norway?",
        ),
        (" oslo ", "Right!\n2. How many legs does a spider have?"),
        ("6", "No, it is 8.\n3. Which planet is nearest to the sun?"),
        (
            "Mercury",
            "Right!\nYou have 2 of 3 points. Write anything to play again.",
        ),
        (
            "again",
            "Three questions.\n1. What is the capital of Norway?",
        ),
    ] {
        assert_eq!(text(&example.say(said)), answer);
    }
}

#[test]
fn the_form_asks_until_the_address_is_one() {
    let mut example = Example::new("form");
    let waiting = example.say("hi");
    assert_eq!(waiting.text, "What is your name?");
    let waiting = example.answer(&waiting, "answer", json!("Ada"));
    assert_eq!(waiting.interrupts[0].prompt, "What is your e-mail address?");
    let waiting = example.answer(&waiting, "answer", json!("ada"));
    assert_eq!(
        waiting.interrupts[0].prompt,
        "That is no address. What is your e-mail address?"
    );
    let done = example.answer(&waiting, "answer", json!(" ada@example.org "));
    assert!(text(&done).ends_with("Thank you, Ada. We write to ada@example.org."));
    assert_eq!(
        done.outputs["form"],
        json!({"name": "Ada", "email": "ada@example.org"})
    );
}

#[test]
fn each_row_of_a_csv_is_greeted_in_order() {
    let mut example = Example::new("csv-map");
    let done = example.say("name,city\nEve,Rome\nBob,Kyiv");
    assert_eq!(
        text(&done).trim_end().replace('\r', ""),
        "name,greeting\nEve,said: My name is Eve and I live in Rome.\nBob,said: My name is Bob and I live in Kyiv."
    );
    let done = example.say("sample");
    assert_eq!(done.outputs["greetings"].as_array().unwrap().len(), 3);
}

#[test]
fn the_router_knows_sums_and_weather() {
    for (said, node) in [
        ("What is 12 * 12?", "accountant"),
        ("WEATHER in Paris?", "forecaster"),
        ("Hello!", "companion"),
    ] {
        let mut example = Example::new("router");
        assert_eq!(text(&example.say(said)), format!("said: {said}"));
        let calls = example.bench.host.0.calls.borrow();
        assert_eq!(calls.len(), 1);
        assert_eq!(calls[0].node, node);
    }
}

#[test]
fn the_triage_goes_where_the_model_says_and_else_to_other() {
    for (class, start) in [
        (
            json!({"class": "fault", "reason": "crash"}).to_string(),
            "Sorry",
        ),
        (
            "wish".to_owned(),
            "Thank you for the idea. (no reason given)",
        ),
        ("I am a script.".to_owned(), "Neither a fault nor a wish"),
    ] {
        let mut example = Example::new("triage");
        example
            .bench
            .host
            .answers("default", [Answer::text(&class)]);
        example
            .bench
            .host
            .answers("schema", [Answer::Value(json!({"errors": []}))]);
        let done = example.say("x");
        assert!(text(&done).starts_with(start), "{}", done.text);
    }
}

#[test]
fn the_second_model_answers_and_without_it_the_graph_apologises() {
    let mut example = Example::new("retry-and-fallback");
    assert_eq!(text(&example.say("x")), "said: x");
    let names: Vec<String> = {
        let calls = example.bench.host.0.calls.borrow();
        calls.iter().map(|call| call.name.clone()).collect()
    };
    assert_eq!(names, ["failing", "failing", "default"]);
    example
        .bench
        .host
        .answers("default", [Answer::Fail(Failure::new("E_LLM", "out"))]);
    let done = example.say("x");
    assert_eq!(
        (done.status, done.text.as_str()),
        (RunStatus::Partial, "No model answers now: out")
    );
}

#[test]
fn an_order_is_summed_and_bad_lines_are_told() {
    let mut example = Example::new("order");
    let done = example.say("apples 3 0.50, tea 12 4");
    assert_eq!(text(&done), "apples: 1.5\ntea: 43.2\nSum: 44.7");
    assert_eq!(done.outputs["sum"], json!(44.7));
    let done = example.say("tea two 4, milk 2 1.25");
    assert_eq!(
        done.text,
        "milk: 2.5\nSum: 2.5\nLines not understood: 1. Write product, number, price."
    );
}

#[test]
fn the_loop_ends_when_the_draft_is_short_or_after_three_passes() {
    for (answers, tries, end) in [
        (vec![Answer::text("short")], 1, "short"),
        (
            vec![Answer::text(&"a".repeat(121)), Answer::text("b")],
            2,
            "b",
        ),
        (vec![Answer::text(&"é".repeat(121))], 3, "é"),
    ] {
        let mut example = Example::new("until-good-enough");
        example.bench.host.answers("default", answers);
        let done = example.say("whales");
        assert!(text(&done).starts_with(end));
        assert_eq!(done.outputs["tries"], json!(tries));
    }
}
