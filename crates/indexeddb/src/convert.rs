//! Between records and what the browser stores. Everything crosses as one JSON text in each direction, which is cheaper
//! than member by member.

use std::ops::Bound;

use js_sys::{Array, JSON, Reflect};
use mnemograph_storage::{Key, Range, Record, Value};
use serde::Serialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
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

/// The records of several reads. One that is not as we write them comes with rev 0 and a value that says so, that its
/// reader can set it aside: a single damaged record must not hide the others. Keys that the waist does not know are
/// skipped, for no call could address them.
pub(crate) fn records(reads: &Array) -> Vec<Vec<Record>> {
    let bodies = Bodies::take(reads);
    let text = JSON::stringify(reads).ok().map(String::from);
    let all: Option<Vec<Vec<Record>>> = text.and_then(|text| serde_json::from_str(&text).ok());
    if let Some(mut all) = all
        && bodies.give(all.iter_mut().flatten())
    {
        return all;
    }
    bodies.put_back();
    let rows = |rows: JsValue| {
        let rows: Array = rows.unchecked_into();
        rows.iter().filter_map(|row| record(&row)).collect()
    };
    reads.iter().map(rows).collect()
}

#[wasm_bindgen]
extern "C" {
    /// A row of a table, or what is in one. Members by name are faster than `Reflect`.
    type Row;

    #[wasm_bindgen(method, getter, structural, catch)]
    fn value(this: &Row) -> Result<Row, JsValue>;

    #[wasm_bindgen(method, getter, structural, catch)]
    fn body(this: &Row) -> Result<JsValue, JsValue>;

    #[wasm_bindgen(method, setter, structural, catch)]
    fn set_body(this: &Row, body: &JsValue) -> Result<(), JsValue>;
}

/// The bodies of records, which are most of them, on a way of their own: within the JSON text of the records each of their
/// quotes would be escaped and read again. They cross as one text, a line each; JSON texts, which they are unless damaged,
/// have no line breaks.
struct Bodies {
    /// Of each row the value that had its body taken out.
    values: Vec<Option<Row>>,
    bodies: Array,
}

impl Bodies {
    fn take(reads: &Array) -> Self {
        let bodies = Array::new();
        let take = |row: JsValue| {
            let value = row.unchecked_into::<Row>().value().ok()?;
            let body = value.body().ok()?;
            if !body.is_string() {
                return None;
            }
            value.set_body(&JsValue::NULL).ok()?;
            bodies.push(&body);
            Some(value)
        };
        let rows = reads.iter().map(|rows| rows.unchecked_into::<Array>());
        let values = rows.flat_map(|rows| rows.to_vec()).map(take).collect();
        Self { values, bodies }
    }

    /// Gives the bodies to the records; false if they are not to be told apart.
    fn give<'a>(&self, records: impl Iterator<Item = &'a mut Record>) -> bool {
        let text = String::from(self.bodies.join("\n"));
        let mut lines = text.split('\n');
        let mut has_all = true;
        for (record, value) in records.zip(&self.values) {
            record.restore_numbers();
            if value.is_some() {
                let body = lines.next().map(serde_json::Value::from);
                has_all &= body.is_some();
                record
                    .value
                    .insert("body".to_owned(), body.unwrap_or_default());
            }
        }
        // Without any body the text is one empty line.
        has_all && (self.bodies.length() == 0 || lines.next().is_none())
    }

    fn put_back(&self) {
        for (value, body) in self.values.iter().flatten().zip(self.bodies.iter()) {
            // It could be set before.
            let _ = value.set_body(&body);
        }
    }
}

fn record(row: &JsValue) -> Option<Record> {
    let text = JSON::stringify(row).ok().map(String::from);
    let reason = match serde_json::from_str::<Record>(&text.unwrap_or_default()) {
        Ok(mut record) => {
            record.restore_numbers();
            return Some(record);
        }
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
