//! A whole history, read or changed by a step.

use super::RunStore;
use crate::read_ahead::ReadAhead;
use mnemograph_engine::{MemoryOp, MemoryRef, RequestId};
use mnemograph_memory::{Edit, HistoryKey, MemoryError, Message, Read, Scope, history, view};
use mnemograph_storage::{Batch, Durability, Storage};
use serde_json::Value;

impl<S: Storage> RunStore<S> {
    /// Does it, and gives the messages that the history holds then, each with `in_view`.
    pub(crate) async fn manage(
        &self,
        memory: &MemoryRef,
        op: MemoryOp,
        request: RequestId,
    ) -> Result<Vec<Value>, MemoryError> {
        let key = self.key(memory)?;
        let store = match memory.scope {
            Scope::Thread => {
                let is_live = |run_id: &str| (self.is_live)(run_id);
                // A row that cannot be finalised now is kept, and tried again by the next load.
                let _ = history::recover(&self.storage, &key, is_live).await;
                &self.storage
            }
            Scope::Session | Scope::Call => &self.session,
        };
        let prefix = format!("set_{}_{request}", self.place.run_id);
        self.change(store, &key, op, &prefix).await?;
        let loaded = history::load(store, &key, Read::All).await?;
        self.keep_base(memory, loaded.base);
        let summary = loaded.notes.summary.as_ref();
        let shown = view(&loaded.messages, summary, &memory.policy, None);
        let told = |message: &Message| {
            let mut told = serde_json::to_value(message).unwrap_or_default();
            if let Value::Object(told) = &mut told {
                let in_view = shown.in_view.contains(&message.id);
                told.insert("in_view".to_owned(), in_view.into());
            }
            told
        };
        Ok(loaded.messages.iter().map(told).collect())
    }

    async fn change(
        &self,
        store: &ReadAhead<S>,
        key: &HistoryKey,
        op: MemoryOp,
        prefix: &str,
    ) -> Result<(), MemoryError> {
        let run_id = &self.place.run_id;
        match op {
            MemoryOp::Get {} => {}
            MemoryOp::Clear {} => {
                history::clear(store, key).await?;
            }
            MemoryOp::DeleteLast {} => {
                history::edit(store, key, &Edit::DeleteLast {}).await?;
            }
            MemoryOp::Replace { messages } => {
                let rounds = history::rounds_of(messages, prefix, run_id);
                history::replace(store, key, &rounds).await?;
            }
            MemoryOp::Append { messages } => {
                for round in history::rounds_of(messages, prefix, run_id) {
                    let nothing = Batch::new(Durability::Strict);
                    history::append(store, key, None, &round, 0, nothing).await?;
                }
            }
        }
        Ok(())
    }
}
