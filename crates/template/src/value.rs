//! Values during evaluation: what they print, what counts as true, how they compare.

use std::borrow::Cow;
use std::cmp::Ordering;

use serde_json::{Map, Value};

use crate::error::{ErrorKind, Fail};
use crate::number::Num;

/// How deep a value may be nested. Above `serde_json`'s own limit for parsed text, below what
/// recursion on a small stack can bear.
pub(crate) const MAX_DEPTH: usize = 160;

/// A value borrowed from the names or owned, or none at all.
#[derive(Debug)]
pub(crate) enum Val<'a> {
    /// Nothing was there. Without a note it is the silent result of `a if false`.
    Missing(Option<Box<Note>>),
    Ref(&'a Value),
    /// Boxed, so that a `Val` is two words: it is moved a lot and stored little.
    Own(Box<Value>),
}

/// What was not there, and where the template asked for it.
#[derive(Debug, Clone)]
pub(crate) struct Note {
    pub(crate) message: Cow<'static, str>,
    pub(crate) hint: Option<Cow<'static, str>>,
    pub(crate) at: usize,
}

impl<'a> Val<'a> {
    pub(crate) fn missing(message: impl Into<Cow<'static, str>>, at: usize) -> Val<'a> {
        Val::Missing(Some(Box::new(Note {
            message: message.into(),
            hint: None,
            at,
        })))
    }

    pub(crate) fn own(value: Value) -> Val<'a> {
        Val::Own(Box::new(value))
    }

    pub(crate) fn text(text: impl Into<String>) -> Val<'a> {
        Val::own(Value::String(text.into()))
    }

    pub(crate) fn flag(flag: bool) -> Val<'a> {
        Val::Ref(if flag {
            &Value::Bool(true)
        } else {
            &Value::Bool(false)
        })
    }

    /// The value; a missing one reads as null. Callers sort missing values out first.
    pub(crate) fn get(&self) -> &Value {
        match self {
            Val::Missing(_) => &Value::Null,
            Val::Ref(value) => value,
            Val::Own(value) => value,
        }
    }

    /// A second view of the value.
    pub(crate) fn borrow(&self) -> Val<'_> {
        match self {
            Val::Missing(note) => Val::Missing(note.clone()),
            Val::Ref(value) => Val::Ref(value),
            Val::Own(value) => Val::Ref(value),
        }
    }

    pub(crate) fn is_true(&self) -> bool {
        is_true(self.get())
    }

    /// The field of a map, if there is one.
    pub(crate) fn field(self, key: &str) -> Option<Val<'a>> {
        match self {
            Val::Ref(value) => value.as_object()?.get(key).map(Val::Ref),
            Val::Own(mut value) => value.as_object_mut()?.swap_remove(key).map(Val::own),
            Val::Missing(_) => None,
        }
    }

    /// The item of a list or the character of a text; a negative index counts from the end.
    pub(crate) fn item(self, index: i64) -> Option<Val<'a>> {
        let length = match self.get() {
            Value::Array(items) => items.len(),
            Value::String(text) => text.chars().count(),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
        };
        let index = if index < 0 {
            i64::try_from(length).ok()?.checked_add(index)?
        } else {
            index
        };
        let index = usize::try_from(index)
            .ok()
            .filter(|index| *index < length)?;
        if let Value::String(text) = self.get() {
            return text.chars().nth(index).map(Val::text);
        }
        match self {
            Val::Ref(value) => value.as_array()?.get(index).map(Val::Ref),
            Val::Own(mut value) => Some(Val::own(value.as_array_mut()?.swap_remove(index))),
            Val::Missing(_) => None,
        }
    }
}

/// What counts as true: everything but `false`, none, zero and the empty text, list and map.
pub(crate) fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(flag) => *flag,
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(map) => !map.is_empty(),
    }
}

/// The name of a value's type in messages.
pub(crate) fn type_name(value: &Value) -> &'static str {
    match value {
        Value::Null => "none",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    }
}

/// How large a value is.
#[derive(Default)]
pub(crate) struct Size {
    pub(crate) nodes: usize,
    pub(crate) bytes: usize,
    /// The depth of the deepest node.
    pub(crate) depth: usize,
}

/// Measures a value that stands at `depth`; an error if it is nested too deeply.
pub(crate) fn measure(value: &Value, depth: usize) -> Result<Size, Fail> {
    let mut size = Size::default();
    add_size(value, depth, &mut size)?;
    Ok(size)
}

fn add_size(value: &Value, depth: usize, size: &mut Size) -> Result<(), Fail> {
    if depth > MAX_DEPTH {
        let message = format!("a value is nested more than {MAX_DEPTH} levels deep");
        return Err(Fail::new(ErrorKind::Depth, message));
    }
    size.depth = size.depth.max(depth);
    // What is counted is in memory, so it fits.
    size.nodes += 1;
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
        Value::String(text) => size.bytes += text.len(),
        Value::Array(items) => {
            for item in items {
                add_size(item, depth + 1, size)?;
            }
        }
        Value::Object(map) => {
            for (key, item) in map {
                size.bytes += key.len();
                add_size(item, depth + 1, size)?;
            }
        }
    }
    Ok(())
}

/// Equality by value: `1 == 1.0`, the order of keys does not matter, a text never equals a number.
/// Callers have measured both sides.
pub(crate) fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len()
                && a.iter()
                    .all(|(key, a)| b.get(key).is_some_and(|b| equal(a, b)))
        }
        (Value::String(a), Value::String(b)) => a == b,
        (Value::Null, Value::Null) => true,
        _ => match (Num::of(a), Num::of(b)) {
            (Some(a), Some(b)) => a.compare(b) == Ordering::Equal,
            _ => false,
        },
    }
}

/// The total order of `sort`, `min`, `max` and `unique`: none, numbers and booleans, texts, lists,
/// maps. Callers have measured both sides.
pub(crate) fn order(a: &Value, b: &Value, fold: bool) -> Ordering {
    let rank = |value: &Value| match value {
        Value::Null => 0,
        Value::Bool(_) | Value::Number(_) => 1,
        Value::String(_) => 2,
        Value::Array(_) => 3,
        Value::Object(_) => 4,
    };
    match (a, b) {
        (Value::String(a), Value::String(b)) if fold => {
            let a = a.chars().flat_map(char::to_lowercase);
            a.cmp(b.chars().flat_map(char::to_lowercase))
        }
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Array(a), Value::Array(b)) => {
            let mut pairs = a.iter().zip(b).map(|(a, b)| order(a, b, false));
            pairs
                .find(|ordering| ordering.is_ne())
                .unwrap_or_else(|| a.len().cmp(&b.len()))
        }
        (Value::Object(a), Value::Object(b)) => order_maps(a, b),
        _ => match (Num::of(a), Num::of(b)) {
            (Some(a), Some(b)) => a.compare(b),
            _ => rank(a).cmp(&rank(b)),
        },
    }
}

fn order_maps(a: &Map<String, Value>, b: &Map<String, Value>) -> Ordering {
    let mut pairs = a.iter().zip(b).map(|((ka, va), (kb, vb))| {
        let keys = ka.cmp(kb);
        keys.then_with(|| order(va, vb, false))
    });
    pairs
        .find(|ordering| ordering.is_ne())
        .unwrap_or_else(|| a.len().cmp(&b.len()))
}
