//! What the nodes for data and the rules of conditions compute: pure functions on JSON values.
//!
//! Nothing here guesses: what cannot be done is an error with a code, or `ok: false` where a node has that port. No
//! message repeats a value, since errors hold no conversation text.

pub(crate) mod cast;
pub(crate) mod json;
mod json_text;
pub(crate) mod regex;
pub(crate) mod rules;
pub(crate) mod table;

use serde_json::Value;

/// What a value is, for messages.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
