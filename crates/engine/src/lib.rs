#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod core;
mod data;
mod effect;
mod error;
mod event;
mod frame;
mod held;
mod interrupt;
mod model;
mod names;
mod nodes;
mod plan;
mod pull;
mod recording;
mod references;
mod result;
mod retry;
mod run;
mod schema;
mod shown;
mod values;

pub use effect::{
    Checkpoint, Committed, Effect, HostWork, Input, LoadedHistory, MemoryOp, MemoryRef, RequestId,
    RunIdentity, RunInput, ThreadState,
};
pub use error::{CODES, Failure, RunError, WARNINGS};
#[cfg(feature = "ts")]
pub use event::RunEventEnvelope;
pub use event::{Channel, EVENT_VERSION, EventBatch, EventData, NodeStatus, Origin, RunEvent};
pub use interrupt::{Interrupt, InterruptKind, PendingCall};
pub use mnemograph_graph::{HostNode, HostPort};
pub use model::{
    ChatChunk, ChatRequest, ChatResponse, FinishReason, MAX_RESPONSE_BYTES, Purpose,
    ResponseToolCall, Summariser, SummaryCall, ToolSpec, read_args,
};
pub use nodes::trigger::event_thread;
pub use plan::{
    Approval, DictionaryTool, HostCatalogue, HostTool, Loaded, Plan, PlannedRun, PlannedTool, load,
    memory_kind,
};
pub use recording::{Recording, replay};
pub use result::{RunResult, RunStatus, RunWarning};
pub use run::Run;
