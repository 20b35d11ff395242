//! What can go wrong, and where.
//!
//! No message holds a value: errors travel into events and logs, and values are conversation text.
//! Only names and pieces of the template's own source are quoted.

use std::borrow::Cow;

use thiserror::Error;

use crate::value::Note;

/// A template or an expression that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message} (line {line}, column {column})")]
pub struct SyntaxError {
    /// What was found and what was expected.
    pub message: String,
    /// What to do, where there is something to say.
    pub hint: Option<String>,
    /// Line in the source, from 1.
    pub line: u32,
    /// Column in the line, from 1, in UTF-16 code units as editors in a browser count.
    pub column: u32,
}

impl SyntaxError {
    /// Always `E_TEMPLATE_SYNTAX`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        "E_TEMPLATE_SYNTAX"
    }
}

/// The sort of an error at run time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ErrorKind {
    /// A name, a field or an item was not there.
    Missing,
    /// A value has a type the operation does not take.
    Type,
    /// Two values cannot be ordered or searched in each other.
    Compare,
    /// A text is no number.
    Number,
    /// A number left the range of integers or of finite floats.
    Overflow,
    /// Division or remainder by zero.
    DivisionByZero,
    /// An argument of a filter, a test or a function has a value it must not have.
    Argument,
    /// A text is no date, or a date, format or time zone is not supported.
    Date,
    /// A text is not JSON.
    Json,
    /// A value is nested too deeply.
    Depth,
    /// The template took more steps than [`crate::Options::fuel`].
    Fuel,
    /// The output grew over [`crate::Options::max_output`].
    Output,
}

/// A template or an expression that could not be evaluated.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message} (line {line}, column {column})")]
pub struct RenderError {
    /// The sort of error.
    pub kind: ErrorKind,
    /// `E_TEMPLATE`, or `E_EXPR` for an [`crate::Expression`].
    pub code: &'static str,
    /// What was attempted and why it failed. Never holds a value.
    pub message: String,
    /// What to do, where there is something to say.
    pub hint: Option<String>,
    /// Line in the source, from 1.
    pub line: u32,
    /// Column in the line, from 1, in UTF-16 code units.
    pub column: u32,
}

/// A missing value that [`crate::Missing::Empty`] let pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warning {
    /// What was not there.
    pub message: String,
    /// Line in the source, from 1.
    pub line: u32,
    /// Column in the line, from 1, in UTF-16 code units.
    pub column: u32,
}

/// Line and column of a byte offset.
pub(crate) fn locate(source: &str, at: usize) -> (u32, u32) {
    let before = source.get(..at).unwrap_or(source);
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let column = before.get(start..).unwrap_or("").encode_utf16().count() + 1;
    let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    (narrow(line), narrow(column))
}

/// An error on its way up, before its offset is turned into line and column. Boxed, since every
/// frame of the recursion holds room for one.
#[derive(Debug)]
pub(crate) struct Report<K>(Box<Parts<K>>);

#[derive(Debug)]
struct Parts<K> {
    kind: K,
    message: Cow<'static, str>,
    hint: Option<Cow<'static, str>>,
    at: Option<usize>,
}

/// A syntax error.
pub(crate) type Flaw = Report<()>;
/// A run-time error. The innermost place that knows its offset fills it in.
pub(crate) type Fail = Report<ErrorKind>;

impl<K> Report<K> {
    #[cold]
    #[inline(never)]
    fn build(
        kind: K,
        message: Cow<'static, str>,
        hint: Option<Cow<'static, str>>,
        at: Option<usize>,
    ) -> Report<K> {
        Report(Box::new(Parts {
            kind,
            message,
            hint,
            at,
        }))
    }

    /// Adds a hint, unless there is one already.
    #[cold]
    #[inline(never)]
    pub(crate) fn hint(mut self, hint: &'static str) -> Report<K> {
        self.0.hint.get_or_insert(Cow::Borrowed(hint));
        self
    }

    /// Adds a hint that is put together.
    pub(crate) fn hint_text(mut self, hint: String) -> Report<K> {
        self.0.hint = Some(Cow::Owned(hint));
        self
    }
}

impl Report<()> {
    pub(crate) fn new(at: usize, message: impl Into<Cow<'static, str>>) -> Flaw {
        Report::build((), message.into(), None, Some(at))
    }

    /// Moves the place.
    pub(crate) fn moved_to(mut self, at: usize) -> Flaw {
        self.0.at = Some(at);
        self
    }

    pub(crate) fn locate(self, source: &str) -> SyntaxError {
        let (line, column) = locate(source, self.0.at.unwrap_or(0));
        SyntaxError {
            message: self.0.message.into_owned(),
            hint: self.0.hint.map(Cow::into_owned),
            line,
            column,
        }
    }
}

impl Report<ErrorKind> {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Fail {
        Report::build(kind, message.into(), None, None)
    }

    pub(crate) fn missing(note: Note) -> Fail {
        Report::build(ErrorKind::Missing, note.message, note.hint, Some(note.at))
    }

    #[cold]
    #[inline(never)]
    pub(crate) fn at(mut self, at: usize) -> Fail {
        self.0.at.get_or_insert(at);
        self
    }

    pub(crate) fn locate(self, source: &str, code: &'static str) -> RenderError {
        let (line, column) = locate(source, self.0.at.unwrap_or(0));
        RenderError {
            kind: self.0.kind,
            code,
            message: self.0.message.into_owned(),
            hint: self.0.hint.map(Cow::into_owned),
            line,
            column,
        }
    }
}
