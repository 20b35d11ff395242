//! The runtime against a scripted host: whatever the page's callbacks and its storage do.
#![allow(clippy::allow_attributes, reason = "tests may panic")]
#![allow(
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod conversation;
mod endings;
mod examples;
mod graphs;
mod models;
mod people;
mod support;
mod tools;
mod turns;
