//! The storage effects of one run: which storage and key a history has, and what the run knows of its
//! head between two writes.

mod manage;
mod turn;

use crate::read_ahead::ReadAhead;
use crate::summaries::{self, Summaries, Task};
use mnemograph_compact::{FromJson, SortedMap};
use mnemograph_engine::{Committed, Effect, Failure, Input, LoadedHistory, MemoryRef};
use mnemograph_memory::{
    Appended, Base, HistoryKey, JournalRow, Loaded, MemoryError, Read, Round, Scope, Shown,
    ViewPolicy, history, summary, thread,
};
use mnemograph_storage::{Batch, Durability, MemoryStorage, Storage};
use serde::Serialize;
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// Where a run's state belongs.
pub(crate) struct Place {
    pub(crate) namespace: String,
    pub(crate) graph: String,
    pub(crate) thread: String,
    pub(crate) actor: String,
    pub(crate) run_id: String,
    pub(crate) is_locked: bool,
    /// The history that will be read, where that is known.
    pub(crate) only_history: Option<MemoryRef>,
}

pub(crate) struct RunStore<S> {
    pub(crate) storage: ReadAhead<S>,
    pub(crate) session: ReadAhead<S>,
    pub(crate) place: Place,
    is_live: Rc<dyn Fn(&str) -> bool>,
    pub(crate) now: Rc<dyn Fn() -> u64>,
    pub(crate) bases: RefCell<SortedMap<String, Base>>,
    pub(crate) turn: Cell<Option<Turn>>,
    unwritten: RefCell<Option<Unwritten>>,
    is_opening: Cell<bool>,
    summaries: Rc<dyn Summaries>,
    /// Messages that the notes of a memory do not cover, as far as this run knows.
    uncovered: RefCell<SortedMap<String, u64>>,
    own: MemoryStorage,
}

/// The beginning of the turn while it is still to be written.
struct Unwritten {
    shown: Shown,
    batch: Batch,
}

/// The transcript's entry of this run.
#[derive(Clone, Copy, Serialize, FromJson)]
pub(crate) struct Turn {
    pub(crate) entry: u64,
    pub(crate) started_at: u64,
}

impl<S: Storage> RunStore<S> {
    pub(crate) fn new(
        storage: Rc<S>,
        session: MemoryStorage,
        place: Place,
        is_live: Rc<dyn Fn(&str) -> bool>,
        now: Rc<dyn Fn() -> u64>,
        summaries: Rc<dyn Summaries>,
    ) -> Self {
        Self {
            storage: ReadAhead::new(storage),
            session: ReadAhead::session(session.clone()),
            own: session,
            summaries,
            uncovered: RefCell::default(),
            place,
            is_live,
            now,
            bases: RefCell::default(),
            turn: Cell::new(None),
            unwritten: RefCell::default(),
            is_opening: Cell::new(false),
        }
    }

    /// Performs a storage effect and gives its answer.
    pub(crate) async fn perform(self: Rc<Self>, effect: Effect) -> Option<Input> {
        match effect {
            Effect::OpenTurn { request, shown } => {
                let result = self.open_turn(shown).await.map_err(failure);
                Some(Input::TurnOpened { request, result })
            }
            Effect::LoadHistory { request, memory } => {
                let result = self.load(&memory).await.map_err(failure);
                Some(Input::HistoryLoaded { request, result })
            }
            Effect::WriteJournal {
                memory,
                round,
                seen_seq,
            } => self.journal(&memory, round, seen_seq).await,
            Effect::CommitRound {
                request,
                memory,
                round,
                seen_seq,
                shown,
            } => {
                let result = self
                    .commit(&memory, &round, seen_seq, shown)
                    .await
                    .map_err(failure);
                Some(Input::RoundCommitted { request, result })
            }
            Effect::WriteTranscript { request, shown } => {
                let result = self.write_transcript(&shown).await.map_err(failure);
                Some(Input::TranscriptWritten { request, result })
            }
            Effect::ReadThread {
                request,
                variables,
                dictionaries,
                transcript,
            } => {
                let read = self
                    .read_thread(&variables, &dictionaries, transcript)
                    .await;
                let result = read.map_err(failure);
                Some(Input::ThreadRead { request, result })
            }
            Effect::WriteVariable {
                request,
                variable,
                value,
            } => {
                let written = self.write_variable(&variable, value.as_ref()).await;
                let result = written.map_err(failure);
                Some(Input::VariableWritten { request, result })
            }
            Effect::ChangeDictionary {
                request,
                dictionary,
                op,
                initial,
                limits,
            } => {
                let changed = self
                    .change_dictionary(&dictionary, &op, &initial, limits)
                    .await;
                let result = changed.map_err(failure);
                Some(Input::DictionaryChanged { request, result })
            }
            Effect::ManageMemory {
                request,
                memory,
                op,
            } => {
                let result = self.manage(&memory, op, request).await.map_err(failure);
                Some(Input::MemoryManaged { request, result })
            }
            Effect::SaveCheckpoint {
                request,
                checkpoint,
            } => {
                let result = self.park(*checkpoint).await.map_err(failure);
                Some(Input::CheckpointSaved { request, result })
            }
            Effect::DropCheckpoint {} => {
                // Where that fails the run is listed as waiting, and can be given up there.
                let _ = self.drop_checkpoint().await;
                None
            }
            Effect::CallModel { .. }
            | Effect::CallTool { .. }
            | Effect::CallHost { .. }
            | Effect::CancelCall { .. }
            | Effect::WakeAt { .. }
            | Effect::Emit(_)
            | Effect::Finish(_) => None,
        }
    }

    async fn load(&self, memory: &MemoryRef) -> Result<LoadedHistory, MemoryError> {
        let key = self.key(memory)?;
        let is_free = self.summaries.settled(&key).await;
        let mut loaded = self.read(memory, &key).await?;
        // The page was closed before the notes were made, or they could not be made then.
        if is_free && summaries::is_due(memory, &loaded) {
            self.summaries.begin(self.task(memory, &key));
            self.summaries.settled(&key).await;
            self.storage.forget();
            loaded = self.read(memory, &key).await?;
        }
        self.keep_base(memory, loaded.base);
        let uncovered = summary::uncovered(&loaded.messages, loaded.notes.covers_seq()).len();
        let mut known = self.uncovered.borrow_mut();
        known.insert(memory.node.clone(), uncovered as u64);
        Ok(LoadedHistory {
            count: loaded.count,
            last_seq: loaded.last_seq(),
            quarantined: loaded.quarantined.len() as u64,
            messages: loaded.messages,
            summary: loaded.notes.summary,
            summary_failed: loaded.notes.failed.map(|failed| failed.code),
        })
    }

    async fn read(&self, memory: &MemoryRef, key: &HistoryKey) -> Result<Loaded, MemoryError> {
        let read = Read::for_view(memory.policy);
        match memory.scope {
            Scope::Thread => {
                let is_live = |run_id: &str| (self.is_live)(run_id);
                self.storage.fetch(history::scans(key, read)).await?;
                // A row that cannot be finalised now is kept, and tried again by the next load.
                let _ = history::recover(&self.storage, key, is_live).await;
                history::load(&self.storage, key, read).await
            }
            Scope::Session | Scope::Call => history::load(&self.session, key, read).await,
        }
    }

    fn task(&self, memory: &MemoryRef, key: &HistoryKey) -> Task {
        Task {
            key: key.clone(),
            memory: memory.clone(),
            session: (memory.scope != Scope::Thread).then(|| self.own.clone()),
        }
    }

    /// A round was stored: notes are made beside the run, if they are due.
    fn stored(&self, memory: &MemoryRef, key: &HistoryKey, count: u64) {
        let ViewPolicy::Summary { trigger, .. } = memory.policy else {
            return;
        };
        let mut known = self.uncovered.borrow_mut();
        let uncovered = known.get_or_insert_with(memory.node.clone(), || 0);
        *uncovered = uncovered.saturating_add(count);
        if *uncovered > trigger as u64 {
            self.summaries.begin(self.task(memory, key));
        }
    }

    /// Writes a journal row, with the turn's beginning if that is still to be written.
    async fn journal(&self, memory: &MemoryRef, round: Round, seen_seq: u64) -> Option<Input> {
        if memory.scope != Scope::Thread {
            return None;
        }
        let failed = self.write_first(memory, round, seen_seq).await;
        self.is_opening.set(false);
        failed
    }

    async fn write_first(&self, memory: &MemoryRef, round: Round, seen_seq: u64) -> Option<Input> {
        let unwritten = self.unwritten.take();
        let first = unwritten.as_ref().map(|unwritten| unwritten.batch.clone());
        let row = JournalRow {
            round,
            seen_seq,
            updated_at: (self.now)(),
        };
        match (self.write_row(memory, &row, first).await, unwritten) {
            (Ok(()), _) => None,
            // The storage failed, and the turn has no beginning.
            (Err(error @ MemoryError::Store(_)), Some(_)) => Some(self.turn_failed(error)),
            // The row cannot be written, or somebody else wrote in the thread: one after the other.
            (Err(_), Some(unwritten)) => match self.write_turn_of(&unwritten.shown).await {
                None => self.write_row(memory, &row, None).await.err().map(unnoted),
                failed => failed,
            },
            (Err(error), None) => Some(unnoted(error)),
        }
    }

    async fn write_row(
        &self,
        memory: &MemoryRef,
        row: &JournalRow,
        first: Option<Batch>,
    ) -> Result<(), MemoryError> {
        let extra = first.unwrap_or_else(|| Batch::new(Durability::Relaxed));
        let key = self.key(memory)?;
        let known = self.base(memory);
        let base = history::open_round(&self.storage, &key, known.as_ref(), row, extra).await?;
        // A history that was cleared keeps the base of the load: the append must find out.
        if known.is_none_or(|known| known.epoch == base.epoch) {
            self.keep_base(memory, Some(base));
        }
        Ok(())
    }

    async fn commit(
        &self,
        memory: &MemoryRef,
        round: &Round,
        seen_seq: u64,
        shown: Option<Shown>,
    ) -> Result<Committed, MemoryError> {
        let key = self.key(memory)?;
        let known = self.base(memory);
        let appended = match memory.scope {
            Scope::Thread => {
                let extra = self.entry_batch(shown.as_ref())?;
                let appended =
                    history::append(&self.storage, &key, known.as_ref(), round, seen_seq, extra)
                        .await?;
                if let (Appended::Stale, Some(shown)) = (&appended, &shown) {
                    self.write_transcript(shown).await?;
                }
                appended
            }
            Scope::Session | Scope::Call => {
                let extra = Batch::new(Durability::Relaxed);
                let appended =
                    history::append(&self.session, &key, known.as_ref(), round, seen_seq, extra)
                        .await?;
                if let Some(shown) = &shown {
                    self.write_transcript(shown).await?;
                }
                appended
            }
        };
        Ok(match appended {
            Appended::Stored {
                count,
                bytes,
                hash,
                base,
                ..
            }
            | Appended::Already {
                count,
                bytes,
                hash,
                base,
                ..
            } => {
                self.keep_base(memory, Some(base));
                self.stored(memory, &key, count);
                Committed::Stored { count, bytes, hash }
            }
            Appended::Stale => Committed::Stale,
        })
    }

    fn entry_batch(&self, shown: Option<&Shown>) -> Result<Batch, MemoryError> {
        let (Some(shown), Some(turn)) = (shown, self.turn.get()) else {
            return Ok(Batch::new(Durability::Strict));
        };
        let Place {
            namespace,
            thread,
            run_id,
            ..
        } = &self.place;
        thread::finish_batch(
            namespace,
            thread,
            turn.entry,
            run_id,
            turn.started_at,
            shown,
        )
    }

    fn key(&self, memory: &MemoryRef) -> Result<HistoryKey, MemoryError> {
        let Place {
            namespace,
            graph,
            thread,
            run_id,
            ..
        } = &self.place;
        let thread = if memory.scope == Scope::Thread {
            thread
        } else {
            run_id
        };
        HistoryKey::new(namespace, graph, &memory.node, thread, memory.memory_type)
    }

    fn base(&self, memory: &MemoryRef) -> Option<Base> {
        self.bases.borrow().get(&memory.node).copied()
    }

    fn keep_base(&self, memory: &MemoryRef, base: Option<Base>) {
        if let Some(base) = base {
            self.bases.borrow_mut().insert(memory.node.clone(), base);
        }
    }
}

fn unnoted(error: MemoryError) -> Input {
    Input::JournalFailed {
        failure: failure(error),
    }
}

fn failure(error: MemoryError) -> Failure {
    Failure {
        retryable: error.retryable(),
        hint: Some(error.hint()),
        ..Failure::new(error.code(), error.to_string())
    }
}
