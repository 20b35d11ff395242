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

mod batch;
#[cfg(feature = "conformance")]
pub mod conformance;
mod error;
mod key;
mod memory;
mod range;
mod record;
mod storage;
mod table;

pub use batch::{Batch, Check, Delete, DeleteRange, Durability, Outcome, Put};
pub use error::StoreError;
pub use key::{Key, MAX_INT, Part};
pub use memory::MemoryStorage;
pub use range::{Range, Scan, ScanOptions};
pub use record::{MAX_DEPTH, Record, Value};
pub use storage::{Storage, get};
pub use table::Table;
