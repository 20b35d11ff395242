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

mod map;
mod set;
mod sort;

pub use map::SortedMap;
pub use set::SortedSet;
pub use sort::{order, sort_by};
