//! Reading typed data out of JSON values.
//!
//! What serde derives is compiled for every type and every form it may come in: map or list, borrowed or buffered. Here a
//! field is one call of a function that all fields of its type share. What is no object, and a field that is missing or
//! of another type, is a fault; fields that nobody knows are passed over.

use std::fmt;

use serde::de::{DeserializeOwned, IntoDeserializer, value};
use serde_json::{Map, Value};

/// Why a value is not what was wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where in the value: `.models[0].name`, empty for the value itself.
    path: String,
    problem: String,
}

impl Fault {
    /// A fault of the value itself: `is a list, not a text`.
    #[must_use]
    pub fn new(problem: impl Into<String>) -> Self {
        Self {
            path: String::new(),
            problem: problem.into(),
        }
    }

    /// The fault seen from around: `step` is `.name` of a field, `[0]` of an item, or several of these.
    #[must_use]
    pub fn inside(mut self, step: &str) -> Self {
        self.path.insert_str(0, step);
        self
    }

    fn wrong_type(value: &Value, wanted: &str) -> Self {
        Self::new(format!("is {}, not {wanted}", kind_of(value)))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = self.path.strip_prefix('.').unwrap_or(&self.path);
        f.write_str(if path.is_empty() { "the value" } else { path })?;
        f.write_str(" ")?;
        f.write_str(&self.problem)
    }
}

impl std::error::Error for Fault {}

/// What sort of thing a value is, in words.
#[must_use]
pub fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// What can be read out of a JSON value.
pub trait FromJson: Sized {
    /// Reads it.
    ///
    /// # Errors
    /// What is wrong, and where.
    fn from_json(value: Value) -> Result<Self, Fault>;

    /// What a field holds that is not there; nothing else but options can do without.
    #[must_use]
    fn from_nothing() -> Option<Self> {
        None
    }
}

impl FromJson for Value {
    fn from_json(value: Value) -> Result<Self, Fault> {
        Ok(value)
    }
}

impl FromJson for String {
    fn from_json(value: Value) -> Result<Self, Fault> {
        match value {
            Value::String(text) => Ok(text),
            other => Err(Fault::wrong_type(&other, "a text")),
        }
    }
}

impl FromJson for bool {
    fn from_json(value: Value) -> Result<Self, Fault> {
        value
            .as_bool()
            .ok_or_else(|| Fault::wrong_type(&value, "true or false"))
    }
}

impl FromJson for f64 {
    fn from_json(value: Value) -> Result<Self, Fault> {
        value
            .as_f64()
            .ok_or_else(|| Fault::wrong_type(&value, "a number"))
    }
}

impl FromJson for u64 {
    fn from_json(value: Value) -> Result<Self, Fault> {
        match value.as_u64() {
            Some(number) => Ok(number),
            None if value.is_number() => Err(not_whole()),
            None => Err(Fault::wrong_type(&value, "a number")),
        }
    }
}

fn not_whole() -> Fault {
    Fault::new("is not a whole number that fits")
}

macro_rules! smaller_numbers {
    ($($type:ty),+) => {$(
        impl FromJson for $type {
            fn from_json(value: Value) -> Result<Self, Fault> {
                Self::try_from(u64::from_json(value)?).map_err(|_| not_whole())
            }
        }
    )+};
}

smaller_numbers!(u16, u32, usize);

impl FromJson for Map<String, Value> {
    fn from_json(value: Value) -> Result<Self, Fault> {
        match value {
            Value::Object(map) => Ok(map),
            other => Err(Fault::wrong_type(&other, "an object")),
        }
    }
}

/// `null` and nothing are the same.
impl<T: FromJson> FromJson for Option<T> {
    fn from_json(value: Value) -> Result<Self, Fault> {
        match value {
            Value::Null => Ok(None),
            value => T::from_json(value).map(Some),
        }
    }

    fn from_nothing() -> Option<Self> {
        Some(None)
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(value: Value) -> Result<Self, Fault> {
        let Value::Array(items) = value else {
            return Err(Fault::wrong_type(&value, "a list"));
        };
        let mut read = Vec::with_capacity(items.len());
        for (place, item) in items.into_iter().enumerate() {
            let item = T::from_json(item).map_err(|fault| fault.inside(&format!("[{place}]")))?;
            read.push(item);
        }
        Ok(read)
    }
}

/// One of the words that an enum without data derives.
///
/// # Errors
/// The value is no text or none of the words.
pub fn word<T: DeserializeOwned>(value: &Value) -> Result<T, Fault> {
    let text = value
        .as_str()
        .ok_or_else(|| Fault::wrong_type(value, "a text"))?;
    T::deserialize(text.into_deserializer())
        .map_err(|error: value::Error| Fault::new(format!("is no word for it: {error}")))
}

/// The fields of an object that is being taken apart. A fault is kept until [`Fields::finish`], and the field holds its
/// type's default so long: a branch behind every field would cost more than the fields.
#[derive(Debug)]
pub struct Fields {
    map: Map<String, Value>,
    fault: Option<Fault>,
}

impl Fields {
    /// The fields of a value.
    #[must_use]
    pub fn of(value: Value) -> Self {
        let (map, fault) = match Map::from_json(value) {
            Ok(map) => (map, None),
            Err(fault) => (Map::new(), Some(fault)),
        };
        Self { map, fault }
    }

    /// A field.
    pub fn take<T: FromJson + Default>(&mut self, name: &str) -> T {
        let read = match self.remove(name) {
            Some(value) => T::from_json(value),
            None => T::from_nothing().ok_or_else(missing),
        };
        read.unwrap_or_else(|fault| {
            self.note(name, fault);
            T::default()
        })
    }

    /// A field that has its default where it is not there.
    pub fn take_or_default<T: FromJson + Default>(&mut self, name: &str) -> T {
        if self.map.contains_key(name) {
            self.take(name)
        } else {
            T::default()
        }
    }

    /// The whole, unless a field was at fault.
    ///
    /// # Errors
    /// The first fault.
    pub fn finish<T>(self, read: T) -> Result<T, Fault> {
        match self.fault {
            None => Ok(read),
            Some(fault) => Err(fault),
        }
    }

    /// The error where the field that tells the kind holds none that is known.
    #[must_use]
    pub fn unknown(mut self, tag: &str, kind: &str) -> Fault {
        self.note(tag, Fault::new(format!("is {kind:?}, which is not known")));
        self.fault.unwrap_or_else(missing)
    }

    fn remove(&mut self, name: &str) -> Option<Value> {
        self.map.swap_remove(name)
    }

    fn note(&mut self, name: &str, fault: Fault) {
        if self.fault.is_none() {
            self.fault = Some(fault.inside(name).inside("."));
        }
    }
}

fn missing() -> Fault {
    Fault::new("is missing")
}

/// Implements [`FromJson`] for structs by their fields, and serde's `Deserialize` through it. A field followed by
/// `: default` may be left out.
#[macro_export]
macro_rules! json_struct {
    ($($type:ident { $($field:ident $(: $default:ident)?),+ $(,)? })+) => {$(
        impl $crate::FromJson for $type {
            fn from_json(value: $crate::serde_json::Value) -> Result<Self, $crate::Fault> {
                let mut fields = $crate::Fields::of(value);
                let read = Self { $($field: $crate::json_field!(fields $field $($default)?)),+ };
                fields.finish(read)
            }
        }

        $crate::deserialize_by_json!($type);
    )+};
}

/// Implements [`FromJson`] for an enum whose variants stand flat in an object with a field that names them, and serde's
/// `Deserialize` through it.
#[macro_export]
macro_rules! json_enum {
    ($type:ident by $tag:literal {
        $($kind:literal => $variant:ident $({ $($field:ident $(: $default:ident)?),+ $(,)? })?),+ $(,)?
    }) => {
        impl $crate::FromJson for $type {
            fn from_json(value: $crate::serde_json::Value) -> Result<Self, $crate::Fault> {
                let mut fields = $crate::Fields::of(value);
                let kind: String = fields.take($tag);
                let read = match kind.as_str() {
                    $($kind => Self::$variant
                        $({ $($field: $crate::json_field!(fields $field $($default)?)),+ })?,)+
                    other => return Err(fields.unknown($tag, other)),
                };
                fields.finish(read)
            }
        }

        $crate::deserialize_by_json!($type);
    };
}

/// Implements [`FromJson`] for enums of words that derive `Deserialize`.
#[macro_export]
macro_rules! json_words {
    ($($type:ident),+ $(,)?) => {$(
        impl $crate::FromJson for $type {
            fn from_json(value: $crate::serde_json::Value) -> Result<Self, $crate::Fault> {
                $crate::word(&value)
            }
        }
    )+};
}

/// Implements serde's `Deserialize` through [`FromJson`], so that there is one rule of how a type is read.
#[macro_export]
macro_rules! deserialize_by_json {
    ($type:ident) => {
        impl<'de> $crate::serde::Deserialize<'de> for $type {
            fn deserialize<D: $crate::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> Result<Self, D::Error> {
                let value = <$crate::serde_json::Value as $crate::serde::Deserialize>::deserialize(
                    deserializer,
                )?;
                <Self as $crate::FromJson>::from_json(value)
                    .map_err(<D::Error as $crate::serde::de::Error>::custom)
            }
        }
    };
}

/// One field of [`json_struct`] and [`json_enum`].
#[doc(hidden)]
#[macro_export]
macro_rules! json_field {
    ($fields:ident $field:ident) => {
        $fields.take(stringify!($field))
    };
    ($fields:ident $field:ident default) => {
        $fields.take_or_default(stringify!($field))
    };
}
