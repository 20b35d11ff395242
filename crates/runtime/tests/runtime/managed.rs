//! A whole history: overwritten and read by the ports of a memory, and by a `memory_manager`.

use crate::support::{Bench, code, output};
use mnemograph_engine::{Plan, RunResult};
use mnemograph_memory::Message;
use mnemograph_storage::MemoryStorage;
use mnemograph_testkit::{Answer, chat_graph, edge, node, plan};
use serde_json::{Value, json};
use std::rc::Rc;

/// The usual chat whose memory has these settings, and which gives `messages` of it as the output `held`.
fn chat(settings: Value, change: impl FnOnce(&mut Value)) -> Rc<Plan> {
    plan(&chat_graph("g", |graph| {
        for (name, value) in settings.as_object().unwrap() {
            graph["nodes"][3]["settings"][name] = value.clone();
        }
        change(graph);
    }))
}

fn push(graph: &mut Value, nodes: &[Value], edges: &[Value]) {
    graph["nodes"]
        .as_array_mut()
        .unwrap()
        .extend(nodes.iter().cloned());
    graph["edges"]
        .as_array_mut()
        .unwrap()
        .extend(edges.iter().cloned());
}

/// `messages_in` is wired to JSON text that is parsed.
fn given(text: &str) -> impl FnOnce(&mut Value) + use<> {
    let text = text.to_owned();
    move |graph| {
        let parsed = node("given", "json", json!({"op": "parse", "input": text}));
        let wire = edge("data", "given.output", "memory.messages_in");
        push(graph, &[parsed], &[wire]);
    }
}

fn bench(answers: usize) -> Bench {
    let mut bench = Bench::new();
    let answers = (1..=answers).map(|n| Answer::text(&format!("a{n}")));
    bench.host.answers("default", answers.collect::<Vec<_>>());
    bench.host.answers("weather", [Answer::text("sunny")]);
    bench.say(&plan(&chat_graph("g", |_| {})), "old");
    bench
}

fn held(bench: &Bench, plan: &Plan) -> Vec<String> {
    let state = pollster::block_on(bench.runtime.state_inspect(plan, "memory", "t")).unwrap();
    state
        .messages
        .iter()
        .map(|message| message.message.text())
        .collect()
}

const GIVEN: &str = r#"[{"role": "user", "content": "hi"}, {"role": "assistant", "parts": [{"type": "text", "text": "hello"}]}]"#;

#[test]
fn messages_in_overwrites_all_that_is_there_before_the_agent_reads_it() {
    let plan = chat(json!({"set_from_input": true}), given(GIVEN));
    let mut bench = bench(3);
    let result = bench.say(&plan, "new");
    assert_eq!(result.error, None);
    assert_eq!(
        bench.last_prompt(),
        [
            "system: Be kind.",
            "user: hi",
            "assistant: hello",
            "user: new"
        ]
    );
    assert_eq!(held(&bench, &plan), ["hi", "hello", "new", "a2"]);
}

#[test]
fn an_empty_list_clears_and_nothing_or_null_leaves_it_as_it_is() {
    for (text, expected) in [("[]", 2), ("null", 4)] {
        let plan = chat(json!({"set_from_input": true}), given(text));
        let mut bench = bench(3);
        assert_eq!(bench.say(&plan, "new").error, None);
        assert_eq!(held(&bench, &plan).len(), expected, "{text}");
    }
}

#[test]
fn what_are_no_messages_is_an_error_with_its_place_and_changes_nothing() {
    for (text, place) in [
        (
            r#"[{"role": "user", "content": "a"}, {"role": "robot", "content": "b"}]"#,
            "messages_in[1].role",
        ),
        (r#"[7]"#, "messages_in[0]"),
        (r#"{"role": "user"}"#, "messages_in"),
        (r#"[{"role": "user", "content": 7}]"#, "messages_in[0]"),
    ] {
        let plan = chat(json!({"set_from_input": true}), given(text));
        let mut bench = bench(3);
        let result = bench.say(&plan, "new");
        assert_eq!(code(&result), "E_COERCE", "{text}");
        let message = result.error.unwrap().message;
        assert!(message.contains(place), "{text}: {message}");
        assert_eq!(held(&bench, &plan), ["old", "a1"], "{text}");
    }
}

#[test]
fn the_same_messages_are_applied_once_in_a_run() {
    let plan = chat(json!({"set_from_input": true}), |graph| {
        given(GIVEN)(graph);
        let each = node("each", "for_each", json!({"items": ["x", "y"]}));
        push(graph, &[each], &[]);
        graph["nodes"][1]["parent"] = json!("each");
        graph["nodes"][1]["settings"] = json!({"prompt": "{{ item }}"});
        let edges = graph["edges"].as_array_mut().unwrap();
        edges.retain(|edge| {
            edge["type"] != "run" && edge["to"] != "reply.text" && edge["to"] != "agent.input"
        });
        edges.extend([
            edge("run", "chat.out", "each.in"),
            edge("run", "each.body", "agent.in"),
            edge("run", "each.done", "reply.in"),
        ]);
        graph["nodes"]
            .as_array_mut()
            .unwrap()
            .iter_mut()
            .for_each(|node| {
                if node["id"] == "reply" {
                    node["settings"] = json!({"text": "done"});
                }
            });
    });
    let mut bench = bench(4);
    let result = bench.say(&plan, "new");
    assert_eq!(result.error, None);
    assert_eq!(held(&bench, &plan), ["hi", "hello", "x", "a2", "y", "a3"]);
}

#[test]
fn a_memory_for_one_access_shows_what_it_is_given_and_keeps_nothing() {
    let plan = chat(
        json!({"set_from_input": true, "scope": "call"}),
        given(GIVEN),
    );
    let mut bench = bench(3);
    bench.say(&plan, "new");
    assert_eq!(
        bench.last_prompt(),
        [
            "system: Be kind.",
            "user: hi",
            "assistant: hello",
            "user: new"
        ]
    );
    assert!(held(&bench, &plan).is_empty());
}

fn held_of(result: &RunResult) -> Vec<(String, bool)> {
    let messages = result.outputs["held"].as_array().unwrap();
    let told = messages.iter().map(|told| {
        let mut message = told.clone();
        let in_view = message
            .as_object_mut()
            .unwrap()
            .shift_remove("in_view")
            .unwrap();
        let message: Message = serde_json::from_value(message).unwrap();
        (message.text(), in_view == true)
    });
    told.collect()
}

#[test]
fn messages_out_tells_what_is_stored_after_the_round_and_what_is_in_view() {
    let mut before = bench(3);
    let plan = chat(json!({"output_messages": true}), |graph| {
        graph["nodes"][3]["type"] = json!("window_memory");
        graph["nodes"][3]["settings"]["window_size"] = json!(2);
        let held = output("held", "{{ nodes.memory.messages }}");
        push(graph, &[held], &[edge("run", "reply.out", "out_held.in")]);
    });
    before.say(&plan, "one");
    let result = before.say(&plan, "two");
    assert_eq!(result.error, None);
    let expected = [("one", false), ("a2", false), ("two", true), ("a3", true)];
    let expected = expected.map(|(text, in_view)| (text.to_owned(), in_view));
    assert_eq!(held_of(&result), expected);
}

/// chat → (manager) → held, on the memory of the usual chat.
fn managed(settings: Value, given: Option<&str>) -> Rc<Plan> {
    let document = json!({
        "format": "mnemograph", "format_version": 1, "id": "g", "name": "g",
        "nodes": [
            node("chat", "chat_trigger", json!({})),
            node("manager", "memory_manager", settings),
            node("memory", "buffer_memory", json!({})),
            output("held", "{{ nodes.manager.messages }}"),
            node("given", "json", json!({"op": "parse", "input": given.unwrap_or("null")})),
        ],
        "edges": [
            edge("run", "chat.out", "manager.in"),
            edge("run", "manager.out", "out_held.in"),
            edge("link_memory", "memory.memory", "manager.memory"),
        ],
    });
    let mut document = document;
    if given.is_some() {
        let edges = document["edges"].as_array_mut().unwrap();
        edges.push(edge("data", "given.output", "manager.messages"));
    }
    plan(&document)
}

#[test]
fn a_manager_reads_adds_replaces_takes_back_and_clears() {
    let texts = |result: &RunResult| -> Vec<String> {
        assert_eq!(result.error, None);
        held_of(result).into_iter().map(|(text, _)| text).collect()
    };
    let mut bench = bench(1);
    let act = |bench: &mut Bench, op: &str, given: Option<&str>| {
        let plan = managed(json!({"op": op}), given);
        texts(&bench.say(&plan, "go"))
    };
    assert_eq!(act(&mut bench, "get", None), ["old", "a1"]);
    assert_eq!(
        act(&mut bench, "append", Some(GIVEN)),
        ["old", "a1", "hi", "hello"]
    );
    assert_eq!(act(&mut bench, "delete_last", None), ["old", "a1"]);
    assert_eq!(act(&mut bench, "replace", Some(GIVEN)), ["hi", "hello"]);
    assert_eq!(act(&mut bench, "delete_last", None), [""; 0]);
    assert_eq!(
        act(&mut bench, "delete_last", None),
        [""; 0],
        "nothing is there to take"
    );
    assert_eq!(act(&mut bench, "append", Some(GIVEN)), ["hi", "hello"]);
    assert_eq!(act(&mut bench, "clear", None), [""; 0]);
    let result = bench.say(&managed(json!({"op": "append"}), None), "go");
    assert_eq!(code(&result), "E_INPUT_ABSENT");
    let result = bench.say(&managed(json!({"op": "append"}), Some("[1]")), "go");
    assert_eq!(code(&result), "E_COERCE");
}

#[test]
fn what_a_run_that_goes_on_had_read_is_not_stored_after_a_replacement() {
    let storage = MemoryStorage::new();
    let mut slow = Bench::on(storage.clone(), "default");
    slow.host.answers("default", [Answer::Hang]);
    let chat = plan(&chat_graph("g", |_| {}));
    slow.begin(&chat, "slow");
    let mut other = Bench::later(storage, []);
    other.say(&managed(json!({"op": "replace"}), Some(GIVEN)), "go");
    let asked = slow.host.0.calls.borrow().last().unwrap().clone();
    let late = mnemograph_runtime::Delivery::Done("\"late\"".to_owned());
    slow.host.push_delivery(&asked.run_id, asked.call_id, late);
    slow.pump.finish();
    assert_eq!(slow.last_result().warnings[0].code, "W_STALE_EPOCH");
    assert_eq!(held(&slow, &chat), ["hi", "hello"]);
}
