//! Reading messages: exact about what is wrong and where, careful with what is opaque.

use mnemograph_memory::{Message, Part, Round, Status, decode_messages};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::cases;

fn example() -> Value {
    json!({
        "v": 1, "id": "msg_1", "round": "rnd_1", "seq": 42, "role": "assistant", "status": "complete",
        "created_at": 1_760_000_000_123_u64, "name": "planner",
        "parts": [
            {"type": "reasoning", "text": "…", "signature": "s", "ext": {"openai": {"item_id": "rs_1", "encrypted_content": "e"}}},
            {"type": "text", "text": "Checking both.", "annotations": [{"url": "x"}]},
            {"type": "image", "source": {"kind": "blob", "sha256": "ab", "size": 7}, "media_type": "image/png", "detail": "low", "alt": "a cat"},
            {"type": "file", "source": {"kind": "file_id", "provider": "openai", "id": "f"}, "media_type": "text/csv", "filename": "a.csv"},
            {"type": "tool_call", "call_id": "c1", "name": "weather", "args": {"city": "Oslo"}, "args_raw": "{\"city\": \"Oslo\"}", "executor": "client"},
            {"type": "refusal", "text": "no"},
            {"type": "compaction", "opaque": {"a": null}},
            {"type": "data", "name": "chart", "data": null},
            {"type": "x-host", "anything": [1, {"b": null}]}
        ],
        "model": {"provider": "openai", "api": "responses", "id": "gpt"}, "finish_reason": "tool_calls",
        "usage": {"input": 120, "output": 33}, "meta": {"mine": 1}, "ext": {"langchain": {"id": "x"}}
    })
}

#[test]
fn a_message_survives_reading_and_writing() {
    let message = Message::from_value(example()).unwrap();
    assert_eq!(serde_json::to_value(&message).unwrap(), example());
    let text = serde_json::to_string(&message).unwrap();
    assert_eq!(serde_json::from_str::<Message>(&text).unwrap(), message);
}

#[test]
fn what_may_be_left_out_is_filled_in() {
    let message = Message::from_value(json!({"id": "m", "role": "user", "parts": []})).unwrap();
    assert_eq!(
        (message.v, message.status, message.created_at),
        (1, Status::Complete, None)
    );
    let nulls = json!({"id": "m", "role": "user", "parts": [], "name": null, "meta": null, "status": null, "model": null});
    assert_eq!(Message::from_value(nulls).unwrap(), message);
}

#[test]
fn null_arguments_empty_arguments_and_none_are_three_things() {
    for (given, expected) in [
        (json!({"args": null}), Some(Value::Null)),
        (json!({"args": {}}), Some(json!({}))),
        (json!({}), None),
    ] {
        let mut part = given;
        part["type"] = json!("tool_call");
        part["call_id"] = json!("c");
        part["name"] = json!("t");
        let read: Part = serde_json::from_value(part.clone()).unwrap();
        let Part::ToolCall { args, .. } = &read else {
            panic!("no call")
        };
        assert_eq!(*args, expected);
        assert_eq!(serde_json::to_value(&read).unwrap(), part);
    }
}

#[test]
fn numbers_survive() {
    let numbers = json!([
        0.1,
        1e300,
        -2.5e-7,
        5e-324,
        9_007_199_254_740_991_u64,
        123_456_789.123_456_79,
        2.220_446_049_250_313e-16
    ]);
    let part = Part::tool_call("c", "t", numbers.clone());
    let text = serde_json::to_string(&part).unwrap();
    let Part::ToolCall {
        args: Some(args), ..
    } = serde_json::from_str(&text).unwrap()
    else {
        panic!("no call")
    };
    assert_eq!(args, numbers);
}

#[test]
fn a_fault_is_named_with_its_place_and_a_hint() {
    let message = |change: fn(&mut Value)| {
        let mut value = example();
        change(&mut value);
        value
    };
    let rows: [(Value, &str, &str); 24] = [
        (json!(3), "messages[0]", "is a number, not an object"),
        (
            json!({"id": "m", "role": "user", "content": "hi"}),
            "messages[0].parts",
            "is missing",
        ),
        (message(|m| m["v"] = json!(2)), "messages[0].v", "version"),
        (message(|m| m["v"] = json!("1")), "messages[0].v", "a text"),
        (
            message(|m| m["id"] = json!("")),
            "messages[0].id",
            "is empty",
        ),
        (
            message(|m| m["id"] = json!(7)),
            "messages[0].id",
            "is a number, not a text",
        ),
        (
            message(|m| m["role"] = json!("model")),
            "messages[0].role",
            "\"model\"",
        ),
        (
            message(|m| m["status"] = json!("done")),
            "messages[0].status",
            "\"done\"",
        ),
        (
            message(|m| m["seq"] = json!(-1)),
            "messages[0].seq",
            "integer",
        ),
        (
            message(|m| m["created_at"] = json!("2020")),
            "messages[0].created_at",
            "a text",
        ),
        (
            message(|m| m["meta"] = json!([])),
            "messages[0].meta",
            "a list, not an object",
        ),
        (
            message(|m| m["usage"] = json!({"input": "many"})),
            "messages[0].usage",
            "an object",
        ),
        (
            message(|m| m["model"] = json!({"id": "x"})),
            "messages[0].model",
            "provider",
        ),
        (
            message(|m| m["parts"] = json!("hi")),
            "messages[0].parts",
            "is a text, not a list",
        ),
        (
            message(|m| m["parts"][1] = json!({"text": "hi"})),
            "messages[0].parts[1].type",
            "missing",
        ),
        (
            message(|m| m["parts"][1]["type"] = json!("txt")),
            "messages[0].parts[1].type",
            "\"txt\"",
        ),
        (
            message(|m| m["parts"][1]["text"] = json!(null)),
            "messages[0].parts[1].text",
            "is null, not a text",
        ),
        (
            message(|m| m["parts"][2]["source"] = json!({"kind": "ftp"})),
            "messages[0].parts[2].source",
            "not one of url, blob",
        ),
        (
            message(|m| m["parts"][4]["call_id"] = json!("")),
            "messages[0].parts[4].call_id",
            "is empty",
        ),
        (
            message(|m| m["parts"][4]["executor"] = json!("me")),
            "messages[0].parts[4].executor",
            "\"me\"",
        ),
        (
            json!({"id": "m", "role": "tool", "parts": []}),
            "messages[0].parts",
            "exactly one tool_result",
        ),
        (
            json!({"id": "m", "role": "user", "parts": [{"type": "text", "text": ""}, {"type": "tool_call", "call_id": "c", "name": "t"}]}),
            "messages[0].parts[1]",
            "another role",
        ),
        (
            json!({"id": "m", "role": "tool", "parts": [{"type": "tool_result", "call_id": "c", "name": "t", "content": []}]}),
            "messages[0].parts[0].is_error",
            "is missing",
        ),
        (
            json!({"id": "m", "role": "tool", "parts": [{"type": "tool_result", "call_id": "c", "name": "t", "is_error": false, "content": [{"type": "x-a"}]}]}),
            "messages[0].parts[0].content[0].type",
            "\"x-a\"",
        ),
    ];
    for (value, path, problem) in rows {
        let error = decode_messages(json!([value]), "messages").unwrap_err();
        assert_eq!(error.path, path);
        assert!(error.problem.contains(problem), "{error}");
        assert!(!error.hint.is_empty());
    }
    assert_eq!(
        decode_messages(json!({}), "messages_in").unwrap_err().path,
        "messages_in"
    );
}

#[test]
fn a_round_that_ends_marks_its_messages() {
    let mut round = Round::new("r", "run");
    round.end(Status::Failed, Some("E_LLM".to_owned()));
    assert_eq!(round.error_code.as_deref(), Some("E_LLM"));
    for id in ["a", "b"] {
        round
            .messages
            .push(Message::from_value(json!({"id": id, "role": "user", "parts": []})).unwrap());
    }
    round.end(Status::Failed, Some("E_LLM".to_owned()));
    let marks: Vec<_> = round
        .messages
        .iter()
        .map(|m| (m.status, m.error_code.as_deref()))
        .collect();
    assert_eq!(
        marks,
        [(Status::Failed, None), (Status::Failed, Some("E_LLM"))]
    );
}

proptest! {
    #![proptest_config(cases(5_000))]

    #[test]
    fn every_float_survives(float in any::<f64>()) {
        prop_assume!(float.is_finite());
        let part = Part::tool_call("c", "t", json!(float));
        let read: Part = serde_json::from_str(&serde_json::to_string(&part).unwrap()).unwrap();
        prop_assert_eq!(read, part);
    }
}
