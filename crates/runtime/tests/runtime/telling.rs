//! What a run tells: recorded and replayed, or in brief.

use crate::support::Bench;
use mnemograph_testkit::{Answer, chat_graph, plan};
use serde_json::json;

#[test]
fn a_recorded_run_replays_its_events_to_the_byte() {
    let plan = plan(&chat_graph("g", |_| {}));
    let mut bench = Bench::new();
    let call = Answer::tool_call("a", "weather", json!({}));
    bench.host.answers("default", [call, Answer::text("done")]);
    bench.host.answers("weather", [Answer::text("sunny")]);
    let mut options = bench.options(Some("t"), "go");
    options.record = true;
    let recording = bench.pump.run(&plan, options).recording.unwrap();
    let text = serde_json::to_string(&recording).unwrap();
    let events = mnemograph_engine::replay(&plan, serde_json::from_str(&text).unwrap()).unwrap();
    let told = bench.host.0.events.borrow();
    assert_eq!(
        serde_json::to_string(&events).unwrap(),
        serde_json::to_string(&*told).unwrap()
    );
    let other = self::plan(&chat_graph("other", |_| {}));
    assert_eq!(
        mnemograph_engine::replay(&other, *recording)
            .unwrap_err()
            .code,
        "E_GRAPH_CHANGED"
    );
}

#[test]
fn a_brief_run_tells_all_but_its_steps_and_ends_the_same() {
    let plan = plan(&chat_graph("g", |_| {}));
    let run = |brief: bool, record: bool| {
        let mut bench = Bench::new();
        let call = Answer::tool_call("a", "weather", json!({}));
        bench.host.answers("default", [call, Answer::text("done")]);
        bench.host.answers("weather", [Answer::text("sunny")]);
        let mut options = bench.options(Some("t"), "go");
        (options.brief, options.record) = (brief, record);
        let result = bench.pump.run(&plan, options);
        let events = bench.host.0.events.borrow().clone();
        (result, events)
    };
    let (whole, all) = run(false, false);
    let (brief, some) = run(true, false);
    assert_eq!(brief, whole);
    assert!(all.iter().any(|event| event.data.is_step()));
    let expected: Vec<_> = all.iter().filter(|event| !event.data.is_step()).collect();
    assert_eq!(
        some.iter().collect::<Vec<_>>(),
        expected,
        "with the numbers they have in the whole"
    );
    assert_eq!(run(true, true).1, all, "a recording is of a whole run");
}
