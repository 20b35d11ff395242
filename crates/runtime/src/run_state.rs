//! What a run keeps beside its histories: the thread's variables, its transcript, and the run itself while it waits.

use crate::run_store::{Place, RunStore, Turn};
use mnemograph_compact::{FromJson, SortedMap};
use mnemograph_engine::{Checkpoint, ThreadState};
use mnemograph_memory::{
    Base, DictionaryLimits, DictionaryOp, MemoryError, checkpoint, dictionaries, thread, variables,
};
use mnemograph_storage::{Batch, Durability, Range, ScanOptions, Storage, Table};
use serde::Serialize;
use serde_json::{Map, Value};

/// A waiting run as it is stored: the engine's state, and full copies of what lives as long as the run.
#[derive(Serialize, FromJson)]
pub(crate) struct Parked {
    pub(crate) state: Value,
    session: Vec<(Table, mnemograph_storage::Key, mnemograph_storage::Value)>,
    bases: SortedMap<String, Base>,
    turn: Option<Turn>,
}

impl<S: Storage> RunStore<S> {
    /// Refuses a turn on a thread whose last run still waits for a person.
    pub(crate) async fn check_nobody_waits(&self) -> Result<(), MemoryError> {
        let Place {
            namespace,
            thread,
            run_id,
            ..
        } = &self.place;
        let waiting = checkpoint::list(&self.storage, namespace, Some(thread)).await?;
        match waiting
            .into_iter()
            .find(|run| run.waiting.run_id != *run_id)
        {
            Some(run) => Err(MemoryError::Busy {
                thread: thread.clone(),
                run: run.waiting.run_id,
            }),
            None => Ok(()),
        }
    }

    pub(crate) async fn read_thread(
        &self,
        wanted: &[String],
        dictionaries: &[String],
        transcript: u32,
    ) -> Result<ThreadState, MemoryError> {
        let Place {
            namespace,
            thread,
            graph,
            ..
        } = &self.place;
        let mut state = ThreadState::default();
        if !wanted.is_empty() {
            let stored = variables::load(&self.storage, namespace, thread, graph).await?;
            let values = stored.values.into_iter();
            state.variables = values.filter(|(id, _)| wanted.contains(id)).collect();
        }
        if !dictionaries.is_empty() {
            let stored = dictionaries::load(&self.storage, namespace, thread, graph).await?;
            let values = stored.values.into_iter();
            state.dictionaries = values.filter(|(id, _)| dictionaries.contains(id)).collect();
        }
        if transcript > 0 {
            let page = thread::TranscriptPage {
                // An entry has a message of the person and at least one reply, or counts for less.
                limit: usize::try_from(transcript).ok(),
                before: self.turn.get().map(|turn| turn.entry),
            };
            let read = thread::transcript(&self.storage, namespace, thread, page).await?;
            state.transcript = read.entries.into_iter().map(|entry| entry.shown).collect();
        }
        Ok(state)
    }

    pub(crate) async fn write_variable(
        &self,
        variable: &str,
        value: Option<&Value>,
    ) -> Result<(), MemoryError> {
        let Place {
            namespace,
            thread,
            graph,
            ..
        } = &self.place;
        variables::write(&self.storage, namespace, thread, graph, variable, value).await
    }

    pub(crate) async fn change_dictionary(
        &self,
        dictionary: &str,
        op: &DictionaryOp,
        initial: &Map<String, Value>,
        limits: DictionaryLimits,
    ) -> Result<Map<String, Value>, MemoryError> {
        let Place {
            namespace,
            thread,
            graph,
            ..
        } = &self.place;
        let place = (
            namespace.as_str(),
            thread.as_str(),
            graph.as_str(),
            dictionary,
        );
        dictionaries::change(&self.storage, place, op, initial, limits).await
    }

    pub(crate) async fn park(&self, checkpoint: Checkpoint) -> Result<(), MemoryError> {
        let parked = Parked {
            state: checkpoint.state,
            session: dump(&self.session).await?,
            bases: self.bases.borrow().clone(),
            turn: self.turn.get(),
        };
        let broken = |error: serde_json::Error| MemoryError::BadRound {
            round: self.place.run_id.clone(),
            problem: error.to_string(),
        };
        let waiting = checkpoint::Waiting {
            run_id: self.place.run_id.clone(),
            thread: self.place.thread.clone(),
            graph: self.place.graph.clone(),
            graph_hash: checkpoint.graph_hash,
            actor: self.place.actor.clone(),
            created_at: (self.now)(),
            interrupts: serde_json::to_value(&checkpoint.interrupts).map_err(broken)?,
            body: serde_json::to_value(&parked).map_err(broken)?,
        };
        checkpoint::save(&self.storage, &self.place.namespace, &waiting).await
    }

    pub(crate) async fn drop_checkpoint(&self) -> Result<(), MemoryError> {
        let Place {
            namespace,
            thread,
            run_id,
            ..
        } = &self.place;
        checkpoint::remove(&self.storage, namespace, thread, run_id).await
    }

    /// Takes back what was put away.
    pub(crate) async fn unpark(&self, parked: Parked) -> Result<(), MemoryError> {
        let mut batch = Batch::new(Durability::Relaxed);
        for (table, key, value) in parked.session {
            batch = batch.put(table, key, value);
        }
        self.session.commit(batch).await?;
        // The records have new revisions; what is known of thread histories still holds.
        *self.bases.borrow_mut() = parked.bases;
        self.turn.set(parked.turn);
        Ok(())
    }
}

async fn dump(
    session: &impl Storage,
) -> Result<Vec<(Table, mnemograph_storage::Key, mnemograph_storage::Value)>, MemoryError> {
    let mut rows = Vec::new();
    for table in Table::ALL {
        let records = session
            .scan(*table, &Range::all(), ScanOptions::default())
            .await?;
        rows.extend(
            records
                .into_iter()
                .map(|record| (*table, record.key, record.value)),
        );
    }
    Ok(rows)
}
