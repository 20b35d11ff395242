//! What the parser builds.
//!
//! Chains (operators of one level, filters, fields) are flat lists, so the depth of the tree is the
//! depth of brackets and blocks in the source, which the parser caps.

use serde_json::Value;

use crate::checks::Test;
use crate::filters::Filter;

/// A statement; `at` is a byte offset everywhere.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    Text(String),
    Print(Expr, usize),
    If {
        /// Conditions with their bodies, in order.
        arms: Vec<(Expr, Vec<Node>)>,
        otherwise: Vec<Node>,
    },
    For(Box<For>),
    Set(String, Expr),
    /// `{% set name %}…{% endset %}`
    Capture(String, Vec<Node>),
}

#[derive(Debug, Clone)]
pub(crate) struct For {
    /// One name, or several that unpack each item.
    pub(crate) targets: Vec<String>,
    pub(crate) list: Expr,
    pub(crate) condition: Option<Expr>,
    pub(crate) body: Vec<Node>,
    pub(crate) otherwise: Vec<Node>,
    pub(crate) at: usize,
}

#[derive(Debug, Clone)]
pub(crate) enum Expr {
    Literal(Box<Value>),
    List(Vec<Expr>, usize),
    Map(Vec<(Expr, Expr)>, usize),
    /// A name with the constant keys that follow it.
    Path(Path),
    /// Further steps on a value; also those of a path after its constant keys.
    Steps(Box<Expr>, Vec<Step>),
    Not(Box<Expr>),
    Negative(Box<Expr>, usize),
    /// Operators of one level, from left to right.
    Math(Box<Expr>, Vec<(MathOp, Expr, usize)>),
    /// `a < b <= c` means `a < b and b <= c`.
    Compare(Box<Expr>, Vec<(CompareOp, Expr, usize)>),
    And(Vec<Expr>),
    Or(Vec<Expr>),
    /// Filters and tests, from left to right.
    Pipe(Box<Expr>, Vec<Pipe>),
    /// `then if condition else otherwise`
    If(Box<(Expr, Expr, Option<Expr>)>),
    /// `get(path, fallback)`
    Get(Box<(Expr, Option<Expr>)>),
    /// `range(start, end, step)`
    Range(Vec<Expr>, usize),
}

impl Expr {
    pub(crate) fn literal(value: impl Into<Value>) -> Expr {
        Expr::Literal(Box::new(value.into()))
    }

    /// The text, if this is a literal one.
    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Expr::Literal(value) => value.as_str(),
            _ => None,
        }
    }

    pub(crate) fn is_number(&self) -> bool {
        matches!(self, Expr::Literal(value) if value.is_number())
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Path {
    /// The name, then the constant text keys after it. Never empty.
    pub(crate) keys: Vec<String>,
    pub(crate) at: usize,
}

#[derive(Debug, Clone)]
pub(crate) enum Step {
    Key(String, usize),
    Index(Expr, usize),
    Slice(Option<Expr>, Option<Expr>, usize),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum MathOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    FloorDivide,
    Remainder,
    Concat,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum CompareOp {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    In,
    NotIn,
}

#[derive(Debug, Clone)]
pub(crate) enum Pipe {
    Filter(Call<Filter>),
    /// The flag negates.
    Test(Call<Test>, bool),
}

/// A filter or test with its arguments in the order of its parameters.
#[derive(Debug, Clone)]
pub(crate) struct Call<T: 'static> {
    pub(crate) what: &'static T,
    pub(crate) args: Vec<Option<Expr>>,
    /// Arguments beyond the parameters, where the callee takes them.
    pub(crate) rest: Vec<Expr>,
    pub(crate) at: usize,
}
