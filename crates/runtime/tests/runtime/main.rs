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
mod dictionaries;
mod endings;
mod examples;
mod graphs;
mod managed;
mod models;
mod nodes_control;
mod nodes_data;
mod nodes_each;
mod nodes_host;
mod nodes_model;
mod nodes_of_host;
mod nodes_order;
mod nodes_people;
mod nodes_variables;
mod people;
mod recovery;
mod summaries;
mod support;
mod telling;
mod tools;
mod turns;
