#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

mod ast;
mod callee;
mod checks;
mod context;
mod error;
mod eval;
mod expr;
mod filters;
mod json;
mod lexer;
mod literal;
mod names;
mod number;
mod operand;
mod ops;
mod parser;
mod references;
mod syntax;
mod value;

use serde_json::Value;

use crate::ast::{Expr, Node};
use crate::context::Eval;
use crate::error::{Fail, locate};
use crate::eval::Scope;
use crate::parser::Parser;
use crate::value::Val;

pub use crate::error::{ErrorKind, RenderError, SyntaxError, Warning};
pub use crate::names::{Found, Names};
pub use crate::number::compare_numbers;
pub use crate::references::Reference;

/// What a value that is not there does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Missing {
    /// It is an error, except where the template only asks whether it is there.
    #[default]
    Error,
    /// It counts as empty text, with a warning. Arithmetic and order on it stay errors.
    Empty,
}

/// The limits of one evaluation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Steps it may take: one for each node, operation and item, and one for each 256 bytes of text.
    pub fuel: u64,
    /// Bytes the output may have.
    pub max_output: usize,
    /// What a missing value does.
    pub missing: Missing,
}

impl Default for Options {
    /// 50 000 steps, 1 MiB, missing values are errors.
    fn default() -> Options {
        Options {
            fuel: 50_000,
            max_output: 1 << 20,
            missing: Missing::Error,
        }
    }
}

/// The text of a template.
#[derive(Debug, Clone, PartialEq)]
pub struct Rendered {
    /// The text.
    pub text: String,
    /// Missing values that counted as empty.
    pub warnings: Vec<Warning>,
}

/// The value of a template or an expression.
#[derive(Debug, Clone, PartialEq)]
pub struct Evaluated {
    /// The value.
    pub value: Value,
    /// Missing values that counted as empty.
    pub warnings: Vec<Warning>,
}

/// The outcome of a condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tested {
    /// Whether it holds.
    pub holds: bool,
    /// Missing values that counted as empty.
    pub warnings: Vec<Warning>,
}

/// Whether a value counts as true: all do but `false`, none, zero and the empty text, list and map.
#[must_use]
pub fn is_true(value: &Value) -> bool {
    value::is_true(value)
}

/// Text with `{{ … }}` and `{% … %}` in it, parsed.
#[derive(Debug, Clone)]
pub struct Template {
    source: String,
    nodes: Vec<Node>,
}

impl Template {
    /// Parses a template.
    ///
    /// # Errors
    /// The first place that is not of the language.
    pub fn parse(source: &str) -> Result<Template, SyntaxError> {
        match Parser::template(source) {
            Ok(nodes) => Ok(Template {
                source: source.to_owned(),
                nodes,
            }),
            Err(flaw) => Err(flaw.locate(source)),
        }
    }

    /// The text it was parsed from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether it is text only, so that it renders the same always.
    #[must_use]
    pub fn is_static(&self) -> bool {
        self.nodes.iter().all(|node| matches!(node, Node::Text(_)))
    }

    /// The expression, if the template is exactly one `{{ … }}`.
    fn single(&self) -> Option<&Expr> {
        match self.nodes.as_slice() {
            [Node::Print(expr, _)] => Some(expr),
            _ => None,
        }
    }

    /// The path, if the template is exactly one `{{ path }}` with constant text keys.
    #[must_use]
    pub fn single_reference(&self) -> Option<&[String]> {
        match self.single() {
            Some(Expr::Path(path)) => Some(&path.keys),
            _ => None,
        }
    }

    /// What it reads from top-level names, in the order of the source. Loop variables and those of
    /// `{% set %}` are not among it.
    #[must_use]
    pub fn references(&self) -> Vec<Reference> {
        references::of_nodes(&self.nodes, &self.source)
    }

    /// The text.
    ///
    /// # Errors
    /// A missing value, a wrong type, or a limit; code `E_TEMPLATE`.
    pub fn render(&self, names: &dyn Names, options: &Options) -> Result<Rendered, RenderError> {
        let eval = Eval::new(names, options);
        let mut text = String::new();
        let done = eval.block(&self.nodes, &mut Scope::default(), &mut text);
        match done {
            Ok(()) => Ok(Rendered {
                text,
                warnings: warnings(eval, &self.source),
            }),
            Err(fail) => Err(fail.locate(&self.source, "E_TEMPLATE")),
        }
    }

    /// The typed value if the template is exactly one `{{ … }}`, else its text. A value that
    /// [`Missing::Empty`] lets pass is null.
    ///
    /// # Errors
    /// As [`Template::render`].
    pub fn evaluate(&self, names: &dyn Names, options: &Options) -> Result<Evaluated, RenderError> {
        match self.single() {
            Some(expr) => value_of(expr, &self.source, "E_TEMPLATE", names, options),
            None => self.render(names, options).map(|rendered| Evaluated {
                value: Value::String(rendered.text),
                warnings: rendered.warnings,
            }),
        }
    }
}

/// An expression, as conditions and lists use it: the inside of `{{ … }}`, with or without the braces.
#[derive(Debug, Clone)]
pub struct Expression {
    source: String,
    expr: Expr,
}

impl Expression {
    /// Parses an expression.
    ///
    /// # Errors
    /// The first place that is not of the language.
    pub fn parse(source: &str) -> Result<Expression, SyntaxError> {
        match Parser::bare(source) {
            Ok(expr) => Ok(Expression {
                source: source.to_owned(),
                expr,
            }),
            Err(flaw) => Err(flaw.locate(source)),
        }
    }

    /// The text it was parsed from.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// What [`Expression::evaluate`] reads from top-level names, in the order of the source.
    #[must_use]
    pub fn references(&self) -> Vec<Reference> {
        references::of_expr(&self.expr, &self.source, false)
    }

    /// What [`Expression::test`] reads. It differs in that a path whose truth decides is guarded.
    #[must_use]
    pub fn test_references(&self) -> Vec<Reference> {
        references::of_expr(&self.expr, &self.source, true)
    }

    /// The value. One that [`Missing::Empty`] lets pass is null.
    ///
    /// # Errors
    /// A missing value, a wrong type, or a limit; code `E_EXPR`.
    pub fn evaluate(&self, names: &dyn Names, options: &Options) -> Result<Evaluated, RenderError> {
        value_of(&self.expr, &self.source, "E_EXPR", names, options)
    }

    /// Whether it holds, as `{% if %}` decides it: a missing value does not.
    ///
    /// # Errors
    /// As [`Expression::evaluate`], but for a missing value that is the whole answer.
    pub fn test(&self, names: &dyn Names, options: &Options) -> Result<Tested, RenderError> {
        let eval = Eval::new(names, options);
        let tested = eval
            .eval(&self.expr, &Scope::default())
            .map(|val| val.is_true());
        match tested {
            Ok(holds) => Ok(Tested {
                holds,
                warnings: warnings(eval, &self.source),
            }),
            Err(fail) => Err(fail.locate(&self.source, "E_EXPR")),
        }
    }
}

fn value_of(
    expr: &Expr,
    source: &str,
    code: &'static str,
    names: &dyn Names,
    options: &Options,
) -> Result<Evaluated, RenderError> {
    let eval = Eval::new(names, options);
    let value = eval
        .eval(expr, &Scope::default())
        .and_then(|val| finished(&eval, val));
    match value {
        Ok(value) => Ok(Evaluated {
            value,
            warnings: warnings(eval, source),
        }),
        Err(fail) => Err(fail.locate(source, code)),
    }
}

fn finished(eval: &Eval<'_>, val: Val<'_>) -> Result<Value, Fail> {
    let missing = matches!(val, Val::Missing(_));
    let value = eval.own(val)?;
    Ok(if missing { Value::Null } else { value })
}

fn warnings(eval: Eval<'_>, source: &str) -> Vec<Warning> {
    let warning = |note: value::Note| {
        let (line, column) = locate(source, note.at);
        Warning {
            message: note.message.into_owned(),
            line,
            column,
        }
    };
    eval.into_warnings().into_iter().map(warning).collect()
}
