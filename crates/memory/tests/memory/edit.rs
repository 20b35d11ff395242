//! Taking rounds away: those that stay are as they were, and no run that saw the others brings them back.

use mnemograph_memory::history::{self, Edit, Edited};
use mnemograph_memory::{Appended, Base, JournalRow, MemoryError};
use mnemograph_storage::{Key, MemoryStorage, Storage, Table, Value};
use pollster::block_on;
use proptest::prelude::*;
use serde_json::json;

use crate::support::faulty_storage::{Fault, FaultyStorage};
use crate::support::*;

fn after(round: &str) -> Edit {
    Edit::TruncateAfter {
        round: round.to_owned(),
    }
}

fn one(round: &str) -> Edit {
    Edit::DeleteRound {
        round: round.to_owned(),
    }
}

fn edit<S: Storage>(storage: &S, edit: &Edit) -> Result<Edited, MemoryError> {
    block_on(history::edit(storage, &key(), edit))
}

/// Rounds `r0`, `r1`, … of two messages each.
fn filled<S: Storage>(storage: &S, rounds: usize) -> Option<Base> {
    (0..rounds).fold(None, |base, i| {
        let round = round(&format!("r{i}"), &format!("u{i} a{i}"));
        Some(stored(storage, base.as_ref(), &round))
    })
}

#[test]
fn truncating_gives_back_what_was_taken_and_keeps_places() {
    let storage = MemoryStorage::new();
    filled(&storage, 4);
    let before = load(&storage).messages;
    let edited = edit(&storage, &after("r1")).unwrap();
    assert_eq!(show(&edited.removed), "u2 a2 u3 a3");
    assert_eq!(edited.left, 4);
    assert_eq!(load(&storage).messages, before[..4]);
    assert_eq!(check_whole(&storage, &key()), ["r0", "r1"]);
    // The numbers of what went are not given again.
    let base = load(&storage).base.unwrap();
    assert_eq!((base.next_seq, base.epoch), (9, edited.epoch));
    stored(&storage, Some(&base), &round("r9", "u9 a9"));
    assert_eq!(check_whole(&storage, &key()), ["r0", "r1", "r9"]);
    assert_eq!(records(&storage, Table::RoundIds).len(), 3);
}

#[test]
fn one_round_is_deleted_from_the_middle() {
    let storage = MemoryStorage::new();
    filled(&storage, 3);
    let edited = edit(&storage, &one("r1")).unwrap();
    assert_eq!((show(&edited.removed).as_str(), edited.left), ("u1 a1", 4));
    assert_eq!(check_whole(&storage, &key()), ["r0", "r2"]);
}

#[test]
fn a_run_that_saw_what_was_taken_stores_nothing_however_late() {
    let storage = MemoryStorage::new();
    let seen = filled(&storage, 2).unwrap();
    let late = round("late", "u8 a8");
    let row = JournalRow {
        round: late.clone(),
        seen_seq: 4,
        updated_at: 0,
    };
    let open = block_on(history::open_round(
        &storage,
        &key(),
        Some(&seen),
        &row,
        nothing(),
    ));
    edit(&storage, &after("r0")).unwrap();
    assert_eq!(records(&storage, Table::Journal), []);
    for base in [seen, open.unwrap()] {
        let appended = block_on(append(&storage, Some(&base), &late)).unwrap();
        assert_eq!(appended, Appended::Stale);
    }
    assert_eq!(check_whole(&storage, &key()), ["r0"]);
}

#[test]
fn a_round_that_stays_is_still_stored_once() {
    let storage = MemoryStorage::new();
    filled(&storage, 2);
    edit(&storage, &after("r0")).unwrap();
    let base = load(&storage).base.unwrap();
    let again = block_on(append(&storage, Some(&base), &round("r0", "u0 a0"))).unwrap();
    assert!(
        matches!(
            again,
            Appended::Already {
                first_seq: 1,
                count: 2,
                ..
            }
        ),
        "{again:?}"
    );
}

#[test]
fn taking_nothing_away_writes_nothing_and_an_unknown_round_is_an_error() {
    let storage = MemoryStorage::new();
    assert_eq!(edit(&storage, &after("r0")).unwrap_err().code(), "E_BAD_ID");
    filled(&storage, 2);
    let before = dump(&storage);
    assert_eq!(edit(&storage, &after("r1")).unwrap().removed, []);
    for unknown in [after("r7"), one("r7")] {
        assert_eq!(edit(&storage, &unknown).unwrap_err().code(), "E_BAD_ID");
    }
    assert_eq!(dump(&storage), before);
}

#[test]
fn after_eight_conflicts_nothing_is_changed() {
    let storage = FaultyStorage::new(MemoryStorage::new());
    filled(&storage, 2);
    storage.fail_always(Some(Fault::Conflict));
    let before = dump(storage.inner());
    let error = edit(&storage, &one("r0")).unwrap_err();
    assert_eq!(
        (error.code(), dump(storage.inner())),
        ("E_STORE_CONFLICT", before)
    );
}

#[test]
fn a_damaged_round_is_carried_over_as_it_is_until_it_is_taken_away() {
    let storage = MemoryStorage::new();
    let base = filled(&storage, 3).unwrap();
    let place = |epoch: u64| head_key().with(epoch).with(1_u64);
    let spoil = |value: &mut Value| {
        value.insert("body".to_owned(), json!("spoilt"));
    };
    damage(&storage, Table::Rounds, &place(base.epoch), spoil);
    let edited = edit(&storage, &after("r1")).unwrap();
    let quarantined: Vec<Key> = load(&storage)
        .quarantined
        .into_iter()
        .map(|q| q.key)
        .collect();
    assert_eq!(quarantined, [place(edited.epoch)]);
    let edited = edit(&storage, &one("r0")).unwrap();
    assert_eq!((edited.removed, edited.left), (vec![], 2));
    assert_eq!(check_whole(&storage, &key()), ["r1"]);
}

proptest! {
    #![proptest_config(cases(64))]

    /// Against a list: whatever is appended and taken away, the rounds are those of the list.
    #[test]
    fn edits_are_those_of_a_list(steps in prop::collection::vec((0_u8..3, any::<prop::sample::Index>()), 1..20)) {
        let storage = MemoryStorage::new();
        let mut model: Vec<String> = Vec::new();
        for (i, (what, place)) in steps.into_iter().enumerate() {
            if what == 0 || model.is_empty() {
                let id = format!("r{i}");
                stored(&storage, load(&storage).base.as_ref(), &round(&id, &format!("u{i} a{i}")));
                model.push(id);
                continue;
            }
            let at = place.index(model.len());
            let id = model[at].clone();
            if what == 1 {
                edit(&storage, &after(&id)).unwrap();
                model.truncate(at + 1);
            } else {
                edit(&storage, &one(&id)).unwrap();
                model.remove(at);
            }
            prop_assert_eq!(&check_whole(&storage, &key()), &model);
            prop_assert_eq!(records(&storage, Table::RoundIds).len(), model.len());
        }
    }
}
