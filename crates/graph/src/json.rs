//! Text → JSON value, within the limits of a document.
//!
//! Size and depth are judged on the text, before anything is built of it, so neither a large nor a deeply nested
//! text costs time or stack. A repeated key is an error: readers of JSON disagree on which of the two counts, so
//! two people could review one document and mean two graphs.

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use crate::problem::{Code, Pointer, Problem, Problems, quote};
use crate::read::BEGINNING;

/// Most bytes of a document.
pub const MAX_BYTES: usize = 2_000_000;
/// Most objects and lists inside each other.
pub const MAX_DEPTH: usize = 64;
/// Repeated keys beyond this many are not listed.
const MAX_REPEATED: usize = 20;

/// Why a text could not be read.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// Objects and lists are nested too deep.
    #[error("objects and lists are nested more than {MAX_DEPTH} deep")]
    TooDeep,
    /// The text is not JSON.
    #[error(transparent)]
    Syntax(#[from] serde_json::Error),
}

/// Reads JSON text that others wrote: nothing deeper than [`MAX_DEPTH`], so that no text overflows the stack. Of a
/// repeated key the last value counts, as in JavaScript.
///
/// # Errors
/// If the text is not JSON or too deep.
pub fn parse(text: &str) -> Result<Value, JsonError> {
    if is_deeper(text, MAX_DEPTH) {
        return Err(JsonError::TooDeep);
    }
    Ok(serde_json::from_str(text)?)
}

pub(crate) fn read(text: &str, problems: &mut Problems) -> Option<Value> {
    if text.len() > MAX_BYTES {
        problems.add(Problem::new(
            Code::DocLimit,
            format!(
                "The document has {} bytes; {MAX_BYTES} are allowed.",
                text.len()
            ),
            "Move large texts out of the document, or make several graphs of it.",
        ));
        return None;
    }
    // Editors on Windows begin files with a byte order mark.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if is_deeper(text, MAX_DEPTH) {
        problems.add(Problem::new(
            Code::DocLimit,
            format!("Objects and lists are nested more than {MAX_DEPTH} deep."),
            "Flatten the document, or pass deep data to the run instead.",
        ));
        return None;
    }
    let repeated = RefCell::new(Vec::new());
    let root = Seed {
        step: None,
        repeated: &repeated,
        count: &Cell::new(0),
    };
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = root
        .deserialize(&mut reader)
        .and_then(|value| reader.end().map(|()| value));
    for (path, key) in repeated.into_inner() {
        problems.add(
            Problem::new(
                Code::Json,
                format!("The key {} stands twice in one object.", quote(&key)),
                "Remove one of the two; readers of JSON disagree on which of them counts.",
            )
            .at(&path),
        );
    }
    match value {
        Ok(value) => Some(value),
        Err(error) => {
            problems.add(Problem::new(
                Code::Json,
                format!("This is not JSON: {error}."),
                hint(text, &error),
            ));
            None
        }
    }
}

fn hint(text: &str, error: &serde_json::Error) -> String {
    if text.trim().is_empty() {
        return format!("The text is empty. {BEGINNING}");
    }
    if error.is_eof() {
        return "The text ends too early: a bracket or quotation mark is not closed, or the file is cut.".to_owned();
    }
    format!(
        "Look at line {}, column {}. JSON has no comments, no trailing commas, no single quotes, no NaN and no halves of surrogate pairs.",
        error.line(),
        error.column()
    )
}

/// Counts brackets outside of strings; needs no stack.
fn is_deeper(text: &str, limit: usize) -> bool {
    let mut depth = 0_usize;
    let mut in_string = false;
    let mut escaped = false;
    for byte in text.bytes() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => {
                depth += 1;
                if depth > limit {
                    return true;
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}

/// The way from the root to a value, for pointers.
#[derive(Clone, Copy)]
struct Step<'a> {
    parent: Option<&'a Step<'a>>,
    name: Name<'a>,
}

#[derive(Clone, Copy)]
enum Name<'a> {
    Key(&'a str),
    Index(usize),
}

impl Step<'_> {
    fn pointer(&self) -> Pointer {
        let parent = self.parent.map(Step::pointer).unwrap_or_default();
        match self.name {
            Name::Key(key) => parent.key(key),
            Name::Index(index) => parent.index(index),
        }
    }
}

/// Builds a [`Value`] and notes repeated keys; the last of them counts, as in JavaScript.
struct Seed<'a> {
    step: Option<&'a Step<'a>>,
    repeated: &'a RefCell<Vec<(Pointer, String)>>,
    count: &'a Cell<usize>,
}

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
        let mut values = Vec::new();
        loop {
            let step = Step {
                parent: self.step,
                name: Name::Index(values.len()),
            };
            let seed = Seed {
                step: Some(&step),
                repeated: self.repeated,
                count: self.count,
            };
            match list.next_element_seed(seed)? {
                Some(value) => values.push(value),
                None => return Ok(Value::Array(values)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            let step = Step {
                parent: self.step,
                name: Name::Key(&key),
            };
            if map.contains_key(&key) && self.count.get() < MAX_REPEATED {
                self.count.set(self.count.get() + 1);
                self.repeated
                    .borrow_mut()
                    .push((step.pointer(), key.clone()));
            }
            let seed = Seed {
                step: Some(&step),
                repeated: self.repeated,
                count: self.count,
            };
            let value = object.next_value_seed(seed)?;
            map.insert(key, value);
        }
        Ok(Value::Object(map))
    }
}
