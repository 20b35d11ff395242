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

mod json;
mod map;
mod set;
mod sort;

pub use json::{Fault, Fields, FromJson, kind_of, variant, word};
pub use map::SortedMap;
pub use mnemograph_compact_derive::FromJson;
pub use set::SortedSet;
pub use sort::{order, sort_by};

// For the macros.
#[doc(hidden)]
pub use serde;
#[doc(hidden)]
pub use serde_json;
