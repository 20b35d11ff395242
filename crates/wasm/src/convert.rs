//! The one place where values cross. Objects arrive as plain data (never `Map`s), through JSON text with a
//! depth limit: what a page hands over is not trusted, and serde-wasm-bindgen has no limit of its own.

use crate::error::{js_error, plain_error};
use js_sys::JSON;
use mnemograph_compact::FromJson;
use serde::Serialize;
use wasm_bindgen::JsValue;

/// Rust to JavaScript, as JSON text: absent fields stay absent, maps are objects.
///
/// # Errors
/// `E_INTERNAL` if the value cannot be said in JavaScript.
pub(crate) fn to_js<T: Serialize + ?Sized>(value: &T) -> Result<JsValue, JsValue> {
    let text = serde_json::to_string(value).map_err(|error| unspeakable(&error.to_string()))?;
    JSON::parse(&text)
}

fn unspeakable(why: &str) -> JsValue {
    js_error(
        "E_INTERNAL",
        &format!("A value could not cross: {why}"),
        "Please report it.",
    )
}

/// JavaScript to Rust.
///
/// # Errors
/// `E_COERCE` with what is wrong: not JSON, deeper than 64 levels, or of another shape than `what`.
pub(crate) fn from_js<T: FromJson>(value: &JsValue, what: &str) -> Result<T, JsValue> {
    let text = JSON::stringify(value)
        .ok()
        .and_then(|text| text.as_string());
    let text =
        text.ok_or_else(|| plain_error("E_COERCE", &format!("{what} cannot be written as JSON.")))?;
    let value = mnemograph_graph::json::parse(&text)
        .map_err(|error| plain_error("E_COERCE", &format!("{what} cannot be read: {error}.")))?;
    T::from_json(value).map_err(|error| {
        plain_error(
            "E_COERCE",
            &format!("{what} is not of the right shape: {error}."),
        )
    })
}
