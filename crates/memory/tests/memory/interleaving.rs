//! Two tabs at once, in any order of their steps, against a list.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use mnemograph_memory::history::{self, Edit, Read};
use mnemograph_memory::{Appended, Base, JournalRow, Round, Status};
use mnemograph_storage::{MemoryStorage, Table};
use pollster::block_on;
use proptest::prelude::*;

use crate::support::interleave::{Yielding, interleave};
use crate::support::*;

/// What a tab does. Numbers name rounds; both tabs use the same ones, so that retries cross.
#[derive(Debug, Clone, Copy)]
enum Op {
    Load,
    Append(u8),
    Clear,
    Truncate(u8),
    Delete(u8),
    Open(u8),
    Recover,
    Forget,
}

fn round_of(n: u8) -> Round {
    let text = (0..=n % 3)
        .map(|i| format!("u{n}0{i} "))
        .collect::<String>();
    round(&format!("r{n}"), &text)
}

/// The naive model: what the history should hold, step by step.
#[derive(Debug, Default)]
struct Model {
    epoch: u64,
    rounds: Vec<(String, u64)>,
    next_seq: u64,
}

impl Model {
    fn appended(&mut self, round: &Round, base: Option<Base>, appended: &Appended) {
        let known = self.rounds.iter().any(|(id, _)| *id == round.id);
        match appended {
            Appended::Stored {
                first_seq,
                base: new,
                ..
            } => {
                assert!(!known, "{} is stored twice", round.id);
                if self.epoch == 0 {
                    self.begin(new.epoch);
                }
                assert_eq!(new.epoch, self.epoch);
                assert!(
                    base.is_none_or(|base| base.epoch == self.epoch),
                    "a late round came in"
                );
                assert_eq!(*first_seq, self.next_seq);
                self.next_seq += round.messages.len() as u64;
                self.rounds.push((round.id.clone(), *first_seq));
            }
            // It was there when it was looked for; a clear may have come since.
            Appended::Already { base: seen, .. } => assert!(known || seen.epoch != self.epoch),
            Appended::Stale => assert!(base.is_some_and(|base| base.epoch != self.epoch)),
        }
    }

    fn edited(&mut self, edit: &Edit, epoch: u64) {
        assert!(epoch > self.epoch, "an epoch came twice");
        self.epoch = epoch;
        let place = |round: &String| {
            let place = self.rounds.iter().position(|(id, _)| id == round);
            place.expect("what was edited was there")
        };
        match edit {
            Edit::TruncateAfter { round } => self.rounds.truncate(place(round) + 1),
            Edit::DeleteRound { round } => drop(self.rounds.remove(place(round))),
            Edit::DeleteLast {} => drop(self.rounds.pop()),
        }
    }

    fn begin(&mut self, epoch: u64) {
        assert!(epoch > self.epoch, "an epoch came twice");
        *self = Self {
            epoch,
            rounds: Vec::new(),
            next_seq: 1,
        };
    }
}

async fn tab(storage: &Yielding<MemoryStorage>, ops: &[Op], model: &RefCell<Model>) {
    let mut base = None;
    for op in ops {
        match op {
            Op::Load => {
                base = history::load(storage, &key(), Read::All)
                    .await
                    .unwrap()
                    .base
            }
            Op::Append(n) => {
                let round = round_of(*n);
                match append(storage, base.as_ref(), &round).await {
                    Ok(appended) => {
                        model.borrow_mut().appended(&round, base, &appended);
                        if let Appended::Stored { base: new, .. }
                        | Appended::Already { base: new, .. } = appended
                        {
                            base = Some(new);
                        }
                    }
                    Err(error) => assert_eq!(error.code(), "E_STORE_CONFLICT"),
                }
            }
            Op::Clear => match history::clear(storage, &key()).await {
                Ok(cleared) => model.borrow_mut().begin(cleared.epoch),
                Err(error) => assert_eq!(error.code(), "E_STORE_CONFLICT"),
            },
            Op::Truncate(n) | Op::Delete(n) => {
                let round = format!("r{n}");
                let edit = match op {
                    Op::Truncate(_) => Edit::TruncateAfter { round },
                    _ => Edit::DeleteRound { round },
                };
                match history::edit(storage, &key(), &edit).await {
                    Ok(edited) if edited.removed.is_empty() => {}
                    Ok(edited) => model.borrow_mut().edited(&edit, edited.epoch),
                    Err(error) => assert!(["E_STORE_CONFLICT", "E_BAD_ID"].contains(&error.code())),
                }
            }
            Op::Open(_) | Op::Recover | Op::Forget => {}
        }
    }
}

fn simple_op() -> impl Strategy<Value = Op> {
    prop_oneof![2 => Just(Op::Load), 6 => (0..6_u8).prop_map(Op::Append), 1 => Just(Op::Clear),
        1 => (0..6_u8).prop_map(Op::Truncate), 1 => (0..6_u8).prop_map(Op::Delete)]
}

fn any_op() -> impl Strategy<Value = Op> {
    prop_oneof![
        2 => Just(Op::Load), 4 => (0..3_u8).prop_map(Op::Open), 5 => (0..3_u8).prop_map(Op::Append),
        3 => Just(Op::Recover), 1 => Just(Op::Clear), 1 => Just(Op::Forget)
    ]
}

fn ops(op: impl Strategy<Value = Op>) -> impl Strategy<Value = Vec<Op>> {
    prop::collection::vec(op, 1..10)
}

/// What is known of the rounds when all is over.
#[derive(Debug, Default)]
struct Ledger {
    /// Rounds whose append said "stored", with the epoch.
    stored: BTreeSet<(u64, String)>,
    /// Rounds that were opened, with the epoch, and how many messages the journal had last.
    opened: BTreeMap<(u64, String), usize>,
}

/// The first messages of a round that is under way.
fn open_round_of(n: u8, messages: usize) -> Round {
    let text: String = (0..messages).map(|i| format!("u{n}0{i} ")).collect();
    round(&format!("r{n}"), &text)
}

/// A tab that opens rounds of its own, and whose runs both tabs take for dead at any time.
async fn careless_tab(
    storage: &Yielding<MemoryStorage>,
    odd: bool,
    ops: &[Op],
    ledger: &RefCell<Ledger>,
) {
    let mut bases: BTreeMap<u8, Base> = BTreeMap::new();
    let mut lengths: BTreeMap<u8, usize> = BTreeMap::new();
    for op in ops {
        match op {
            Op::Load => {
                history::load(storage, &key(), Read::Tail(2)).await.unwrap();
            }
            Op::Open(n) => {
                let n = n * 2 + u8::from(odd);
                let length = lengths.entry(n).or_default();
                *length += 1;
                let row = JournalRow {
                    round: open_round_of(n, *length),
                    seen_seq: 0,
                    updated_at: 0,
                };
                let base = bases.get(&n);
                let opened = history::open_round(storage, &key(), base, &row, nothing()).await;
                if let Ok(base) = opened {
                    bases.insert(n, base);
                    ledger
                        .borrow_mut()
                        .opened
                        .insert((base.epoch, row.round.id), *length);
                }
            }
            Op::Append(n) => {
                // Only rounds that were opened: the others know of no epoch.
                let n = n * 2 + u8::from(odd);
                let Some(base) = bases.get(&n).copied() else {
                    continue;
                };
                let round = round_of(n);
                if let Ok(Appended::Stored { base, .. }) =
                    append(storage, Some(&base), &round).await
                {
                    let first = ledger.borrow_mut().stored.insert((base.epoch, round.id));
                    assert!(first, "stored twice");
                }
            }
            Op::Recover => {
                let _ = history::recover(storage, &key(), |_| false).await;
            }
            Op::Truncate(n) => {
                let edit = Edit::TruncateAfter {
                    round: format!("r{n}"),
                };
                let _ = history::edit(storage, &key(), &edit).await;
            }
            Op::Delete(n) => {
                let edit = Edit::DeleteRound {
                    round: format!("r{n}"),
                };
                let _ = history::edit(storage, &key(), &edit).await;
            }
            Op::Clear => {
                let _ = history::clear(storage, &key()).await;
            }
            Op::Forget => {
                let _ = mnemograph_memory::thread::delete(storage, "me", "thread").await;
            }
        }
    }
}

proptest! {
    #![proptest_config(cases(1_500))]

    #[test]
    fn two_writers_are_one_list(a in ops(simple_op()), b in ops(simple_op()), schedule in prop::collection::vec(any::<bool>(), 0..120)) {
        let storage = MemoryStorage::new();
        let slow = Yielding(storage.clone());
        let model = RefCell::default();
        interleave(&schedule, tab(&slow, &a, &model), tab(&slow, &b, &model));
        let model = model.into_inner();
        let expected: Vec<String> = model.rounds.iter().map(|(id, _)| id.clone()).collect();
        prop_assert_eq!(check_whole(&storage, &key()), expected);
        let loaded = load(&storage);
        for (id, first_seq) in &model.rounds {
            let first = loaded.messages.iter().find(|message| message.round.as_ref() == Some(id));
            prop_assert_eq!(first.and_then(|message| message.seq), Some(*first_seq));
        }
        prop_assert!(loaded.base.is_none_or(|base| base.next_seq == model.next_seq && base.epoch == model.epoch));
    }

    #[test]
    fn nothing_is_lost_or_doubled_whoever_dies(a in ops(any_op()), b in ops(any_op()), schedule in prop::collection::vec(any::<bool>(), 0..200)) {
        let storage = MemoryStorage::new();
        let slow = Yielding(storage.clone());
        let ledger = RefCell::default();
        interleave(&schedule, careless_tab(&slow, false, &a, &ledger), careless_tab(&slow, true, &b, &ledger));
        // Both tabs are closed now.
        block_on(history::recover(&storage, &key(), |_| false)).unwrap();
        prop_assert_eq!(records(&storage, Table::Journal), vec![]);
        let rounds = check_whole(&storage, &key());
        let loaded = load(&storage);
        let Some(base) = loaded.base else {
            prop_assert!(rounds.is_empty());
            return Ok(());
        };
        let ledger = ledger.into_inner();
        for (epoch, id) in &ledger.stored {
            prop_assert_eq!(*epoch == base.epoch, *epoch == base.epoch && rounds.contains(id), "{} is lost", id);
        }
        for (epoch, id) in ledger.opened.keys().filter(|(epoch, _)| *epoch == base.epoch) {
            prop_assert!(rounds.contains(id), "{} of epoch {} is lost", id, epoch);
        }
        for id in &rounds {
            let is_stored = ledger.stored.contains(&(base.epoch, id.clone()));
            let messages = loaded.messages.iter().filter(|message| message.round.as_ref() == Some(id));
            let n: u8 = id.trim_start_matches('r').parse().unwrap();
            let whole = round_of(n).messages.len();
            let (mut count, mut aborted) = (0, 0);
            for message in messages {
                count += 1;
                aborted += usize::from(message.status == Status::Aborted);
            }
            if is_stored {
                prop_assert_eq!((count, aborted), (whole, 0), "{} is not what its run stored", id);
            } else {
                let journalled = ledger.opened[&(base.epoch, id.clone())];
                prop_assert_eq!((count, aborted), (journalled, journalled), "{} is not what was journalled", id);
            }
        }
    }
}
