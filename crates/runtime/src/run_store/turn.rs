//! The run's turn in the transcript: how it begins and how it is written.

use super::{Place, RunStore, Turn, Unwritten, failure};
use mnemograph_engine::Input;
use mnemograph_memory::{MemoryError, Read, Shown, ShownStatus, checkpoint, history, thread};
use mnemograph_storage::{Batch, Durability, Storage};
use std::rc::Rc;

impl<S: Storage> RunStore<S> {
    /// Reads all that the beginning of the turn needs, and makes its batch ready: it goes with the first journal row, or
    /// with [`RunStore::write_turn`] before that.
    pub(super) async fn open_turn(&self, shown: Shown) -> Result<(), MemoryError> {
        let Place {
            namespace, thread, ..
        } = &self.place;
        let mut scans = thread::scans(namespace, thread)?;
        scans.push(checkpoint::scan(namespace, Some(thread))?);
        if let Some(memory) = &self.place.only_history {
            scans.extend(history::scans(
                &self.key(memory)?,
                Read::for_view(memory.policy),
            ));
        }
        self.storage.fetch(scans).await?;
        self.check_nobody_waits().await?;
        // What is left unmarked now is marked by a later turn.
        let _ = self.settle_earlier().await;
        let now = (self.now)();
        let (turn, batch) = thread::turn_batch(&self.storage, &self.start(&shown, now)).await?;
        self.turn.set(Some(Turn {
            entry: turn.entry,
            started_at: now,
        }));
        self.unwritten.replace(Some(Unwritten { shown, batch }));
        self.is_opening.set(true);
        Ok(())
    }

    fn start<'a>(&'a self, shown: &'a Shown, now: u64) -> thread::TurnStart<'a> {
        thread::TurnStart {
            namespace: &self.place.namespace,
            thread: &self.place.thread,
            actor: &self.place.actor,
            run_id: &self.place.run_id,
            shown,
            now,
        }
    }

    /// True while the turn's beginning is not stored yet.
    pub(crate) fn is_opening(&self) -> bool {
        self.is_opening.get()
    }

    /// Writes the turn's beginning, if nothing has written it yet. An answer means that it cannot be.
    pub(crate) async fn write_turn(self: Rc<Self>) -> Option<Input> {
        let unwritten = self.unwritten.take()?;
        let failed = self.write_turn_of(&unwritten.shown).await;
        self.is_opening.set(false);
        failed
    }

    pub(super) async fn write_turn_of(&self, shown: &Shown) -> Option<Input> {
        let now = self
            .turn
            .get()
            .map_or_else(|| (self.now)(), |turn| turn.started_at);
        let nothing = Batch::new(Durability::Relaxed);
        match thread::open_turn(&self.storage, &self.start(shown, now), nothing).await {
            Ok(turn) => {
                self.turn.set(Some(Turn {
                    entry: turn.entry,
                    started_at: now,
                }));
                None
            }
            Err(error) => Some(self.turn_failed(error)),
        }
    }

    pub(super) fn turn_failed(&self, error: MemoryError) -> Input {
        self.turn.set(None);
        Input::TurnFailed {
            failure: failure(error),
        }
    }

    /// Marks the turns just before as stopped if their page was closed. Only a run that holds its thread's lock
    /// knows that they are over.
    async fn settle_earlier(&self) -> Result<(), MemoryError> {
        if !self.place.is_locked {
            return Ok(());
        }
        let Place {
            namespace, thread, ..
        } = &self.place;
        let page = thread::TranscriptPage {
            limit: Some(thread::EARLIER),
            before: None,
        };
        let earlier = thread::transcript(&self.storage, namespace, thread, page).await?;
        for turn in earlier.entries {
            if turn.shown.status == ShownStatus::Running && !(self.is_live)(&turn.run_id) {
                let shown = Shown {
                    status: ShownStatus::Aborted,
                    ..turn.shown
                };
                let (n, run_id, started_at) = (turn.n, &turn.run_id, turn.started_at);
                thread::finish_turn(
                    &self.storage,
                    namespace,
                    thread,
                    n,
                    run_id,
                    started_at,
                    &shown,
                )
                .await?;
            }
        }
        Ok(())
    }

    pub(super) async fn write_transcript(&self, shown: &Shown) -> Result<(), MemoryError> {
        let Some(turn) = self.turn.get() else {
            return Ok(());
        };
        let Place {
            namespace,
            thread,
            run_id,
            ..
        } = &self.place;
        thread::finish_turn(
            &self.storage,
            namespace,
            thread,
            turn.entry,
            run_id,
            turn.started_at,
            shown,
        )
        .await?;
        Ok(())
    }
}
