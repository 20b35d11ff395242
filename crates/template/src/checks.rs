//! The tests after `is`.

use serde_json::Value;

use crate::ast::CompareOp;
use crate::callee::{Args, Callee};
use crate::context::Eval;
use crate::error::Fail;
use crate::value::Val;

pub(crate) type TestFn = fn(&Eval<'_>, &Val<'_>, &Args<'_>) -> Result<bool, Fail>;
/// A test.
pub(crate) type Test = Callee<TestFn>;

pub(crate) fn find(name: &str) -> Option<&'static Test> {
    TESTS.iter().find(|test| test.name == name)
}

/// The names of all tests, for messages.
pub(crate) fn names() -> String {
    let names = TESTS.iter().map(|test| test.name);
    let words: Vec<&str> = names
        .filter(|name| name.is_ascii() && name.len() > 1)
        .collect();
    words.join(", ")
}

/// A test of what a value is; a missing value is nothing of the sort.
const fn kind(name: &'static str, run: TestFn) -> Test {
    Callee {
        name,
        params: &[],
        required: 0,
        variadic: false,
        takes_missing: true,
        run,
    }
}

/// A test that needs the value.
const fn on(name: &'static str, params: &'static [&'static str], run: TestFn) -> Test {
    Callee {
        name,
        params,
        required: params.len(),
        variadic: false,
        takes_missing: false,
        run,
    }
}

const OTHER: &[&str] = &["other"];

static TESTS: &[Test] = &[
    kind("defined", |_, val, _| Ok(!matches!(val, Val::Missing(_)))),
    kind("undefined", |_, val, _| Ok(matches!(val, Val::Missing(_)))),
    kind("none", |_, val, _| {
        Ok(!matches!(val, Val::Missing(_)) && val.get().is_null())
    }),
    kind("boolean", |_, val, _| Ok(val.get().is_boolean())),
    kind("true", |_, val, _| Ok(val.get() == &Value::Bool(true))),
    kind("false", |_, val, _| Ok(val.get() == &Value::Bool(false))),
    kind("number", |_, val, _| {
        Ok(val.get().is_number() || val.get().is_boolean())
    }),
    kind("integer", |_, val, _| {
        Ok(val.get().is_i64() || val.get().is_u64())
    }),
    kind("float", |_, val, _| Ok(val.get().is_f64())),
    kind("string", |_, val, _| Ok(val.get().is_string())),
    kind("sequence", |_, val, _| Ok(val.get().is_array())),
    kind("mapping", |_, val, _| Ok(val.get().is_object())),
    on("eq", OTHER, |eval, val, args| {
        compare(eval, CompareOp::Equal, val, args)
    }),
    on("==", OTHER, |eval, val, args| {
        compare(eval, CompareOp::Equal, val, args)
    }),
    on("ne", OTHER, |eval, val, args| {
        compare(eval, CompareOp::NotEqual, val, args)
    }),
    on("!=", OTHER, |eval, val, args| {
        compare(eval, CompareOp::NotEqual, val, args)
    }),
    on("lt", OTHER, |eval, val, args| {
        compare(eval, CompareOp::Less, val, args)
    }),
    on("<", OTHER, |eval, val, args| {
        compare(eval, CompareOp::Less, val, args)
    }),
    on("le", OTHER, |eval, val, args| {
        compare(eval, CompareOp::LessOrEqual, val, args)
    }),
    on("<=", OTHER, |eval, val, args| {
        compare(eval, CompareOp::LessOrEqual, val, args)
    }),
    on("gt", OTHER, |eval, val, args| {
        compare(eval, CompareOp::Greater, val, args)
    }),
    on(">", OTHER, |eval, val, args| {
        compare(eval, CompareOp::Greater, val, args)
    }),
    on("ge", OTHER, |eval, val, args| {
        compare(eval, CompareOp::GreaterOrEqual, val, args)
    }),
    on(">=", OTHER, |eval, val, args| {
        compare(eval, CompareOp::GreaterOrEqual, val, args)
    }),
    on("in", OTHER, |eval, val, args| {
        compare(eval, CompareOp::In, val, args)
    }),
    on("startingwith", OTHER, |eval, val, args| {
        affix(eval, val, args, |text, part| text.starts_with(part))
    }),
    on("endingwith", OTHER, |eval, val, args| {
        affix(eval, val, args, |text, part| text.ends_with(part))
    }),
];

fn compare(eval: &Eval<'_>, op: CompareOp, val: &Val<'_>, args: &Args<'_>) -> Result<bool, Fail> {
    match args.get(0) {
        Some(other) => eval.compare(op, val, other),
        None => Ok(false),
    }
}

fn affix(
    eval: &Eval<'_>,
    val: &Val<'_>,
    args: &Args<'_>,
    holds: fn(&str, &str) -> bool,
) -> Result<bool, Fail> {
    let part = args.text(0)?.unwrap_or("");
    eval.spend_bytes(part.len())?;
    Ok(holds(&eval.show(val.get())?, part))
}
