//! Reading typed data out of JSON values.
//!
//! What serde derives is compiled for every type and every form it may come in: map or list, borrowed or buffered. Here a
//! field is one call of a function that all fields of its type share; `#[derive(FromJson)]` writes the calls. What is no object, and a field that is missing or
//! of another type, is a fault; fields that nobody knows are passed over.

use std::collections::VecDeque;
use std::fmt;

use serde_json::{Map, Value};

use crate::SortedMap;

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

    /// Reads the key of a map.
    ///
    /// # Errors
    /// As [`FromJson::from_json`].
    fn from_key(key: String) -> Result<Self, Fault> {
        Self::from_json(Value::String(key))
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

    fn from_key(key: String) -> Result<Self, Fault> {
        key.parse().map_err(|_| not_whole())
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

            fn from_key(key: String) -> Result<Self, Fault> {
                Self::try_from(u64::from_key(key)?).map_err(|_| not_whole())
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
        let items = items(value)?;
        let mut read = Vec::with_capacity(items.len());
        for (place, item) in items.into_iter().enumerate() {
            read.push(T::from_json(item).map_err(|fault| at(fault, place))?);
        }
        Ok(read)
    }
}

fn items(value: Value) -> Result<Vec<Value>, Fault> {
    match value {
        Value::Array(items) => Ok(items),
        other => Err(Fault::wrong_type(&other, "a list")),
    }
}

fn at(fault: Fault, place: usize) -> Fault {
    fault.inside(&format!("[{place}]"))
}

impl<T: FromJson> FromJson for VecDeque<T> {
    fn from_json(value: Value) -> Result<Self, Fault> {
        Vec::from_json(value).map(Self::from)
    }
}

impl<T: FromJson> FromJson for Box<T> {
    fn from_json(value: Value) -> Result<Self, Fault> {
        T::from_json(value).map(Self::new)
    }
}

/// What a step that has nothing to say answers.
impl FromJson for () {
    fn from_json(value: Value) -> Result<Self, Fault> {
        match value {
            Value::Null => Ok(()),
            other => Err(Fault::wrong_type(&other, "null")),
        }
    }
}

impl<A: FromJson, B: FromJson> FromJson for (A, B) {
    fn from_json(value: Value) -> Result<Self, Fault> {
        let [a, b] = tuple(value)?;
        let a = A::from_json(a).map_err(|fault| at(fault, 0))?;
        Ok((a, B::from_json(b).map_err(|fault| at(fault, 1))?))
    }
}

impl<A: FromJson, B: FromJson, C: FromJson> FromJson for (A, B, C) {
    fn from_json(value: Value) -> Result<Self, Fault> {
        let [a, b, c] = tuple(value)?;
        let a = A::from_json(a).map_err(|fault| at(fault, 0))?;
        let b = B::from_json(b).map_err(|fault| at(fault, 1))?;
        Ok((a, b, C::from_json(c).map_err(|fault| at(fault, 2))?))
    }
}

fn tuple<const N: usize>(value: Value) -> Result<[Value; N], Fault> {
    let wrong = |_| Fault::new(format!("is no list of {N} items"));
    items(value)?.try_into().map_err(wrong)
}

/// As serde writes it: `{"Ok": …}` or `{"Err": …}`.
impl<T: FromJson, E: FromJson> FromJson for Result<T, E> {
    fn from_json(value: Value) -> Result<Self, Fault> {
        match variant(value, &["Ok", "Err"])? {
            (0, body) => T::from_json(body).map(Ok),
            (_, body) => E::from_json(body).map(Err),
        }
    }
}

impl<K: FromJson + Ord, V: FromJson> FromJson for SortedMap<K, V> {
    fn from_json(value: Value) -> Result<Self, Fault> {
        let mut entries = Vec::new();
        for (name, value) in Map::from_json(value)? {
            let inside = |fault: Fault| fault.inside(&name).inside(".");
            let value = V::from_json(value).map_err(inside)?;
            entries.push((K::from_key(name)?, value));
        }
        Ok(entries.into_iter().collect())
    }
}

/// Which of the words a value is.
///
/// # Errors
/// It is no text or none of them.
pub fn word(value: &Value, words: &[&str]) -> Result<usize, Fault> {
    let text = value
        .as_str()
        .ok_or_else(|| Fault::wrong_type(value, "a text"))?;
    words
        .iter()
        .position(|word| *word == text)
        .ok_or_else(|| Fault::new(format!("is {text:?}, not one of {}", words.join(", "))))
}

/// Which variant a value is, and what it holds: a text for one without data, else an object of one field.
///
/// # Errors
/// It is nothing of the kind, or none of the names.
pub fn variant(value: Value, names: &[&str]) -> Result<(usize, Value), Fault> {
    if value.is_string() {
        return Ok((word(&value, names)?, Value::Null));
    }
    let mut members = Map::from_json(value)?.into_iter();
    match (members.next(), members.next()) {
        (Some((name, body)), None) => Ok((word(&Value::String(name), names)?, body)),
        _ => Err(Fault::new("is no object of one field")),
    }
}

/// The fields of an object that is being taken apart. The fault of a field is kept until all have been read: a way out
/// behind every field, with all that had been read to be dropped there, would cost more than the fields.
#[derive(Debug)]
pub struct Fields {
    map: Map<String, Value>,
    fault: Option<Fault>,
}

impl Fields {
    /// The fields of a value.
    ///
    /// # Errors
    /// It is no object.
    pub fn of(value: Value) -> Result<Self, Fault> {
        Map::from_json(value).map(|map| Self { map, fault: None })
    }

    /// A field; `None` if it is missing or of another type.
    pub fn read<T: FromJson>(&mut self, name: &str) -> Option<T> {
        let read = match self.remove(name) {
            Some(value) => T::from_json(value),
            None => T::from_nothing().ok_or_else(missing),
        };
        read.map_err(|fault| self.note(name, fault)).ok()
    }

    /// A field that has its default where it is not there; `None` if it is of another type.
    pub fn read_or_default<T: FromJson + Default>(&mut self, name: &str) -> Option<T> {
        if self.map.contains_key(name) {
            self.read(name)
        } else {
            Some(T::default())
        }
    }

    /// The fault of the first field that could not be read.
    #[must_use]
    pub fn fault(self) -> Fault {
        self.fault.unwrap_or_else(missing)
    }

    /// Which of the names the field holds that tells the kind.
    ///
    /// # Errors
    /// It is missing, no text or none of them.
    pub fn tag(&mut self, field: &str, names: &[&str]) -> Result<usize, Fault> {
        let read = self.remove(field).ok_or_else(missing);
        read.and_then(|kind| word(&kind, names))
            .map_err(|fault| fault.inside(field).inside("."))
    }

    /// What has not been taken.
    #[must_use]
    pub fn rest(self) -> Value {
        Value::Object(self.map)
    }

    fn remove(&mut self, name: &str) -> Option<Value> {
        self.map.swap_remove(name)
    }

    #[cold]
    fn note(&mut self, name: &str, fault: Fault) {
        if self.fault.is_none() {
            self.fault = Some(fault.inside(name).inside("."));
        }
    }
}

fn missing() -> Fault {
    Fault::new("is missing")
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
