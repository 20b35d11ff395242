//! Calls that overlap.

use futures_util::future::{join, join_all};
use serde_json::json;

use super::support::{ALL, Case, equal, failed, holds, keys, put, relaxed, scan, text_key, value};
use crate::{Key, Outcome, Range, Scan, Storage, Table, get};

pub(super) async fn one_of_two_creators_wins<S: Storage>(store: &S) -> Case {
    for n in 0..5_u64 {
        let id = text_key("a").with(n);
        let create = |who: &str| {
            let batch = relaxed().check(Table::Heads, id.clone(), None);
            store.commit(batch.put(Table::Heads, id.clone(), value(json!(who))))
        };
        let (first, second) = join(create("first"), create("second")).await;
        let winner = match (first.map_err(failed)?, second.map_err(failed)?) {
            (Outcome::Committed, Outcome::Conflict) => "first",
            (Outcome::Conflict, Outcome::Committed) => "second",
            both => return Err(format!("two creators of one key: {both:?}")),
        };
        holds(store, Table::Heads, &id, 1, &value(json!(winner))).await?;
    }
    Ok(())
}

/// Appends one item behind the others, as histories do: read the head, write item and head if the head is still as it
/// was, else again.
pub(super) async fn append<S: Storage>(store: &S, who: &str) -> Case {
    let head = text_key("log");
    for _ in 0..200 {
        let known = get(store, Table::Heads, &head).await.map_err(failed)?;
        let next = known.as_ref().map_or(0, |record| record.rev);
        let rev = known.map(|record| record.rev);
        let batch = relaxed()
            .check(Table::Heads, head.clone(), rev)
            .put(Table::Heads, head.clone(), value(json!(next + 1)))
            .put(Table::Rounds, head.with(next), value(json!(who)));
        if store.commit(batch).await.map_err(failed)? == Outcome::Committed {
            return Ok(());
        }
    }
    Err(format!("{who} met 200 conflicts in a row"))
}

/// Exactly these items are there, without a gap, each once.
pub(super) async fn appended<S: Storage>(store: &S, mut expected: Vec<String>) -> Case {
    let head = text_key("log");
    let items = scan(store, Table::Rounds, &Range::prefix(&head), ALL).await?;
    let places: Vec<Key> = items.iter().map(|item| item.key.clone()).collect();
    let gapless: Vec<Key> = (0..)
        .map(|n: u64| head.with(n))
        .take(expected.len())
        .collect();
    equal("the places", &places, &gapless)?;
    let who = |item: &crate::Record| {
        let name = item.value.get("x").and_then(|x| x.as_str());
        name.unwrap_or_default().to_owned()
    };
    let mut found: Vec<String> = items.iter().map(who).collect();
    found.sort_unstable();
    expected.sort_unstable();
    equal("the items", &found, &expected)
}

pub(super) async fn appends_leave_no_gap<S: Storage>(store: &S) -> Case {
    let names: Vec<String> = (0..12).map(|n| format!("writer {n}")).collect();
    let outcomes = join_all(names.iter().map(|name| append(store, name))).await;
    outcomes.into_iter().collect::<Case>()?;
    appended(store, names).await
}

pub(super) async fn unchecked_writers_are_serialised<S: Storage>(store: &S) -> Case {
    let (a, b) = (text_key("a"), text_key("b"));
    let both = |who: u64| {
        let batch = relaxed().put(Table::Heads, a.clone(), value(json!(who)));
        store.commit(batch.put(Table::Rounds, b.clone(), value(json!(who))))
    };
    let outcomes = join_all((0..10).map(both)).await;
    for outcome in outcomes {
        equal(
            "the outcome",
            &outcome.map_err(failed)?,
            &Outcome::Committed,
        )?;
    }
    let (left, right) = join(get(store, Table::Heads, &a), get(store, Table::Rounds, &b)).await;
    let (left, right) = (left.map_err(failed)?, right.map_err(failed)?);
    equal(
        "rev of the first",
        &left.as_ref().map(|record| record.rev),
        &Some(10),
    )?;
    equal(
        "rev of the second",
        &right.as_ref().map(|record| record.rev),
        &Some(10),
    )?;
    let writer = |record: Option<crate::Record>| record.map(|record| record.value);
    equal(
        "the last writer of both records",
        &writer(left),
        &writer(right),
    )
}

pub(super) async fn scans_see_whole_batches<S: Storage>(store: &S) -> Case {
    let id = |n: u64| text_key("a").with(n);
    put(store, Table::Rounds, &id(0), value(json!(0))).await?;
    let prefix = Range::prefix(&text_key("a"));
    for round in 1..6_u64 {
        let mut batch = relaxed().delete_range(Table::Rounds, Range::all());
        for n in 0..round + 3 {
            batch = batch.put(Table::Rounds, id(n), value(json!(round)));
        }
        let before = keys(store, Table::Rounds, &prefix, ALL).await?.len();
        let (committed, seen) =
            join(store.commit(batch), store.scan(Table::Rounds, &prefix, ALL)).await;
        committed.map_err(failed)?;
        let seen = seen.map_err(failed)?;
        let after = keys(store, Table::Rounds, &prefix, ALL).await?.len();
        let rounds = |want: u64| seen.iter().all(|r| r.value == value(json!(want)));
        let old = seen.len() == before && rounds(round - 1);
        let new = seen.len() == after && rounds(round);
        if !old && !new {
            return Err(format!(
                "a scan beside a commit saw {} records, neither the {before} before nor the {after} after it",
                seen.len()
            ));
        }
    }
    Ok(())
}

pub(super) async fn later_scans_of_several_are_never_older<S: Storage>(store: &S) -> Case {
    let id = text_key("a");
    for round in 1..6_u64 {
        let batch = relaxed()
            .put(Table::Heads, id.clone(), value(json!(round)))
            .put(Table::Rounds, id.clone(), value(json!(round)));
        let scans = [Scan::get(Table::Heads, &id), Scan::get(Table::Rounds, &id)];
        let (seen, committed) = join(store.scan_all(&scans), store.commit(batch)).await;
        committed.map_err(failed)?;
        let seen = seen.map_err(failed)?;
        let revs: Vec<u64> = seen
            .iter()
            .map(|records| records.first().map_or(0, |record| record.rev))
            .collect();
        let known = [vec![round - 1; 2], vec![round - 1, round], vec![round; 2]];
        if !known.contains(&revs) {
            return Err(format!("two scans beside commit {round} saw {revs:?}"));
        }
    }
    Ok(())
}
