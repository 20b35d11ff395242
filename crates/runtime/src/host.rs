//! What the runtime needs from outside: time, ids, callbacks, listeners.

use crate::summaries::Notice;
use mnemograph_engine::{ChatRequest, HostWork, Purpose, RequestId, RunEvent, RunResult};
use serde_json::Value;
use std::future::Future;
use std::pin::Pin;

/// A future on the one thread that everything here lives on.
pub type LocalFuture<T> = Pin<Box<dyn Future<Output = T>>>;

/// A callback that the host is asked to make. Its answers come by [`crate::Runtime::deliver`].
#[derive(Debug, Clone, PartialEq)]
pub struct HostCall {
    /// The run that asks.
    pub run_id: String,
    /// Carried by the answers; unique within the run.
    pub call_id: RequestId,
    /// Id of the node that asks.
    pub node: String,
    /// Name under which the host registered it.
    pub name: String,
    /// What is asked.
    pub payload: HostPayload,
}

/// What a callback is given.
#[derive(Debug, Clone, PartialEq)]
pub enum HostPayload {
    /// A model call.
    Model {
        /// What is asked.
        request: Box<ChatRequest>,
        /// What it is for.
        purpose: Purpose,
    },
    /// A tool call.
    Tool {
        /// The provider's id of the call.
        call_id: String,
        /// The thread of the run.
        thread_id: String,
        /// Arguments.
        args: Value,
        /// A person has agreed to the call.
        agreed: bool,
    },
    /// A function, an HTTP request, the check of a schema.
    Work {
        /// Which of them.
        work: HostWork,
        /// What it is given; its shape depends on the work.
        payload: Value,
    },
}

/// The host. All methods return at once; none may run code of the page before it has returned.
pub trait Host {
    /// Milliseconds since the epoch.
    fn now(&self) -> u64;

    /// Starts a callback.
    fn call(&self, call: HostCall);

    /// The answer to a callback is no longer wanted.
    fn abort(&self, run_id: &str, call_id: RequestId, reason: &str);

    /// Events of a run, in order.
    fn events(&self, run_id: &str, batch: Vec<RunEvent>);

    /// A run is over. Comes after its last events.
    fn finished(&self, run_id: &str, result: RunResult);

    /// Something happened beside the runs.
    fn notice(&self, notice: Notice);

    /// Drives work beside the runs. It may begin before this returns.
    fn spawn(&self, task: LocalFuture<()>);

    /// Resolves after that many milliseconds.
    fn sleep(&self, ms: u64) -> LocalFuture<()>;
}
