//! Reading the end of a long history.

use mnemograph_memory::history::{self, Loaded, Read};
use mnemograph_memory::{Message, Role, Status, ViewPolicy, view};
use mnemograph_storage::{
    Batch, Durability, MemoryStorage, Range, ScanOptions, Storage, StoreError, Table,
};
use pollster::block_on;
use proptest::prelude::*;

use crate::support::faulty_storage::{Fault, FaultyStorage};
use crate::support::*;

fn tail(storage: &MemoryStorage, size: usize) -> Loaded {
    block_on(history::load(storage, &key(), Read::Tail(size))).unwrap()
}

#[test]
fn a_tail_reads_pages_from_the_end() {
    let storage = FaultyStorage::new(MemoryStorage::new());
    let mut base = None;
    for i in 0..500 {
        base = Some(stored(
            &storage,
            base.as_ref(),
            &round(&format!("r{i}"), &format!("u{i} a{i}")),
        ));
    }
    storage.take_calls();
    let loaded = block_on(history::load(&storage, &key(), Read::Tail(10))).unwrap();
    assert_eq!(
        storage.take_calls().len(),
        1,
        "the head and one page at once"
    );
    assert!(loaded.messages.len() > 10 && loaded.messages.len() <= 20);
    assert_eq!(loaded.messages.last().unwrap().id, "a499");
    assert_eq!((loaded.count, loaded.complete), (1_000, false));
    assert_eq!(loaded.base, base);
    let none = block_on(history::load(&storage, &key(), Read::Tail(0))).unwrap();
    assert_eq!(
        (none.messages.len(), none.count, none.base),
        (0, 1_000, base)
    );
}

#[test]
fn a_tail_goes_on_past_what_no_view_shows() {
    let storage = MemoryStorage::new();
    stored(&storage, None, &round("first", "u1 a1"));
    for i in 0..40 {
        let mut failed = round(&format!("f{i}"), &format!("u{i}0 a{i}0"));
        failed.end(Status::Failed, None);
        stored(&storage, None, &failed);
    }
    let loaded = tail(&storage, 1);
    assert!(loaded.complete || loaded.messages.iter().any(|message| message.id == "u1"));
    let shown = view(
        &loaded.messages,
        None,
        &ViewPolicy::Window { size: 2 },
        None,
    );
    assert_eq!(show(&shown.messages), "u1 a1");
}

#[test]
fn a_further_page_that_fails_says_so() {
    let storage = FaultyStorage::new(MemoryStorage::new());
    stored(&storage, None, &round("first", "u1 a1"));
    for i in 0..8 {
        let mut failed = round(&format!("f{i}"), &format!("u{i}0 a{i}0"));
        failed.end(Status::Failed, None);
        stored(&storage, None, &failed);
    }
    let _ = storage.take_calls();
    storage.fail(1, Fault::Refuse(StoreError::Blocked("x".to_owned())));
    let error = block_on(history::load(&storage, &key(), Read::Tail(1))).unwrap_err();
    assert_eq!((error.code(), error.retryable()), ("E_STORE_BLOCKED", true));
}

#[test]
fn rounds_of_an_earlier_life_are_no_part_of_a_tail() {
    let storage = MemoryStorage::new();
    let old = stored(&storage, None, &round("old", "u1 a1"));
    let left: Vec<_> = block_on(storage.scan(Table::Rounds, &Range::all(), ScanOptions::default()))
        .unwrap()
        .into_iter()
        .map(|record| (record.key, record.value))
        .collect();
    block_on(history::clear(&storage, &key())).unwrap();
    let base = stored(&storage, None, &round("new", "u2 a2"));
    assert_ne!(base.epoch, old.epoch);
    for (key, value) in left {
        let batch = Batch::new(Durability::Relaxed).put(Table::Rounds, key, value);
        block_on(storage.commit(batch)).unwrap();
    }
    let loaded = tail(&storage, 10);
    let ids: Vec<&str> = loaded.messages.iter().map(|message| &*message.id).collect();
    assert_eq!((ids, loaded.complete), (vec!["u2", "a2"], true));
}

#[test]
fn a_tail_goes_on_to_a_user_message() {
    let storage = MemoryStorage::new();
    stored(&storage, None, &round("first", "u1 a1"));
    for i in 0..40 {
        stored(&storage, None, &round(&format!("r{i}"), &format!("a{i}0")));
    }
    let loaded = tail(&storage, 3);
    assert!(
        loaded
            .messages
            .iter()
            .any(|message| message.role == Role::User)
    );
}

fn shape() -> impl Strategy<Value = (&'static str, Status)> {
    prop_oneof![
        4 => Just(("u a", Status::Complete)),
        3 => Just(("u a*[x] t:x b", Status::Complete)),
        2 => Just(("u a*[x,y] t:y t:x b*[z] t:z c", Status::Complete)),
        1 => Just(("u a*[x]", Status::Aborted)),
        1 => Just(("u", Status::Failed)),
        1 => Just(("u a*[x] t:x", Status::Failed)),
        1 => Just(("u a", Status::Blocked)),
    ]
}

/// Ids and call ids of its own for each round.
fn numbered(shape: &str, i: usize) -> Vec<Message> {
    let mut text = String::new();
    for token in shape.split(' ') {
        let (name, rest) = token.split_at(1);
        text += &match name {
            "t" => format!("t{rest}{i} "),
            "u" | "a" => format!("{name}{i}x0{rest} "),
            "b" => format!("a{i}x1{rest} "),
            other => format!("a{i}x2{} ", rest.trim_start_matches(other)),
        };
    }
    let text = text
        .replace("[x", &format!("[x{i}"))
        .replace(",y", &format!(",y{i}"))
        .replace("[z", &format!("[z{i}"));
    notation::parse(&text)
}

proptest! {
    #![proptest_config(cases(300))]

    /// 0-rulings 0.4: for stores that the product wrote, the window of the tail is the window of the whole.
    #[test]
    fn a_window_needs_no_more_than_the_tail(shapes in prop::collection::vec(shape(), 0..30), size in 0..12_usize) {
        let storage = MemoryStorage::new();
        for (i, (shape, status)) in shapes.iter().enumerate() {
            let mut r = round(&format!("r{i}"), "");
            r.messages = numbered(shape, i);
            r.end(*status, (*status != Status::Complete).then(|| "E_LLM".to_owned()));
            stored(&storage, None, &r);
        }
        let policy = ViewPolicy::Window { size };
        let whole = view(&load(&storage).messages, None, &policy, None);
        let part = view(&tail(&storage, size).messages, None, &policy, None);
        prop_assert_eq!(part.messages, whole.messages);
        prop_assert_eq!(part.in_view, whole.in_view);
    }
}
