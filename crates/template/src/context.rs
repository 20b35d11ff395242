//! What one evaluation has: the names, the budget, the rule for missing values, and the conversions
//! that statements, operators and filters share.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use serde_json::Value;

use crate::error::{ErrorKind, Fail};
use crate::json;
use crate::value::{Note, Val, measure, type_name};
use crate::{Missing, Names, Options};

/// Text that costs one step.
const BYTES_PER_STEP: u64 = 256;
/// Warnings kept; more say nothing new.
const MAX_WARNINGS: usize = 100;

/// One evaluation: what it may read and what it has left.
pub(crate) struct Eval<'n> {
    pub(crate) names: &'n dyn Names,
    pub(crate) options: &'n Options,
    fuel: Cell<u64>,
    warnings: RefCell<Vec<Note>>,
}

impl<'n> Eval<'n> {
    pub(crate) fn new(names: &'n dyn Names, options: &'n Options) -> Eval<'n> {
        Eval {
            names,
            options,
            fuel: Cell::new(options.fuel),
            warnings: RefCell::default(),
        }
    }

    pub(crate) fn into_warnings(self) -> Vec<Note> {
        self.warnings.into_inner()
    }

    // The budget.

    pub(crate) fn spend(&self, steps: u64) -> Result<(), Fail> {
        match self.fuel.get().checked_sub(steps) {
            Some(left) => {
                self.fuel.set(left);
                Ok(())
            }
            None => Err(Fail::new(
                ErrorKind::Fuel,
                format!("more than {} steps are needed", self.options.fuel),
            )
            .hint("loop over less, or raise the limit for templates")),
        }
    }

    pub(crate) fn spend_len(&self, length: usize) -> Result<(), Fail> {
        self.spend(u64::try_from(length).unwrap_or(u64::MAX))
    }

    pub(crate) fn spend_bytes(&self, bytes: usize) -> Result<(), Fail> {
        self.spend(u64::try_from(bytes).unwrap_or(u64::MAX) / BYTES_PER_STEP)
    }

    /// Pays for a walk over the value and refuses one that is too deep to walk.
    pub(crate) fn spend_value(&self, value: &Value) -> Result<(), Fail> {
        let size = measure(value, 0)?;
        self.spend_len(size.nodes - 1)?;
        self.spend_bytes(size.bytes)
    }

    // Missing values.

    /// Nothing is needed but a value: a missing one is an error, or empty text with a warning.
    pub(crate) fn present<'a>(&self, val: Val<'a>) -> Result<Val<'a>, Fail> {
        match val {
            Val::Missing(Some(note)) if self.options.missing == Missing::Error => {
                Err(Fail::missing(*note))
            }
            Val::Missing(note) => {
                self.warn(note.map(|note| *note));
                Ok(Val::text(""))
            }
            val => Ok(val),
        }
    }

    /// A value that empty text cannot stand for: a missing one is always an error.
    pub(crate) fn required<'a>(&self, val: Val<'a>) -> Result<Val<'a>, Fail> {
        match val {
            Val::Missing(Some(note)) => Err(Fail::missing(*note)),
            Val::Missing(None) => Err(Fail::new(
                ErrorKind::Missing,
                "an `if` without `else` gave no value",
            )),
            val => Ok(val),
        }
    }

    /// A step into something missing.
    pub(crate) fn deeper<'a>(&self, val: Val<'a>, lenient: bool) -> Result<Val<'a>, Fail> {
        if lenient || self.options.missing == Missing::Empty {
            Ok(val)
        } else {
            self.required(val)
        }
    }

    pub(crate) fn warn(&self, note: Option<Note>) {
        let mut warnings = self.warnings.borrow_mut();
        if let Some(note) = note
            && warnings.len() < MAX_WARNINGS
            && !warnings.iter().any(|known| known.at == note.at)
        {
            warnings.push(note);
        }
    }

    // Conversions that filters and statements share.

    /// The text a value prints.
    pub(crate) fn show<'v>(&self, value: &'v Value) -> Result<Cow<'v, str>, Fail> {
        Ok(match value {
            Value::Null => Cow::Borrowed(""),
            Value::Bool(flag) => Cow::Borrowed(if *flag { "true" } else { "false" }),
            Value::Number(number) => Cow::Owned(json::number(number)),
            Value::String(text) => {
                self.spend_bytes(text.len())?;
                Cow::Borrowed(text)
            }
            Value::Array(_) | Value::Object(_) => Cow::Owned(self.json(value, None)?),
        })
    }

    pub(crate) fn json(&self, value: &Value, indent: Option<usize>) -> Result<String, Fail> {
        self.spend_value(value)?;
        if let Some(indent) = indent {
            let size = measure(value, 1)?;
            self.spend_bytes(size.nodes.saturating_mul(size.depth * indent))?;
        }
        let mut out = String::new();
        json::write(value, indent, 0, &mut out);
        self.spend_bytes(out.len())?;
        Ok(out)
    }

    /// The items of a list, the characters of a text or the keys of a map.
    pub(crate) fn items<'a>(&self, val: Val<'a>) -> Result<Vec<Val<'a>>, Fail> {
        let mut val = self.present(val)?;
        let length = match val.get() {
            Value::Null => 0,
            Value::Array(items) => items.len(),
            Value::String(text) => text.chars().count(),
            Value::Object(map) => map.len(),
            other => {
                let message = format!("{} has no items", type_name(other));
                return Err(
                    Fail::new(ErrorKind::Type, message).hint("a list, a text or a map is needed")
                );
            }
        };
        // Paid for before they are made.
        self.spend_len(length)?;
        if let Val::Ref(Value::Array(items)) = val {
            return Ok(items.iter().map(Val::Ref).collect());
        }
        if let Val::Own(value) = &mut val
            && let Value::Array(items) = value.as_mut()
        {
            return Ok(std::mem::take(items).into_iter().map(Val::own).collect());
        }
        Ok(match val.get() {
            Value::String(text) => text.chars().map(Val::text).collect(),
            Value::Object(map) => map.keys().map(Val::text).collect(),
            _ => Vec::new(),
        })
    }

    /// The value itself; a borrowed one is copied and paid for.
    pub(crate) fn own(&self, val: Val<'_>) -> Result<Value, Fail> {
        Ok(match self.present(val)? {
            Val::Own(value) => *value,
            Val::Ref(value) => {
                self.spend_value(value)?;
                value.clone()
            }
            Val::Missing(_) => Value::Null,
        })
    }

    pub(crate) fn own_all(&self, vals: Vec<Val<'_>>) -> Result<Value, Fail> {
        let values: Result<Vec<Value>, Fail> = vals.into_iter().map(|val| self.own(val)).collect();
        values.map(Value::Array)
    }
}
