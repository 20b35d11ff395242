//! Threads and transcripts.

use mnemograph_memory::history;
use mnemograph_memory::thread::{
    self, Shown, ShownStatus, Thread, ThreadListOptions, TranscriptPage, TurnStart,
};
use mnemograph_memory::{JournalRow, MemoryError, Message, Part, Role};
use mnemograph_storage::{Key, MemoryStorage, Storage, Table};
use pollster::block_on;
use serde_json::json;

use crate::support::faulty_storage::{Call, FaultyStorage};
use crate::support::*;

fn shown(text: &str) -> Shown {
    Shown {
        user: Some(Message::new("m1", Role::User, vec![Part::text(text)], 0)),
        replies: Vec::new(),
        status: ShownStatus::Running,
    }
}

fn start<'a>(thread: &'a str, actor: &'a str, shown: &'a Shown, now: u64) -> TurnStart<'a> {
    TurnStart {
        namespace: "me",
        thread,
        actor,
        run_id: "run_1",
        shown,
        now,
    }
}

pub(super) fn open<S: Storage>(
    storage: &S,
    thread: &str,
    actor: &str,
    text: &str,
    now: u64,
) -> Result<u64, MemoryError> {
    block_on(thread::open_turn(
        storage,
        &start(thread, actor, &shown(text), now),
        nothing(),
    ))
    .map(|turn| turn.entry)
}

fn get(storage: &MemoryStorage, id: &str) -> Thread {
    block_on(thread::get(storage, "me", id)).unwrap().unwrap()
}

pub(super) fn ids(storage: &MemoryStorage, options: &ThreadListOptions) -> Vec<String> {
    let list = block_on(thread::list(storage, "me", options)).unwrap();
    list.threads.into_iter().map(|thread| thread.id).collect()
}

#[test]
fn the_first_turn_makes_a_thread_known() {
    let storage = MemoryStorage::new();
    assert_eq!(block_on(thread::get(&storage, "me", "t")).unwrap(), None);
    assert_eq!(
        open(&storage, "t", "ann", "  Hello\n there ", 10).unwrap(),
        1
    );
    assert_eq!(open(&storage, "t", "ann", "More", 20).unwrap(), 2);
    let expected = Thread {
        id: "t".to_owned(),
        actor: "ann".to_owned(),
        title: Some("Hello there".to_owned()),
        created_at: 10,
        updated_at: 20,
        turns: 2,
    };
    assert_eq!(get(&storage, "t"), expected);
    let record = &records(&storage, Table::Threads)[0];
    assert_eq!(json!(record.key), json!(["me", "t"]));
    let value = json!({"v": 1, "actor": "ann", "title": "Hello there", "created_at": 10, "updated_at": 20, "next_entry": 3});
    assert_eq!(json!(record.value), value);
    let entry = &records(&storage, Table::Transcripts)[0];
    assert_eq!(json!(entry.key), json!(["me", "t", 1]));
    let names: Vec<&String> = entry.value.keys().collect();
    assert_eq!(names, ["v", "run_id", "status", "started_at", "body"]);
}

#[test]
fn a_thread_belongs_to_one_actor() {
    let storage = MemoryStorage::new();
    open(&storage, "t", "ann", "Hi", 0).unwrap();
    let before = dump(&storage);
    for error in [
        open(&storage, "t", "bob", "Hi", 1).unwrap_err(),
        block_on(thread::create(&storage, "me", "t", "bob", None, 1)).unwrap_err(),
    ] {
        assert_eq!(error.code(), "E_THREAD_ACTOR");
    }
    assert_eq!(dump(&storage), before);
    // In another namespace it is another thread.
    let you = Shown { ..shown("Hi") };
    let start = TurnStart {
        namespace: "you",
        ..start("t", "bob", &you, 0)
    };
    block_on(thread::open_turn(&storage, &start, nothing())).unwrap();
}

#[test]
fn creating_a_thread_again_gives_it_back() {
    let storage = MemoryStorage::new();
    let first = block_on(thread::create(&storage, "me", "t", "ann", Some("Mine"), 5)).unwrap();
    let again = block_on(thread::create(&storage, "me", "t", "ann", Some("Other"), 9)).unwrap();
    assert_eq!(first, again);
    assert_eq!(open(&storage, "t", "ann", "Hello", 6).unwrap(), 1);
    assert_eq!(get(&storage, "t").title.as_deref(), Some("Mine"));
}

#[test]
fn a_title_is_the_beginning_of_the_first_message_until_somebody_gives_one() {
    let storage = MemoryStorage::new();
    open(&storage, "long", "ann", &"ä🔥 ".repeat(60), 0).unwrap();
    let title = get(&storage, "long").title.unwrap();
    assert_eq!(title.chars().count(), 81);
    assert!(title.ends_with('…'));
    open(&storage, "none", "ann", " \n", 0).unwrap();
    assert_eq!(get(&storage, "none").title, None);
    let renamed = block_on(thread::rename(&storage, "me", "long", Some("Short"))).unwrap();
    assert_eq!(
        (renamed.title.as_deref(), renamed.updated_at),
        (Some("Short"), 0)
    );
    open(&storage, "long", "ann", "Again", 1).unwrap();
    assert_eq!(get(&storage, "long").title.as_deref(), Some("Short"));
    assert_eq!(
        block_on(thread::rename(&storage, "me", "long", None))
            .unwrap()
            .title,
        None
    );
    let error = block_on(thread::rename(&storage, "me", "nowhere", None)).unwrap_err();
    assert_eq!(
        error,
        MemoryError::NoThread {
            thread: "nowhere".to_owned()
        }
    );
}

#[test]
fn the_newest_thread_comes_first() {
    let storage = MemoryStorage::new();
    for (i, id) in ["a", "b", "c", "d"].iter().enumerate() {
        open(
            &storage,
            id,
            if i == 1 { "bob" } else { "ann" },
            "Hi",
            i as u64,
        )
        .unwrap();
    }
    open(&storage, "a", "ann", "Hi", 9).unwrap();
    let all = ThreadListOptions::default();
    assert_eq!(ids(&storage, &all), ["a", "d", "c", "b"]);
    let page = |after: Option<&str>| ThreadListOptions {
        actor: Some("ann".to_owned()),
        limit: Some(2),
        after: after.map(str::to_owned),
    };
    assert_eq!(ids(&storage, &page(None)), ["a", "d"]);
    assert_eq!(ids(&storage, &page(Some("d"))), ["c"]);
    assert_eq!(ids(&storage, &page(Some("c"))), Vec::<String>::new());
    let error = block_on(thread::list(&storage, "me", &page(Some("b")))).unwrap_err();
    assert_eq!(error.code(), "E_BAD_ID");
}

#[test]
fn a_transcript_is_read_from_its_end() {
    let storage = MemoryStorage::new();
    for i in 0..5 {
        open(&storage, "t", "ann", &format!("Hi {i}"), i).unwrap();
    }
    open(&storage, "t2", "ann", "Other", 0).unwrap();
    let read = |limit, before| {
        let page = TranscriptPage { limit, before };
        let transcript = block_on(thread::transcript(&storage, "me", "t", page)).unwrap();
        transcript
            .entries
            .iter()
            .map(|entry| entry.n)
            .collect::<Vec<_>>()
    };
    assert_eq!(read(None, None), [1, 2, 3, 4, 5]);
    assert_eq!(read(Some(2), None), [4, 5]);
    assert_eq!(read(Some(2), Some(4)), [2, 3]);
    assert_eq!(read(Some(2), Some(1)), Vec::<u64>::new());
    let transcript = block_on(thread::transcript(
        &storage,
        "me",
        "t",
        TranscriptPage::default(),
    ))
    .unwrap();
    assert_eq!(transcript.entries[3].shown, shown("Hi 3"));
    assert_eq!(
        (
            transcript.entries[3].started_at,
            transcript.entries[3].run_id.as_str()
        ),
        (3, "run_1")
    );
}

#[test]
fn a_turn_is_finished_with_its_round_or_alone() {
    let storage = MemoryStorage::new();
    let n = open(&storage, "thread", "ann", "Hi", 1).unwrap();
    let mut done = shown("Hi");
    done.replies.push(Message::new(
        "m2",
        Role::Assistant,
        vec![Part::text("Hello")],
        2,
    ));
    done.status = ShownStatus::Complete;
    let batch = thread::finish_batch("me", "thread", n, "run_1", 1, &done).unwrap();
    block_on(history::append(
        &storage,
        &key(),
        None,
        &round("r1", "u1 a1"),
        0,
        batch,
    ))
    .unwrap();
    let read = || {
        block_on(thread::transcript(
            &storage,
            "me",
            "thread",
            TranscriptPage::default(),
        ))
        .unwrap()
        .entries
    };
    assert_eq!(read()[0].shown, done);
    done.status = ShownStatus::Failed;
    assert!(
        block_on(thread::finish_turn(
            &storage, "me", "thread", n, "run_1", 1, &done
        ))
        .unwrap()
    );
    assert_eq!(read()[0].shown, done);
    // After a deletion nothing comes back.
    block_on(thread::delete(&storage, "me", "thread")).unwrap();
    assert!(
        !block_on(thread::finish_turn(
            &storage, "me", "thread", n, "run_1", 1, &done
        ))
        .unwrap()
    );
    assert_eq!(records(&storage, Table::Transcripts), []);
}

#[test]
fn a_turn_begins_with_one_commit_for_thread_transcript_journal_and_head() {
    let storage = FaultyStorage::new(MemoryStorage::new());
    let hi = shown("Hi");
    let start = start("thread", "ann", &hi, 1);
    let row = JournalRow {
        round: round("r1", "u1"),
        seen_seq: 0,
        updated_at: 1,
    };
    let (turn, batch) = block_on(thread::turn_batch(&storage, &start)).unwrap();
    assert_eq!(dump(storage.inner()), []);
    block_on(history::open_round(&storage, &key(), None, &row, batch)).unwrap();
    let commits = storage
        .take_calls()
        .into_iter()
        .filter(|call| matches!(call, Call::Commit(_)))
        .count();
    assert_eq!((turn.entry, commits), (1, 1));
    let rows = |table| records(storage.inner(), table).len();
    assert_eq!(
        [
            rows(Table::Threads),
            rows(Table::Transcripts),
            rows(Table::Journal),
            rows(Table::Heads)
        ],
        [1, 1, 1, 2]
    );
    // Somebody else has written in the thread since: nothing of this is written.
    let (_, late) = block_on(thread::turn_batch(&storage, &start)).unwrap();
    open(&storage, "thread", "ann", "Me too", 2).unwrap();
    let error = block_on(history::open_round(&storage, &key(), None, &row, late)).unwrap_err();
    assert_eq!(error.code(), "E_STORE_CONFLICT");
    assert_eq!(rows(Table::Transcripts), 2);
}

#[test]
fn damaged_threads_and_entries_are_told_and_others_shown() {
    let storage = MemoryStorage::new();
    open(&storage, "a", "ann", "Hi", 0).unwrap();
    open(&storage, "b", "ann", "Hi", 1).unwrap();
    open(&storage, "b", "ann", "Hi", 2).unwrap();
    damage(&storage, Table::Threads, &Key::new(["me", "a"]), |value| {
        value.insert("created_at".to_owned(), json!("once"));
        value.insert("next_entry".to_owned(), json!(null));
    });
    let entry = Key::new(["me", "b"]).with(1);
    damage(&storage, Table::Transcripts, &entry, |value| {
        value.insert("body".to_owned(), json!("{\"replies\": 3}"));
    });
    let list = block_on(thread::list(&storage, "me", &ThreadListOptions::default())).unwrap();
    assert_eq!((list.threads.len(), list.quarantined.len()), (1, 1));
    let transcript = block_on(thread::transcript(
        &storage,
        "me",
        "b",
        TranscriptPage::default(),
    ))
    .unwrap();
    assert_eq!(
        (transcript.entries.len(), transcript.quarantined.len()),
        (1, 1)
    );
    assert_eq!(transcript.quarantined[0].key, entry);
    // Its owner can go on in it, behind what is there; nobody else can.
    assert_eq!(
        open(&storage, "a", "bob", "Hi", 3).unwrap_err().code(),
        "E_THREAD_ACTOR"
    );
    assert_eq!(open(&storage, "a", "ann", "Hi", 3).unwrap(), 2);
    damage(&storage, Table::Threads, &Key::new(["me", "b"]), |value| {
        value.insert("v".to_owned(), json!(2));
    });
    assert_eq!(
        open(&storage, "b", "ann", "Hi", 4).unwrap_err().code(),
        "E_STORE_VERSION"
    );
}

#[test]
fn two_turns_at_once_have_two_entries() {
    use crate::support::interleave::{Yielding, interleave};
    for pattern in 0..64_u32 {
        let storage = MemoryStorage::new();
        let slow = Yielding(storage.clone());
        let hi = shown("Hi");
        let turn = || async {
            thread::open_turn(&slow, &start("t", "ann", &hi, 0), nothing())
                .await
                .unwrap();
        };
        let schedule: Vec<bool> = (0..6).map(|bit| pattern >> bit & 1 == 1).collect();
        interleave(&schedule, turn(), turn());
        assert_eq!(get(&storage, "t").turns, 2);
        assert_eq!(records(&storage, Table::Transcripts).len(), 2);
    }
}

#[test]
fn ids_that_name_nothing_are_refused() {
    let storage = MemoryStorage::new();
    for (thread, actor) in [("", "ann"), ("t", "")] {
        assert_eq!(
            open(&storage, thread, actor, "Hi", 0).unwrap_err().code(),
            "E_BAD_ID"
        );
    }
    assert_eq!(
        block_on(thread::delete(&storage, "", "t"))
            .unwrap_err()
            .code(),
        "E_BAD_ID"
    );
    assert_eq!(
        block_on(thread::list(&storage, "", &ThreadListOptions::default()))
            .unwrap_err()
            .code(),
        "E_BAD_ID"
    );
    assert_eq!(dump(&storage), []);
}
