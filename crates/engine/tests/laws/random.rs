//! Laws of the state machine: any inputs are safe, equal inputs give equal effects, the state can be
//! put away and taken out again at any time.

use crate::told::Told;
use mnemograph_engine::{
    ChatChunk, Committed, Effect, Failure, FinishReason, Input, LoadedHistory, Plan, Run,
    RunIdentity, RunInput,
};
use mnemograph_memory::{Message, Part, Role};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::rc::Rc;

fn plan() -> Rc<Plan> {
    let node = |id: &str, kind: &str, settings: Value| json!({"id": id, "type": kind, "settings": settings});
    let edge = |kind: &str, from: &str, to: &str| json!({"type": kind, "from": from, "to": to});
    let document = json!({
        "format": "mnemograph", "format_version": 1, "id": "g",
        "nodes": [
            node("chat", "chat_trigger", json!({})),
            node("first", "ai_agent", json!({"system_prompt": "Hi {{ trigger.text }}", "max_iterations": 3})),
            node("second", "ai_agent", json!({"prompt": "{{ nodes.first.output }}!"})),
            node("model", "llm_model", json!({"max_retries": 1})),
            node("memory", "buffer_memory", json!({})),
            node("tool", "tool", json!({"run": "host:tool", "timeout_ms": 50})),
            node("reply", "reply", json!({})),
            node("out", "output", json!({"name": "answer", "value": "{{ nodes.second.output }}"})),
        ],
        "edges": [
            edge("run", "chat.out", "first.in"),
            edge("run", "first.out", "second.in"),
            edge("run", "second.out", "reply.in"),
            edge("run", "reply.out", "out.in"),
            edge("data", "second.output", "reply.text"),
            edge("link_llm", "model.llm", "first.llm"),
            edge("link_llm", "model.llm", "second.llm"),
            edge("link_memory", "memory.memory", "first.memory"),
            edge("link_memory", "memory.memory", "second.memory"),
            edge("link_tool", "tool.tool", "first.tools"),
        ],
        "limits": {"run_ms": 5000, "steps": 6},
    });
    let loaded = mnemograph_engine::load(&document.to_string(), None);
    Rc::new(
        loaded
            .plan
            .unwrap_or_else(|| panic!("{:#?}", loaded.problems)),
    )
}

fn run(plan: &Rc<Plan>) -> Run {
    let identity = RunIdentity {
        run_id: "r".to_owned(),
        thread_id: "t".to_owned(),
        has_thread: true,
    };
    Run::new(Rc::clone(plan), identity)
}

fn failure() -> impl Strategy<Value = Failure> {
    (any::<bool>(), prop::option::of(Just("E_LLM".to_owned()))).prop_map(|(retryable, code)| {
        Failure {
            code,
            retryable,
            ..Failure::new("", "failed")
        }
    })
}

fn answer() -> impl Strategy<Value = Value> {
    prop_oneof![
        Just(Value::Null),
        Just(json!("text")),
        Just(json!(7)),
        Just(json!({"text": "hm"})),
        Just(
            json!({"text": "so", "tool_calls": [{"name": "tool", "args": {}}, {"name": "nope", "args": {}}]})
        ),
        Just(json!({"tool_calls": [{"call_id": "c", "name": "tool", "args_raw": "{"}]})),
        Just(json!({"content": [{"type": "text", "text": "x"}], "is_error": true})),
        Just(json!({"parts": 3})),
    ]
}

fn chunk() -> impl Strategy<Value = ChatChunk> {
    prop_oneof![
        "[a-z]{0,3}".prop_map(|text| ChatChunk::Text { text }),
        Just(ChatChunk::Reasoning {
            text: Some("hm".to_owned()),
            signature: None,
            redacted: None,
            ext: None
        }),
        (0..2_u32).prop_map(|index| ChatChunk::ToolCall {
            index,
            call_id: None,
            name: Some("tool".to_owned()),
            args: Some("{}".to_owned())
        }),
        prop_oneof![
            Just(FinishReason::Stop),
            Just(FinishReason::Length),
            Just(FinishReason::ContentFilter)
        ]
        .prop_map(|reason| ChatChunk::Finish {
            reason,
            usage: None,
            model: None
        }),
    ]
}

fn input() -> impl Strategy<Value = Input> {
    let request = || 0..14_u64;
    let stored = Committed::Stored {
        count: 2,
        bytes: 10,
        hash: "h".to_owned(),
    };
    let history = LoadedHistory {
        summary: Some(mnemograph_memory::Summary {
            text: "notes".to_owned(),
            covers_seq: 1,
            covers_count: 1,
            model: "m".to_owned(),
            prompt_version: 1,
            created_at: 0,
        }),
        summary_failed: Some("E_LLM".to_owned()),
        messages: vec![Message::new("m", Role::User, vec![Part::text("before")], 1)],
        count: 1,
        last_seq: 1,
        quarantined: 0,
    };
    prop_oneof![
        1 => Just(Input::Start(Box::new(RunInput { text: Some("hello".to_owned()), ..RunInput::default() }))),
        6 => (request(), prop::result::maybe_err(Just(()), failure()))
            .prop_map(|(request, result)| Input::TurnOpened { request, result }),
        6 => (request(), prop::result::maybe_err(Just(history), failure()))
            .prop_map(|(request, result)| Input::HistoryLoaded { request, result }),
        6 => (request(), prop::result::maybe_err(prop_oneof![Just(stored), Just(Committed::Stale)], failure()))
            .prop_map(|(request, result)| Input::RoundCommitted { request, result }),
        3 => (request(), prop::result::maybe_err(Just(()), failure()))
            .prop_map(|(request, result)| Input::TranscriptWritten { request, result }),
        6 => (request(), chunk()).prop_map(|(request, chunk)| Input::ModelDelta { request, chunk }),
        8 => (request(), prop::result::maybe_err(answer(), failure()))
            .prop_map(|(request, result)| Input::ModelDone { request, result }),
        6 => (request(), prop::result::maybe_err(answer(), failure()))
            .prop_map(|(request, result)| Input::ToolDone { request, result }),
        2 => request().prop_map(|request| Input::ToolAsks { request }),
        2 => (request(), prop::result::maybe_err(answer().prop_map(|value| vec![value]), failure()))
            .prop_map(|(request, result)| Input::MemoryManaged { request, result }),
        2 => (request(), prop::result::maybe_err(Just(serde_json::Map::new()), failure()))
            .prop_map(|(request, result)| Input::DictionaryChanged { request, result }),
        1 => failure().prop_map(|failure| Input::JournalFailed { failure }),
        4 => Just(Input::Timer),
        2 => Just(Input::Suspend),
        1 => Just(Input::Cancel { reason: "stop".to_owned() }),
    ]
}

/// A start, then anything, each a while later.
fn script() -> impl Strategy<Value = Vec<(u64, Input)>> {
    prop::collection::vec((0..400_u64, input()), 0..60).prop_map(|rest| {
        let start = Input::Start(Box::new(RunInput {
            text: Some("hello".to_owned()),
            ..RunInput::default()
        }));
        std::iter::once((0, start)).chain(rest).collect()
    })
}

fn play(run: &mut Run, now: &mut u64, script: &[(u64, Input)]) -> Vec<Effect> {
    let mut effects = Vec::new();
    for (later, input) in script {
        *now += later;
        effects.extend(run.step(*now, input.clone()));
    }
    effects
}

proptest! {
    #[test]
    fn any_inputs_are_safe_and_end_a_run_once(script in prop_oneof![script(), prop::collection::vec((0..400_u64, input()), 0..40)]) {
        let effects = play(&mut run(&plan()), &mut 1_000, &script);
        let mut told = Told::default();
        let finished = told.follow(&effects)?;
        prop_assert_eq!(told.ended, finished);
    }

    #[test]
    fn equal_inputs_give_equal_effects(script in script()) {
        let plan = plan();
        let text = |effects: Vec<Effect>| serde_json::to_string(&effects).unwrap();
        let one = text(play(&mut run(&plan), &mut 1_000, &script));
        let two = text(play(&mut run(&plan), &mut 1_000, &script));
        prop_assert_eq!(one, two);
    }

    #[test]
    fn a_run_can_be_put_away_at_any_time(script in script(), at in any::<prop::sample::Index>()) {
        let plan = plan();
        let at = at.index(script.len());
        let (mut whole, mut parted, mut now, mut then) = (run(&plan), run(&plan), 1_000, 1_000);
        play(&mut whole, &mut now, &script[..at]);
        play(&mut parted, &mut then, &script[..at]);
        let state = serde_json::to_value(&parted).unwrap();
        let mut parted = Run::restore(Rc::clone(&plan), state).unwrap();
        prop_assert_eq!(play(&mut whole, &mut now, &script[at..]), play(&mut parted, &mut then, &script[at..]));
    }

    #[test]
    fn a_cancelled_run_ends_when_the_storage_has_answered(script in script()) {
        let plan = plan();
        let (mut run, mut now) = (run(&plan), 1_000);
        play(&mut run, &mut now, &script);
        let mut effects = run.step(now, Input::Cancel { reason: "stop".to_owned() });
        for request in 0..100_u64 {
            let stored = Committed::Stored { count: 1, bytes: 1, hash: "h".to_owned() };
            effects.extend(run.step(now, Input::RoundCommitted { request, result: Ok(stored) }));
        }
        for request in 0..100_u64 {
            effects.extend(run.step(now, Input::TranscriptWritten { request, result: Ok(()) }));
        }
        prop_assert!(run.is_over());
    }
}
