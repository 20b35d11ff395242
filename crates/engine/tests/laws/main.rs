//! Laws of the state machine, over inputs that are made up and over walks through whole graphs.
#![allow(clippy::allow_attributes, reason = "tests may panic")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod graphs;
mod random;
mod told;
mod walker;
mod walks;
