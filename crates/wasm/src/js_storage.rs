//! Storage that a JavaScript object provides: `scan(table, range, options)` and `commit(batch)`, each answering a value or
//! a promise. Nothing it answers is believed: keys, revs, order, range and limit are checked, and what is wrong is named.

use std::cmp::Ordering;

use js_sys::{Array, Function, JSON, Promise, Reflect};
use mnemograph_compact::FromJson;
use mnemograph_storage::{
    Batch, MAX_INT, Outcome, Range, Record, ScanOptions, Storage, StoreError, Table,
};
use serde::Serialize;
use serde_json::Value as Json;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// The longest message taken over from an adapter's error, in characters.
const MAX_MESSAGE: usize = 300;

/// A storage adapter. A clone is a handle to the same object.
#[derive(Clone, Debug)]
pub struct JsStorage {
    adapter: JsValue,
    scan: Function,
    commit: Function,
}

impl JsStorage {
    /// Takes an adapter.
    ///
    /// # Errors
    /// [`StoreError::Unavailable`] if it has not both functions.
    pub fn new(adapter: JsValue) -> Result<Self, StoreError> {
        let function = |name: &str| {
            let member = Reflect::get(&adapter, &JsValue::from_str(name));
            let function = member.ok().and_then(|member| member.dyn_into().ok());
            function.ok_or_else(|| {
                StoreError::Unavailable(format!("the storage adapter has no function {name:?}"))
            })
        };
        Ok(Self {
            scan: function("scan")?,
            commit: function("commit")?,
            adapter,
        })
    }
}

impl Storage for JsStorage {
    async fn scan(
        &self,
        table: Table,
        range: &Range,
        options: ScanOptions,
    ) -> Result<Vec<Record>, StoreError> {
        range.validate()?;
        let name = JsValue::from_str(table.name());
        let (range_js, options_js) = (to_js(range)?, to_js(&options)?);
        let answer = self
            .scan
            .call3(&self.adapter, &name, &range_js, &options_js);
        let answer = settle(answer).await?;
        records(&answer, range, options)
            .map_err(|fault| StoreError::Corrupt(format!("scan of {}: {fault}", table.name())))
    }

    async fn commit(&self, batch: Batch) -> Result<Outcome, StoreError> {
        let batch = to_js(&batch.prepare()?)?;
        let answer = settle(self.commit.call1(&self.adapter, &batch)).await?;
        match answer.as_string().as_deref() {
            Some("committed") => Ok(Outcome::Committed),
            Some("conflict") => Ok(Outcome::Conflict),
            _ => Err(StoreError::Corrupt(format!(
                "commit answered {}, neither \"committed\" nor \"conflict\"",
                kind(&answer)
            ))),
        }
    }
}

fn to_js(value: &impl Serialize) -> Result<JsValue, StoreError> {
    let text = serde_json::to_string(value).map_err(|error| error.to_string());
    let value = text.and_then(|text| JSON::parse(&text).map_err(|error| message(&error)));
    value.map_err(StoreError::Backend)
}

/// The value behind an answer, which is awaited only if there is a promise to await.
async fn settle(answer: Result<JsValue, JsValue>) -> Result<JsValue, StoreError> {
    let answer = answer.map_err(|error| failure(&error))?;
    let then = Reflect::get(&answer, &JsValue::from_str("then"));
    if !answer.is_object() || !then.is_ok_and(|then| then.is_function()) {
        return Ok(answer);
    }
    let settled = JsFuture::from(Promise::resolve(&answer)).await;
    settled.map_err(|error| failure(&error))
}

fn records(answer: &JsValue, range: &Range, options: ScanOptions) -> Result<Vec<Record>, String> {
    if !Array::is_array(answer) {
        return Err(format!("{} is no list of records", kind(answer)));
    }
    let text = JSON::stringify(answer).map_err(|error| message(&error))?;
    let text = text
        .as_string()
        .ok_or("the list cannot be written as JSON")?;
    let mut found: Vec<Record> =
        serde_json::from_str(&text).map_err(|error| blame(&text, &error))?;
    if found.len() > options.limit.unwrap_or(usize::MAX) {
        return Err(format!("{} records are more than asked for", found.len()));
    }
    let direction = if options.reverse {
        Ordering::Greater
    } else {
        Ordering::Less
    };
    let mut before = None;
    for (place, record) in found.iter().enumerate() {
        if record.rev == 0 || record.rev > MAX_INT {
            return Err(format!("record {place}: rev {} is none", record.rev));
        }
        if !range.contains(&record.key) {
            return Err(format!("record {place}: its key is outside the range"));
        }
        if before.is_some_and(|before| record.key.cmp(before) == direction || record.key == *before)
        {
            return Err(format!("record {place}: its key is out of order"));
        }
        before = Some(&record.key);
    }
    found.iter_mut().for_each(Record::restore_numbers);
    Ok(found)
}

/// Which record is none, and why.
fn blame(text: &str, error: &serde_json::Error) -> String {
    let items: Vec<Json> = serde_json::from_str(text).unwrap_or_default();
    let faults = items.into_iter().enumerate().filter_map(|(place, item)| {
        let fault = Record::from_json(item).err()?;
        Some(format!("record {place}: {fault}"))
    });
    faults
        .into_iter()
        .next()
        .unwrap_or_else(|| error.to_string())
}

/// What it means that an adapter throws or rejects. It may name one of our codes.
fn failure(error: &JsValue) -> StoreError {
    let code = Reflect::get(error, &JsValue::from_str("code")).ok();
    let code = code.and_then(|code| code.as_string());
    let message = message(error);
    match code.as_deref() {
        Some("E_STORE_BLOCKED") => StoreError::Blocked(message),
        Some("E_STORE_TIMEOUT") => StoreError::Timeout(message),
        Some("E_STORE_QUOTA") => StoreError::Quota(message),
        Some("E_STORE_VERSION") => StoreError::Version(message),
        Some("E_CLOSED") => StoreError::Closed(message),
        Some(_) | None => StoreError::Backend(message),
    }
}

fn message(error: &JsValue) -> String {
    let text = Reflect::get(error, &JsValue::from_str("message")).ok();
    let text = text.and_then(|text| text.as_string());
    let text = text.or_else(|| error.as_string());
    let text = text.unwrap_or_else(|| format!("threw {}", kind(error)));
    text.chars().take(MAX_MESSAGE).collect()
}

/// What sort of thing it is, without its content.
fn kind(value: &JsValue) -> String {
    match value.as_string() {
        Some(text) if text.len() <= 20 => format!("{text:?}"),
        Some(_) => "a text".to_owned(),
        None if value.is_null() => "null".to_owned(),
        None if Array::is_array(value) => "a list".to_owned(),
        None => value.js_typeof().as_string().unwrap_or_default(),
    }
}
