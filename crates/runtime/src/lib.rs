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

mod driver;
mod error;
mod health;
mod host;
mod queue;
mod read_ahead;
mod recovery;
mod resume;
mod run_state;
mod run_store;
mod runtime;
mod state;
mod summaries;
mod threads;

pub use error::{CODES, RuntimeError};
pub use health::{BackendKind, BrowserStorage, Persistence, StorageHealth};
pub use host::{Host, HostCall, HostPayload, LocalFuture};
pub use recovery::{Row, RowsUnder};
pub use resume::{ResumeOptions, WaitingRun};
pub use runtime::{Delivery, Runtime, StartOptions, Started};
pub use state::{StateKind, StateMessage, StateNode, StateView};
pub use summaries::Notice;
pub use threads::TranscriptEntry;
