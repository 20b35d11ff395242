//! What the browser's errors mean.

use indexed_db_futures::error::{Error, OpenDbError};
use mnemograph_storage::StoreError;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::DomException;

/// Why an attempt failed.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The connection is dead, nothing is stored: worth one more attempt on a new one.
    Lost(String),
    /// Another attempt would give the same.
    Final(StoreError),
}

impl From<JsValue> for Fault {
    fn from(error: JsValue) -> Self {
        let (name, message) = describe(&error);
        match name.as_str() {
            // A transaction that nobody aborted was aborted by the death of its connection.
            "AbortError" | "InvalidStateError" | "UnknownError" => Self::Lost(message),
            "QuotaExceededError" => Self::Final(StoreError::Quota(message)),
            "NotFoundError" | "VersionError" => Self::Final(StoreError::Version(message)),
            "NotAllowedError" | "SecurityError" => Self::Final(StoreError::Unavailable(message)),
            _ => Self::Final(StoreError::Backend(message)),
        }
    }
}

impl From<DomException> for Fault {
    fn from(error: DomException) -> Self {
        JsValue::from(error).into()
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        match error {
            Error::DomException(error) => JsValue::from(error).into(),
            Error::Unknown(error) => JsValue::from(error).into(),
            Error::MissingData(error) => Self::Lost(error.to_string()),
            Error::Serialisation(error) => Self::Final(StoreError::Backend(error.to_string())),
        }
    }
}

/// What it means when the database cannot be opened or deleted.
pub(crate) fn opening(name: &str, error: OpenDbError) -> StoreError {
    let unavailable =
        |reason: &str| StoreError::Unavailable(format!("database {name:?}: {reason}"));
    match error {
        // The version is never zero: the browser refused the call itself, as in a sandboxed frame.
        OpenDbError::VersionZero => unavailable("access to IndexedDB is denied"),
        OpenDbError::UnsupportedEnvironment | OpenDbError::NullFactory => {
            unavailable("there is no IndexedDB here")
        }
        OpenDbError::Base(error) => match Fault::from(error) {
            Fault::Lost(reason) | Fault::Final(StoreError::Backend(reason)) => unavailable(&reason),
            Fault::Final(StoreError::Version(reason)) => {
                StoreError::Version(format!("database {name:?}: {reason}"))
            }
            Fault::Final(error) => error,
        },
    }
}

fn describe(error: &JsValue) -> (String, String) {
    let (name, message) = if let Some(error) = error.dyn_ref::<DomException>() {
        (error.name(), error.message())
    } else if let Some(error) = error.dyn_ref::<js_sys::Error>() {
        (String::from(error.name()), String::from(error.message()))
    } else {
        ("unknown".to_owned(), format!("{error:?}"))
    };
    let text = format!("{name}: {message}");
    (name, text)
}
