//! Where top-level names come from.

use std::borrow::Cow;

use serde_json::{Map, Value};

/// The answer to a path.
#[derive(Debug, Clone, PartialEq)]
pub enum Found<'a> {
    /// The value of the first so many keys of the path, at least one.
    Value(Cow<'a, Value>, usize),
    /// The key at this position is not there.
    Missing(usize),
}

/// The top-level names of a template. It must answer the same throughout one evaluation.
pub trait Names {
    /// The value of a name.
    fn lookup(&self, name: &str) -> Option<Value>;

    /// The value of a name and as many of the constant keys after it as the host likes to follow:
    /// `nodes.a.output` need not build the map `nodes`. By default only the name is followed.
    fn find<'a>(&'a self, path: &[String]) -> Found<'a> {
        match path.first().and_then(|name| self.lookup(name)) {
            Some(value) => Found::Value(Cow::Owned(value), 1),
            None => Found::Missing(0),
        }
    }
}

impl Names for Map<String, Value> {
    fn lookup(&self, name: &str) -> Option<Value> {
        self.get(name).cloned()
    }

    fn find<'a>(&'a self, path: &[String]) -> Found<'a> {
        match path.first().and_then(|name| self.get(name)) {
            Some(value) => Found::Value(Cow::Borrowed(value), 1),
            None => Found::Missing(0),
        }
    }
}
