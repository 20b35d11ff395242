//! Two writers, one step at a time: every call of the storage is a point where the other may go on.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use mnemograph_storage::{Batch, Outcome, Range, Record, ScanOptions, Storage, StoreError, Table};

/// A storage whose calls wait once before they are made.
#[derive(Debug, Clone, Default)]
pub(crate) struct Yielding<S>(pub(crate) S);

async fn pause() {
    let paused = Rc::new(Cell::new(false));
    poll_fn(|_| {
        if paused.replace(true) {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    })
    .await;
}

impl<S: Storage> Storage for Yielding<S> {
    async fn scan(
        &self,
        table: Table,
        range: &Range,
        options: ScanOptions,
    ) -> Result<Vec<Record>, StoreError> {
        pause().await;
        self.0.scan(table, range, options).await
    }

    async fn commit(&self, batch: Batch) -> Result<Outcome, StoreError> {
        pause().await;
        self.0.commit(batch).await
    }
}

/// Polls both to the end: where the schedule says so the first, else the second; after the schedule in turn.
pub(crate) fn interleave(
    schedule: &[bool],
    a: impl Future<Output = ()>,
    b: impl Future<Output = ()>,
) {
    let (mut a, mut b) = (pin!(a), pin!(b));
    let (mut a_done, mut b_done) = (false, false);
    let mut context = Context::from_waker(Waker::noop());
    let mut turns = schedule
        .iter()
        .copied()
        .chain([true, false].into_iter().cycle());
    while !(a_done && b_done) {
        let first = turns.next().unwrap_or(true);
        if (first || b_done) && !a_done {
            a_done = a.as_mut().poll(&mut context).is_ready();
        } else {
            b_done = b.as_mut().poll(&mut context).is_ready();
        }
    }
}
