//! `llm_response`, `classifier`, `extract` and answers by schema.

use crate::support::{Bench, code, output, steps};
use mnemograph_engine::{RunResult, RunStatus};
use mnemograph_testkit::{Answer, inner, node, plan};
use serde_json::{Value, json};

/// Runs one node that asks the model `default`, with the host's validator in `schema`.
fn ask(node_type: &str, settings: Value, answers: &[&str], valid: &[bool]) -> (Bench, RunResult) {
    let document = steps(
        &[
            node("ask", node_type, settings),
            output("all", "{{ nodes.ask }}"),
        ],
        &[node("model", "llm_model", json!({"model": "default"}))],
        &["link_llm model.llm > ask.llm"],
    );
    let mut bench = Bench::new();
    bench
        .host
        .answers("default", answers.iter().map(|text| Answer::text(text)));
    bench.host.answers(
        "schema",
        valid.iter().map(|fits| {
            let errors = if *fits {
                json!([])
            } else {
                json!(["/a is missing."])
            };
            Answer::Value(json!({"errors": errors}))
        }),
    );
    let result = bench.say(&plan(&document), "the text");
    (bench, result)
}

#[test]
fn llm_response_asks_once_without_memory() {
    let (bench, result) = ask(
        "llm_response",
        json!({"system_prompt": "Be kind.", "params": {"temperature": 0}}),
        &["hello"],
        &[],
    );
    assert_eq!(
        result.outputs["all"]["output"], "hello",
        "{:?}",
        result.error
    );
    assert_eq!(result.outputs["all"]["json"], Value::Null);
    assert_eq!(bench.last_prompt(), ["system: Be kind.", "user: the text"]);
    let request = &bench.host.requests()[0];
    assert_eq!(
        (request.tools.len(), &request.params["temperature"]),
        (0, &json!(0))
    );
}

#[test]
fn llm_response_reads_the_conversation_or_a_wired_history() {
    let document = |settings: Value, wired: bool| {
        let edges: &[&str] = if wired {
            &[
                "link_llm model.llm > ask.llm",
                "data past.messages > ask.history",
            ]
        } else {
            &["link_llm model.llm > ask.llm"]
        };
        steps(
            &[
                node("ask", "llm_response", settings),
                node("say", "reply", json!({"text": "{{ nodes.ask.output }}"})),
            ],
            &[
                node("model", "llm_model", json!({"model": "default"})),
                node("past", "chat_history", json!({"roles": ["user"]})),
            ],
            edges,
        )
    };
    for (settings, wired, expected) in [
        (json!({}), false, &["user: two"][..]),
        (
            json!({"use_chat_history": true}),
            false,
            &["user: one", "assistant: a", "user: two"],
        ),
        (
            json!({"use_chat_history": true, "history_limit": 1}),
            false,
            &["assistant: a", "user: two"],
        ),
        (json!({}), true, &["user: one", "user: two"]),
    ] {
        let plan = plan(&document(settings, wired));
        let mut bench = Bench::new();
        bench.host.answers("default", [Answer::text("a")]);
        bench.say(&plan, "one");
        bench.say(&plan, "two");
        assert_eq!(bench.last_prompt(), expected);
    }
}

#[test]
fn an_answer_by_schema_is_parsed_checked_and_repaired_once() {
    let schema = json!({"output_schema": {"type": "object", "required": ["a"]}});
    type Row<'a> = (&'a [&'a str], &'a [bool], Result<Value, &'a str>, usize);
    let table: [Row<'_>; 4] = [
        (
            &["```json\n{\"a\": 1}\n```"],
            &[true],
            Ok(json!({"a": 1})),
            1,
        ),
        (&["no JSON", "{\"a\": 2}"], &[true], Ok(json!({"a": 2})), 2),
        (
            &["{}", "{\"a\": 3}"],
            &[false, true],
            Ok(json!({"a": 3})),
            2,
        ),
        (&["{}", "{}", "{\"a\": 3}"], &[false], Err("E_SCHEMA"), 2),
    ];
    for (node_type, settings) in [
        ("llm_response", schema),
        (
            "extract",
            json!({"schema": {"type": "object", "required": ["a"]}}),
        ),
    ] {
        for (answers, valid, expected, calls) in table.clone() {
            let (bench, result) = ask(node_type, settings.clone(), answers, valid);
            assert_eq!(bench.host.requests().len(), calls);
            match expected {
                Ok(value) => assert_eq!(result.outputs["all"]["json"], value, "{:?}", result.error),
                Err(expected) => assert_eq!(code(&result), expected),
            }
            if calls == 2 {
                let prompt = bench.last_prompt();
                assert!(
                    prompt
                        .last()
                        .unwrap()
                        .starts_with("user: Your answer does not fit"),
                    "{prompt:?}"
                );
                assert_eq!(
                    prompt[prompt.len() - 2],
                    format!("assistant: {}", answers[0])
                );
            }
        }
    }
}

#[test]
fn an_agents_answer_by_schema_is_repaired_once_and_the_repair_is_not_stored() {
    let document = steps(
        &[
            node(
                "agent",
                "ai_agent",
                json!({"output_schema": {"type": "object"}}),
            ),
            output("v", "{{ nodes.agent.json }}"),
        ],
        &[
            node("model", "llm_model", json!({"model": "default"})),
            node("memory", "buffer_memory", json!({})),
        ],
        &[
            "link_llm model.llm > agent.llm",
            "link_memory memory.memory > agent.memory",
        ],
    );
    let plan = plan(&document);
    let mut bench = Bench::new();
    bench
        .host
        .answers("default", [Answer::text("hm"), Answer::text("{\"a\": 1}")]);
    bench
        .host
        .answers("schema", [Answer::Value(json!({"errors": []}))]);
    let result = bench.say(&plan, "one");
    assert_eq!(result.outputs["v"], json!({"a": 1}), "{:?}", result.error);
    bench.say(&plan, "two");
    let prompt = bench.last_prompt();
    let talk: Vec<_> = prompt
        .iter()
        .filter(|line| !line.starts_with("system:"))
        .map(String::as_str)
        .collect();
    assert_eq!(talk, ["user: one", "assistant: {\"a\": 1}", "user: two"]);
    let mut bench = Bench::new();
    bench.host.answers("default", [Answer::text("hm")]);
    assert_eq!(code(&bench.say(&plan, "one")), "E_SCHEMA");
}

#[test]
fn a_classifier_takes_json_a_bare_name_or_other() {
    let settings =
        json!({"classes": [{"id": "refund", "description": "money back"}, {"id": "praise"}]});
    for (answer, valid, class, reason, warns) in [
        (
            "{\"class\": \"refund\", \"reason\": \"asks\"}",
            true,
            "refund",
            json!("asks"),
            false,
        ),
        ("{\"class\": \"other\"}", true, "other", Value::Null, false),
        (" \"Praise\". ", true, "praise", Value::Null, false),
        ("I cannot say", true, "other", Value::Null, true),
        ("{\"class\": \"blame\"}", false, "other", Value::Null, true),
        ("{\"class\": \"blame\"}", true, "other", Value::Null, true),
    ] {
        let document = steps(
            &[node("ask", "classifier", settings.clone())],
            &[
                node("model", "llm_model", json!({"model": "default"})),
                node("r", "reply", json!({"text": "refund"})),
                node("p", "reply", json!({"text": "praise"})),
                node("o", "reply", json!({"text": "other"})),
                output("reason", "{{ nodes.ask.reason }}"),
            ],
            &[
                "link_llm model.llm > ask.llm",
                "ask.refund > r.in",
                "ask.praise > p.in",
                "ask.other > o.in",
                "r.out > out_reason.in",
                "p.out > out_reason.in",
                "o.out > out_reason.in",
            ],
        );
        let mut bench = Bench::new();
        bench.host.answers("default", [Answer::text(answer)]);
        bench.host.answers(
            "schema",
            [Answer::Value(
                json!({"errors": if valid { json!([]) } else { json!(["no"]) }}),
            )],
        );
        let result = bench.say(&plan(&document), "x");
        assert_eq!(
            (result.text.as_str(), &result.outputs["reason"]),
            (class, &reason),
            "{answer} {:?}",
            result.error
        );
        let warned = result
            .warnings
            .iter()
            .any(|warning| warning.code == "W_CLASS_UNCLEAR");
        assert_eq!(warned, warns, "{answer}");
    }
}

#[test]
fn an_agent_in_a_loop_stores_one_round_a_pass() {
    let document = steps(
        &[node("each", "for_each", json!({"items": ["a", "b"]}))],
        &[
            inner("each", "agent", "ai_agent", json!({"prompt": "{{ item }}"})),
            node("model", "llm_model", json!({"model": "default"})),
            node("memory", "buffer_memory", json!({})),
        ],
        &[
            "each.body > agent.in",
            "link_llm model.llm > agent.llm",
            "link_memory memory.memory > agent.memory",
        ],
    );
    let mut bench = Bench::new();
    bench.host.answers(
        "default",
        [Answer::text("A"), Answer::text("B"), Answer::text("C")],
    );
    let result = bench.say(&plan(&document), "x");
    assert_eq!((result.status, result.error), (RunStatus::Succeeded, None));
    assert_eq!(bench.last_prompt(), ["user: a", "assistant: A", "user: b"]);
    let stored = bench
        .host
        .event_types()
        .iter()
        .filter(|name| **name == "memory_written")
        .count();
    assert_eq!(stored, 2);
}
