//! Storage in memory passes the suite and agrees with a naive model.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Bound;

use mnemograph_storage::conformance::run;
use mnemograph_storage::{
    Batch, Durability, Key, MemoryStorage, Outcome, Part, Range, Record, ScanOptions, Storage,
    Table, Value,
};
use proptest::prelude::*;
use serde_json::json;

#[test]
fn memory_passes() {
    let stores = RefCell::new(BTreeMap::<String, MemoryStorage>::new());
    let open = async |name: &str| {
        let mut stores = stores.borrow_mut();
        Ok(stores.entry(name.to_owned()).or_default().clone())
    };
    let results = pollster::block_on(run(open));
    assert!(results.len() > 30);
    for result in results {
        assert_eq!(result.failure, None, "{}", result.name);
    }
}

/// The laws again, written as plainly as possible: one list of records, every call goes through all of it.
#[derive(Default)]
struct Model(Vec<(Table, Record)>);

impl Model {
    fn rev(&self, table: Table, key: &Key) -> Option<u64> {
        let found = self.0.iter().find(|(t, r)| *t == table && r.key == *key);
        found.map(|(_, record)| record.rev)
    }

    fn scan(&self, table: Table, range: &Range, options: ScanOptions) -> Vec<Record> {
        let mut found: Vec<Record> = Vec::new();
        for (t, record) in &self.0 {
            if *t == table && range.contains(&record.key) {
                found.push(record.clone());
            }
        }
        found.sort_by(|a, b| a.key.cmp(&b.key));
        if options.reverse {
            found.reverse();
        }
        found.truncate(options.limit.unwrap_or(usize::MAX));
        found
    }

    fn commit(&mut self, batch: &Batch) -> Outcome {
        for check in batch.checks() {
            if self.rev(check.table, &check.key) != check.rev {
                return Outcome::Conflict;
            }
        }
        for delete in batch.delete_ranges() {
            self.0
                .retain(|(t, r)| *t != delete.table || !delete.range.contains(&r.key));
        }
        for delete in batch.deletes() {
            self.0
                .retain(|(t, r)| *t != delete.table || r.key != delete.key);
        }
        for put in batch.puts() {
            let rev = self.rev(put.table, &put.key).unwrap_or(0) + 1;
            self.0.retain(|(t, r)| *t != put.table || r.key != put.key);
            let record = Record {
                key: put.key.clone(),
                rev,
                value: put.value.clone(),
            };
            self.0.push((put.table, record));
        }
        Outcome::Committed
    }
}

fn table() -> impl Strategy<Value = Table> {
    prop_oneof![Just(Table::Heads), Just(Table::Rounds)]
}

fn key() -> impl Strategy<Value = Key> {
    let part = prop_oneof![
        (0u64..3).prop_map(Part::Int),
        "[ab]{0,2}".prop_map(Part::Text)
    ];
    prop::collection::vec(part, 1..3).prop_map(Key::new)
}

fn bound() -> impl Strategy<Value = Bound<Key>> {
    prop_oneof![
        key().prop_map(Bound::Included),
        key().prop_map(Bound::Excluded),
        Just(Bound::Unbounded)
    ]
}

fn range() -> impl Strategy<Value = Range> {
    prop_oneof![
        Just(Range::all()),
        key().prop_map(|key| Range::prefix(&key)),
        (bound(), bound()).prop_map(|(lower, upper)| Range::bounds(lower, upper)),
    ]
}

fn batch() -> impl Strategy<Value = Batch> {
    let checks = prop::collection::vec((table(), key(), prop::option::of(1u64..4)), 0..2);
    let ranges = prop::collection::vec((table(), range()), 0..2);
    let deletes = prop::collection::vec((table(), key()), 0..3);
    let puts = prop::collection::vec((table(), key(), 0u64..100), 0..5);
    (checks, ranges, deletes, puts).prop_map(|(checks, ranges, deletes, puts)| {
        let mut batch = Batch::new(Durability::Relaxed);
        for (table, key, rev) in checks {
            batch = batch.check(table, key, rev);
        }
        for (table, range) in ranges {
            batch = batch.delete_range(table, range);
        }
        for (table, key) in deletes {
            batch = batch.delete(table, key);
        }
        for (table, key, x) in puts {
            let value: Value = [("x".to_owned(), json!(x))].into_iter().collect();
            batch = batch.put(table, key, value);
        }
        batch
    })
}

proptest! {
    #[test]
    fn memory_agrees_with_the_model(
        steps in prop::collection::vec((batch(), table(), range(), prop::option::of(0usize..4), any::<bool>()), 1..20)
    ) {
        let storage = MemoryStorage::new();
        let mut model = Model::default();
        for (batch, table, range, limit, reverse) in steps {
            let outcome = pollster::block_on(storage.commit(batch.clone())).unwrap();
            prop_assert_eq!(outcome, model.commit(&batch));
            let options = ScanOptions { limit, reverse };
            let found = pollster::block_on(storage.scan(table, &range, options)).unwrap();
            prop_assert_eq!(found, model.scan(table, &range, options));
        }
    }
}
