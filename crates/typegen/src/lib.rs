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

mod codes;
mod contents;
mod types;

pub use codes::codes_module;
pub use contents::{all_codes, all_types};
pub use types::{NameClash, Types};

/// The first line of every generated file.
pub const BANNER: &str = "// Generated from Rust by `npm run types`. Changes made here are lost.\n";
