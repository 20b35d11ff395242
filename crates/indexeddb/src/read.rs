//! Scans.

use std::ops::Bound;

use js_sys::{Array, Object, Reflect};
use mnemograph_storage::{Range, Record, ScanOptions, Table};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{IdbCursor, IdbCursorDirection, IdbObjectStore, IdbRequest};

use crate::connection::Connection;
use crate::convert::{Query, key_range, query, records};
use crate::fault::Fault;
use crate::request::settled;

/// Table `table`, read only.
pub(crate) async fn scan(
    connection: &Connection,
    table: Table,
    range: &Range,
    options: ScanOptions,
) -> Result<Vec<Record>, Fault> {
    let query = query(range)?;
    let limit = options
        .limit
        .map(|limit| u32::try_from(limit).unwrap_or(u32::MAX));
    if limit == Some(0) {
        return Ok(Vec::new());
    }
    let rows = match (query, limit) {
        (Query::Nothing, _) => return Ok(Vec::new()),
        (Query::Only(key), _) => {
            let request = connection.read(table)?.get(&key)?;
            settled(&request).await?;
            match request.result()? {
                row if row.is_undefined() => return Ok(Vec::new()),
                row => Array::of1(&row),
            }
        }
        (Query::Between(lower, upper), Some(limit)) if options.reverse => {
            let store = connection.read(table)?;
            return tail(&store, lower, upper, limit).await;
        }
        (Query::Between(lower, upper), limit) => {
            let range = key_range(&lower, &upper)?;
            let store = connection.read(table)?;
            rows(&match limit {
                None => store.get_all_with_key(&range)?,
                Some(limit) => store.get_all_with_key_and_limit(&range, limit)?,
            })
            .await?
        }
    };
    let mut records = records(&rows);
    if options.reverse {
        records.reverse();
    }
    Ok(records)
}

async fn rows(request: &IdbRequest) -> Result<Array, Fault> {
    settled(request).await?;
    Ok(request.result()?.unchecked_into())
}

/// The last records, from the greatest key down.
async fn tail(
    store: &IdbObjectStore,
    lower: Bound<JsValue>,
    upper: Bound<JsValue>,
    limit: u32,
) -> Result<Vec<Record>, Fault> {
    let range = key_range(&lower, &upper)?;
    // The form of `getAll` with a direction came together with this method.
    if Reflect::has(store, &JsValue::from_str("getAllRecords"))? {
        let options = Object::new();
        let member =
            |name: &str, value: &JsValue| Reflect::set(&options, &JsValue::from_str(name), value);
        member("query", &range)?;
        member("count", &limit.into())?;
        member("direction", &JsValue::from_str("prev"))?;
        let rows = rows(&store.get_all_with_key(&options)?).await?;
        return Ok(records(&rows));
    }
    // Elsewhere: find where the tail begins, then read it upwards.
    let request =
        store.open_key_cursor_with_range_and_direction(&range, IdbCursorDirection::Prev)?;
    settled(&request).await?;
    let found = request.result()?;
    if found.is_null() {
        return Ok(Vec::new());
    }
    let cursor: IdbCursor = found.unchecked_into();
    let mut start = lower;
    if limit > 1 {
        cursor.advance(limit - 1)?;
        settled(&request).await?;
    }
    // Past the end there is less than asked for, and the tail begins with the range.
    if !request.result()?.is_null() {
        start = Bound::Included(cursor.key()?);
    }
    let range = key_range(&start, &upper)?;
    let rows = rows(&store.get_all_with_key(&range)?).await?;
    let mut records = records(&rows);
    records.reverse();
    Ok(records)
}
