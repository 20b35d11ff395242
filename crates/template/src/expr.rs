//! Expressions.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::Found;
use crate::ast::{Call, Expr, Path, Pipe, Step};
use crate::callee::{Args, Callee};
use crate::context::Eval;
use crate::error::{ErrorKind, Fail};
use crate::eval::{Round, Scope};
use crate::filters;
use crate::number::{self, Num};
use crate::ops::negative;
use crate::value::{Val, type_name};

impl Eval<'_> {
    pub(crate) fn eval<'s>(
        &'s self,
        expr: &'s Expr,
        scope: &'s Scope<'s>,
    ) -> Result<Val<'s>, Fail> {
        self.spend(1)?;
        match expr {
            Expr::Literal(value) => Ok(Val::Ref(value)),
            Expr::Path(path) => self.path(path, scope, false),
            Expr::Steps(base, steps) => self.steps(base, steps, scope, false),
            Expr::List(items, at) => self.list(items, scope).map_err(|fail| fail.at(*at)),
            Expr::Map(pairs, at) => self.map(pairs, scope).map_err(|fail| fail.at(*at)),
            Expr::Not(inner) => Ok(Val::flag(!self.eval(inner, scope)?.is_true())),
            Expr::Negative(inner, at) => {
                let val = self.eval(inner, scope)?;
                let negated = self
                    .required(val)
                    .and_then(|val| negative(val.get()).map(Val::own));
                negated.map_err(|fail| fail.at(*at))
            }
            Expr::Math(first, rest) => {
                let mut left = self.eval(first, scope)?;
                for (op, right, at) in rest {
                    let right = self.eval(right, scope)?;
                    left = self.math(*op, left, right).map_err(|fail| fail.at(*at))?;
                }
                Ok(left)
            }
            Expr::Compare(first, rest) => {
                let mut left = self.eval(first, scope)?;
                for (op, right, at) in rest {
                    let right = self.eval(right, scope)?;
                    let holds = self.compare(*op, &left, &right);
                    if !holds.map_err(|fail| fail.at(*at))? {
                        return Ok(Val::flag(false));
                    }
                    left = right;
                }
                Ok(Val::flag(true))
            }
            Expr::And(parts) => self.decide(parts, scope, false),
            Expr::Or(parts) => self.decide(parts, scope, true),
            Expr::Pipe(base, pipes) => self.pipe(base, pipes, scope),
            Expr::If(parts) => {
                let (then, condition, otherwise) = parts.as_ref();
                if self.eval(condition, scope)?.is_true() {
                    self.eval(then, scope)
                } else {
                    match otherwise {
                        Some(otherwise) => self.eval(otherwise, scope),
                        None => Ok(Val::Missing(None)),
                    }
                }
            }
            Expr::Get(parts) => {
                let (target, fallback) = parts.as_ref();
                let found = match target {
                    Expr::Path(path) => self.path(path, scope, true)?,
                    Expr::Steps(base, steps) => self.steps(base, steps, scope, true)?,
                    other => self.eval(other, scope)?,
                };
                match (found, fallback) {
                    (Val::Missing(_), Some(fallback)) => self.eval(fallback, scope),
                    (Val::Missing(_), None) => Ok(Val::own(Value::Null)),
                    (found, _) => Ok(found),
                }
            }
            Expr::Range(args, at) => self.range(args, scope).map_err(|fail| fail.at(*at)),
        }
    }

    /// `and` and `or` give the operand that decided.
    fn decide<'s>(
        &'s self,
        parts: &'s [Expr],
        scope: &'s Scope<'s>,
        on: bool,
    ) -> Result<Val<'s>, Fail> {
        let mut last = Val::flag(!on);
        for part in parts {
            last = self.eval(part, scope)?;
            if last.is_true() == on {
                break;
            }
        }
        Ok(last)
    }

    fn path<'s>(
        &'s self,
        path: &'s Path,
        scope: &'s Scope<'s>,
        lenient: bool,
    ) -> Result<Val<'s>, Fail> {
        let keys = &path.keys;
        let root = keys.first().map_or("", String::as_str);
        let (mut val, mut used) = if let Some(local) = scope.lookup(root) {
            (Some(local), 1)
        } else if let (Some(round), "loop") = (scope.round(), root) {
            match keys.get(1) {
                Some(field) => (round.field(field).map(Val::own), 2),
                None => (Some(loop_map(round)), 1),
            }
        } else {
            match self.names.find(keys) {
                Found::Value(Cow::Borrowed(value), used) => (Some(Val::Ref(value)), used),
                Found::Value(Cow::Owned(value), used) => (Some(Val::own(value)), used),
                Found::Missing(at) => (None, at.saturating_add(1)),
            }
        };
        used = used.clamp(1, keys.len());
        loop {
            let known = keys.get(..used).unwrap_or(keys);
            let found = val.take().unwrap_or_else(|| {
                let parent = known.get(..used - 1).unwrap_or(known).join(".");
                match known.last() {
                    Some(key) if used > 1 => {
                        Val::missing(format!("`{parent}` has no `{key}`"), path.at)
                    }
                    _ => Val::missing(format!("`{root}` is not defined"), path.at),
                }
            });
            let Some(key) = keys.get(used) else {
                return Ok(found);
            };
            if let Val::Missing(_) = found {
                return self.deeper(found, lenient);
            }
            if !found.get().is_object() {
                let message = format!(
                    "`{}` is {} and has no `{key}`",
                    known.join("."),
                    type_name(found.get())
                );
                val = Some(Val::missing(message, path.at));
            } else {
                val = found.field(key);
            }
            used += 1;
        }
    }

    fn steps<'s>(
        &'s self,
        base: &'s Expr,
        steps: &'s [Step],
        scope: &'s Scope<'s>,
        lenient: bool,
    ) -> Result<Val<'s>, Fail> {
        let mut val = match base {
            Expr::Path(path) => self.path(path, scope, lenient)?,
            other => self.eval(other, scope)?,
        };
        for (index, step) in steps.iter().enumerate() {
            if let Step::Slice(start, end, at) = step {
                let bounds = [self.bound(start, scope)?, self.bound(end, scope)?];
                let sliced = filters::slice_val(self, self.present(val)?, bounds);
                val = sliced.map_err(|fail| fail.at(*at))?;
                continue;
            }
            if let Val::Missing(_) = val {
                val = self.deeper(val, lenient)?;
                if let Val::Missing(_) = val {
                    return Ok(val);
                }
            }
            let kind = type_name(val.get());
            let found = match step {
                Step::Key(key, _) => val.field(key),
                Step::Index(expr, _) => {
                    let key = self.required(self.eval(expr, scope)?)?;
                    match key.get() {
                        Value::String(key) => val.field(key),
                        other => whole(other).and_then(|index| val.item(index)),
                    }
                }
                Step::Slice(..) => None,
            };
            val = found.unwrap_or_else(|| lacking(base, steps, index, kind));
        }
        Ok(val)
    }

    fn bound<'s>(
        &'s self,
        expr: &'s Option<Expr>,
        scope: &'s Scope<'s>,
    ) -> Result<Option<i64>, Fail> {
        match expr {
            Some(expr) => self.index(expr, scope),
            None => Ok(None),
        }
    }

    /// An index or a bound; none stands for the end.
    fn index<'s>(&'s self, expr: &'s Expr, scope: &'s Scope<'s>) -> Result<Option<i64>, Fail> {
        let val = self.required(self.eval(expr, scope)?)?;
        match val.get() {
            Value::Null => Ok(None),
            value => whole(value).map(Some).ok_or_else(|| {
                let message = format!("{} cannot be an index", type_name(value));
                Fail::new(ErrorKind::Type, message)
            }),
        }
    }

    fn list<'s>(&'s self, items: &'s [Expr], scope: &'s Scope<'s>) -> Result<Val<'s>, Fail> {
        let mut list = Vec::with_capacity(items.len());
        for item in items {
            let value = self.own(self.eval(item, scope)?)?;
            self.spend_value(&value)?;
            list.push(value);
        }
        Ok(Val::own(Value::Array(list)))
    }

    fn map<'s>(&'s self, pairs: &'s [(Expr, Expr)], scope: &'s Scope<'s>) -> Result<Val<'s>, Fail> {
        let mut map = Map::new();
        for (key, item) in pairs {
            let Value::String(key) = self.own(self.eval(key, scope)?)? else {
                return Err(Fail::new(ErrorKind::Type, "the keys of a map are texts")
                    .hint("convert the key with `string`"));
            };
            let value = self.own(self.eval(item, scope)?)?;
            self.spend_value(&value)?;
            map.insert(key, value);
        }
        Ok(Val::own(Value::Object(map)))
    }

    fn pipe<'s>(
        &'s self,
        base: &'s Expr,
        pipes: &'s [Pipe],
        scope: &'s Scope<'s>,
    ) -> Result<Val<'s>, Fail> {
        let mut val = self.eval(base, scope)?;
        for pipe in pipes {
            self.spend(1)?;
            val = match pipe {
                Pipe::Filter(call) => {
                    if !call.what.takes_missing {
                        val = self.present(val)?;
                    }
                    let args = self.args(call, scope)?;
                    (call.what.run)(self, val, args).map_err(|fail| fail.at(call.at))?
                }
                Pipe::Test(call, negated) => {
                    if !call.what.takes_missing {
                        val = self.present(val)?;
                    }
                    let args = self.args(call, scope)?;
                    let holds = (call.what.run)(self, &val, &args);
                    Val::flag(holds.map_err(|fail| fail.at(call.at))? != *negated)
                }
            };
        }
        Ok(val)
    }

    fn args<'s, F>(
        &'s self,
        call: &'s Call<Callee<F>>,
        scope: &'s Scope<'s>,
    ) -> Result<Args<'s>, Fail> {
        let value = |expr: &'s Expr| {
            let val = self.eval(expr, scope)?;
            if call.what.takes_missing {
                Ok(val)
            } else {
                self.present(val)
            }
        };
        let slots: Result<Vec<_>, Fail> = call
            .args
            .iter()
            .map(|arg| arg.as_ref().map(value).transpose())
            .collect();
        let rest: Result<Vec<_>, Fail> = call.rest.iter().map(value).collect();
        Ok(Args::new(slots?, rest?, call.at))
    }

    fn range<'s>(&'s self, args: &'s [Expr], scope: &'s Scope<'s>) -> Result<Val<'s>, Fail> {
        let mut bounds = Vec::with_capacity(3);
        for arg in args {
            bounds.push(self.index(arg, scope)?.unwrap_or(0));
        }
        let (start, end, step) = match bounds.as_slice() {
            [end] => (0, *end, 1),
            [start, end] => (*start, *end, 1),
            [start, end, step, ..] => (*start, *end, *step),
            [] => (0, 0, 1),
        };
        if step == 0 {
            return Err(Fail::new(ErrorKind::Argument, "the step of `range` is 0"));
        }
        let mut items = Vec::new();
        let mut next = Some(start);
        // Each item is paid for before it is made, so a huge range ends early.
        while let Some(item) = next.filter(|item| if step > 0 { *item < end } else { *item > end })
        {
            self.spend(1)?;
            items.push(Value::from(item));
            next = item.checked_add(step);
        }
        Ok(Val::own(Value::Array(items)))
    }
}

/// The integer that an index is, also where it is a whole float or a boolean.
pub(crate) fn whole(value: &Value) -> Option<i64> {
    match Num::of(value)? {
        Num::Int(int) => i64::try_from(int).ok(),
        Num::Float(float) if float.fract() == 0.0 => number::truncate(float).ok(),
        Num::Float(_) => None,
    }
}

/// What step `index` did not find, told by the template's own words.
fn lacking<'a>(base: &Expr, steps: &[Step], index: usize, kind: &str) -> Val<'a> {
    let mut name = match base {
        Expr::Path(path) => path.keys.join("."),
        _ => "…".to_owned(),
    };
    let mut what = String::new();
    let mut at = 0;
    for step in steps.iter().take(index + 1) {
        name.push_str(&what);
        (what, at) = match step {
            Step::Key(key, at) => (format!(".{key}"), *at),
            Step::Index(Expr::Literal(value), at) if value.is_number() => {
                (format!("[{value}]"), *at)
            }
            Step::Index(_, at) => ("[…]".to_owned(), *at),
            Step::Slice(_, _, at) => ("[…:…]".to_owned(), *at),
        };
    }
    Val::missing(format!("`{name}` is {kind} and has no `{what}`"), at)
}

fn loop_map<'a>(round: Round) -> Val<'a> {
    let mut map = Map::new();
    for name in Round::FIELDS {
        if let Some(value) = round.field(name) {
            map.insert(name.to_owned(), value);
        }
    }
    Val::own(Value::Object(map))
}
