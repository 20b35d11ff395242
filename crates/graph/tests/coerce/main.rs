//! Coercion: every cell of its table, CSV, dataframes, and the laws that hold for all values.
#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

mod cells;
mod csv;
mod laws;
mod tables;
