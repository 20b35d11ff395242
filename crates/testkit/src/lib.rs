#![doc = include_str!("../README.md")]
#![allow(
    clippy::allow_attributes,
    reason = "test tools may panic, on every line"
)]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

pub mod faulty_storage;
mod graphs;
mod host;
mod pump;

pub use graphs::{chat_graph, edge, graph, inner, node, plan};
pub use host::{Answer, HostState, ScriptedHost};
pub use pump::Pump;
