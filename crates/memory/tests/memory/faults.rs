//! The storage fails at each call of each operation, in each way; then the operation is repeated.

use mnemograph_memory::history;
use mnemograph_memory::thread::{self, Shown, ShownStatus};
use mnemograph_memory::{Base, JournalRow, MemoryError, Message, Read};
use mnemograph_storage::{MemoryStorage, StoreError, Table};
use pollster::block_on;

use crate::support::faulty_storage::{Fault, FaultyStorage};
use crate::support::*;

type Store = FaultyStorage<MemoryStorage>;

fn row(id: &str, notation: &str) -> JournalRow {
    JournalRow {
        round: round(id, notation),
        seen_seq: 0,
        updated_at: 0,
    }
}

/// A history with one round, and one that is open.
fn prepared() -> (Store, Base) {
    let storage = MemoryStorage::new();
    stored(&storage, None, &round("r1", "u1 a1"));
    let base = block_on(history::open_round(
        &storage,
        &key(),
        None,
        &row("r2", "u2"),
        nothing(),
    ))
    .unwrap();
    (FaultyStorage::new(storage), base)
}

/// What there is to see of a storage: conversations and journal, not counters.
fn seen(storage: &MemoryStorage) -> (Vec<Message>, usize, Vec<thread::Thread>) {
    let threads = block_on(thread::list(
        storage,
        "me",
        &thread::ThreadListOptions::default(),
    ))
    .unwrap();
    (
        load(storage).messages,
        records(storage, Table::Journal).len(),
        threads.threads,
    )
}

/// `operate` must bring about the same whether it is disturbed or not, once it has been repeated; and until then the
/// storage must hold what it held, or what it shall hold.
fn disturb(name: &str, operate: impl Fn(&Store, &Base) -> Result<(), MemoryError>) {
    disturb_from(prepared, name, operate);
}

fn disturb_from(
    prepared: impl Fn() -> (Store, Base),
    name: &str,
    operate: impl Fn(&Store, &Base) -> Result<(), MemoryError>,
) {
    let (calm, base) = prepared();
    let before = seen(calm.inner());
    let _ = calm.take_calls();
    operate(&calm, &base).unwrap();
    let calls = calm.take_calls().len();
    let after = seen(calm.inner());
    let lost = |text: &str| text.to_owned();
    for k in 0..calls {
        for fault in [
            Fault::Refuse(StoreError::Backend(lost("x"))),
            Fault::Refuse(StoreError::Quota(lost("x"))),
            Fault::Refuse(StoreError::Closed(lost("x"))),
            Fault::unknown_outcome(),
            Fault::LoseAnswer(StoreError::Corrupt(lost("x"))),
            Fault::Conflict,
        ] {
            let (storage, base) = prepared();
            let _ = storage.take_calls();
            storage.fail(k, fault.clone());
            let result = operate(&storage, &base);
            let between = seen(storage.inner());
            match (&result, &fault) {
                (Err(error), Fault::Refuse(cause) | Fault::LoseAnswer(cause)) => {
                    assert_eq!(error, &MemoryError::Store(cause.clone()), "{name} {k}");
                    assert_eq!(error.code(), cause.code());
                }
                (result, _) => assert!(result.is_ok(), "{name} {k} {fault:?}: {result:?}"),
            }
            assert!(
                between == before || between == after,
                "{name} {k} {fault:?}: {between:?}"
            );
            storage.heal();
            operate(&storage, &base).unwrap();
            assert_eq!(
                seen(storage.inner()),
                after,
                "{name} {k} {fault:?}, repeated"
            );
        }
    }
}

#[test]
fn an_append_that_is_repeated_is_stored_once() {
    disturb("append", |storage, base| {
        block_on(append(storage, Some(base), &round("r2", "u2 a2"))).map(|_| ())
    });
    disturb("append without a base", |storage, _| {
        block_on(append(storage, None, &round("r2", "u2 a2"))).map(|_| ())
    });
}

#[test]
fn an_append_behind_another_is_stored_once() {
    disturb("append after a conflict", |storage, base| {
        let stale = Base {
            head_rev: base.head_rev + 7,
            ..*base
        };
        block_on(append(storage, Some(&stale), &round("r2", "u2 a2"))).map(|_| ())
    });
}

#[test]
fn a_journal_is_written_or_not() {
    disturb("open", |storage, base| {
        block_on(history::open_round(
            storage,
            &key(),
            Some(base),
            &row("r3", "u3"),
            nothing(),
        ))
        .map(|_| ())
    });
    disturb("open without a base", |storage, _| {
        block_on(history::open_round(
            storage,
            &key(),
            None,
            &row("r3", "u3"),
            nothing(),
        ))
        .map(|_| ())
    });
}

#[test]
fn clearing_clears_all_or_nothing() {
    disturb("clear", |storage, _| {
        block_on(history::clear(storage, &key())).map(|_| ())
    });
}

#[test]
fn recovery_stores_a_round_and_removes_its_row_at_once() {
    disturb("recover", |storage, _| {
        block_on(history::recover(storage, &key(), |_| false)).map(|_| ())
    });
}

#[test]
fn a_provisional_round_is_replaced_at_once() {
    let recovered = || {
        let (storage, base) = prepared();
        block_on(history::recover(storage.inner(), &key(), |_| false)).unwrap();
        (storage, base)
    };
    disturb_from(recovered, "replace", |storage, base| {
        block_on(append(storage, Some(base), &round("r2", "u2 a2"))).map(|_| ())
    });
}

#[test]
fn a_thread_is_deleted_whole_or_not_at_all() {
    disturb("delete", |storage, _| {
        block_on(thread::delete(storage, "me", "thread")).map(|_| ())
    });
}

#[test]
fn a_thread_is_created_and_renamed_once() {
    disturb("create", |storage, _| {
        block_on(thread::create(storage, "me", "t", "ann", Some("First"), 3)).map(|_| ())
    });
    let with_thread = || {
        let (storage, base) = prepared();
        block_on(thread::create(
            storage.inner(),
            "me",
            "thread",
            "ann",
            None,
            3,
        ))
        .unwrap();
        (storage, base)
    };
    disturb_from(with_thread, "rename", |storage, _| {
        block_on(thread::rename(storage, "me", "thread", Some("Second"))).map(|_| ())
    });
}

#[test]
fn a_finished_turn_is_written_once() {
    let shown = Shown {
        user: None,
        replies: Vec::new(),
        status: ShownStatus::Complete,
    };
    disturb("finish", |storage, _| {
        block_on(thread::finish_turn(
            storage, "me", "thread", 1, "run", 0, &shown,
        ))
        .map(|_| ())
    });
}

#[test]
fn a_read_that_fails_says_so() {
    let (storage, _) = prepared();
    for read in [Read::All, Read::Tail(1)] {
        let _ = storage.take_calls();
        storage.fail(0, Fault::Refuse(StoreError::Blocked("x".to_owned())));
        let error = block_on(history::load(&storage, &key(), read)).unwrap_err();
        assert_eq!((error.code(), error.retryable()), ("E_STORE_BLOCKED", true));
    }
}
