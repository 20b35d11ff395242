//! What a turn asks of the storage, and what becomes of it when its beginning cannot be written.
use mnemograph_engine::{Plan, RunStatus};
use mnemograph_memory::ShownStatus;
use mnemograph_storage::{Durability, MemoryStorage, Storage, StoreError, Table};
use mnemograph_testkit::faulty_storage::{Call, Fault, FaultyStorage};
use mnemograph_testkit::{Answer, chat_graph, edge, node, plan};
use pollster::block_on;
use serde_json::{Value, json};
use std::rc::Rc;

use crate::support::Bench;

type Store = FaultyStorage<MemoryStorage>;

fn bench() -> (Store, Bench<Store>) {
    let storage = FaultyStorage::new(MemoryStorage::new());
    (storage.clone(), Bench::on(storage, "default"))
}

/// The calls in short: `read 6`, `relaxed`, `strict`; single scans by their table.
fn steps(calls: &[Call]) -> Vec<String> {
    let step = |call: &Call| match call {
        Call::Scan(table) => format!("scan {}", table.name()),
        Call::ScanAll(tables) => format!("read {}", tables.len()),
        Call::Commit(batch) => match batch.durability() {
            Durability::Relaxed => "relaxed".to_owned(),
            Durability::Strict => "strict".to_owned(),
        },
    };
    calls.iter().map(step).collect()
}

fn records(storage: &Store, table: Table) -> usize {
    let all = mnemograph_storage::Range::all();
    let found = block_on(storage.inner().scan(table, &all, Default::default()));
    found.unwrap().len()
}

fn statuses<S: Storage + 'static>(bench: &Bench<S>) -> Vec<ShownStatus> {
    let page = mnemograph_memory::thread::TranscriptPage::default();
    let turns = block_on(bench.runtime.threads_transcript("t", page)).unwrap();
    turns.iter().map(|turn| turn.status).collect()
}

/// A chat whose agent remembers nothing beyond the run.
fn forgetful() -> Rc<Plan> {
    plan(&chat_graph("g", |graph: &mut Value| {
        graph["nodes"][3]["settings"] = json!({"scope": "session"});
    }))
}

fn without_agent() -> Rc<Plan> {
    plan(&json!({
        "format": "mnemograph", "format_version": 1, "id": "g", "name": "g",
        "nodes": [
            node("chat", "chat_trigger", json!({})),
            node("reply", "reply", json!({"text": "hello"})),
        ],
        "edges": [edge("run", "chat.out", "reply.in")],
    }))
}

/// A database that has been used: in an empty one, a first look makes sure that no epoch was ever taken.
fn used(storage: &Store, bench: &mut Bench<Store>, plan: &Rc<Plan>) {
    bench.host.answers("default", [Answer::text("fine")]);
    bench.say_in(plan, Some("another"), "hi");
    storage.take_calls();
}

#[test]
fn a_turn_reads_once_and_commits_twice() {
    let (storage, mut bench) = bench();
    let plan = plan(&chat_graph("g", |_| {}));
    used(&storage, &mut bench, &plan);
    for _ in 0..3 {
        bench.host.answers("default", [Answer::text("fine")]);
        assert_eq!(bench.say(&plan, "hi").status, RunStatus::Succeeded);
        let calls = storage.take_calls();
        assert_eq!(steps(&calls), ["read 7", "relaxed", "strict"]);
    }
}

#[test]
fn around_a_tool_each_state_is_noted_once() {
    let (storage, mut bench) = bench();
    let plan = plan(&chat_graph("g", |_| {}));
    used(&storage, &mut bench, &plan);
    let call = Answer::tool_call("a", "weather", json!({}));
    bench.host.answers("default", [call, Answer::text("done")]);
    bench.host.answers("weather", [Answer::text("sunny")]);
    assert_eq!(bench.say(&plan, "go").text, "done");
    let expected = ["read 7", "relaxed", "relaxed", "relaxed", "strict"];
    assert_eq!(steps(&storage.take_calls()), expected);
}

#[test]
fn nobody_is_asked_or_told_before_the_turn_is_stored() {
    for (plan, journal) in [(plan(&chat_graph("g", |_| {})), 1), (forgetful(), 0)] {
        let (storage, mut bench) = bench();
        bench.host.answers("default", [Answer::Hang]);
        let options = bench.options(Some("t"), "hello?");
        bench.pump.start(&plan, options);
        bench.pump.settle();
        assert_eq!(bench.host.requests().len(), 1);
        assert_eq!(statuses(&bench), [ShownStatus::Running]);
        assert_eq!(records(&storage, Table::Journal), journal);
        assert!(!bench.host.0.events.borrow().is_empty());
    }
}

#[test]
fn a_turn_whose_beginning_cannot_be_written_fails_and_asks_nobody() {
    let full = || Fault::Refuse(StoreError::Quota("full".to_owned()));
    for plan in [plan(&chat_graph("g", |_| {})), forgetful(), without_agent()] {
        let (storage, mut bench) = bench();
        bench.host.answers("default", [Answer::text("fine")]);
        storage.fail(1, full());
        let result = bench.say(&plan, "hi");
        assert_eq!(result.status, RunStatus::Failed);
        assert_eq!(result.error.unwrap().code, "E_STORE_QUOTA");
        assert_eq!(bench.host.requests().len(), 0);
        for table in Table::ALL {
            assert_eq!(records(&storage, *table), 0, "{}", table.name());
        }
        let next = bench.say(&plan, "again");
        assert_eq!(next.status, RunStatus::Succeeded, "the next turn works");
        assert_eq!(statuses(&bench), [ShownStatus::Complete]);
    }
}

#[test]
fn a_turn_that_cannot_be_read_fails() {
    let (storage, mut bench) = bench();
    storage.fail(0, Fault::Refuse(StoreError::Backend("no".to_owned())));
    let result = bench.say(&plan(&chat_graph("g", |_| {})), "hi");
    assert_eq!(result.status, RunStatus::Failed);
    assert_eq!(records(&storage, Table::Threads), 0);
}

#[test]
fn who_writes_in_the_thread_meanwhile_costs_a_look_and_no_turn() {
    let (storage, mut bench) = bench();
    let plan = plan(&chat_graph("g", |_| {}));
    bench
        .host
        .answers("default", [Answer::text("one"), Answer::text("two")]);
    assert_eq!(bench.say(&plan, "first").text, "one");
    storage.take_calls();
    // The combined write gives up; then the turn and the row go one after the other.
    for k in [1, 4, 7, 10, 13, 16, 19, 22] {
        storage.fail(k, Fault::Conflict);
    }
    let result = bench.say(&plan, "second");
    assert_eq!((result.text.as_str(), result.warnings.len()), ("two", 0));
    assert_eq!(statuses(&bench), [ShownStatus::Complete; 2]);
    assert_eq!(records(&storage, Table::Rounds), 2);
    assert_eq!(records(&storage, Table::Journal), 0);
}

#[test]
fn a_row_that_cannot_be_written_leaves_the_turn_alone() {
    let (storage, mut bench) = bench();
    bench.host.answers("default", [Answer::text("fine")]);
    let deep = (0..70).fold(json!(1), |inner, _| json!([inner]));
    let mut options = bench.options(Some("t"), "hi");
    options.input.text = None;
    let mut message = mnemograph_memory::Message::new(
        "m".to_owned(),
        mnemograph_memory::Role::User,
        vec![mnemograph_memory::Part::text("hi")],
        1,
    );
    message.meta.insert("deep".to_owned(), deep);
    options.input.message = Some(message);
    let result = bench.pump.run(&plan(&chat_graph("g", |_| {})), options);
    let codes: Vec<_> = result
        .warnings
        .iter()
        .map(|warning| warning.code.as_str())
        .collect();
    assert_eq!(codes, ["W_JOURNAL", "E_MEMORY_WRITE"]);
    assert_eq!(records(&storage, Table::Threads), 1);
    assert_eq!(records(&storage, Table::Rounds), 0);
}
