//! Stores under names.

use futures_util::future::join;
use serde_json::json;

use super::concurrency::{append, appended};
use super::support::{Case, absent, commit, equal, failed, holds, put, state, text_key, value};
use crate::{Batch, Durability, Storage, StoreError, Table};

pub(super) async fn names_are_separate<S: Storage>(
    open: &impl AsyncFn(&str) -> Result<S, StoreError>,
) -> Case {
    let one = open("reopening.names_are_separate").await.map_err(failed)?;
    let two = open("reopening.names_are_separate 2")
        .await
        .map_err(failed)?;
    let a = text_key("a");
    put(&one, Table::Heads, &a, value(json!("one"))).await?;
    absent(&two, Table::Heads, &a).await?;
    put(&two, Table::Heads, &a, value(json!("two"))).await?;
    holds(&one, Table::Heads, &a, 1, &value(json!("one"))).await
}

pub(super) async fn finds_everything_again<S: Storage>(
    open: &impl AsyncFn(&str) -> Result<S, StoreError>,
) -> Case {
    let name = "reopening.finds_everything_again";
    let a = text_key("a");
    let before = {
        let store = open(name).await.map_err(failed)?;
        for durability in [Durability::Relaxed, Durability::Strict] {
            let batch = Table::ALL
                .iter()
                .fold(Batch::new(durability), |batch, table| {
                    batch.put(*table, a.clone(), value(json!("é👩")))
                });
            commit(&store, batch).await?;
        }
        commit(
            &store,
            Batch::new(Durability::Strict).delete(Table::Journal, a.clone()),
        )
        .await?;
        state(&store).await?
    };
    let store = open(name).await.map_err(failed)?;
    equal("the state", &state(&store).await?, &before)?;
    put(&store, Table::Heads, &a, value(json!(3))).await?;
    holds(&store, Table::Heads, &a, 3, &value(json!(3))).await
}

pub(super) async fn shares_between_handles<S: Storage>(
    open: &impl AsyncFn(&str) -> Result<S, StoreError>,
) -> Case {
    let name = "reopening.shares_between_handles";
    let one = open(name).await.map_err(failed)?;
    let two = open(name).await.map_err(failed)?;
    let a = text_key("a");
    put(&one, Table::Heads, &a, value(json!("one"))).await?;
    holds(&two, Table::Heads, &a, 1, &value(json!("one"))).await?;
    put(&two, Table::Heads, &a, value(json!("two"))).await?;
    holds(&one, Table::Heads, &a, 2, &value(json!("two"))).await
}

pub(super) async fn serialises_two_handles<S: Storage>(
    open: &impl AsyncFn(&str) -> Result<S, StoreError>,
) -> Case {
    let name = "reopening.serialises_two_handles";
    let one = open(name).await.map_err(failed)?;
    let two = open(name).await.map_err(failed)?;
    let mut names = Vec::new();
    for n in 0..15 {
        let (left, right) = (format!("left {n}"), format!("right {n}"));
        let (a, b) = join(append(&one, &left), append(&two, &right)).await;
        a?;
        b?;
        names.extend([left, right]);
    }
    appended(&one, names).await
}
