//! I1–I8 and I11 of 3-memory.md 3.2.15 over lists that no program would write.

use std::collections::{BTreeMap, BTreeSet};

use mnemograph_memory::{
    Content, Executor, Message, ModelRef, Part, Role, Status, ViewPolicy, repair, view,
};
use proptest::prelude::*;
use serde_json::{Map, json};

use crate::support::cases;

fn model(provider: &str) -> ModelRef {
    ModelRef {
        provider: provider.to_owned(),
        id: "m".to_owned(),
        ..ModelRef::default()
    }
}

fn part() -> impl Strategy<Value = Part> {
    let call_id = "[ab]|a~2";
    let ext = || json!({"p": {"item_id": "i"}}).as_object().cloned().unwrap();
    prop_oneof![
        3 => "|hi|\u{1F525}".prop_map(Part::text),
        5 => (call_id, any::<bool>(), prop::option::of(prop_oneof![Just(Executor::Client), Just(Executor::Provider)]))
            .prop_map(|(call_id, cut, executor)| Part::ToolCall {
                call_id,
                name: "tool".to_owned(),
                args: (!cut).then(|| json!({})),
                args_raw: cut.then(|| "{".to_owned()),
                executor,
                ext: Map::new(),
            }),
        5 => (call_id, any::<bool>(), "[xyz]")
            .prop_map(|(id, is_error, text)| Part::tool_result(id, "tool", is_error, vec![Content::text(text)])),
        2 => prop::option::of("|hm").prop_map(move |text| Part::Reasoning {
            text,
            summary: None,
            signature: None,
            redacted: None,
            ext: ext(),
        }),
        1 => Just(Part::Compaction { text: None, opaque: Some(json!(1)), ext: Map::new() }),
        1 => Just(Part::Data { name: "d".to_owned(), data: json!(null), ext: Map::new() }),
        1 => Just(serde_json::from_value(json!({"type": "x-y"})).unwrap()),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let role = prop_oneof![
        3 => Just(Role::User), 5 => Just(Role::Assistant), 5 => Just(Role::Tool), 1 => Just(Role::System)
    ];
    let status = prop_oneof![
        4 => Just(Status::Complete), 1 => Just(Status::Aborted), 3 => Just(Status::Failed),
        1 => Just(Status::Incomplete), 2 => Just(Status::Blocked)
    ];
    let model = prop::option::of(prop_oneof![Just(model("p")), Just(model("q"))]);
    let id = prop_oneof![4 => "m[0-9]{2}", 1 => "m1", 1 => "m1~failed|m1~result~a|m1~blocked|m1~1"];
    let round = prop::option::of("r[12]");
    let code = prop::option::of(Just("E_LLM".to_owned()));
    (
        id,
        role,
        status,
        round,
        code,
        model,
        prop::collection::vec(part(), 0..4),
    )
        .prop_map(|(id, role, status, round, error_code, model, parts)| {
            let mut message = Message::new(id, role, parts, 0);
            message.status = status;
            message.round = round;
            message.error_code = error_code;
            message.model = model;
            message
        })
}

/// Mostly long enough for everything to meet.
fn store() -> impl Strategy<Value = Vec<Message>> {
    prop::collection::vec(message(), 0..14)
}

fn results(message: &Message) -> Vec<&str> {
    message
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::ToolResult { call_id, .. } => Some(call_id.as_str()),
            _ => None,
        })
        .collect()
}

fn calls(message: &Message) -> Vec<&str> {
    message
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::ToolCall { call_id, .. } => Some(call_id.as_str()),
            _ => None,
        })
        .collect()
}

/// I1 to I4: what every provider demands.
fn check_valid(view: &[Message]) {
    let mut seen = BTreeSet::new();
    let mut expected: Vec<&str> = Vec::new();
    let mut ids = BTreeSet::new();
    for message in view {
        assert!(ids.insert(&message.id), "I3: message ids are unique");
        assert!(!message.parts.is_empty(), "I4: {} is empty", message.id);
        assert!(
            message.parts.iter().all(|part| part.as_text() != Some("")),
            "I4: an empty text"
        );
        assert_ne!(message.role, Role::System, "D5");
        if message.role == Role::Tool {
            let result = results(message);
            assert_eq!(result.len(), 1, "a tool message has one result");
            assert!(
                !expected.is_empty(),
                "I2: a result without a call before it"
            );
            assert_eq!(expected.remove(0), result[0], "I1: results in call order");
        } else {
            assert!(expected.is_empty(), "I1: {expected:?} have no result");
            let inline: Vec<&str> = results(message);
            for call in calls(message) {
                assert_eq!(message.role, Role::Assistant);
                assert!(seen.insert(call), "I3: {call} is there twice");
            }
            assert!(
                inline.iter().all(|id| calls(message).contains(id)),
                "I2: an inline result without its call"
            );
            expected = calls(message)
                .into_iter()
                .filter(|id| !inline.contains(id))
                .collect();
        }
    }
    assert!(
        expected.is_empty(),
        "I1: {expected:?} have no result at the end"
    );
}

/// I7: those that are left stand as they stood.
fn check_order(store: &[Message], view: &[Message]) {
    let mut places = BTreeMap::new();
    for (place, message) in store.iter().enumerate() {
        places.entry(&message.id).or_insert(place);
    }
    let kept: Vec<_> = view
        .iter()
        .filter(|message| message.role != Role::Tool && !message.is_synthetic())
        .map(|message| places[&message.id])
        .collect();
    assert!(kept.is_sorted(), "I7: {kept:?}");
}

proptest! {
    #![proptest_config(cases(1_500))]

    #[test]
    fn every_view_is_valid(store in store(), target in prop::option::of(Just(model("p"))), size in 0..8_usize) {
        let target = target.as_ref();
        let whole = view(&store, None, &ViewPolicy::Buffer, target);
        check_valid(&whole.messages);
        check_order(&store, &whole.messages);
        // I8
        prop_assert_eq!(&repair(&whole.messages, target).messages, &whole.messages);
        // I11: what is written can be read, by a reader that refuses anything else.
        let text = serde_json::to_string(&whole.messages).unwrap();
        prop_assert_eq!(serde_json::from_str::<Vec<Message>>(&text).unwrap(), whole.messages.clone());

        let window = view(&store, None, &ViewPolicy::Window { size }, target);
        check_valid(&window.messages);
        check_order(&store, &window.messages);
        // I5
        let stored = window.messages.iter().filter(|message| !message.is_synthetic()).count();
        prop_assert!(stored <= size);
        prop_assert_eq!(window.in_view.len(), stored);
        // I6
        let first = window.messages.first().map(|message| message.role);
        prop_assert!(first.is_none_or(|role| role == Role::User) || window.messages == whole.messages);
        // Never empty in silence.
        let silent = window.messages.is_empty() && !whole.messages.is_empty() && size > 0;
        prop_assert_eq!(silent, window.warnings.iter().any(|warning| warning.code == "W_WINDOW_EMPTY"));
    }

    #[test]
    fn what_is_in_view_is_what_is_stored_of_it(store in store()) {
        let whole = view(&store, None, &ViewPolicy::Buffer, None);
        let ids: BTreeSet<&String> = store.iter().map(|message| &message.id).collect();
        prop_assert!(whole.in_view.iter().all(|id| ids.contains(id)));
    }
}

#[test]
fn long_lists_are_repaired_in_linear_time() {
    let mut store = Vec::new();
    for i in 0..20_000 {
        let call = Part::tool_call("c", "tool", json!({}));
        store.push(Message::new(
            format!("a{i}"),
            Role::Assistant,
            vec![call],
            0,
        ));
        let result = Part::tool_result(format!("{}", i % 7), "tool", false, Vec::new());
        store.push(Message::new(format!("t{i}"), Role::Tool, vec![result], 0));
    }
    let repaired = repair(&store, None);
    check_valid(&repaired.messages);
    assert_eq!(repaired.messages.len(), 40_000);
    assert_eq!(repaired.warnings.len(), 1);
}
