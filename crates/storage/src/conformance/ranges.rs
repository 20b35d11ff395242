//! Ranges, limits and directions.

use std::ops::Bound;

use serde_json::json;

use super::support::{ALL, Case, equal, failed, fill, key, keys, text_key};
use crate::{Key, MAX_INT, Part, Range, Scan, ScanOptions, Storage, StoreError, Table};

/// Ascending; each is also tried as a bound and as a prefix.
fn samples() -> Vec<Key> {
    [
        json!([0]),
        json!([1]),
        json!([1, "a"]),
        json!([2]),
        json!([10]),
        json!([MAX_INT]),
        json!([MAX_INT, "a"]),
        json!([""]),
        json!(["", 0]),
        json!(["", ""]),
        json!(["\0"]),
        json!(["a"]),
        json!(["a", 0]),
        json!(["a", 1]),
        json!(["a", 1, 1]),
        json!(["a", 10]),
        json!(["a", MAX_INT]),
        json!(["a", ""]),
        json!(["a", "b"]),
        json!(["a", "bb"]),
        json!(["a\0"]),
        json!(["ab"]),
        json!(["ab", 1]),
        json!(["\u{1f600}"]),
        json!(["\u{1f600}", "x"]),
        json!(["\u{ffff}"]),
        json!(["\u{ffff}", "\u{ffff}"]),
    ]
    .map(key)
    .to_vec()
}

async fn compare<S: Storage>(store: &S, all: &[Key], range: &Range) -> Case {
    for reverse in [false, true] {
        for limit in [None, Some(1), Some(3)] {
            let options = ScanOptions { limit, reverse };
            let inside = all.iter().filter(|key| range.contains(key)).cloned();
            let mut expected: Vec<Key> = inside.collect();
            if reverse {
                expected.reverse();
            }
            expected.truncate(limit.unwrap_or(usize::MAX));
            let found = keys(store, Table::Rounds, range, options).await?;
            let what = serde_json::to_string(&(range, options)).unwrap_or_default();
            equal(&what, &found, &expected)?;
        }
    }
    Ok(())
}

pub(super) async fn honours_every_kind_of_range<S: Storage>(store: &S) -> Case {
    let all = samples();
    fill(store, Table::Rounds, &all).await?;
    compare(store, &all, &Range::all()).await?;
    compare(store, &all, &Range::prefix(&Key::default())).await?;
    // Bounds that are there, and between those that are there.
    let mut ends = vec![json!([5]), json!(["a", 5, 0]), json!(["b"])].into_iter();
    let mut bounds: Vec<Key> = all.iter().step_by(4).cloned().collect();
    bounds.extend(ends.by_ref().map(key));
    for lower in &bounds {
        for open in [Bound::Included, Bound::Excluded] {
            let from = Range::bounds(open(lower.clone()), Bound::Unbounded);
            compare(store, &all, &from).await?;
            let to = Range::bounds(Bound::Unbounded, open(lower.clone()));
            compare(store, &all, &to).await?;
        }
    }
    for (lower, upper) in bounds.iter().zip(bounds.iter().skip(1)) {
        for low in [Bound::Included, Bound::Excluded] {
            for high in [Bound::Included, Bound::Excluded] {
                let range = Range::bounds(low(lower.clone()), high(upper.clone()));
                compare(store, &all, &range).await?;
            }
        }
    }
    Ok(())
}

pub(super) async fn prefix_is_by_whole_parts<S: Storage>(store: &S) -> Case {
    let all = samples();
    fill(store, Table::Rounds, &all).await?;
    for prefix in &all {
        compare(store, &all, &Range::prefix(prefix)).await?;
    }
    let nothing = Range::prefix(&text_key("nothing"));
    compare(store, &all, &nothing).await
}

pub(super) async fn limits_in_the_direction_of_the_scan<S: Storage>(store: &S) -> Case {
    let all: Vec<Key> = (0..20).map(|n| text_key("h").with(n)).collect();
    fill(store, Table::Rounds, &all).await?;
    let prefix = Range::prefix(&text_key("h"));
    let check = async |limit: usize, reverse: bool, expected: Vec<u64>| {
        let options = ScanOptions {
            limit: Some(limit),
            reverse,
        };
        let found = keys(store, Table::Rounds, &prefix, options).await?;
        let expected: Vec<Key> = expected
            .into_iter()
            .map(|n| text_key("h").with(n))
            .collect();
        equal(&format!("{options:?}"), &found, &expected)
    };
    check(0, false, vec![]).await?;
    check(0, true, vec![]).await?;
    check(2, false, vec![0, 1]).await?;
    check(2, true, vec![19, 18]).await?;
    check(100, true, (0..20).rev().collect()).await
}

pub(super) async fn crossed_bounds_are_empty<S: Storage>(store: &S) -> Case {
    let (a, b) = (text_key("a"), text_key("b"));
    fill(store, Table::Rounds, &[a.clone(), b.clone()]).await?;
    let crossed = [
        (Bound::Included(b.clone()), Bound::Included(a.clone())),
        (Bound::Excluded(a.clone()), Bound::Excluded(a.clone())),
        (Bound::Included(a.clone()), Bound::Excluded(a.clone())),
        (Bound::Excluded(a.clone()), Bound::Included(a)),
    ];
    for (lower, upper) in crossed {
        let range = Range::bounds(lower, upper);
        let found = keys(store, Table::Rounds, &range, ALL).await?;
        equal(&format!("{range:?}"), &found, &vec![])?;
        let batch = super::support::relaxed().delete_range(Table::Rounds, range);
        super::support::commit(store, batch).await?;
    }
    let left = keys(store, Table::Rounds, &Range::all(), ALL).await?.len();
    equal("records after deleting empty ranges", &left, &2)
}

pub(super) async fn several_scans_are_answered_in_order<S: Storage>(store: &S) -> Case {
    let all = samples();
    fill(store, Table::Rounds, &all).await?;
    fill(store, Table::Heads, &[text_key("a"), text_key("h")]).await?;
    let (a, nothing) = (text_key("a"), text_key("nothing"));
    let crossed = Range::bounds(Bound::Included(text_key("b")), Bound::Excluded(a.clone()));
    let scans = [
        Scan::last(Table::Rounds, Range::prefix(&a), 2),
        Scan::get(Table::Heads, &a),
        Scan::get(Table::Heads, &nothing),
        Scan::all(Table::Rounds, crossed),
        Scan::all(Table::Journal, Range::all()),
        Scan::all(Table::Rounds, Range::prefix(&a)),
        Scan::get(Table::Heads, &a),
        Scan::last(Table::Rounds, Range::all(), 0),
    ];
    let found = store.scan_all(&scans).await.map_err(failed)?;
    equal("the answers", &found.len(), &scans.len())?;
    for (scan, found) in scans.iter().zip(&found) {
        let alone = store.scan(scan.table, &scan.range, scan.options).await;
        equal(&format!("{scan:?}"), found, &alone.map_err(failed)?)?;
    }
    let none = store.scan_all(&[]).await.map_err(failed)?;
    equal("the answers to nothing", &none, &Vec::new())?;
    let bad = Range::prefix(&Key::new([Part::Int(MAX_INT + 1)]));
    let scans = [Scan::get(Table::Heads, &a), Scan::all(Table::Heads, bad)];
    match store.scan_all(&scans).await {
        Err(StoreError::BadKey(_)) => Ok(()),
        other => Err(format!(
            "a bad one among two: expected E_BAD_ID, found {other:?}"
        )),
    }
}

pub(super) async fn refuses_bad_bounds<S: Storage>(store: &S) -> Case {
    let bad = Key::new([Part::Int(MAX_INT + 1)]);
    for range in [Range::prefix(&bad), Range::only(&bad)] {
        match store.scan(Table::Rounds, &range, ALL).await {
            Err(StoreError::BadKey(_)) => {}
            other => return Err(format!("{range:?}: expected E_BAD_ID, found {other:?}")),
        }
    }
    Ok(())
}
