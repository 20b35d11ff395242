//! Taking JSON objects apart, with the place of a fault.

use std::fmt;

use mnemograph_compact::{FromJson, kind_of};
use serde_json::{Map, Value};

use super::DecodeError;
use crate::message::MESSAGE_VERSION;
use crate::part::Source;

/// The largest integer that JavaScript holds exactly.
pub(super) const MAX_SAFE: u64 = (1 << 53) - 1;

/// A place in a JSON value, on the stack: it costs nothing until there is a fault.
pub(super) enum Path<'a> {
    Root(&'a str),
    Field(&'a Path<'a>, &'a str),
    Index(&'a Path<'a>, usize),
}

impl Path<'_> {
    pub(super) fn fault(&self, problem: &str, hint: &str) -> DecodeError {
        DecodeError {
            path: self.to_string(),
            problem: problem.to_owned(),
            hint: hint.to_owned(),
        }
    }
}

impl fmt::Display for Path<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root(name) => f.write_str(name),
            Self::Field(parent, name) => write!(f, "{parent}.{name}"),
            Self::Index(parent, place) => write!(f, "{parent}[{place}]"),
        }
    }
}

/// The fields of an object that is being taken apart.
pub(super) struct Fields<'a> {
    pub(super) map: Map<String, Value>,
    path: &'a Path<'a>,
}

impl<'a> Fields<'a> {
    pub(super) fn of(value: Value, path: &'a Path<'a>) -> Result<Self, DecodeError> {
        match value {
            Value::Object(map) => Ok(Self { map, path }),
            other => Err(path.fault(
                &format!("is {}, not an object", kind_of(&other)),
                "See the canonical message format.",
            )),
        }
    }

    pub(super) fn at<'n>(&'n self, name: &'n str) -> Path<'n> {
        Path::Field(self.path, name)
    }

    pub(super) fn fault(&self, name: &str, problem: &str, hint: &str) -> DecodeError {
        self.at(name).fault(problem, hint)
    }

    fn wrong_type(&self, name: &str, value: &Value, expected: &str) -> DecodeError {
        let problem = format!("is {}, not {expected}", kind_of(value));
        self.fault(name, &problem, &format!("Give {expected}."))
    }

    pub(super) fn version(&mut self) -> Result<u32, DecodeError> {
        match self.optional_integer("v")? {
            None => Ok(MESSAGE_VERSION),
            Some(v) if v == u64::from(MESSAGE_VERSION) => Ok(MESSAGE_VERSION),
            Some(v) => Err(self.fault(
                "v",
                &format!("is {v}, a version that this code does not know"),
                "Messages have version 1; a newer version of the package wrote this one.",
            )),
        }
    }

    pub(super) fn required<T: FromJson>(
        &mut self,
        name: &str,
        expected: &str,
    ) -> Result<T, DecodeError> {
        match self.map.swap_remove(name) {
            None => Err(self.fault(name, "is missing", &format!("Give {expected}."))),
            Some(value) => self.read(name, value, expected),
        }
    }

    /// Absent and `null` are the same for what may be left out.
    pub(super) fn optional<T: FromJson>(
        &mut self,
        name: &str,
        expected: &str,
    ) -> Result<Option<T>, DecodeError> {
        match self.optional_value(name) {
            None => Ok(None),
            Some(value) => self.read(name, value, expected).map(Some),
        }
    }

    fn read<T: FromJson>(
        &self,
        name: &str,
        value: Value,
        expected: &str,
    ) -> Result<T, DecodeError> {
        let kind = kind_of(&value);
        T::from_json(value).map_err(|error| {
            self.fault(
                name,
                &format!("is {kind}, not {expected} ({error})"),
                &format!("Give {expected}."),
            )
        })
    }

    pub(super) fn one_of<T: FromJson>(
        &mut self,
        name: &str,
        words: &str,
    ) -> Result<T, DecodeError> {
        let Some(value) = self.map.swap_remove(name) else {
            return Err(self.fault(name, "is missing", &format!("Give one of {words}.")));
        };
        let shown = match &value {
            Value::String(word) => format!("{word:?}"),
            other => kind_of(other).to_owned(),
        };
        T::from_json(value).map_err(|_| {
            self.fault(
                name,
                &format!("is {shown}"),
                &format!("Give one of {words}."),
            )
        })
    }

    pub(super) fn text(&mut self, name: &str) -> Result<String, DecodeError> {
        match self.map.swap_remove(name) {
            None => Err(self.fault(name, "is missing", "Give a text.")),
            Some(Value::String(text)) => Ok(text),
            Some(other) => Err(self.wrong_type(name, &other, "a text")),
        }
    }

    pub(super) fn id(&mut self, name: &str) -> Result<String, DecodeError> {
        let id = self.text(name)?;
        if id.is_empty() {
            return Err(self.fault(name, "is empty", "Give a unique text."));
        }
        Ok(id)
    }

    pub(super) fn optional_value(&mut self, name: &str) -> Option<Value> {
        self.map.swap_remove(name).filter(|value| !value.is_null())
    }

    pub(super) fn optional_text(&mut self, name: &str) -> Result<Option<String>, DecodeError> {
        match self.optional_value(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.wrong_type(name, &other, "a text")),
        }
    }

    pub(super) fn optional_integer(&mut self, name: &str) -> Result<Option<u64>, DecodeError> {
        match self.optional_value(name) {
            None => Ok(None),
            Some(value) => match value.as_u64().filter(|number| *number <= MAX_SAFE) {
                Some(number) => Ok(Some(number)),
                None => Err(self.wrong_type(name, &value, "an integer from 0 to 2^53-1")),
            },
        }
    }

    pub(super) fn object(&mut self, name: &str) -> Result<Map<String, Value>, DecodeError> {
        match self.optional_value(name) {
            None => Ok(Map::new()),
            Some(Value::Object(map)) => Ok(map),
            Some(other) => Err(self.wrong_type(name, &other, "an object")),
        }
    }

    pub(super) fn source(&mut self) -> Result<Source, DecodeError> {
        self.required(
            "source",
            r#"one of {"kind": "url", url}, {"kind": "blob", sha256, size}, {"kind": "file_id", provider, id}, {"kind": "inline", base64}"#,
        )
    }
}
