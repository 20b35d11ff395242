//! Turning a value into one of another type, where that loses nothing that was meant.
//!
//! | to | takes → gives |
//! |---|---|
//! | `string` | text as it is; a number or boolean as templates print it; a list or object as compact JSON |
//! | `integer` | a whole number; a float without a fraction; decimal text (`" 12 "`, `"+7"`, `"007"`, `"3.0"`); a boolean as 1 or 0. Beyond ±2^53 it stays decimal text, with a warning |
//! | `float` | a number; decimal text, also with an exponent. An integer that a float cannot hold gives a warning |
//! | `boolean` | a boolean; 1 and 0; the texts true, false, yes, no, on, off, 1, 0 in any case |
//! | `json` | any value; text that is JSON is read, other text stays text |
//! | `csv` | CSV text as it is; a list of objects, or a dataframe, as CSV text |
//! | `dataframe` | `{columns: [{name, type}], rows: [[…]]}`; `{columns, data}`; a list of objects; CSV text ([`Table`] has the rules) |
//!
//! `null` stays `null`, whatever the type: it says that there is no value. `any` takes everything, `message` an
//! object, `messages` a list of objects. What is not in the table does not fit; nothing is guessed, and no text
//! counts as 0. Text is read without the white space around it. Nothing is deeper than [`MAX_VALUE_DEPTH`].
//!
//! Coercing twice is coercing once, but for text that is JSON of a text: `"\"5\""` as `json` is the text `5`, and
//! that is the number 5.

mod columns;
mod csv;
mod scalar;
mod table;

use serde_json::Value;

use crate::values::ValueType;
use crate::{json, print};

pub use table::{Column, MAX_CELLS, Table};

/// Most lists and objects inside each other in a value that is coerced.
pub const MAX_VALUE_DEPTH: usize = 160;

/// What came of coercing a value.
#[derive(Debug, Clone, PartialEq)]
pub enum Coerced {
    /// The value, of the type asked for.
    Fit(Value),
    /// The value, and what people should know about it.
    FitWith(Value, String),
    /// The value cannot be of that type.
    Misfit,
}

impl Coerced {
    fn noted((value, warning): (Value, Option<String>)) -> Coerced {
        match warning {
            Some(warning) => Coerced::FitWith(value, warning),
            None => Coerced::Fit(value),
        }
    }
}

impl From<Option<Value>> for Coerced {
    fn from(value: Option<Value>) -> Self {
        value.map_or(Coerced::Misfit, Coerced::Fit)
    }
}

/// The value as one of the type `to`, by the table in the crate's documentation. Takes time proportional to the
/// value and never panics.
///
/// ```
/// use mnemograph_graph::{Coerced, ValueType, coerce};
/// use serde_json::json;
///
/// assert_eq!(coerce(&json!(" 12 "), ValueType::Integer), Coerced::Fit(json!(12)));
/// assert_eq!(coerce(&json!("twelve"), ValueType::Integer), Coerced::Misfit);
/// ```
pub fn coerce(value: &Value, to: ValueType) -> Coerced {
    if value.is_null() {
        return Coerced::Fit(Value::Null);
    }
    if is_deeper(value, MAX_VALUE_DEPTH) {
        return Coerced::Misfit;
    }
    match to {
        ValueType::String => Coerced::Fit(Value::String(print::text(value))),
        ValueType::Integer => scalar::integer(value),
        ValueType::Float => scalar::float(value),
        ValueType::Boolean => scalar::boolean(value).map(Value::Bool).into(),
        ValueType::Json => Coerced::Fit(from_json(value)),
        ValueType::Csv => csv_text(value),
        ValueType::Dataframe => match Table::read(value) {
            Ok((table, warning)) => Coerced::noted((table.to_dataframe(), warning)),
            Err(_) => Coerced::Misfit,
        },
        ValueType::Message => Some(value.clone()).filter(Value::is_object).into(),
        ValueType::Messages => Some(value.clone()).filter(is_list_of_objects).into(),
        ValueType::Any => Coerced::Fit(value.clone()),
    }
}

fn from_json(value: &Value) -> Value {
    let read = value.as_str().and_then(|text| json::parse(text).ok());
    read.unwrap_or_else(|| value.clone())
}

fn csv_text(value: &Value) -> Coerced {
    match Table::read(value) {
        Ok((_, warning)) if value.is_string() => Coerced::noted((value.clone(), warning)),
        Ok((table, warning)) => Coerced::noted((Value::String(table.to_csv()), warning)),
        Err(_) => Coerced::Misfit,
    }
}

fn is_list_of_objects(value: &Value) -> bool {
    value
        .as_array()
        .is_some_and(|items| items.iter().all(Value::is_object))
}

/// Goes no deeper than `limit`.
fn is_deeper(value: &Value, limit: usize) -> bool {
    let inner = |value| limit == 0 || is_deeper(value, limit - 1);
    match value {
        Value::Array(items) => limit == 0 || items.iter().any(inner),
        Value::Object(map) => limit == 0 || map.values().any(inner),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}
