//! `for_each`: failed items and concurrency.

use crate::support::{Bench, code, output, run, steps};
use mnemograph_engine::RunStatus;
use mnemograph_runtime::HostPayload;
use mnemograph_testkit::{Answer, inner, node, plan};
use serde_json::{Value, json};

/// A loop whose function fails for the item 2.
fn each(settings: Value, on_item_error: &str) -> Value {
    let mut all = json!({"items": [1, 2, 3], "result": "{{ nodes.f.result }}", "on_item_error": on_item_error});
    all.as_object_mut()
        .unwrap()
        .extend(settings.as_object().unwrap().clone());
    steps(
        &[
            node("each", "for_each", all),
            output("results", "{{ nodes.each.results }}"),
            output("errors", "{{ nodes.each.errors }}"),
        ],
        &[inner(
            "each",
            "f",
            "call",
            json!({"function": "f", "args": "{{ item }}"}),
        )],
        &["each.body > f.in"],
    )
}

fn picky() -> Bench {
    let bench = Bench::new();
    bench.host.script("f", |call| match &call.payload {
        HostPayload::Work { payload, .. } if *payload == json!(2) => {
            Answer::Fail(mnemograph_engine::Failure::new("E_CALL", "no"))
        }
        HostPayload::Work { payload, .. } => Answer::Value(json!(payload.as_u64().unwrap() * 10)),
        other => panic!("{other:?}"),
    });
    bench
}

#[test]
fn a_failed_item_fails_the_loop_or_is_null_or_dropped() {
    for (how, results) in [("null", json!([10, null, 30])), ("drop", json!([10, 30]))] {
        let result = picky().say(&plan(&each(json!({}), how)), "x");
        assert_eq!(
            (result.status, &result.outputs["results"]),
            (RunStatus::Partial, &results),
            "{how}"
        );
        let errors = &result.outputs["errors"];
        assert_eq!(
            (
                &errors[0]["index"],
                &errors[0]["error"]["code"],
                &errors[0]["error"]["path"]
            ),
            (&json!(1), &json!("E_CALL"), &json!(["each[1]"]))
        );
    }
    let mut bench = picky();
    let result = bench.say(&plan(&each(json!({}), "fail")), "x");
    let error = result.error.unwrap();
    assert_eq!(
        (
            error.code.as_str(),
            error.node.as_deref(),
            error.path.as_slice()
        ),
        ("E_CALL", Some("f"), &["each[1]".to_owned()][..])
    );
    assert_eq!(
        bench.host.0.calls.borrow().len(),
        2,
        "no further item begins"
    );
}

#[test]
fn results_and_errors_keep_the_order_of_items_whichever_ends_first() {
    let document = |concurrency: u32| {
        steps(
            &[
                node(
                    "each",
                    "for_each",
                    json!({"items": [30, 20, 10, 40], "concurrency": concurrency, "result": "{{ item }}", "on_item_error": "null"}),
                ),
                output("results", "{{ nodes.each.results }}"),
                output("errors", "{{ nodes.each.errors }}"),
            ],
            &[
                inner("each", "wait", "delay", json!({"ms": "{{ item }}"})),
                inner("each", "say", "reply", json!({"text": "{{ item }}"})),
                inner(
                    "each",
                    "no",
                    "fail",
                    json!({"code": "E_NO", "message": "no"}),
                ),
            ],
            &[
                "each.body > wait.in",
                "wait.out > say.in",
                "say.out > no.in",
            ],
        )
    };
    for (concurrency, ms) in [(1, 100), (2, 70), (4, 40)] {
        let mut bench = Bench::new();
        let result = bench.say(&plan(&document(concurrency)), "x");
        assert_eq!(result.outputs["results"], json!([null, null, null, null]));
        let indexes: Vec<_> = result.outputs["errors"]
            .as_array()
            .unwrap()
            .iter()
            .map(|error| error["index"].as_u64().unwrap())
            .collect();
        assert_eq!(indexes, [0, 1, 2, 3]);
        let events = bench.host.0.events.borrow();
        let took = events.last().unwrap().t - events[0].t;
        assert!(took <= ms, "{concurrency}: {took}");
    }
}

#[test]
fn items_are_a_list_a_data_frame_or_nothing() {
    let frame = json!({"columns": [{"name": "a", "type": "integer"}], "rows": [[1], [2]]});
    for (items, expected) in [
        (json!([]), Ok(json!([]))),
        (json!("{{ none }}"), Ok(json!([]))),
        (frame, Ok(json!([{"a": 1}, {"a": 2}]))),
        (json!("text"), Err("E_ITEMS_TYPE")),
        (json!(3), Err("E_ITEMS_TYPE")),
    ] {
        let document = steps(
            &[
                node(
                    "each",
                    "for_each",
                    json!({"items": items, "result": "{{ item }}"}),
                ),
                output("v", "{{ nodes.each.results }}"),
            ],
            &[inner("each", "nothing", "merge", json!({}))],
            &["each.body > nothing.in"],
        );
        let result = run(&document, "x");
        match expected {
            Ok(value) => assert_eq!(result.outputs.get("v"), Some(&value), "{:?}", result.error),
            Err(expected) => assert_eq!(code(&result), expected, "{items}"),
        }
    }
}
