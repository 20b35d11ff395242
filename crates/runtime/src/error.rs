//! What the runtime itself refuses.

use mnemograph_engine::RunError;
use mnemograph_memory::MemoryError;
use thiserror::Error;

/// Every code that a call on the runtime can end with beside those of runs and documents, sorted.
pub const CODES: &[&str] = &[
    "E_BAD_ID",
    "E_BUSY",
    "E_CLOSED",
    "E_COERCE",
    "E_CSP",
    "E_INTERNAL",
    "E_NOT_FOUND",
    "E_RUNTIME_CRASHED",
    "E_STORE_BLOCKED",
    "E_STORE_CONFLICT",
    "E_STORE_QUOTA",
    "E_STORE_TIMEOUT",
    "E_STORE_UNAVAILABLE",
    "E_STORE_VERSION",
    "E_SUMMARY",
    "E_THREAD_ACTOR",
    "E_UNSUPPORTED",
    "E_WASM_LOAD",
    "W_ORPHAN_TOOL_RESULT",
    "W_ROUND_QUARANTINED",
    "W_SYSTEM_MESSAGE_NOT_SENT",
    "W_WINDOW_EMPTY",
];

/// An error of a call on the runtime, outside any run.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RuntimeError {
    /// The runtime is closed.
    #[error("The runtime is closed.")]
    Closed,
    /// An id cannot be used.
    #[error("{what} cannot be {why}.")]
    BadId {
        /// Which id.
        what: &'static str,
        /// What is wrong with it.
        why: String,
    },
    /// A run with this id is going on.
    #[error("A run with the id '{run_id}' is going on already.")]
    DuplicateRun {
        /// The id.
        run_id: String,
    },
    /// The graph has no such memory node.
    #[error("The graph has no memory node '{node}'.")]
    NoSuchNode {
        /// The id.
        node: String,
    },
    /// A run cannot go on as asked.
    #[error("{}", .0.message)]
    Run(RunError),
    /// Memory or storage failed.
    #[error(transparent)]
    Memory(#[from] MemoryError),
}

impl RuntimeError {
    /// Stable code.
    #[must_use]
    pub fn code(&self) -> &str {
        match self {
            Self::Closed => "E_CLOSED",
            Self::BadId { .. } => "E_BAD_ID",
            Self::DuplicateRun { .. } => "E_BAD_ID",
            Self::NoSuchNode { .. } => "E_NOT_FOUND",
            Self::Run(error) => &error.code,
            Self::Memory(error) => error.code(),
        }
    }

    /// True if the same call may succeed later.
    #[must_use]
    pub fn retryable(&self) -> bool {
        match self {
            Self::Closed
            | Self::BadId { .. }
            | Self::DuplicateRun { .. }
            | Self::NoSuchNode { .. } => false,
            Self::Run(error) => error.retryable,
            Self::Memory(error) => error.retryable(),
        }
    }

    /// How to mend it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Closed => "Create a new runtime.".to_owned(),
            Self::BadId { .. } => "Give a text of 1 to 16384 characters.".to_owned(),
            Self::DuplicateRun { .. } => {
                "Leave run ids to the runtime, or make them unique.".to_owned()
            }
            Self::NoSuchNode { .. } => {
                "state.nodes(graph) lists the nodes that hold state.".to_owned()
            }
            Self::Run(error) => error.hint.clone().unwrap_or_default(),
            Self::Memory(error) => error.hint().to_owned(),
        }
    }
}
