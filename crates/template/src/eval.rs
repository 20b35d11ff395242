//! Statements, scopes and the budget.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};

use serde_json::Value;

use crate::ast::{Expr, For, Node};
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
    options: &'n Options,
    fuel: Cell<u64>,
    warnings: RefCell<Vec<Note>>,
}

/// The variables of a template or of one pass of a loop.
#[derive(Default)]
pub(crate) struct Scope<'p> {
    parent: Option<&'p Scope<'p>>,
    vars: Vec<(&'p str, Val<'p>)>,
    round: Option<Round>,
}

/// Where a loop stands.
#[derive(Clone, Copy)]
pub(crate) struct Round {
    index: usize,
    length: usize,
}

impl<'p> Scope<'p> {
    pub(crate) fn lookup(&self, name: &str) -> Option<Val<'_>> {
        let here = self.vars.iter().rev().find(|(known, _)| *known == name);
        match (here, self.parent) {
            (Some((_, val)), _) => Some(val.borrow()),
            (None, Some(parent)) => parent.lookup(name),
            (None, None) => None,
        }
    }

    /// The innermost loop.
    pub(crate) fn round(&self) -> Option<Round> {
        self.round.or_else(|| self.parent?.round())
    }

    fn set(&mut self, name: &'p str, val: Val<'p>) {
        self.vars.retain(|(known, _)| *known != name);
        self.vars.push((name, val));
    }
}

impl Round {
    pub(crate) const FIELDS: [&'static str; 7] = [
        "index",
        "index0",
        "revindex",
        "revindex0",
        "first",
        "last",
        "length",
    ];

    pub(crate) fn field(self, name: &str) -> Option<Value> {
        Some(match name {
            "index" => Value::from(self.index + 1),
            "index0" => Value::from(self.index),
            "revindex" => Value::from(self.length - self.index),
            "revindex0" => Value::from(self.length - self.index - 1),
            "first" => Value::from(self.index == 0),
            "last" => Value::from(self.index + 1 == self.length),
            "length" => Value::from(self.length),
            _ => return None,
        })
    }
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
        let (nodes, bytes) = measure(value, 0)?;
        self.spend((nodes - 1).saturating_add(bytes / BYTES_PER_STEP))
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

    // Statements.

    pub(crate) fn block<'e>(
        &'e self,
        nodes: &'e [Node],
        scope: &mut Scope<'e>,
        out: &mut String,
    ) -> Result<(), Fail> {
        for node in nodes {
            self.spend(1)?;
            match node {
                Node::Text(text) => self.emit(text, out)?,
                Node::Print(expr, at) => {
                    self.print(expr, scope, out).map_err(|fail| fail.at(*at))?
                }
                Node::If { arms, otherwise } => {
                    let mut body = otherwise;
                    for (condition, then) in arms {
                        if self.eval(condition, scope)?.is_true() {
                            body = then;
                            break;
                        }
                    }
                    self.block(body, scope, out)?;
                }
                Node::For(each) => self.each(each, scope, out)?,
                Node::Set(name, expr) => {
                    let val = match self.eval(expr, scope)? {
                        Val::Missing(note) => Val::Missing(note),
                        val => Val::own(self.own(val)?),
                    };
                    scope.set(name, val);
                }
                Node::Capture(name, body) => {
                    let mut text = String::new();
                    self.block(body, scope, &mut text)?;
                    scope.set(name, Val::text(text));
                }
            }
        }
        Ok(())
    }

    fn print(&self, expr: &Expr, scope: &Scope<'_>, out: &mut String) -> Result<(), Fail> {
        let val = self.present(self.eval(expr, scope)?)?;
        self.emit(&self.show(val.get())?, out)
    }

    fn emit(&self, text: &str, out: &mut String) -> Result<(), Fail> {
        let limit = self.options.max_output;
        if text.len() > limit.saturating_sub(out.len()) {
            return Err(Fail::new(
                ErrorKind::Output,
                format!("the output is larger than {limit} bytes"),
            )
            .hint("shorten values with `truncate`, or raise the limit for templates"));
        }
        self.spend_bytes(text.len())?;
        out.push_str(text);
        Ok(())
    }

    fn each<'e>(
        &'e self,
        each: &'e For,
        scope: &mut Scope<'e>,
        out: &mut String,
    ) -> Result<(), Fail> {
        if self.passes(each, scope, out)? {
            Ok(())
        } else {
            self.block(&each.otherwise, scope, out)
        }
    }

    /// Runs the passes; false if there was none.
    fn passes<'e>(
        &'e self,
        each: &'e For,
        scope: &'e Scope<'e>,
        out: &mut String,
    ) -> Result<bool, Fail> {
        let list = self.eval(&each.list, scope)?;
        let items = self
            .loop_items(&list, each.targets.len())
            .map_err(|fail| fail.at(each.at))?;
        let mut chosen = Vec::new();
        for vals in items {
            if let Some(condition) = &each.condition {
                let views = vals.iter().map(Val::borrow).collect();
                let scope = pass(each, scope, views, None);
                if !self.eval(condition, &scope)?.is_true() {
                    continue;
                }
            }
            chosen.push(vals);
        }
        let length = chosen.len();
        for (index, vals) in chosen.into_iter().enumerate() {
            let mut scope = pass(each, scope, vals, Some(Round { index, length }));
            self.block(&each.body, &mut scope, out)?;
        }
        Ok(length > 0)
    }

    /// The values of the loop's names for each pass.
    fn loop_items<'a>(&self, list: &'a Val<'a>, names: usize) -> Result<Vec<Vec<Val<'a>>>, Fail> {
        if let (Value::Object(map), 2) = (list.get(), names) {
            self.spend_len(map.len())?;
            let pair = |(key, value): (&String, &'a Value)| vec![Val::text(key), Val::Ref(value)];
            return Ok(map.iter().map(pair).collect());
        }
        let items = self.items(list.borrow())?;
        items
            .into_iter()
            .map(|item| self.unpack(item, names))
            .collect()
    }

    fn unpack<'a>(&self, item: Val<'a>, count: usize) -> Result<Vec<Val<'a>>, Fail> {
        if count == 1 {
            return Ok(vec![item]);
        }
        let Value::Array(parts) = item.get() else {
            let message = format!(
                "{} cannot be unpacked into {count} names",
                type_name(item.get())
            );
            return Err(Fail::new(ErrorKind::Type, message)
                .hint("loop with several names over a map or over a list of lists"));
        };
        if parts.len() != count {
            let message = format!(
                "a list of {} items cannot be unpacked into {count} names",
                parts.len()
            );
            return Err(Fail::new(ErrorKind::Type, message));
        }
        self.items(item)
    }
}

/// The scope of one pass.
fn pass<'p>(
    each: &'p For,
    parent: &'p Scope<'p>,
    vals: Vec<Val<'p>>,
    round: Option<Round>,
) -> Scope<'p> {
    let names = each.targets.iter().map(String::as_str);
    Scope {
        parent: Some(parent),
        vars: names.zip(vals).collect(),
        round,
    }
}
