//! Tests of conversation memory through its public items.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::allow_attributes,
    reason = "a test"
)]

#[path = "../support/mod.rs"]
mod support;

mod append;
mod damage;
mod decode;
mod deletion;
mod edit;
mod faults;
mod interleaving;
mod invariants;
mod recovery;
mod tail;
mod threads;
