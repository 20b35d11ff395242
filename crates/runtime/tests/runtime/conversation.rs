//! What a conversation remembers, and from whom it keeps it.

use crate::support::{Bench, chat};
use mnemograph_engine::{EventData, RunStatus};
use mnemograph_memory::Edit;
use mnemograph_memory::{ShownStatus, thread::TranscriptPage};
use mnemograph_runtime::Delivery;
use mnemograph_storage::{Batch, Durability, MemoryStorage, Range, ScanOptions, Storage, Table};
use mnemograph_testkit::{Answer, chat_graph, edge, node, plan};
use serde_json::json;

#[test]
fn the_second_turn_is_sent_the_whole_first_round_in_order() {
    let (mut bench, plan) = chat([
        Answer::Value(json!({"text": "One moment.", "tool_calls": [
            {"call_id": "a", "name": "weather", "args": {"city": "Oslo"}},
            {"call_id": "b", "name": "weather", "args": {"city": "Rome"}},
        ]})),
        Answer::text("Hello Ada, 3 and 20 degrees."),
        Answer::text("Ada."),
    ]);
    bench.host.answers(
        "weather",
        [Answer::Value(json!({"degrees": 3})), Answer::text("20")],
    );
    let first = bench.say(&plan, "my name is Ada");
    assert_eq!(
        (first.status, first.text.as_str()),
        (RunStatus::Succeeded, "Hello Ada, 3 and 20 degrees.")
    );
    let second = bench.say(&plan, "what is my name?");
    assert_eq!(second.text, "Ada.");
    assert_eq!(
        bench.last_prompt(),
        [
            "system: Be kind.",
            "user: my name is Ada",
            "assistant: One moment. [a weather] [b weather]",
            "tool: {a {\"degrees\":3}}",
            "tool: {b 20}",
            "assistant: Hello Ada, 3 and 20 degrees.",
            "user: what is my name?",
        ]
    );
}

#[test]
fn a_new_runtime_on_the_same_storage_goes_on_where_the_old_one_ended() {
    let storage = MemoryStorage::new();
    let plan = plan(&chat_graph("g", |_| {}));
    let mut before = Bench::on(storage.clone(), "default");
    before.host.answers("default", [Answer::text("Hello Ada.")]);
    before.say(&plan, "my name is Ada");
    let mut after = Bench::later(storage, [Answer::text("Ada.")]);
    after.say(&plan, "and mine?");
    assert_eq!(
        after.last_prompt(),
        [
            "system: Be kind.",
            "user: my name is Ada",
            "assistant: Hello Ada.",
            "user: and mine?"
        ]
    );
}

#[test]
fn no_history_crosses_threads_namespaces_graphs_or_nodes() {
    let long = "x".repeat(10_000);
    let ids = [
        "a",
        "ab",
        "b",
        "__proto__",
        "constructor",
        "%",
        "a/b",
        "a,b",
        "🔥",
        "\u{0}",
        &long,
        &long[1..],
    ];
    let storage = MemoryStorage::new();
    let mut secrets = Vec::new();
    for namespace in ["n", "nn"] {
        for graph in ["g", "gg"] {
            for (memory, other) in [("m", "mm"), ("mm", "m")] {
                for thread in ids {
                    let secret = format!("secret{}", secrets.len());
                    secrets.push(secret.clone());
                    let plan = plan(&chat_graph(graph, |graph| {
                        graph["nodes"][3] = node(memory, "buffer_memory", json!({}));
                        graph["edges"][5] =
                            edge("link_memory", &format!("{memory}.memory"), "agent.memory");
                        graph["nodes"].as_array_mut().unwrap().push(node(
                            other,
                            "note",
                            json!({"text": ""}),
                        ));
                    }));
                    let mut bench = Bench::on(storage.clone(), namespace);
                    bench.host.answers("default", [Answer::text("ok")]);
                    let mut options = bench.options(Some(thread), &secret);
                    options.run_id = format!("run-{secret}");
                    let result = bench.pump.run(&plan, options);
                    assert_eq!(result.status, RunStatus::Succeeded, "{:?}", result.error);
                    assert_eq!(
                        bench.last_prompt(),
                        ["system: Be kind.", &format!("user: {secret}")]
                    );
                }
            }
        }
    }
}

#[test]
fn scope_decides_how_long_a_memory_lives() {
    let with_scope = |scope: &str| {
        plan(&chat_graph("g", |graph| {
            graph["nodes"][3]["settings"] = json!({"scope": scope})
        }))
    };
    for (scope, remembered) in [("thread", true), ("session", false), ("call", false)] {
        let mut bench = Bench::new();
        bench.host.answers("default", [Answer::text("hm")]);
        let plan = with_scope(scope);
        bench.say(&plan, "first");
        bench.say(&plan, "second");
        assert_eq!(
            bench.last_prompt().iter().any(|line| line == "user: first"),
            remembered,
            "{scope}"
        );
        assert_eq!(bench.last_prompt().last().unwrap(), "user: second");
    }
}

#[test]
fn a_run_without_a_thread_leaves_nothing_behind_and_says_so() {
    let (mut bench, plan) = chat([Answer::text("hm")]);
    let first = bench.say_in(&plan, None, "first");
    assert_eq!(first.thread, first.run_id);
    assert_eq!(first.warnings[0].code, "W_THREAD_WITHOUT_CHAT");
    bench.say_in(&plan, None, "second");
    assert_eq!(bench.last_prompt(), ["system: Be kind.", "user: second"]);
    assert!(
        pollster::block_on(bench.runtime.threads_list(&Default::default()))
            .unwrap()
            .is_empty()
    );
}

#[test]
fn a_node_that_keeps_nothing_has_no_state_to_look_at() {
    let (bench, plan) = chat([]);
    for node in ["agent", "nobody"] {
        let looked = pollster::block_on(bench.runtime.state_inspect(&plan, node, "t"));
        let error = looked.unwrap_err();
        assert_eq!(error.code(), "E_NOT_FOUND");
        assert!(error.hint().contains("state.nodes"), "{}", error.hint());
    }
}

#[test]
fn a_round_that_cannot_be_read_is_left_out_with_a_warning_and_stays_stored() {
    let storage = MemoryStorage::new();
    let mut bench = Bench::on(storage.clone(), "default");
    bench.host.answers("default", vec![Answer::text("hm"); 3]);
    let plan = plan(&chat_graph("g", |_| {}));
    bench.say(&plan, "first");
    bench.say(&plan, "second");
    let rounds = || {
        let (all, options) = (Range::all(), ScanOptions::default());
        pollster::block_on(storage.scan(Table::Rounds, &all, options)).unwrap()
    };
    let mut damaged = rounds().remove(0);
    damaged.value.insert("body".to_owned(), json!("{"));
    let spoilt = damaged.value.clone();
    let batch = Batch::new(Durability::Strict).put(Table::Rounds, damaged.key, damaged.value);
    pollster::block_on(storage.commit(batch)).unwrap();
    let result = bench.say(&plan, "third");
    assert_eq!(result.error, None);
    assert_eq!(result.warnings[0].code, "W_ROUND_QUARANTINED");
    assert_eq!(
        bench.last_prompt(),
        [
            "system: Be kind.",
            "user: second",
            "assistant: hm",
            "user: third"
        ]
    );
    assert_eq!(
        rounds().remove(0).value,
        spoilt,
        "nobody repairs by deleting"
    );
}

#[test]
fn two_agents_on_one_memory_see_each_others_rounds_in_one_run() {
    let mut bench = Bench::new();
    bench
        .host
        .answers("default", [Answer::text("one"), Answer::text("two")]);
    let plan = plan(&chat_graph("g", |graph| {
        let nodes = graph["nodes"].as_array_mut().unwrap();
        nodes.push(node("second", "ai_agent", json!({"prompt": "again"})));
        graph["edges"] = json!([
            edge("run", "chat.out", "agent.in"),
            edge("run", "agent.out", "second.in"),
            edge("run", "second.out", "reply.in"),
            edge("data", "second.output", "reply.text"),
            edge("link_llm", "model.llm", "agent.llm"),
            edge("link_llm", "model.llm", "second.llm"),
            edge("link_memory", "memory.memory", "agent.memory"),
            edge("link_memory", "memory.memory", "second.memory"),
            edge("link_tool", "weather.tool", "agent.tools"),
        ]);
    }));
    let result = bench.say(&plan, "hello");
    assert_eq!(result.text, "two", "{:?}", result.error);
    assert_eq!(
        bench.last_prompt(),
        ["user: hello", "assistant: one", "user: again"]
    );
}

#[test]
fn clearing_empties_the_next_prompt_and_wins_over_a_run_that_goes_on() {
    let (mut bench, plan) = chat([
        Answer::text("ok"),
        Answer::StreamThenHang(vec![]),
        Answer::text("fresh"),
    ]);
    bench.say(&plan, "first");
    let seen = pollster::block_on(bench.runtime.state_inspect(&plan, "memory", "t")).unwrap();
    assert_eq!((seen.count, seen.messages.len()), (2, 2));
    assert!(seen.bytes > 0 && seen.messages.iter().all(|message| message.in_view));
    assert_eq!(
        seen.storage_key,
        ["default", "g", "memory", "t", "buffer_memory"]
    );

    let run = bench.begin(&plan, "second");
    let cleared = pollster::block_on(bench.runtime.state_clear(&plan, "memory", "t")).unwrap();
    assert_eq!(cleared.messages, 2);
    let call = bench.host.0.calls.borrow().last().unwrap().call_id;
    bench
        .host
        .push_delivery(&run, call, Delivery::Done("\"late\"".to_owned()));
    bench.pump.finish();
    let result = bench.last_result();
    assert_eq!(
        (result.status, result.text.as_str()),
        (RunStatus::Succeeded, "late")
    );
    assert_eq!(result.warnings[0].code, "W_STALE_EPOCH");

    bench.say(&plan, "third");
    assert_eq!(bench.last_prompt(), ["system: Be kind.", "user: third"]);
}

#[test]
fn truncating_shortens_the_next_prompt_and_wins_over_a_run_that_goes_on() {
    let (mut bench, plan) = chat([
        Answer::text("ok"),
        Answer::text("gone"),
        Answer::StreamThenHang(vec![]),
        Answer::text("fresh"),
    ]);
    bench.say(&plan, "first");
    bench.say(&plan, "second");
    let seen = pollster::block_on(bench.runtime.state_inspect(&plan, "memory", "t")).unwrap();
    let round = seen.messages[0].message.round.clone().unwrap();
    let edit = Edit::TruncateAfter { round };

    let run = bench.begin(&plan, "third");
    let edited = pollster::block_on(bench.runtime.state_edit(&plan, "memory", "t", &edit)).unwrap();
    assert_eq!((edited.removed.len(), edited.left), (2, 2));
    let call = bench.host.0.calls.borrow().last().unwrap().call_id;
    bench
        .host
        .push_delivery(&run, call, Delivery::Done("\"late\"".to_owned()));
    bench.pump.finish();
    let result = bench.last_result();
    assert_eq!(result.status, RunStatus::Succeeded);
    assert_eq!(result.warnings[0].code, "W_STALE_EPOCH");

    bench.say(&plan, "fourth");
    assert_eq!(
        bench.last_prompt(),
        [
            "system: Be kind.",
            "user: first",
            "assistant: ok",
            "user: fourth"
        ]
    );
}

#[test]
fn the_transcript_shows_what_the_person_saw() {
    let (mut bench, plan) = chat([Answer::text("Hello."), Answer::text("Bye.")]);
    bench.say(&plan, "hi");
    bench.say(&plan, "ciao");
    let turns = pollster::block_on(
        bench
            .runtime
            .threads_transcript("t", TranscriptPage::default()),
    )
    .unwrap();
    let lines: Vec<_> = turns
        .iter()
        .map(|turn| {
            assert_eq!(turn.status, ShownStatus::Complete);
            (
                turn.user.as_ref().unwrap().text(),
                turn.replies
                    .iter()
                    .map(|reply| reply.text())
                    .collect::<String>(),
            )
        })
        .collect();
    assert_eq!(
        lines,
        [
            ("hi".to_owned(), "Hello.".to_owned()),
            ("ciao".to_owned(), "Bye.".to_owned())
        ]
    );
    let threads = pollster::block_on(bench.runtime.threads_list(&Default::default())).unwrap();
    assert_eq!(
        (threads[0].id.as_str(), threads[0].title.as_deref()),
        ("t", Some("hi"))
    );
    assert!(pollster::block_on(bench.runtime.threads_delete("t")).unwrap());
    bench.host.answers("default", [Answer::text("Who?")]);
    bench.say(&plan, "still there?");
    assert_eq!(
        bench.last_prompt(),
        ["system: Be kind.", "user: still there?"]
    );
}

#[test]
fn a_thread_belongs_to_one_actor() {
    let (mut bench, plan) = chat([Answer::text("ok")]);
    bench.say(&plan, "mine");
    let mut options = bench.options(Some("t"), "whose?");
    options.actor = Some("eve".to_owned());
    let result = bench.pump.run(&plan, options);
    assert_eq!(result.error.unwrap().code, "E_THREAD_ACTOR");
    assert_eq!(bench.host.requests().len(), 1, "no model was asked");
}

#[test]
fn memory_events_name_the_memory_and_who_uses_it() {
    let (mut bench, plan) = chat([Answer::text("ok")]);
    bench.say(&plan, "hello");
    let events = bench.host.0.events.borrow();
    let named: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.data {
            EventData::MemoryRead { memory, .. } | EventData::MemoryWritten { memory, .. } => {
                Some((
                    event.data.type_name(),
                    memory.as_str(),
                    event.node.as_deref(),
                ))
            }
            _ => None,
        })
        .collect();
    assert_eq!(
        named,
        [
            ("memory_read", "memory", Some("agent")),
            ("memory_written", "memory", Some("agent")),
        ]
    );
}

#[test]
fn a_window_sends_the_last_messages_and_keeps_all() {
    let windowed = |node_type: &str, settings: serde_json::Value| {
        plan(&chat_graph("g", |graph| {
            graph["nodes"][3] = node("memory", node_type, settings);
        }))
    };
    let storage = MemoryStorage::new();
    let answers = (1..=4).map(|n| Answer::text(&format!("a{n}")));
    let mut bench = Bench::on(storage.clone(), "default");
    bench.host.answers("default", answers);
    let small = windowed("window_memory", json!({"window_size": 3}));
    for n in 1..=3 {
        bench.say(&small, &format!("u{n}"));
    }
    let sent = ["system: Be kind.", "user: u2", "assistant: a2", "user: u3"];
    assert_eq!(bench.last_prompt(), sent, "whole exchanges only");
    // The same place with a larger window: what was left out comes back.
    let large = windowed("window_memory", json!({"window_size": "40"}));
    bench.say(&large, "u4");
    assert_eq!(bench.last_prompt().len(), 8);
    let view = pollster::block_on(bench.runtime.state_inspect(&small, "memory", "t")).unwrap();
    let in_view: Vec<bool> = view
        .messages
        .iter()
        .map(|message| message.in_view)
        .collect();
    assert_eq!(
        (view.count, in_view.len()),
        (8, 8),
        "the store keeps everything"
    );
    assert_eq!(in_view.iter().filter(|in_view| **in_view).count(), 2);
    assert_eq!(in_view.last(), Some(&true));
    // Another type in the same place begins anew.
    let mut other = Bench::later(storage, [Answer::text("b1")]);
    other.say(&windowed("buffer_memory", json!({})), "u5");
    assert_eq!(other.last_prompt(), ["system: Be kind.", "user: u5"]);
}

#[test]
fn a_window_of_nothing_stores_and_a_tiny_one_says_so() {
    for (size, warned) in [(0, false), (1, true)] {
        let plan = plan(&chat_graph("g", |graph| {
            graph["nodes"][3] = node("memory", "window_memory", json!({"window_size": size}));
        }));
        let mut bench = Bench::new();
        bench
            .host
            .answers("default", [Answer::text("a1"), Answer::text("a2")]);
        bench.say(&plan, "u1");
        let second = bench.say(&plan, "u2");
        assert_eq!(bench.last_prompt(), ["system: Be kind.", "user: u2"]);
        let has = second
            .warnings
            .iter()
            .any(|warning| warning.code == "W_WINDOW_EMPTY");
        assert_eq!(has, warned, "size {size}");
        assert_eq!(
            pollster::block_on(bench.runtime.state_inspect(&plan, "memory", "t"))
                .unwrap()
                .count,
            4
        );
    }
}
