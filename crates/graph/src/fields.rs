//! The keys of one structural object, each read once, with a problem for each that is not as it should be.

use serde_json::{Map, Value};

use crate::problem::{Code, Pointer, Problems, quote};
use crate::setting::MAX_MS;
use crate::settings::{Place, describe, integer, is_extension, names};
use crate::suggest::Suggest;

/// Reads the keys of one object.
pub(crate) struct Fields<'a> {
    pub(crate) map: Map<String, Value>,
    pub(crate) path: Pointer,
    /// What the object is, at the beginning of a sentence.
    pub(crate) owner: String,
    /// The node that the object belongs to.
    pub(crate) node: Option<String>,
    pub(crate) problems: &'a mut Problems,
    pub(crate) suggest: &'a mut Suggest,
}

impl Fields<'_> {
    pub(crate) fn report(
        &mut self,
        code: Code,
        key: &str,
        message: String,
        hint: impl Into<String>,
    ) {
        let place = Place {
            node: self.node.as_deref(),
            owner: &self.owner,
            path: &self.path,
        };
        self.problems
            .add(place.problem(code, key, message, hint.into()));
    }

    fn wrong(&mut self, code: Code, key: &str, value: &Value, expected: &str) {
        let message = format!(
            "\"{key}\" of {} cannot be {}.",
            lower(&self.owner),
            describe(value)
        );
        self.report(
            code,
            key,
            message,
            format!("Give it {expected}, or remove it."),
        );
    }

    /// Takes a value; `null` counts as absent.
    pub(crate) fn take(&mut self, key: &str) -> Option<Value> {
        self.map
            .get_mut(key)
            .map(Value::take)
            .filter(|value| !value.is_null())
    }

    pub(crate) fn text(&mut self, key: &str) -> Option<String> {
        match self.take(key)? {
            Value::String(text) => Some(text),
            other => {
                self.wrong(Code::Json, key, &other, "a text");
                None
            }
        }
    }

    /// One of a few words.
    pub(crate) fn word(&mut self, key: &str, words: &[&'static str]) -> Option<&'static str> {
        let value = self.take(key)?;
        let found = words.iter().copied().find(|word| value == **word);
        if found.is_none() {
            let expected = format!("one of: {}", names(words.iter().copied()));
            self.wrong(Code::Json, key, &value, &expected);
        }
        found
    }

    pub(crate) fn needed_text(&mut self, key: &str) -> Option<String> {
        if self.map.get(key).is_none_or(Value::is_null) {
            let message = format!("{} has no \"{key}\".", self.owner);
            self.report(Code::Json, key, message, format!("Add \"{key}\", a text."));
            return None;
        }
        self.text(key)
    }

    pub(crate) fn object(&mut self, key: &str) -> Option<Map<String, Value>> {
        match self.take(key)? {
            Value::Object(map) => Some(map),
            other => {
                self.wrong(Code::Json, key, &other, "an object");
                None
            }
        }
    }

    pub(crate) fn list(&mut self, key: &str, needed: bool) -> Vec<Value> {
        match self.take(key) {
            Some(Value::Array(list)) => return list,
            Some(other) => self.wrong(Code::Json, key, &other, "a list"),
            None if needed => {
                let message = format!("{} has no \"{key}\".", self.owner);
                self.report(Code::Json, key, message, format!("Add \"{key}\", a list."));
            }
            None => {}
        }
        Vec::new()
    }

    pub(crate) fn boolean(&mut self, key: &str) -> bool {
        match self.take(key) {
            Some(Value::Bool(value)) => value,
            Some(other) => {
                self.wrong(Code::Json, key, &other, "true or false");
                false
            }
            None => false,
        }
    }

    /// A whole number of at least 1; `code` says what it is for it to be another.
    pub(crate) fn whole(&mut self, key: &str, code: Code) -> Option<u64> {
        let value = self.take(key)?;
        let number = integer(&value)
            .filter(|number| (1..=MAX_MS).contains(number))
            .and_then(|number| u64::try_from(number).ok());
        if number.is_none() {
            let expected = format!("a whole number from 1 to {MAX_MS}");
            self.wrong(code, key, &value, &expected);
        }
        number
    }

    pub(crate) fn extensions(&mut self) -> Map<String, Value> {
        self.map
            .iter()
            .filter(|(key, _)| is_extension(key))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    }

    pub(crate) fn refuse_unknown(&mut self, known: &'static [&'static str]) {
        let unknown: Vec<String> = self
            .map
            .keys()
            .filter(|key| !is_extension(key) && !known.contains(&key.as_str()))
            .cloned()
            .collect();
        for key in unknown {
            let hint = match self.suggest.nearest(&key, known.iter().copied()) {
                Some(name) => format!("Did you mean \"{name}\"?"),
                None => format!(
                    "Remove it, or begin its name with \"x-\" to keep it as your own data. Known here: {}.",
                    names(known.iter().copied())
                ),
            };
            let message = format!("{} has no key {}.", self.owner, quote(&key));
            self.report(Code::Json, &key, message, hint);
        }
    }
}

/// An owner in the middle of a sentence.
pub(crate) fn lower(owner: &str) -> String {
    let mut text = owner.to_owned();
    if let Some(first) = text.get_mut(0..1) {
        first.make_ascii_lowercase();
    }
    text
}
