//! Conditions of a commit.

use serde_json::json;

use super::support::{
    Case, absent, commit, conflict, equal, fill, holds, put, relaxed, state, text_key, value,
};
use crate::{Range, Storage, Table};

pub(super) async fn absent_holds_only_for_absent_keys<S: Storage>(store: &S) -> Case {
    let a = text_key("a");
    let create = || {
        relaxed().check(Table::Heads, a.clone(), None).put(
            Table::Heads,
            a.clone(),
            value(json!("created")),
        )
    };
    commit(store, create()).await?;
    conflict(store, create()).await?;
    holds(store, Table::Heads, &a, 1, &value(json!("created"))).await?;
    commit(store, relaxed().delete(Table::Heads, a.clone())).await?;
    commit(store, create()).await?;
    holds(store, Table::Heads, &a, 1, &value(json!("created"))).await
}

pub(super) async fn rev_holds_only_for_that_rev<S: Storage>(store: &S) -> Case {
    let a = text_key("a");
    let update = |rev: u64| {
        relaxed().check(Table::Heads, a.clone(), Some(rev)).put(
            Table::Heads,
            a.clone(),
            value(json!(rev)),
        )
    };
    conflict(store, update(1)).await?;
    conflict(store, update(0)).await?;
    absent(store, Table::Heads, &a).await?;
    put(store, Table::Heads, &a, value(json!("first"))).await?;
    for wrong in [0, 2, 10] {
        conflict(store, update(wrong)).await?;
    }
    commit(store, update(1)).await?;
    conflict(store, update(1)).await?;
    commit(store, update(2)).await?;
    holds(store, Table::Heads, &a, 3, &value(json!(2))).await?;
    // Another record's rev is no help.
    let b = text_key("b");
    put(store, Table::Heads, &b, value(json!("b"))).await?;
    let other = relaxed().check(Table::Heads, b.clone(), Some(3)).put(
        Table::Heads,
        b.clone(),
        value(json!("no")),
    );
    conflict(store, other).await?;
    holds(store, Table::Heads, &b, 1, &value(json!("b"))).await
}

pub(super) async fn conflict_leaves_nothing<S: Storage>(store: &S) -> Case {
    let (a, b, c) = (text_key("a"), text_key("b"), text_key("c"));
    fill(store, Table::Rounds, &[a.clone(), b.clone()]).await?;
    fill(store, Table::Heads, &[a.clone(), b.clone()]).await?;
    let before = state(store).await?;
    let batch = relaxed()
        .put(Table::Rounds, a.clone(), value(json!("no")))
        .put(Table::Rounds, c.clone(), value(json!("no")))
        .put(Table::Threads, c.clone(), value(json!("no")))
        .delete(Table::Heads, a.clone())
        .delete_range(Table::Rounds, Range::all())
        .check(Table::Heads, a, Some(1))
        .check(Table::Heads, b, Some(2));
    conflict(store, batch).await?;
    equal("the state", &state(store).await?, &before)
}

pub(super) async fn one_failing_check_is_enough<S: Storage>(store: &S) -> Case {
    let (a, b, c) = (text_key("a"), text_key("b"), text_key("c"));
    put(store, Table::Heads, &a, value(json!("a"))).await?;
    put(store, Table::Rounds, &b, value(json!("b"))).await?;
    // (rev of a in heads, rev of b in rounds, rev of c in threads)
    let right = (Some(1), Some(1), None);
    let wrong = [
        (None, Some(1), None),
        (Some(2), Some(1), None),
        (Some(1), None, None),
        (Some(1), Some(1), Some(1)),
    ];
    let batch = |(x, y, z): (Option<u64>, Option<u64>, Option<u64>)| {
        relaxed()
            .check(Table::Heads, a.clone(), x)
            .check(Table::Rounds, b.clone(), y)
            .check(Table::Threads, c.clone(), z)
            .put(Table::Journal, c.clone(), value(json!("c")))
    };
    for checks in wrong {
        conflict(store, batch(checks)).await?;
        absent(store, Table::Journal, &c).await?;
    }
    // Contradicting checks of one key never hold.
    let both = batch(right).check(Table::Heads, a.clone(), None);
    conflict(store, both).await?;
    absent(store, Table::Journal, &c).await?;
    commit(store, batch(right)).await?;
    holds(store, Table::Journal, &c, 1, &value(json!("c"))).await
}

pub(super) async fn look_at_the_state_before_the_batch<S: Storage>(store: &S) -> Case {
    let (a, b) = (text_key("a"), text_key("b"));
    put(store, Table::Heads, &a, value(json!("old"))).await?;
    let batch = relaxed()
        .delete_range(Table::Heads, Range::all())
        .delete(Table::Heads, a.clone())
        .put(Table::Heads, a.clone(), value(json!("new")))
        .put(Table::Heads, b.clone(), value(json!("new")))
        .check(Table::Heads, a.clone(), Some(1))
        .check(Table::Heads, b.clone(), None);
    commit(store, batch).await?;
    holds(store, Table::Heads, &a, 1, &value(json!("new"))).await?;
    holds(store, Table::Heads, &b, 1, &value(json!("new"))).await
}

pub(super) async fn work_without_writes<S: Storage>(store: &S) -> Case {
    let (a, b) = (text_key("a"), text_key("b"));
    put(store, Table::Heads, &a, value(json!("a"))).await?;
    let before = state(store).await?;
    commit(store, relaxed()).await?;
    commit(store, relaxed().check(Table::Heads, a.clone(), Some(1))).await?;
    commit(store, relaxed().check(Table::Heads, b.clone(), None)).await?;
    conflict(store, relaxed().check(Table::Heads, a, None)).await?;
    conflict(store, relaxed().check(Table::Heads, b, Some(1))).await?;
    equal("the state", &state(store).await?, &before)
}
