//! Rows for a second copy, and rows that are put back from it.

use crate::support::{Bench, chat};
use mnemograph_runtime::{Row, RowsUnder};
use mnemograph_storage::{Key, MemoryStorage, Table};
use mnemograph_testkit::Answer;

/// Every row of every table.
fn all(bench: &Bench<MemoryStorage>) -> Vec<Row> {
    let places: Vec<RowsUnder> = Table::ALL
        .iter()
        .map(|&table| RowsUnder {
            table,
            prefix: None,
        })
        .collect();
    pollster::block_on(bench.runtime.storage_rows(&places)).unwrap()
}

#[test]
fn a_lost_storage_goes_on_from_the_rows_that_are_put_back() {
    let (mut bench, plan) = chat([Answer::text("Hello Ada.")]);
    bench.say(&plan, "my name is Ada");
    let copy = all(&bench);

    let mut bench = Bench::later(MemoryStorage::new(), [Answer::text("Ada.")]);
    let put = pollster::block_on(bench.runtime.storage_restore(&copy)).unwrap();
    assert_eq!(put, copy.len() as u64);
    assert_eq!(all(&bench), copy);
    bench.say(&plan, "what is my name?");
    assert_eq!(
        bench.last_prompt(),
        [
            "system: Be kind.",
            "user: my name is Ada",
            "assistant: Hello Ada.",
            "user: what is my name?",
        ]
    );
}

#[test]
fn rows_are_put_back_over_nothing_that_is_there() {
    let (mut bench, plan) = chat([Answer::text("One."), Answer::text("Two.")]);
    bench.say(&plan, "first");
    let old = all(&bench);
    bench.say(&plan, "second");
    let now = all(&bench);
    assert_ne!(old, now);
    let put = pollster::block_on(bench.runtime.storage_restore(&old)).unwrap();
    assert_eq!((put, all(&bench)), (0, now));
}

#[test]
fn rows_without_the_heads_of_their_histories_are_a_history_all_the_same() {
    let (mut bench, plan) = chat([Answer::text("Hello Ada.")]);
    bench.say(&plan, "my name is Ada");
    let mut copy = all(&bench);
    copy.retain(|row| row.table != Table::Heads || row.key.parts().len() > 5);

    let answers = [Answer::text("Ada."), Answer::text("Still Ada.")];
    let mut bench = Bench::later(MemoryStorage::new(), answers);
    pollster::block_on(bench.runtime.storage_restore(&copy)).unwrap();
    bench.say(&plan, "what is my name?");
    bench.say(&plan, "and now?");
    assert_eq!(bench.last_prompt().len(), 6);
}

#[test]
fn only_the_rows_under_a_prefix_are_given() {
    let (mut bench, plan) = chat([Answer::text("Hello.")]);
    bench.say(&plan, "hello");
    let under = |prefix: Key| {
        let place = RowsUnder {
            table: Table::Threads,
            prefix: Some(prefix),
        };
        let places = [place];
        let rows = bench.runtime.storage_rows(&places);
        pollster::block_on(rows).unwrap().len()
    };
    assert_eq!(under(Key::new(["nobody"])), 0);
    let threads = all(&bench);
    let thread = threads
        .iter()
        .find(|row| row.table == Table::Threads)
        .unwrap();
    assert_eq!(under(thread.key.clone()), 1);
}
