//! The boundary to JavaScript: handles, conversion, callbacks, lifetime.

mod any_storage;
mod js_storage;

pub use any_storage::AnyStorage;
pub use js_storage::JsStorage;
