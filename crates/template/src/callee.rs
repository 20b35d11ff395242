//! Filters and tests as the parser and the evaluator see them: a name, parameters, a function.

use serde_json::Value;

use crate::error::{ErrorKind, Fail};
use crate::expr::whole;
use crate::value::{Val, type_name};

/// A filter or a test.
#[derive(Clone)]
pub(crate) struct Callee<F> {
    pub(crate) name: &'static str,
    /// Parameters in order. Those that begin with `=` are given by keyword only.
    pub(crate) params: &'static [&'static str],
    /// How many parameters must be given.
    pub(crate) required: usize,
    /// Takes further arguments, which go to the filter or test it names.
    pub(crate) variadic: bool,
    /// Takes a missing value as input or argument.
    pub(crate) takes_missing: bool,
    pub(crate) run: F,
}

impl<F> std::fmt::Debug for Callee<F> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

/// The arguments of one call. An optional argument that is none counts as not given.
#[derive(Debug)]
pub(crate) struct Args<'a> {
    slots: Vec<Option<Val<'a>>>,
    pub(crate) rest: Vec<Val<'a>>,
    /// Where the call stands.
    pub(crate) at: usize,
}

impl<'a> Args<'a> {
    pub(crate) fn new(slots: Vec<Option<Val<'a>>>, rest: Vec<Val<'a>>, at: usize) -> Args<'a> {
        Args { slots, rest, at }
    }

    /// The argument as it is, also none and missing.
    pub(crate) fn take(&mut self, index: usize) -> Option<Val<'a>> {
        self.slots.get_mut(index)?.take()
    }

    pub(crate) fn get(&self, index: usize) -> Option<&Val<'a>> {
        self.slots.get(index)?.as_ref()
    }

    fn value(&self, index: usize) -> Option<&Value> {
        let value = self.get(index)?.get();
        (!value.is_null()).then_some(value)
    }

    pub(crate) fn text(&self, index: usize) -> Result<Option<&str>, Fail> {
        match self.value(index) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(wrong("a text", other)),
        }
    }

    pub(crate) fn int(&self, index: usize) -> Result<Option<i64>, Fail> {
        match self.value(index) {
            None => Ok(None),
            Some(value) => whole(value)
                .map(Some)
                .ok_or_else(|| wrong("a whole number", value)),
        }
    }

    /// A count between 0 and `max`.
    pub(crate) fn count(&self, index: usize, max: usize) -> Result<Option<usize>, Fail> {
        let Some(given) = self.int(index)? else {
            return Ok(None);
        };
        let count = usize::try_from(given).ok().filter(|count| *count <= max);
        count.map(Some).ok_or_else(|| {
            let message = format!("an argument is not between 0 and {max}");
            Fail::new(ErrorKind::Argument, message)
        })
    }

    pub(crate) fn flag(&self, index: usize) -> bool {
        self.get(index).is_some_and(Val::is_true)
    }
}

fn wrong(needed: &str, value: &Value) -> Fail {
    let message = format!("an argument is {}, not {needed}", type_name(value));
    Fail::new(ErrorKind::Argument, message)
}

/// Calls the filter or test that a value names, as `map` and `select` do.
pub(crate) fn bind<'a, F>(
    callee: &Callee<F>,
    given: &'a [Val<'a>],
    at: usize,
) -> Result<Args<'a>, Fail> {
    let positional = callee
        .params
        .iter()
        .filter(|name| !name.starts_with('='))
        .count();
    let few = given.len() < callee.required;
    if few || (given.len() > positional && !callee.variadic) {
        let message = format!("`{}` takes another number of arguments", callee.name);
        return Err(Fail::new(ErrorKind::Argument, message));
    }
    let (slots, rest) = given.split_at(given.len().min(positional));
    Ok(Args::new(
        slots.iter().map(|val| Some(val.borrow())).collect(),
        rest.iter().map(Val::borrow).collect(),
        at,
    ))
}
