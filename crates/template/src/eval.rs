//! Statements and scopes.

use serde_json::Value;

use crate::ast::{Expr, For, Node};
use crate::context::Eval;
use crate::error::{ErrorKind, Fail};
use crate::value::{Val, type_name};

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

impl Eval<'_> {
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
