//! One function makes a JavaScript error of ours. The package's error class reads these fields.

use js_sys::{Error, Reflect};
use mnemograph_runtime::RuntimeError;
use mnemograph_storage::StoreError;
use wasm_bindgen::JsValue;

/// An `Error` with `name`, `code`, `retryable` and `hint`.
pub(crate) fn js_error(code: &str, message: &str, hint: &str) -> JsValue {
    with_fields(code, message, hint, false)
}

/// An error whose message says all.
pub(crate) fn plain_error(code: &str, message: &str) -> JsValue {
    with_fields(code, message, "", false)
}

pub(crate) fn runtime_error(error: &RuntimeError) -> JsValue {
    with_fields(
        error.code(),
        &error.to_string(),
        &error.hint(),
        error.retryable(),
    )
}

pub(crate) fn store_error(error: StoreError) -> JsValue {
    runtime_error(&RuntimeError::Memory(error.into()))
}

fn with_fields(code: &str, message: &str, hint: &str, retryable: bool) -> JsValue {
    let error = Error::new(message);
    error.set_name("MnemographError");
    let set = |name: &str, value: &JsValue| {
        // Setting a property of a fresh Error cannot fail; a frozen prototype would only lose the field.
        let _ = Reflect::set(&error, &JsValue::from_str(name), value);
    };
    set("code", &JsValue::from_str(code));
    set("retryable", &JsValue::from_bool(retryable));
    if !hint.is_empty() {
        set("hint", &JsValue::from_str(hint));
    }
    error.into()
}
