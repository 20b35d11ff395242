//! Values in state that is put away.

use mnemograph_compact::{Fault, FromJson};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// A value that may be missing. As JSON it is a list of at most one, since an optional value would make nothing of null.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Held(pub(crate) Option<Value>);

impl Serialize for Held {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(&self.0)
    }
}

impl FromJson for Held {
    fn from_json(value: Value) -> Result<Self, Fault> {
        Vec::from_json(value).map(|values: Vec<Value>| Self(values.into_iter().next()))
    }
}
