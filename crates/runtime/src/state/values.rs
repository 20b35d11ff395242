//! Nodes that keep a value: the dictionaries of agents and the variables of threads.

use super::{StateKind, StateView, scope};
use crate::{error::RuntimeError, host::Host, runtime::Runtime};
use mnemograph_engine::{Plan, RunError};
use mnemograph_graph::{AgentMemory, Coerced, Scope as Lives, Settings, Var, coerce};
use mnemograph_memory::{
    Cleared, DictionaryLimits, DictionaryOp, Quarantined, Scope, dictionaries, variables,
};
use mnemograph_storage::Storage;
use serde_json::{Map, Value};

/// A node that keeps a value.
enum Keeper<'a> {
    Dictionary(&'a AgentMemory),
    /// One that lives as long as the thread; the others live in a run alone.
    Variable(&'a Var),
}

fn keeper<'a>(plan: &'a Plan, node: &str) -> Option<Keeper<'a>> {
    let found = plan.graph.find(node).and_then(|ix| plan.graph.node(ix))?;
    match &found.settings {
        Settings::AgentMemory(settings) => Some(Keeper::Dictionary(settings)),
        Settings::Var(var) if var.scope == Lives::Thread => Some(Keeper::Variable(var)),
        _ => None,
    }
}

impl<S: Storage + 'static, H: Host + 'static> Runtime<S, H> {
    /// What such a node holds; `None` for another node.
    pub(super) async fn inspect_value(
        &self,
        plan: &Plan,
        node: &str,
        thread: &str,
    ) -> Result<Option<StateView>, RuntimeError> {
        Ok(match keeper(plan, node) {
            Some(Keeper::Dictionary(settings)) => Some(
                self.inspect_dictionary(plan, node, settings, thread)
                    .await?,
            ),
            Some(Keeper::Variable(var)) => {
                Some(self.inspect_variable(plan, node, var, thread).await?)
            }
            None => None,
        })
    }

    /// Lets what such a node begins with hold again; `None` for another node.
    pub(super) async fn clear_value(
        &self,
        plan: &Plan,
        node: &str,
        thread: &str,
    ) -> Result<Option<Cleared>, RuntimeError> {
        let (store, namespace, graph) = (self.store(), &self.inner.namespace, &plan.graph.id);
        let messages = match keeper(plan, node) {
            None => return Ok(None),
            Some(Keeper::Dictionary(settings)) if settings.scope != Lives::Thread => 0,
            Some(Keeper::Dictionary(_)) => {
                dictionaries::remove(&store, namespace, thread, graph, node).await?
            }
            Some(Keeper::Variable(_)) => {
                let stored = variables::load(&store, namespace, thread, graph).await?;
                variables::write(&store, namespace, thread, graph, node, None).await?;
                u64::from(stored.values.contains_key(node))
            }
        };
        Ok(Some(Cleared { messages, epoch: 0 }))
    }

    /// Puts a value into a variable of the thread, in its type, or an object in the place of all that a dictionary of the
    /// thread holds. Runs that go on have read what was there before.
    ///
    /// # Errors
    /// `E_CLOSED`; `E_NOT_FOUND` for another node; `E_COERCE` for a value of another type; `E_MEMORY_WRITE` for one beyond
    /// the limits of the dictionary; `E_BAD_ID`; what the storage reports.
    pub async fn state_set(
        &self,
        plan: &Plan,
        node: &str,
        thread: &str,
        value: Value,
    ) -> Result<(), RuntimeError> {
        self.check_open()?;
        let (store, namespace, graph) = (self.store(), &self.inner.namespace, &plan.graph.id);
        match keeper(plan, node) {
            Some(Keeper::Variable(var)) => {
                let value = match coerce(&value, var.value_type) {
                    Coerced::Fit(value) | Coerced::FitWith(value, _) => value,
                    Coerced::Misfit => return Err(misfit(node, var.value_type.as_str())),
                };
                variables::write(&store, namespace, thread, graph, node, Some(&value)).await?;
            }
            Some(Keeper::Dictionary(settings)) if settings.scope == Lives::Thread => {
                let Value::Object(values) = value else {
                    return Err(misfit(node, "json object"));
                };
                let limits = DictionaryLimits {
                    max_keys: settings.max_keys,
                    max_value_chars: settings.max_value_chars,
                };
                let place = (namespace.as_str(), thread, graph.as_str(), node);
                let op = DictionaryOp::Replace { values };
                dictionaries::change(&store, place, &op, &Map::new(), limits).await?;
            }
            Some(Keeper::Dictionary(_)) | None => {
                return Err(RuntimeError::NoSuchNode {
                    node: node.to_owned(),
                });
            }
        }
        Ok(())
    }

    async fn inspect_variable(
        &self,
        plan: &Plan,
        node: &str,
        var: &Var,
        thread: &str,
    ) -> Result<StateView, RuntimeError> {
        let (namespace, graph) = (&self.inner.namespace, &plan.graph.id);
        let mut stored = variables::load(&self.store(), namespace, thread, graph).await?;
        let written = stored.values.shift_remove(node);
        let count = u64::from(written.is_some());
        let value = written.unwrap_or_else(|| var.default.clone());
        let parts = [namespace, graph, node, thread, "variable"];
        Ok(StateView {
            node: node.to_owned(),
            node_type: "var".to_owned(),
            kind: StateKind::Variable,
            scope: Scope::Thread,
            thread: thread.to_owned(),
            storage_key: parts.map(str::to_owned).to_vec(),
            epoch: None,
            messages: Vec::new(),
            dictionary: None,
            count,
            bytes: value.to_string().len() as u64,
            value: Some(value),
            value_type: Some(var.value_type),
            quarantined: of_node(stored.quarantined, node),
            summary: None,
        })
    }

    async fn inspect_dictionary(
        &self,
        plan: &Plan,
        node: &str,
        settings: &AgentMemory,
        thread: &str,
    ) -> Result<StateView, RuntimeError> {
        let (namespace, graph) = (&self.inner.namespace, &plan.graph.id);
        let scope = scope(settings.scope);
        let mut stored = match scope {
            Scope::Thread => dictionaries::load(&self.store(), namespace, thread, graph).await?,
            // What lives shorter is the run's own.
            Scope::Session | Scope::Call => dictionaries::Dictionaries::default(),
        };
        let values = match stored.values.get_mut(node).map(Value::take) {
            Some(Value::Object(values)) => values,
            _ => settings.initial.clone(),
        };
        let parts = [namespace, graph, node, thread, "agent_memory"];
        Ok(StateView {
            node: node.to_owned(),
            node_type: "agent_memory".to_owned(),
            kind: StateKind::Dictionary,
            scope,
            thread: thread.to_owned(),
            storage_key: parts.map(str::to_owned).to_vec(),
            epoch: None,
            messages: Vec::new(),
            count: values.len() as u64,
            bytes: Value::Object(values.clone()).to_string().len() as u64,
            dictionary: Some(values),
            value: None,
            value_type: None,
            quarantined: of_node(stored.quarantined, node),
            summary: None,
        })
    }
}

fn misfit(node: &str, value_type: &str) -> RuntimeError {
    let message = format!("The value is no {value_type}, which is what '{node}' keeps.");
    let error = RunError::new("E_COERCE", message);
    RuntimeError::Run(error.hint("Give a value of that type; nothing was changed."))
}

/// The damaged records that are those of a node.
fn of_node(mut damaged: Vec<Quarantined>, node: &str) -> Vec<Quarantined> {
    let last = mnemograph_storage::Part::Text(node.to_owned());
    damaged.retain(|damaged| damaged.key.parts().last() == Some(&last));
    damaged
}
