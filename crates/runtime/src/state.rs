//! What nodes keep, for people to look at and to clear (3-memory.md D30, D40).

mod values;

use crate::{error::RuntimeError, host::Host, runtime::Runtime};
use mnemograph_engine::{Plan, memory_kind};
use mnemograph_graph::{NodeIx, Settings, ValueType};
use mnemograph_memory::{
    Cleared, Edit, Edited, HistoryKey, Loaded, MemoryError, Message, Quarantined, Read, Scope,
    Summary, ViewPolicy, history, view,
};
use mnemograph_storage::Storage;
use serde::Serialize;
use serde_json::{Map, Value};

/// A node that keeps state.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct StateNode {
    /// Its id.
    pub node: String,
    /// Its type.
    #[serde(rename = "type")]
    pub node_type: String,
    /// What people call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub title: Option<String>,
    /// What it keeps.
    pub kind: StateKind,
    /// How long.
    pub scope: Scope,
}

/// What a node keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum StateKind {
    /// The messages of a conversation.
    Messages,
    /// What an agent keeps for itself, by key.
    Dictionary,
    /// The value of a variable that lives as long as the thread.
    Variable,
}

/// A stored message and what becomes of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(
    feature = "ts",
    derive(ts_rs::TS),
    ts(type = "Message & { in_view: boolean }")
)]
pub struct StateMessage {
    /// The message as it is stored.
    #[serde(flatten)]
    pub message: Message,
    /// True if the model is sent it in the next turn.
    pub in_view: bool,
}

/// What a memory node holds for a thread.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct StateView {
    /// The node.
    pub node: String,
    /// Its type.
    #[serde(rename = "type")]
    pub node_type: String,
    /// What it keeps.
    pub kind: StateKind,
    /// How long.
    pub scope: Scope,
    /// The thread that was asked for.
    pub thread: String,
    /// Where it is stored: namespace, graph, node, thread, memory type.
    pub storage_key: Vec<String>,
    /// Which life of the history this is; it changes when the history is cleared.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub epoch: Option<u64>,
    /// The stored messages, in order; none of a dictionary.
    pub messages: Vec<StateMessage>,
    /// What is in a dictionary: what it begins with while nothing is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "Record<string, unknown>"))]
    pub dictionary: Option<Map<String, Value>>,
    /// The value of a variable: its default while nothing is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "unknown"))]
    pub value: Option<Value>,
    /// The type of a variable.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub value_type: Option<ValueType>,
    /// How many messages or keys there are; 1 for a variable that is stored.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub count: u64,
    /// How many bytes they take.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub bytes: u64,
    /// Rounds that cannot be read. They stay where they are until the state is cleared.
    pub quarantined: Vec<Quarantined>,
    /// The notes on its older part, which the model is sent instead of what they cover.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub summary: Option<Summary>,
}

impl<S: Storage + 'static, H: Host + 'static> Runtime<S, H> {
    /// The nodes of a graph that keep state, in the order of their ids.
    #[must_use]
    pub fn state_nodes(plan: &Plan) -> Vec<StateNode> {
        let nodes = plan.graph.nodes();
        nodes
            .filter_map(|(_, node)| {
                let (kind, kept) = match &node.settings {
                    Settings::AgentMemory(memory) => (StateKind::Dictionary, memory.scope),
                    // The others live in a run alone.
                    Settings::Var(var) if var.scope == mnemograph_graph::Scope::Thread => {
                        (StateKind::Variable, var.scope)
                    }
                    other => (StateKind::Messages, other.memory()?.scope),
                };
                Some(StateNode {
                    node: node.id.clone(),
                    node_type: node.type_name().to_owned(),
                    title: node.title.clone(),
                    kind,
                    scope: scope(kept),
                })
            })
            .collect()
    }

    /// What a memory node holds for a thread. Never writes. With scope `session`, `thread` is the id of a
    /// run that goes on; with scope `call` there is nothing to see.
    ///
    /// # Errors
    /// `E_CLOSED`; `E_NOT_FOUND` for a node that keeps nothing; `E_BAD_ID`; what the storage reports.
    pub async fn state_inspect(
        &self,
        plan: &Plan,
        node: &str,
        thread: &str,
    ) -> Result<StateView, RuntimeError> {
        self.check_open()?;
        if let Some(seen) = self.inspect_value(plan, node, thread).await? {
            return Ok(seen);
        }
        let Kept {
            key,
            scope,
            node_type,
            policy,
        } = self.history(plan, node, thread)?;
        let loaded = match scope {
            Scope::Thread => history::load(&self.store(), &key, Read::All).await?,
            Scope::Session => match self.session_of(thread, &plan.graph.id) {
                Some(session) => history::load(&session, &key, Read::All).await?,
                None => Loaded::default(),
            },
            Scope::Call => Loaded::default(),
        };
        let summary = loaded.notes.summary;
        let shown = view(&loaded.messages, summary.as_ref(), &policy, None);
        let messages = loaded.messages.into_iter().map(|message| StateMessage {
            in_view: shown.in_view.contains(&message.id),
            message,
        });
        Ok(StateView {
            node: node.to_owned(),
            node_type,
            kind: StateKind::Messages,
            scope,
            thread: thread.to_owned(),
            storage_key: storage_key(&key),
            epoch: loaded.base.map(|base| base.epoch),
            messages: messages.collect(),
            dictionary: None,
            value: None,
            value_type: None,
            count: loaded.count,
            bytes: loaded.bytes,
            quarantined: loaded.quarantined,
            summary,
        })
    }

    /// Clears what a memory node holds for a thread. A run that goes on and has read it stores nothing
    /// any more: clearing wins.
    ///
    /// # Errors
    /// As [`Runtime::state_inspect`].
    pub async fn state_clear(
        &self,
        plan: &Plan,
        node: &str,
        thread: &str,
    ) -> Result<Cleared, RuntimeError> {
        self.check_open()?;
        if let Some(cleared) = self.clear_value(plan, node, thread).await? {
            return Ok(cleared);
        }
        let Kept { key, scope, .. } = self.history(plan, node, thread)?;
        match (scope, self.session_of(thread, &plan.graph.id)) {
            (Scope::Thread, _) => Ok(history::clear(&self.store(), &key).await?),
            (Scope::Session, Some(session)) => Ok(history::clear(&session, &key).await?),
            (Scope::Session | Scope::Call, _) => Ok(Cleared {
                messages: 0,
                epoch: 0,
            }),
        }
    }

    /// Takes rounds away from what a memory node holds for a thread. Open rounds of dead runs are stored first. A run
    /// that goes on and has read the history stores nothing any more: the edit wins.
    ///
    /// # Errors
    /// As [`Runtime::state_inspect`]; `E_BAD_ID` if the round is not in it; `E_BUSY` while a run of the thread waits for a
    /// person; `E_STORE_CONFLICT`.
    pub async fn state_edit(
        &self,
        plan: &Plan,
        node: &str,
        thread: &str,
        edit: &Edit,
    ) -> Result<Edited, RuntimeError> {
        self.check_open()?;
        let Kept { key, scope, .. } = self.history(plan, node, thread)?;
        let session = self.session_of(thread, &plan.graph.id);
        if let (Scope::Session, Some(session)) = (scope, session) {
            return Ok(history::edit(&session, &key, edit).await?);
        }
        // With the other scopes nothing is in the database, so that no round is found there.
        // A run that waits for a person is not live, yet its open round is not to be ended here.
        if let Some(run) = self.waiting(Some(thread)).await?.into_iter().next() {
            return Err(RuntimeError::from(MemoryError::Busy {
                thread: thread.to_owned(),
                run: run.run_id,
            }));
        }
        let store = self.store();
        history::recover(&store, &key, &*self.liveness()).await?;
        Ok(history::edit(&store, &key, edit).await?)
    }

    fn history(&self, plan: &Plan, node: &str, thread: &str) -> Result<Kept, RuntimeError> {
        let found = plan
            .graph
            .find(node)
            .and_then(|ix: NodeIx| plan.graph.node(ix));
        let missing = || RuntimeError::NoSuchNode {
            node: node.to_owned(),
        };
        let node = found.ok_or_else(missing)?;
        let memory = node.settings.memory().ok_or_else(missing)?;
        let (memory_type, policy) = memory_kind(&node.settings).ok_or_else(missing)?;
        let key = HistoryKey::new(
            &self.inner.namespace,
            &plan.graph.id,
            &node.id,
            thread,
            memory_type,
        )?;
        Ok(Kept {
            key,
            scope: scope(memory.scope),
            node_type: node.type_name().to_owned(),
            policy,
        })
    }
}

/// A history as a memory node keeps it.
struct Kept {
    key: HistoryKey,
    scope: Scope,
    node_type: String,
    policy: ViewPolicy,
}

fn storage_key(key: &HistoryKey) -> Vec<String> {
    let parts = [
        key.namespace(),
        key.graph(),
        key.node(),
        key.thread(),
        key.memory_type().as_str(),
    ];
    parts.map(str::to_owned).to_vec()
}

fn scope(scope: mnemograph_graph::Scope) -> Scope {
    match scope {
        mnemograph_graph::Scope::Thread => Scope::Thread,
        mnemograph_graph::Scope::Session => Scope::Session,
        mnemograph_graph::Scope::Call => Scope::Call,
    }
}
