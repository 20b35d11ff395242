//! The tests of the template language.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod api;
mod dates;
mod differential;
mod filters_lists;
mod filters_text;
mod generate;
mod hostile;
mod missing;
mod operators;
mod oracle;
mod page;
mod properties;
mod references;
mod refused;
mod statements;
mod support;
mod values;
