//! Operators.

use std::cmp::Ordering;

use serde_json::Value;

use crate::ast::{CompareOp, MathOp};
use crate::context::Eval;
use crate::error::{ErrorKind, Fail};
use crate::expr::whole;
use crate::number::{self, Num};
use crate::value::{Val, equal, type_name};

impl Eval<'_> {
    pub(crate) fn math<'a>(&self, op: MathOp, a: Val<'_>, b: Val<'_>) -> Result<Val<'a>, Fail> {
        if op == MathOp::Concat {
            let (a, b) = (self.present(a)?, self.present(b)?);
            let (a, b) = (self.show(a.get())?, self.show(b.get())?);
            return Ok(Val::text(format!("{a}{b}")));
        }
        let (a, b) = (self.required(a)?, self.required(b)?);
        match (op, a.get(), b.get()) {
            (MathOp::Add, Value::String(a), Value::String(b)) => {
                self.spend_bytes(a.len() + b.len())?;
                Ok(Val::text(format!("{a}{b}")))
            }
            (MathOp::Add, Value::Array(_), Value::Array(_)) => {
                let mut items = self.items(a)?;
                items.extend(self.items(b)?);
                self.own_all(items).map(Val::own)
            }
            (MathOp::Multiply, Value::String(_) | Value::Array(_), count)
            | (MathOp::Multiply, count, Value::String(_) | Value::Array(_))
                if times(count).is_some() =>
            {
                let count = times(count).unwrap_or(0);
                let one = if Num::of(a.get()).is_some() { b } else { a };
                self.repeat(one, count)
            }
            (_, a, b) => match (Num::of(a), Num::of(b)) {
                (Some(a), Some(b)) => number::math(op, a, b).map(Val::own),
                _ => {
                    let (a, b) = (type_name(a), type_name(b));
                    let message = format!("`{}` does not take {a} and {b}", symbol(op));
                    Err(Fail::new(ErrorKind::Type, message)
                        .hint("convert with `int`, `float` or `string`; join texts with `~`"))
                }
            },
        }
    }

    /// A text or list, `count` times.
    fn repeat<'a>(&self, val: Val<'_>, count: usize) -> Result<Val<'a>, Fail> {
        if let Value::String(text) = val.get() {
            self.spend_bytes(text.len().saturating_mul(count))?;
            return Ok(Val::text(text.repeat(count)));
        }
        let mut items = Vec::new();
        if val.is_true() {
            for _ in 0..count {
                self.spend(1)?;
                items.extend(self.items(val.borrow())?);
            }
        }
        self.own_all(items).map(Val::own)
    }

    pub(crate) fn compare(&self, op: CompareOp, a: &Val<'_>, b: &Val<'_>) -> Result<bool, Fail> {
        match op {
            CompareOp::Equal => return self.equal(a, b),
            CompareOp::NotEqual => return Ok(!self.equal(a, b)?),
            CompareOp::In => return self.contains(b, a),
            CompareOp::NotIn => return Ok(!self.contains(b, a)?),
            CompareOp::Less
            | CompareOp::LessOrEqual
            | CompareOp::Greater
            | CompareOp::GreaterOrEqual => {}
        }
        let (a, b) = (self.required(a.borrow())?, self.required(b.borrow())?);
        let ordering = match (a.get(), b.get()) {
            (Value::String(a), Value::String(b)) => {
                self.spend_bytes(a.len().min(b.len()))?;
                a.cmp(b)
            }
            (a, b) => match (Num::of(a), Num::of(b)) {
                (Some(a), Some(b)) => a.compare(b),
                _ => {
                    let message = format!("{} and {} have no order", type_name(a), type_name(b));
                    return Err(Fail::new(ErrorKind::Compare, message)
                        .hint("convert one side with `int`, `float` or `string`"));
                }
            },
        };
        Ok(match op {
            CompareOp::Less => ordering == Ordering::Less,
            CompareOp::LessOrEqual => ordering != Ordering::Greater,
            CompareOp::Greater => ordering == Ordering::Greater,
            _ => ordering != Ordering::Less,
        })
    }

    pub(crate) fn equal(&self, a: &Val<'_>, b: &Val<'_>) -> Result<bool, Fail> {
        let (a, b) = (self.present(a.borrow())?, self.present(b.borrow())?);
        self.same(a.get(), b.get())
    }

    /// Equality, paid for.
    fn same(&self, a: &Value, b: &Value) -> Result<bool, Fail> {
        match (a, b) {
            (Value::String(a), Value::String(b)) => self.spend_bytes(a.len().min(b.len()))?,
            // The walk goes no deeper than the value it measured.
            (Value::Array(_), Value::Array(_)) | (Value::Object(_), Value::Object(_)) => {
                self.spend_value(a)?;
            }
            _ => {}
        }
        Ok(equal(a, b))
    }

    pub(crate) fn contains(&self, container: &Val<'_>, item: &Val<'_>) -> Result<bool, Fail> {
        let item = self.present(item.borrow())?;
        let container = self.present(container.borrow())?;
        match (container.get(), item.get()) {
            (Value::String(text), Value::String(part)) => {
                self.spend_bytes(text.len())?;
                Ok(text.contains(part.as_str()))
            }
            (Value::Array(items), item) => {
                for candidate in items {
                    self.spend(1)?;
                    if self.same(candidate, item)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
            (Value::Object(map), Value::String(key)) => Ok(map.contains_key(key)),
            (Value::Object(_), _) => Ok(false),
            (container, item) => {
                let (container, item) = (type_name(container), type_name(item));
                let message = format!("{item} cannot be searched in {container}");
                Err(Fail::new(ErrorKind::Compare, message)
                    .hint("`in` looks for a text in a text, an item in a list or a key in a map"))
            }
        }
    }
}

/// How often a whole number repeats: a negative one never.
fn times(value: &Value) -> Option<usize> {
    let count = match Num::of(value)? {
        Num::Int(int) => int,
        Num::Float(_) => i128::from(whole(value)?),
    };
    Some(usize::try_from(count.max(0)).unwrap_or(usize::MAX))
}

/// `-value`
pub(crate) fn negative(value: &Value) -> Result<Value, Fail> {
    match (value, Num::of(value)) {
        (Value::Number(_), Some(num)) => number::negative(num),
        _ => {
            let message = format!("`-` does not take {}", type_name(value));
            Err(Fail::new(ErrorKind::Type, message))
        }
    }
}

fn symbol(op: MathOp) -> &'static str {
    match op {
        MathOp::Add => "+",
        MathOp::Subtract => "-",
        MathOp::Multiply => "*",
        MathOp::Divide => "/",
        MathOp::FloorDivide => "//",
        MathOp::Remainder => "%",
        MathOp::Concat => "~",
    }
}
