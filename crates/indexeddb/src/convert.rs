//! Between records and what the browser stores. Everything crosses as one JSON text in each direction, which is cheaper
//! than member by member.

use std::ops::Bound;

use js_sys::{Array, JSON, Reflect};
use mnemograph_storage::{Key, Range, Record, Value};
use serde::Serialize;
use wasm_bindgen::JsValue;
use web_sys::IdbKeyRange;

use crate::fault::Fault;

/// A JavaScript value of this JSON.
pub(crate) fn parse(value: &impl Serialize) -> Result<JsValue, JsValue> {
    let text =
        serde_json::to_string(value).map_err(|error| JsValue::from_str(&error.to_string()))?;
    JSON::parse(&text)
}

/// What a query is about.
pub(crate) enum Query {
    /// No key lies in the range.
    Nothing,
    /// At most this one.
    Only(JsValue),
    /// Those between the two.
    Between(Bound<JsValue>, Bound<JsValue>),
}

pub(crate) fn query(range: &Range) -> Result<Query, Fault> {
    if let Some(key) = range.as_only() {
        return Ok(Query::Only(parse(key)?));
    }
    let Some((lower, upper)) = range.to_bounds() else {
        return Ok(Query::Nothing);
    };
    let bound = |bound: Bound<Key>| {
        Ok::<_, JsValue>(match bound {
            Bound::Included(key) => Bound::Included(parse(&key)?),
            Bound::Excluded(key) => Bound::Excluded(parse(&key)?),
            Bound::Unbounded => Bound::Unbounded,
        })
    };
    Ok(Query::Between(bound(lower)?, bound(upper)?))
}

/// The browser's range. It never starts before the first list, so that the fingerprint stays outside.
pub(crate) fn key_range(
    lower: &Bound<JsValue>,
    upper: &Bound<JsValue>,
) -> Result<IdbKeyRange, JsValue> {
    let least = JsValue::from(Array::new());
    let (lower, lower_open) = match lower {
        Bound::Included(key) => (key, false),
        Bound::Excluded(key) => (key, true),
        Bound::Unbounded => (&least, false),
    };
    match upper {
        Bound::Unbounded => IdbKeyRange::lower_bound_with_open(lower, lower_open),
        Bound::Included(upper) => {
            IdbKeyRange::bound_with_lower_open_and_upper_open(lower, upper, lower_open, false)
        }
        Bound::Excluded(upper) => {
            IdbKeyRange::bound_with_lower_open_and_upper_open(lower, upper, lower_open, true)
        }
    }
}

/// The records of a read. One that is not as we write them comes with rev 0 and a value that says so, that its reader can
/// set it aside: a single damaged record must not hide the others. Keys that the waist does not know are skipped, for no
/// call could address them.
pub(crate) fn records(rows: &Array) -> Vec<Record> {
    let text = JSON::stringify(rows).ok().map(String::from);
    let all: Option<Vec<Record>> = text.and_then(|text| serde_json::from_str(&text).ok());
    let all = all.unwrap_or_else(|| rows.iter().filter_map(|row| record(&row)).collect());
    all.into_iter().map(Record::as_written).collect()
}

fn record(row: &JsValue) -> Option<Record> {
    let text = JSON::stringify(row).ok().map(String::from);
    let reason = match serde_json::from_str(&text.unwrap_or_default()) {
        Ok(record) => return Some(record),
        Err(error) => error.to_string(),
    };
    let key = Reflect::get(row, &JsValue::from_str("key")).ok()?;
    let key = String::from(JSON::stringify(&key).ok()?);
    let reason = serde_json::Value::String(reason);
    Some(Record {
        key: serde_json::from_str(&key).ok()?,
        rev: 0,
        value: Value::from_iter([("unreadable".to_owned(), reason)]),
    })
}

/// The `rev` of a stored record, 0 if it is damaged.
pub(crate) fn rev(row: &JsValue) -> u64 {
    let rev = Reflect::get(row, &JsValue::from_str("rev"));
    let rev = rev.ok().and_then(|rev| rev.as_f64()).unwrap_or(0.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "saturates, and nothing but whole numbers was written"
    )]
    let rev = rev as u64;
    rev
}
