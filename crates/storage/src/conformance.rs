//! What every backend has to do, as cases that give results and never panic, so that they can run on a lying backend,
//! in a browser and from JavaScript.
//!
//! A case gets stores by name. A name that was not used before must give an empty store; the same name again must give
//! the same store, through a second handle where the backend has such a thing.

mod checks;
mod concurrency;
mod order;
mod ranges;
mod reopening;
mod support;
mod values;
mod writes;

use serde::{Deserialize, Serialize};

use crate::{Storage, StoreError};

/// The result of one case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct CaseResult {
    /// The behaviour, as a name.
    pub name: String,
    /// What went wrong; absent if nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub failure: Option<String>,
}

/// Opens the store of each case by its name, runs it, and closes nothing.
macro_rules! cases {
    ($open:expr; $($module:ident::$case:ident,)*) => {{
        let mut results = Vec::new();
        $(
            let name = concat!(stringify!($module), ".", stringify!($case));
            let outcome = match $open(name).await {
                Ok(store) => $module::$case(&store).await,
                Err(error) => Err(format!("the store could not be opened: {error}")),
            };
            results.push(CaseResult { name: name.to_owned(), failure: outcome.err() });
        )*
        results
    }};
}

/// Runs all cases, one after the other. `open` gives stores as the module says.
pub async fn run<S: Storage>(open: impl AsyncFn(&str) -> Result<S, StoreError>) -> Vec<CaseResult> {
    let mut results = run_volatile(&open).await;
    let mut add = |name: &str, outcome: Result<(), String>| {
        results.push(CaseResult {
            name: format!("reopening.{name}"),
            failure: outcome.err(),
        });
    };
    add(
        "finds_everything_again",
        reopening::finds_everything_again(&open).await,
    );
    add(
        "shares_between_handles",
        reopening::shares_between_handles(&open).await,
    );
    add(
        "serialises_two_handles",
        reopening::serialises_two_handles(&open).await,
    );
    results
}

/// As [`run`] for a backend that gives a new store on each call, whatever the name.
pub async fn run_volatile<S: Storage>(
    open: impl AsyncFn(&str) -> Result<S, StoreError>,
) -> Vec<CaseResult> {
    let mut results = cases! { open;
        order::integers_before_texts,
        order::texts_by_utf16_code_units,
        order::shorter_before_longer,
        order::keeps_awkward_ids_apart,
        ranges::honours_every_kind_of_range,
        ranges::prefix_is_by_whole_parts,
        ranges::limits_in_the_direction_of_the_scan,
        ranges::crossed_bounds_are_empty,
        ranges::refuses_bad_bounds,
        ranges::several_scans_are_answered_in_order,
        writes::stores_all_of_a_batch,
        writes::raises_rev_by_one_with_each_put,
        writes::starts_rev_again_after_a_delete,
        writes::applies_deletes_before_puts,
        writes::deletes_what_it_should,
        writes::deletes_ranges_exactly,
        writes::keeps_tables_apart,
        writes::replaces_whole_values,
        writes::refuses_bad_records_without_a_trace,
        checks::absent_holds_only_for_absent_keys,
        checks::rev_holds_only_for_that_rev,
        checks::conflict_leaves_nothing,
        checks::one_failing_check_is_enough,
        checks::look_at_the_state_before_the_batch,
        checks::work_without_writes,
        values::text_survives,
        values::numbers_survive,
        values::shapes_survive,
        values::member_names_survive,
        values::large_bodies_survive,
        concurrency::one_of_two_creators_wins,
        concurrency::appends_leave_no_gap,
        concurrency::unchecked_writers_are_serialised,
        concurrency::scans_see_whole_batches,
        concurrency::later_scans_of_several_are_never_older,
    };
    results.push(CaseResult {
        name: "reopening.names_are_separate".to_owned(),
        failure: reopening::names_are_separate(&open).await.err(),
    });
    results
}
