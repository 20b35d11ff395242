//! Filters that turn one type into another.

use serde_json::Value;

use crate::callee::Args;
use crate::context::Eval;
use crate::error::{ErrorKind, Fail};
use crate::number::{self, Num, Rounding};
use crate::value::{MAX_DEPTH, Val, measure, type_name};

type Out<'a> = Result<Val<'a>, Fail>;

/// How deep JSON text may be nested.
const JSON_DEPTH: usize = 64;
/// Digits after the point that `round` may keep.
const MAX_PRECISION: usize = 20;
/// Spaces a level that `tojson` may indent by.
const MAX_INDENT: usize = 16;

/// Takes the place of a missing value and, if `boolean` is set, of anything that counts as false.
pub(super) fn default<'a>(_: &Eval<'_>, val: Val<'a>, mut args: Args<'a>) -> Out<'a> {
    if matches!(val, Val::Missing(_)) || (args.flag(1) && !val.is_true()) {
        return Ok(args.take(0).unwrap_or_else(|| Val::text("")));
    }
    Ok(val)
}

pub(super) fn tojson<'a>(eval: &Eval<'_>, val: Val<'a>, args: Args<'a>) -> Out<'a> {
    let indent = match args.get(0).map(Val::get) {
        Some(Value::Bool(flag)) => flag.then_some(2),
        _ => args.count(0, MAX_INDENT)?,
    };
    eval.json(val.get(), indent).map(Val::text)
}

pub(super) fn fromjson<'a>(eval: &Eval<'_>, val: Val<'a>, _: Args<'a>) -> Out<'a> {
    let Value::String(text) = val.get() else {
        let message = format!("`fromjson` reads a text, not {}", type_name(val.get()));
        return Err(Fail::new(ErrorKind::Type, message));
    };
    eval.spend_bytes(text.len())?;
    let value: Value = serde_json::from_str(text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        let message = format!("the text is not JSON from its line {line}, column {column}");
        Fail::new(ErrorKind::Json, message)
    })?;
    measure(&value, MAX_DEPTH - JSON_DEPTH).map_err(|_| {
        Fail::new(
            ErrorKind::Depth,
            format!("the JSON is nested more than {JSON_DEPTH} levels deep"),
        )
    })?;
    eval.spend_value(&value)?;
    Ok(Val::own(value))
}

/// Text is read without the white space around it; a fraction is cut off.
pub(super) fn int<'a>(_: &Eval<'_>, val: Val<'a>, args: Args<'a>) -> Out<'a> {
    let number = match val.get() {
        Value::Null if args.get(0).is_none() => Ok(Value::from(0)),
        Value::String(text) => match text.trim().parse::<i64>() {
            Ok(int) => Ok(Value::from(int)),
            Err(_) => parse(text).and_then(number::truncate).map(Value::from),
        },
        value => match Num::of(value) {
            Some(Num::Float(float)) => number::truncate(float).map(Value::from),
            Some(Num::Int(_)) if value.is_number() => return Ok(val),
            Some(Num::Int(int)) => Ok(Value::from(i64::from(int != 0))),
            None => Err(no_number(value)),
        },
    };
    or_default(number, args)
}

pub(super) fn float<'a>(_: &Eval<'_>, val: Val<'a>, args: Args<'a>) -> Out<'a> {
    let number = match val.get() {
        Value::Null if args.get(0).is_none() => Ok(0.0),
        Value::String(text) => parse(text),
        value => Num::of(value)
            .map(Num::float)
            .ok_or_else(|| no_number(value)),
    };
    or_default(number.and_then(number::float), args)
}

fn or_default<'a>(number: Result<Value, Fail>, mut args: Args<'a>) -> Out<'a> {
    match (number, args.take(0)) {
        (Ok(number), _) => Ok(Val::own(number)),
        (Err(_), Some(default)) => Ok(default),
        (Err(fail), None) => Err(fail.hint("give a default for what is no number")),
    }
}

fn parse(text: &str) -> Result<f64, Fail> {
    number::parse(text.trim())
        .ok_or_else(|| Fail::new(ErrorKind::Number, "the text is not a finite number"))
}

fn no_number(value: &Value) -> Fail {
    Fail::new(
        ErrorKind::Type,
        format!("{} is not a number", type_name(value)),
    )
}

pub(super) fn round<'a>(_: &Eval<'_>, val: Val<'a>, args: Args<'a>) -> Out<'a> {
    let precision = args.count(0, MAX_PRECISION)?.unwrap_or(0);
    let method = match args.text(1)? {
        None | Some("common") => Rounding::Common,
        Some("ceil") => Rounding::Ceil,
        Some("floor") => Rounding::Floor,
        Some(_) => {
            let message = "the method of `round` is not common, ceil or floor";
            return Err(Fail::new(ErrorKind::Argument, message));
        }
    };
    match (val.get(), Num::of(val.get())) {
        (Value::Number(_), Some(Num::Float(float))) => {
            number::round(float, precision, method).map(Val::own)
        }
        (Value::Number(_), _) => Ok(val),
        (other, _) => Err(no_number(other).hint("convert with `float` first")),
    }
}
