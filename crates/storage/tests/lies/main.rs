//! Backends that lie in one point each fail the suite, by the case that is about this point.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod liar;

use std::cell::RefCell;
use std::collections::BTreeMap;

use liar::{Liar, Lie, Lie::*};
use mnemograph_storage::conformance::{CaseResult, run};
use mnemograph_storage::{MemoryStorage, StoreError};

/// Each lie and a case that finds it.
const FOUND_BY: &[(Lie, &str)] = &[
    (CommitsHalfABatch, "writes.stores_all_of_a_batch"),
    (
        WritesBeforeItValidates,
        "writes.refuses_bad_records_without_a_trace",
    ),
    (WritesInSpiteOfAConflict, "checks.conflict_leaves_nothing"),
    (IgnoresChecks, "checks.rev_holds_only_for_that_rev"),
    (IgnoresAbsence, "checks.absent_holds_only_for_absent_keys"),
    (ChecksOnlyTheFirst, "checks.one_failing_check_is_enough"),
    (ChecksOnlyPresence, "checks.rev_holds_only_for_that_rev"),
    (
        ChecksAfterTheDeletes,
        "checks.look_at_the_state_before_the_batch",
    ),
    (SaysCommittedAlways, "checks.conflict_leaves_nothing"),
    (WritesNothing, "writes.stores_all_of_a_batch"),
    (RevIsAlwaysOne, "writes.raises_rev_by_one_with_each_put"),
    (RevJumps, "writes.raises_rev_by_one_with_each_put"),
    (
        RevGoesOnAfterADelete,
        "writes.starts_rev_again_after_a_delete",
    ),
    (MergesValues, "writes.replaces_whole_values"),
    (LosesADelete, "writes.deletes_what_it_should"),
    (LosesARangeDelete, "writes.deletes_ranges_exactly"),
    (DeletesByTextPrefix, "writes.deletes_ranges_exactly"),
    (DeletesInAllTables, "writes.deletes_ranges_exactly"),
    (DeletesAfterThePuts, "writes.applies_deletes_before_puts"),
    (SharesOneTable, "writes.keeps_tables_apart"),
    (OrdersByCodePoint, "order.texts_by_utf16_code_units"),
    (OrdersIntegersAsText, "order.integers_before_texts"),
    (OrdersTextsFirst, "order.integers_before_texts"),
    (OrdersLongerFirst, "order.shorter_before_longer"),
    (OrdersByInsertion, "order.shorter_before_longer"),
    (PrefixByText, "ranges.prefix_is_by_whole_parts"),
    (BoundsAreInclusive, "ranges.honours_every_kind_of_range"),
    (BoundsAreExclusive, "ranges.honours_every_kind_of_range"),
    (IgnoresLimit, "ranges.limits_in_the_direction_of_the_scan"),
    (
        LimitsBeforeItReverses,
        "ranges.limits_in_the_direction_of_the_scan",
    ),
    (IgnoresReverse, "ranges.limits_in_the_direction_of_the_scan"),
    (LimitZeroIsAll, "ranges.limits_in_the_direction_of_the_scan"),
    (FailsOnCrossedBounds, "ranges.crossed_bounds_are_empty"),
    (ReadsIntegersAsText, "order.keeps_awkward_ids_apart"),
    (FoldsCase, "order.keeps_awkward_ids_apart"),
    (CutsLongIds, "order.keeps_awkward_ids_apart"),
    (RoundsIntegers, "values.numbers_survive"),
    (RoundsFloats, "values.numbers_survive"),
    (KeepsIntegralFloats, "values.numbers_survive"),
    (CutsTextAtNul, "values.text_survives"),
    (DropsNulls, "values.shapes_survive"),
    (DropsProto, "values.member_names_survive"),
    (CutsLargeText, "values.large_bodies_survive"),
    (ReadsThenWrites, "concurrency.appends_leave_no_gap"),
    (WritesInTwoSteps, "concurrency.scans_see_whole_batches"),
    (ForgetsOnReopening, "reopening.finds_everything_again"),
    (SharesAllNames, "reopening.names_are_separate"),
    (AcceptsBadKeys, "writes.refuses_bad_records_without_a_trace"),
    (AcceptsBadRanges, "ranges.refuses_bad_bounds"),
    (MixesUpScans, "ranges.several_scans_are_answered_in_order"),
    (
        ReadsBackwards,
        "concurrency.later_scans_of_several_are_never_older",
    ),
    (AlwaysFails, "checks.work_without_writes"),
];

fn results(lie: Option<Lie>) -> Vec<CaseResult> {
    let stores = RefCell::new(BTreeMap::<String, Liar>::new());
    // Without a lie of its own the wrapper is honest.
    let honest = || Liar::new(lie.unwrap_or(ForgetsOnReopening));
    let open = async |name: &str| {
        let name = if lie == Some(SharesAllNames) {
            "all"
        } else {
            name
        };
        if lie == Some(ForgetsOnReopening) {
            return Ok(honest());
        }
        let mut stores = stores.borrow_mut();
        Ok(stores.entry(name.to_owned()).or_insert_with(honest).clone())
    };
    pollster::block_on(run(open))
}

#[test]
fn the_wrapper_is_honest_without_a_lie() {
    for result in results(None) {
        assert_eq!(result.failure, None, "{}", result.name);
    }
}

#[test]
fn each_lie_is_found_by_its_case_and_each_case_finds_a_lie() {
    let honest = results(None);
    let mut idle: Vec<&str> = honest.iter().map(|result| result.name.as_str()).collect();
    for (lie, name) in FOUND_BY {
        let results = results(Some(*lie));
        let failed = results.iter().filter(|result| result.failure.is_some());
        let failed: Vec<&str> = failed.map(|result| result.name.as_str()).collect();
        assert!(failed.contains(name), "{lie:?} was not found by {name}");
        if *lie != AlwaysFails {
            idle.retain(|name| !failed.contains(name));
        }
    }
    assert!(idle.is_empty(), "no lie fails {idle:?}");
}

#[test]
fn a_store_that_cannot_be_opened_fails_every_case() {
    let open = async |_: &str| Err::<MemoryStorage, _>(StoreError::Unavailable("no".to_owned()));
    let results = pollster::block_on(run(open));
    assert!(results.iter().all(|result| result.failure.is_some()));
}
