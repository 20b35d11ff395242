#![doc = include_str!("../README.md")]

mod any_storage;
mod convert;
mod entry;
mod error;
mod handle;
mod host;
mod js_storage;
mod options;
mod pure;

pub use any_storage::AnyStorage;
pub use entry::{__crash, entered, on_panic};
pub use handle::RuntimeHandle;
pub use js_storage::JsStorage;
pub use pure::{check_document, memory_repair, memory_view};
