//! What a commit writes.

use std::ops::Bound;

use serde_json::json;

use super::support::{
    ALL, Case, absent, commit, equal, fill, holds, key, keys, put, refused, relaxed, state,
    text_key, value,
};
use crate::{Batch, Durability, Key, MAX_INT, Part, Range, Storage, Table};

pub(super) async fn stores_all_of_a_batch<S: Storage>(store: &S) -> Case {
    for durability in [Durability::Relaxed, Durability::Strict] {
        let id = |n: u64| text_key(&format!("{durability:?}")).with(n);
        let mut batch = Batch::new(durability);
        for table in Table::ALL {
            for n in 0..3 {
                batch = batch.put(*table, id(n), value(json!(format!("{} {n}", table.name()))));
            }
        }
        commit(store, batch).await?;
        for table in Table::ALL {
            for n in 0..3 {
                let expected = value(json!(format!("{} {n}", table.name())));
                holds(store, *table, &id(n), 1, &expected).await?;
            }
        }
    }
    Ok(())
}

pub(super) async fn raises_rev_by_one_with_each_put<S: Storage>(store: &S) -> Case {
    let (a, b) = (text_key("a"), text_key("b"));
    for rev in 1..=3_u64 {
        put(store, Table::Heads, &a, value(json!(rev))).await?;
        holds(store, Table::Heads, &a, rev, &value(json!(rev))).await?;
    }
    put(store, Table::Heads, &b, value(json!("b"))).await?;
    holds(store, Table::Heads, &b, 1, &value(json!("b"))).await?;
    let twice = relaxed()
        .put(Table::Heads, a.clone(), value(json!("first")))
        .put(Table::Heads, a.clone(), value(json!("second")));
    commit(store, twice).await?;
    holds(store, Table::Heads, &a, 5, &value(json!("second"))).await?;
    let checked = relaxed().check(Table::Heads, a.clone(), Some(5)).put(
        Table::Heads,
        a.clone(),
        value(json!("checked")),
    );
    commit(store, checked).await?;
    holds(store, Table::Heads, &a, 6, &value(json!("checked"))).await
}

pub(super) async fn starts_rev_again_after_a_delete<S: Storage>(store: &S) -> Case {
    let a = text_key("a");
    let again = |batch: Batch| batch.put(Table::Heads, a.clone(), value(json!("again")));
    put(store, Table::Heads, &a, value(json!(1))).await?;
    put(store, Table::Heads, &a, value(json!(2))).await?;
    commit(store, relaxed().delete(Table::Heads, a.clone())).await?;
    commit(store, again(relaxed())).await?;
    holds(store, Table::Heads, &a, 1, &value(json!("again"))).await?;
    // Also when both happen in one batch.
    put(store, Table::Heads, &a, value(json!(3))).await?;
    commit(store, again(relaxed().delete(Table::Heads, a.clone()))).await?;
    holds(store, Table::Heads, &a, 1, &value(json!("again"))).await?;
    put(store, Table::Heads, &a, value(json!(4))).await?;
    let emptied = relaxed().delete_range(Table::Heads, Range::prefix(&a));
    commit(store, again(emptied)).await?;
    holds(store, Table::Heads, &a, 1, &value(json!("again"))).await
}

pub(super) async fn applies_deletes_before_puts<S: Storage>(store: &S) -> Case {
    let (a, b, c) = (text_key("a"), text_key("b"), text_key("c"));
    fill(store, Table::Rounds, &[a.clone(), b.clone(), c.clone()]).await?;
    let batch = relaxed()
        .put(Table::Rounds, a.clone(), value(json!("new a")))
        .put(Table::Rounds, b.clone(), value(json!("new b")))
        .delete(Table::Rounds, a.clone())
        .delete_range(Table::Rounds, Range::all());
    commit(store, batch).await?;
    holds(store, Table::Rounds, &a, 1, &value(json!("new a"))).await?;
    holds(store, Table::Rounds, &b, 1, &value(json!("new b"))).await?;
    absent(store, Table::Rounds, &c).await
}

pub(super) async fn deletes_what_it_should<S: Storage>(store: &S) -> Case {
    let all = [json!(["a"]), json!(["a", 1]), json!(["ab"]), json!([1])].map(key);
    let [a, a1, ab, one] = &all;
    fill(store, Table::Rounds, &all).await?;
    let batch = relaxed()
        .delete(Table::Rounds, a.clone())
        .delete(Table::Rounds, one.clone())
        .delete(Table::Rounds, text_key("never there"));
    commit(store, batch).await?;
    absent(store, Table::Rounds, a).await?;
    absent(store, Table::Rounds, one).await?;
    let left = keys(store, Table::Rounds, &Range::all(), ALL).await?;
    equal("what is left", &left, &vec![a1.clone(), ab.clone()])
}

pub(super) async fn deletes_ranges_exactly<S: Storage>(store: &S) -> Case {
    let all = [
        json!([1]),
        json!([10]),
        json!(["a"]),
        json!(["a", 1]),
        json!(["a", 2]),
        json!(["a", 3]),
        json!(["a", "x"]),
        json!(["a\0"]),
        json!(["ab"]),
        json!(["ab", 1]),
    ]
    .map(key);
    let a = |n: u64| text_key("a").with(n);
    let ranges = [
        Range::prefix(&text_key("a")),
        Range::prefix(&key(json!([1]))),
        Range::only(&a(2)),
        Range::bounds(Bound::Included(a(1)), Bound::Excluded(a(3))),
        Range::bounds(Bound::Excluded(a(1)), Bound::Included(a(3))),
        Range::bounds(Bound::Excluded(text_key("a")), Bound::Unbounded),
        Range::bounds(Bound::Unbounded, Bound::Excluded(text_key("a"))),
        Range::all(),
    ];
    for range in ranges {
        fill(store, Table::Rounds, &all).await?;
        fill(store, Table::Heads, &all).await?;
        let batch = relaxed().delete_range(Table::Rounds, range.clone());
        commit(store, batch).await?;
        let left = keys(store, Table::Rounds, &Range::all(), ALL).await?;
        let outside = all.iter().filter(|key| !range.contains(key)).cloned();
        let what = format!(
            "what {} leaves",
            serde_json::to_string(&range).unwrap_or_default()
        );
        equal(&what, &left, &outside.collect())?;
        let other = keys(store, Table::Heads, &Range::all(), ALL).await?.len();
        equal("records of another table", &other, &all.len())?;
    }
    Ok(())
}

pub(super) async fn keeps_tables_apart<S: Storage>(store: &S) -> Case {
    let a = text_key("a");
    for table in Table::ALL {
        absent(store, *table, &a).await?;
        put(store, *table, &a, value(json!(table.name()))).await?;
    }
    for table in Table::ALL {
        holds(store, *table, &a, 1, &value(json!(table.name()))).await?;
    }
    commit(store, relaxed().delete(Table::Rounds, a.clone())).await?;
    absent(store, Table::Rounds, &a).await?;
    holds(store, Table::RoundIds, &a, 1, &value(json!("round_ids"))).await
}

pub(super) async fn replaces_whole_values<S: Storage>(store: &S) -> Case {
    let a = text_key("a");
    let mut both = value(json!({"deep": 1}));
    both.insert("y".to_owned(), json!(1));
    put(store, Table::Heads, &a, both).await?;
    put(store, Table::Heads, &a, value(json!({"other": 2}))).await?;
    holds(store, Table::Heads, &a, 2, &value(json!({"other": 2}))).await
}

pub(super) async fn refuses_bad_records_without_a_trace<S: Storage>(store: &S) -> Case {
    let a = text_key("a");
    put(store, Table::Heads, &a, value(json!("old"))).await?;
    let before = state(store).await?;
    let good = || {
        relaxed()
            .put(Table::Rounds, a.clone(), value(json!("new")))
            .put(Table::Heads, a.clone(), value(json!("new")))
            .delete_range(Table::Heads, Range::all())
    };
    let too_large = Key::new([Part::Int(MAX_INT + 1)]);
    let x = || value(json!(1));
    let deep = (0..200).fold(json!(1), |inner, _| json!([inner]));
    let bad = [
        (
            "no parts",
            "E_BAD_ID",
            good().put(Table::Threads, Key::default(), x()),
        ),
        (
            "a large integer",
            "E_BAD_ID",
            good().put(Table::Threads, too_large.clone(), x()),
        ),
        (
            "a check",
            "E_BAD_ID",
            good().check(Table::Threads, too_large.clone(), None),
        ),
        (
            "a delete",
            "E_BAD_ID",
            good().delete(Table::Threads, Key::default()),
        ),
        (
            "a range",
            "E_BAD_ID",
            good().delete_range(Table::Threads, Range::prefix(&too_large)),
        ),
        (
            "an integer value",
            "E_INTERNAL",
            good().put(Table::Threads, a.clone(), value(json!(MAX_INT + 1))),
        ),
        (
            "a deep value",
            "E_INTERNAL",
            good().put(Table::Threads, a.clone(), value(deep)),
        ),
    ];
    for (what, code, batch) in bad {
        refused(store, what, code, batch).await?;
        equal(what, &state(store).await?, &before)?;
    }
    Ok(())
}
