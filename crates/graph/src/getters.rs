//! Complete settings → fields. The map has been checked against its table, so a getter finds what the table promises;
//! where table and getter disagree it gives the least value, and a test of the catalogue tells.

use serde_json::{Map, Value};

use crate::settings::integer;
use crate::values::ValueType;

/// A word of a few.
pub(crate) trait Choice: Sized {
    /// The first of them.
    const FIRST: Self;

    /// The one of this name.
    fn named(name: &str) -> Option<Self>;
}

/// Declares an enum of words, with their names in documents.
macro_rules! choice {
    (
        $(#[$meta:meta])*
        $name:ident { $($(#[doc = $doc:literal])+ $variant:ident = $text:literal,)+ }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[doc = $doc])+ $variant,)+ }

        impl $name {
            /// Every one.
            pub const ALL: &'static [$name] = &[$($name::$variant),+];
            /// Their names in documents.
            pub const NAMES: &'static [&'static str] = &[$($text),+];

            /// The name in documents.
            pub fn as_str(self) -> &'static str {
                match self { $($name::$variant => $text),+ }
            }
        }

        impl crate::getters::Choice for $name {
            const FIRST: Self = { let [first, ..] = [$($name::$variant),+]; first };

            fn named(name: &str) -> Option<Self> {
                $name::ALL.iter().copied().find(|word| word.as_str() == name)
            }
        }
    };
}
pub(crate) use choice;

impl Choice for ValueType {
    const FIRST: Self = ValueType::String;

    fn named(name: &str) -> Option<Self> {
        ValueType::named(name)
    }
}

/// Reads the fields of a complete map of settings.
#[derive(Clone, Copy)]
pub(crate) struct Get<'a>(pub(crate) &'a Map<String, Value>);

impl<'a> Get<'a> {
    pub(crate) fn maybe_text(self, key: &str) -> Option<String> {
        self.str(key).map(str::to_owned)
    }

    pub(crate) fn text(self, key: &str) -> String {
        self.maybe_text(key).unwrap_or_default()
    }

    pub(crate) fn str(self, key: &str) -> Option<&'a str> {
        self.0.get(key).and_then(Value::as_str)
    }

    pub(crate) fn boolean(self, key: &str) -> bool {
        self.0.get(key) == Some(&Value::Bool(true))
    }

    pub(crate) fn maybe_number<T: TryFrom<i64>>(self, key: &str) -> Option<T> {
        self.0.get(key).and_then(integer)?.try_into().ok()
    }

    pub(crate) fn number<T: TryFrom<i64> + Default>(self, key: &str) -> T {
        self.maybe_number(key).unwrap_or_default()
    }

    pub(crate) fn value(self, key: &str) -> Option<Value> {
        self.0.get(key).cloned()
    }

    pub(crate) fn object(self, key: &str) -> Map<String, Value> {
        let object = self.0.get(key).and_then(Value::as_object);
        object.cloned().unwrap_or_default()
    }

    pub(crate) fn record(self, key: &str) -> Option<Get<'a>> {
        self.0.get(key).and_then(Value::as_object).map(Get)
    }

    pub(crate) fn records(self, key: &str) -> impl Iterator<Item = Get<'a>> + use<'a> {
        let list = self.0.get(key).and_then(Value::as_array);
        list.into_iter()
            .flatten()
            .filter_map(Value::as_object)
            .map(Get)
    }

    pub(crate) fn strs(self, key: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        let list = self.0.get(key).and_then(Value::as_array);
        list.into_iter().flatten().filter_map(Value::as_str)
    }

    pub(crate) fn texts(self, key: &str) -> Vec<String> {
        self.strs(key).map(str::to_owned).collect()
    }

    pub(crate) fn choice<T: Choice>(self, key: &str) -> T {
        self.str(key).and_then(T::named).unwrap_or(T::FIRST)
    }
}
