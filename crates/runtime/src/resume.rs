//! Runs that wait for people: listing, answering, giving up (2-engine.md 2.8).

use crate::{
    error::RuntimeError,
    host::Host,
    run_state::Parked,
    runtime::{Runtime, Started},
};
use mnemograph_compact::FromJson;
use mnemograph_engine::{Input, Plan, Run, RunError};
use mnemograph_memory::{checkpoint, checkpoint::Stored};
use mnemograph_storage::Storage;
use serde::Serialize;
use serde_json::Value;
use std::rc::Rc;

/// A person's answer.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResumeOptions {
    /// The run that waits.
    pub run_id: String,
    /// Id of the question.
    pub interrupt: String,
    /// One of the question's actions.
    pub action: String,
    /// What goes with it.
    pub data: Value,
    /// Go on although the graph has changed since.
    pub allow_changed_graph: bool,
    /// True if nobody else, in this page or another, can be running the thread.
    pub is_locked: bool,
}

/// A run that waits for a person.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct WaitingRun {
    /// The run.
    pub run_id: String,
    /// Its thread; its own id where it has none.
    pub thread: String,
    /// Id of the graph.
    pub graph: String,
    /// Whose run it is.
    pub actor: String,
    /// Since when it waits, milliseconds since the epoch.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub since: u64,
    /// The open questions.
    #[cfg_attr(feature = "ts", ts(type = "Array<Interrupt>"))]
    pub interrupts: Value,
}

impl<S: Storage + 'static, H: Host + 'static> Runtime<S, H> {
    /// The runs that wait, of a thread or of all.
    ///
    /// # Errors
    /// `E_CLOSED`; `E_BAD_ID`; what the storage reports.
    pub async fn waiting(&self, thread: Option<&str>) -> Result<Vec<WaitingRun>, RuntimeError> {
        self.check_open()?;
        let stored = checkpoint::list(&self.store(), &self.inner.namespace, thread).await?;
        Ok(stored
            .into_iter()
            .map(|stored| WaitingRun {
                run_id: stored.waiting.run_id,
                thread: stored.waiting.thread,
                graph: stored.waiting.graph,
                actor: stored.waiting.actor,
                since: stored.waiting.created_at,
                interrupts: stored.waiting.interrupts,
            })
            .collect())
    }

    /// Gives a waiting run up. Its open round is kept as that of a run that was stopped. False if it does not wait.
    ///
    /// # Errors
    /// As [`Runtime::waiting`].
    pub async fn drop_waiting(&self, run_id: &str) -> Result<bool, RuntimeError> {
        self.check_open()?;
        match self.find(run_id).await? {
            Some(stored) => Ok(checkpoint::claim(&self.store(), &stored).await?),
            None => Ok(false),
        }
    }

    /// Answers a question of a run that waits. Of several that answer, one gets the run. Nothing happens in it before
    /// the returned future is polled.
    ///
    /// # Errors
    /// `E_CLOSED`; `E_RESUME_STALE`, `E_RESUME_INVALID`, `E_GRAPH_CHANGED` without anything being changed; what the
    /// storage reports.
    pub async fn resume(
        &self,
        plan: Rc<Plan>,
        options: ResumeOptions,
    ) -> Result<Started, RuntimeError> {
        self.check_open()?;
        let Some(stored) = self.find(&options.run_id).await? else {
            return Err(stale(&options.run_id));
        };
        let waiting = &stored.waiting;
        let is_other = waiting.graph != plan.graph.id
            || (waiting.graph_hash != plan.graph.hash && !options.allow_changed_graph);
        if is_other {
            return Err(RuntimeError::Run(
                RunError::new(
                    "E_GRAPH_CHANGED",
                    "The run waits in another version of the graph than the one that is loaded.",
                )
                .hint("Load the graph as it was, or resume with allowChangedGraph: true."),
            ));
        }
        let damaged = |_| stale(&options.run_id);
        let mut parked: Parked = FromJson::from_json(waiting.body.clone()).map_err(damaged)?;
        let state = std::mem::take(&mut parked.state);
        let run = Run::restore(Rc::clone(&plan), state).map_err(|_| stale(&options.run_id))?;
        run.check_answer(&options.interrupt, &options.action)
            .map_err(RuntimeError::Run)?;
        if !checkpoint::claim(&self.store(), &stored).await? {
            return Err(stale(&options.run_id));
        }
        let place = crate::run_store::Place {
            namespace: self.inner.namespace.clone(),
            graph: plan.graph.id.clone(),
            thread: waiting.thread.clone(),
            actor: waiting.actor.clone(),
            run_id: options.run_id.clone(),
            is_locked: options.is_locked,
            only_history: None,
        };
        let (store, queue) = self.place_run(place)?;
        store.unpark(parked).await?;
        queue.push(Input::Resume {
            interrupt: options.interrupt,
            action: options.action,
            data: options.data,
        });
        Ok(self.drive(run, store, queue, None))
    }

    async fn find(&self, run_id: &str) -> Result<Option<Stored>, RuntimeError> {
        crate::runtime::check_id("The run id", run_id)?;
        let found = checkpoint::find(&self.store(), &self.inner.namespace, run_id).await?;
        Ok(found)
    }
}

fn stale(run_id: &str) -> RuntimeError {
    RuntimeError::Run(
        RunError::new(
            "E_RESUME_STALE",
            format!("The run '{run_id}' does not wait for an answer."),
        )
        .hint("It has been answered already, was given up, or its state cannot be read."),
    )
}
