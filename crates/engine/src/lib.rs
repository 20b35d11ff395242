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
#[cfg_attr(
    not(test),
    expect(dead_code, reason = "the nodes that use these functions come next")
)]
mod data;
mod effect;
mod error;
mod event;
mod model;
mod names;
mod nodes;
mod plan;
mod references;
mod result;
mod retry;
mod run;
mod shown;

pub use effect::{
    Committed, Effect, Input, LoadedHistory, MemoryRef, RequestId, RunIdentity, RunInput,
};
pub use error::{CODES, Failure, RunError, WARNINGS};
#[cfg(feature = "ts")]
pub use event::RunEventEnvelope;
pub use event::{Channel, EVENT_VERSION, EventData, NodeStatus, RunEvent};
pub use model::{
    ChatChunk, ChatRequest, ChatResponse, FinishReason, MAX_RESPONSE_BYTES, Purpose,
    ResponseToolCall, ToolSpec, read_args,
};
pub use plan::{HostCatalogue, HostTool, Loaded, Plan, PlannedTool, load};
pub use result::{RunResult, RunStatus, RunWarning};
pub use run::Run;
