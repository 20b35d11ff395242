//! Scans: several in one transaction, so that they are of one moment and cost one round trip.

use std::ops::Bound;

use js_sys::{Array, Object, Reflect};
use mnemograph_compact::SortedSet;
use mnemograph_storage::{Record, Scan, Table};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{IdbCursor, IdbCursorDirection, IdbObjectStore, IdbRequest};

use crate::connection::Connection;
use crate::convert::{Query, key_range, query, records};
use crate::fault::Fault;
use crate::request::settled;

/// What a scan waits for.
enum Asked {
    Nothing,
    /// One record, or undefined.
    One(IdbRequest),
    Rows(IdbRequest),
    /// What the browser gives upwards and is wanted downwards.
    Upwards(IdbRequest),
    /// The end of a range, where the browser cannot read it by one request.
    Tail {
        store: IdbObjectStore,
        bounds: Bounds,
        limit: u32,
    },
}

type Bounds = (Bound<JsValue>, Bound<JsValue>);

/// The records of each scan.
pub(crate) async fn scan_all(
    connection: &Connection,
    scans: &[Scan],
) -> Result<Vec<Vec<Record>>, Fault> {
    let tables: SortedSet<Table> = scans.iter().map(|scan| scan.table).collect();
    if tables.is_empty() {
        return Ok(Vec::new());
    }
    let transaction = connection.read(&tables)?;
    let ask = |scan| ask(&transaction, scan);
    let asked: Vec<Asked> = scans.iter().map(ask).collect::<Result<_, _>>()?;
    if !asked
        .iter()
        .any(|asked| matches!(asked, Asked::Tail { .. }))
    {
        // What follows need not wait until the browser finds that nobody asks any more. Where there is no such method, it
        // waits.
        #[expect(
            deprecated,
            reason = "web-sys says so of some methods without a reason"
        )]
        let _ = transaction.commit();
    }
    // Requests of a transaction are answered in order.
    let last = match asked.iter().rev().find_map(Asked::request) {
        Some(last) => settled(last).await,
        None => Ok(()),
    };
    // The first that failed tells why; those behind it only that the transaction was aborted.
    for request in asked.iter().filter_map(Asked::request) {
        if let Some(error) = request.error()? {
            return Err(error.into());
        }
    }
    last?;
    let answers = Array::new();
    for asked in &asked {
        let answer: JsValue = asked.answer().await?.into();
        answers.push(&answer);
    }
    Ok(records(&answers))
}

fn ask(transaction: &web_sys::IdbTransaction, scan: &Scan) -> Result<Asked, Fault> {
    let limit = scan.options.limit;
    let limit = limit.map(|limit| u32::try_from(limit).unwrap_or(u32::MAX));
    let query = query(&scan.range)?;
    let store = transaction.object_store(scan.table.name())?;
    let (lower, upper) = match query {
        _ if limit == Some(0) => return Ok(Asked::Nothing),
        Query::Nothing => return Ok(Asked::Nothing),
        Query::Only(key) => return Ok(Asked::One(store.get(&key)?)),
        Query::Between(lower, upper) => (lower, upper),
    };
    let range = key_range(&lower, &upper)?;
    Ok(match (limit, scan.options.reverse) {
        (None, false) => Asked::Rows(store.get_all_with_key(&range)?),
        (None, true) => Asked::Upwards(store.get_all_with_key(&range)?),
        (Some(limit), false) => Asked::Rows(store.get_all_with_key_and_limit(&range, limit)?),
        // The form of `getAll` with a direction came together with this method.
        (Some(limit), true) if Reflect::has(&store, &JsValue::from_str("getAllRecords"))? => {
            let options = Object::new();
            let member = |name: &str, value: &JsValue| {
                Reflect::set(&options, &JsValue::from_str(name), value)
            };
            member("query", &range)?;
            member("count", &limit.into())?;
            member("direction", &JsValue::from_str("prev"))?;
            Asked::Rows(store.get_all_with_key(&options)?)
        }
        (Some(limit), true) => Asked::Tail {
            store,
            bounds: (lower, upper),
            limit,
        },
    })
}

impl Asked {
    fn request(&self) -> Option<&IdbRequest> {
        match self {
            Self::One(request) | Self::Rows(request) | Self::Upwards(request) => Some(request),
            Self::Nothing | Self::Tail { .. } => None,
        }
    }

    /// The list of what was found. The request has been answered.
    async fn answer(&self) -> Result<Array, Fault> {
        Ok(match self {
            Self::Nothing => Array::new(),
            Self::One(request) => match request.result()? {
                row if row.is_undefined() => Array::new(),
                row => Array::of1(&row),
            },
            Self::Rows(request) => request.result()?.unchecked_into(),
            Self::Upwards(request) => request.result()?.unchecked_into::<Array>().reverse(),
            Self::Tail {
                store,
                bounds,
                limit,
            } => tail(store, bounds, *limit).await?,
        })
    }
}

/// The last records, from the greatest key down: finds where the tail begins, then reads it upwards.
async fn tail(store: &IdbObjectStore, (lower, upper): &Bounds, limit: u32) -> Result<Array, Fault> {
    let range = key_range(lower, upper)?;
    let request =
        store.open_key_cursor_with_range_and_direction(&range, IdbCursorDirection::Prev)?;
    settled(&request).await?;
    let found = request.result()?;
    if found.is_null() {
        return Ok(Array::new());
    }
    let cursor: IdbCursor = found.unchecked_into();
    let mut start = lower.clone();
    if limit > 1 {
        cursor.advance(limit - 1)?;
        settled(&request).await?;
    }
    // Past the end there is less than asked for, and the tail begins with the range.
    if !request.result()?.is_null() {
        start = Bound::Included(cursor.key()?);
    }
    let range = key_range(&start, upper)?;
    let request = store.get_all_with_key(&range)?;
    settled(&request).await?;
    Ok(request.result()?.unchecked_into::<Array>().reverse())
}
