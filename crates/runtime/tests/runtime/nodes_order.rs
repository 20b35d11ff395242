//! Parallel branches: what is stored keeps the order in which steps began, whichever answer comes first.

use crate::support::Bench;
use mnemograph_runtime::HostPayload;
use mnemograph_testkit::{Answer, graph, node, plan};
use serde_json::{Value, json};

/// Three branches, each a wait and then what shows or stores something.
fn branches(waits: [u64; 3], max_parallel: u32) -> Value {
    let mut nodes = vec![node("chat", "chat_trigger", json!({}))];
    let mut edges = Vec::new();
    for (name, ms) in ["a", "b", "c"].into_iter().zip(waits) {
        nodes.push(node(&format!("wait_{name}"), "delay", json!({"ms": ms})));
        nodes.push(node(&format!("say_{name}"), "reply", json!({"text": name})));
        edges.extend([
            format!("chat.out > wait_{name}.in"),
            format!("wait_{name}.out > say_{name}.in"),
        ]);
    }
    let edges: Vec<&str> = edges.iter().map(String::as_str).collect();
    let mut document = graph(&nodes, &edges);
    document["limits"] = json!({"max_parallel": max_parallel});
    document
}

#[test]
fn branches_overlap_as_far_as_they_may_and_one_at_a_time_keep_the_order_of_edges() {
    for waits in [
        [10, 20, 30],
        [30, 20, 10],
        [20, 30, 10],
        [20, 10, 30],
        [0, 0, 0],
    ] {
        for max_parallel in [1, 2, 3] {
            let mut bench = Bench::new();
            let result = bench.say(&plan(&branches(waits, max_parallel)), "x");
            let mut replies: Vec<_> = result.text.lines().collect();
            if max_parallel > 1 {
                replies.sort_unstable();
            }
            assert_eq!(
                (replies, &result.error),
                (vec!["a", "b", "c"], &None),
                "{waits:?} {max_parallel}"
            );
            let events = bench.host.0.events.borrow();
            let took = events.last().unwrap().t - events[0].t;
            if max_parallel == 3 {
                assert_eq!(took, *waits.iter().max().unwrap(), "the waits overlap");
            }
        }
    }
}

#[test]
fn rounds_are_stored_in_the_order_of_the_graph() {
    let agent = |id: &str| node(id, "ai_agent", json!({"prompt": id}));
    let mut document = graph(
        &[
            node("chat", "chat_trigger", json!({})),
            agent("a"),
            agent("b"),
            node("slow", "llm_model", json!({"model": "slow"})),
            node("default", "llm_model", json!({"model": "default"})),
            node("one", "buffer_memory", json!({})),
            node("two", "buffer_memory", json!({})),
        ],
        &[
            "chat.out > a.in",
            "chat.out > b.in",
            "link_llm slow.llm > a.llm",
            "link_llm default.llm > b.llm",
            "link_memory one.memory > a.memory",
            "link_memory two.memory > b.memory",
        ],
    );
    document["limits"] = json!({"max_parallel": 2});
    let mut bench = Bench::new();
    bench.host.answers("slow", [Answer::Hang]);
    bench.host.answers("default", [Answer::text("B")]);
    let run = bench.begin(&plan(&document), "x");
    assert!(
        !bench.host.event_types().contains(&"memory_written"),
        "the first has not ended"
    );
    let asked = bench
        .host
        .0
        .calls
        .borrow()
        .iter()
        .find(|call| call.name == "slow")
        .unwrap()
        .call_id;
    bench.host.push_delivery(
        &run,
        asked,
        mnemograph_runtime::Delivery::Done("\"A\"".to_owned()),
    );
    bench.pump.finish();
    assert_eq!(bench.last_result().error, None);
    let events = bench.host.0.events.borrow();
    let stored: Vec<_> = events
        .iter()
        .filter(|event| event.data.type_name() == "memory_written")
        .map(|event| event.node.clone().unwrap())
        .collect();
    assert_eq!(stored, ["a", "b"]);
}

#[test]
fn no_more_wait_at_once_than_is_allowed() {
    let calls: Vec<Value> = (0..5)
        .map(|n| {
            node(
                &format!("c{n}"),
                "call",
                json!({"function": "f", "args": n}),
            )
        })
        .collect();
    for max_parallel in [1_usize, 2, 5] {
        let mut nodes = vec![node("chat", "chat_trigger", json!({}))];
        nodes.extend(calls.clone());
        let edges: Vec<String> = (0..5).map(|n| format!("chat.out > c{n}.in")).collect();
        let mut document = graph(
            &nodes,
            &edges.iter().map(String::as_str).collect::<Vec<_>>(),
        );
        document["limits"] = json!({"max_parallel": max_parallel});
        let mut bench = Bench::new();
        bench.host.answers("f", [Answer::Hang]);
        bench.begin(&plan(&document), "x");
        let calls = bench.host.0.calls.borrow();
        let made: Vec<_> = calls
            .iter()
            .map(|call| match &call.payload {
                HostPayload::Work { payload, .. } => payload.as_u64().unwrap(),
                other => panic!("{other:?}"),
            })
            .collect();
        assert_eq!(made, (0..max_parallel as u64).collect::<Vec<_>>());
    }
}
