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

pub mod checkpoint;
#[cfg(feature = "conformance")]
pub mod conformance;
mod decode;
pub mod dictionaries;
mod error;
pub mod history;
mod keys;
mod message;
mod part;
mod records;
mod repair;
pub mod summary;
pub mod thread;
pub mod variables;
mod view;
mod warning;

pub use decode::{DecodeError, decode_messages};
pub use dictionaries::{DictionaryLimits, DictionaryOp};
pub use error::{CODES, MemoryError};
pub use history::{Appended, Base, Cleared, Edit, Edited, Loaded, Read, Recovered, RecoveredRound};
pub use keys::{HistoryKey, MAX_ID, MemoryType, Scope, check_id};
pub use message::{MESSAGE_VERSION, Message, ModelRef, Role, Round, Status, Usage};
pub use part::{Content, Executor, Part, Source};
pub use records::{Damage, JournalRow, Quarantined};
pub use repair::{Repaired, repair};
pub use summary::{FailedSummary, Placement, Summary};
pub use thread::{Forgotten, Shown, ShownStatus};
pub use view::{View, ViewPolicy, into_view, view};
pub use warning::{WARNINGS, Warning};
