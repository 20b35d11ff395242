//! Arithmetic: checked 64-bit integers and finite floats.

use std::cmp::Ordering;

use serde_json::{Number, Value};

use crate::ast::MathOp;
use crate::error::{ErrorKind, Fail};

/// A number or boolean as arithmetic sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Num {
    /// An integer. Data may hold integers up to `u64::MAX`; results stay within `i64`.
    Int(i128),
    Float(f64),
}

impl Num {
    /// Booleans count as 0 and 1.
    pub(crate) fn of(value: &Value) -> Option<Num> {
        match value {
            Value::Bool(flag) => Some(Num::Int(i128::from(*flag))),
            Value::Number(number) => Num::of_number(number),
            Value::Null | Value::String(_) | Value::Array(_) | Value::Object(_) => None,
        }
    }

    fn of_number(number: &Number) -> Option<Num> {
        Some(if let Some(int) = number.as_i64() {
            Num::Int(i128::from(int))
        } else if let Some(int) = number.as_u64() {
            Num::Int(i128::from(int))
        } else {
            Num::Float(number.as_f64()?)
        })
    }

    pub(crate) fn float(self) -> f64 {
        match self {
            // Rounds to the nearest float, as division wants it.
            Num::Int(int) => int as f64,
            Num::Float(float) => float,
        }
    }

    /// Exact, also between integers and floats that no common type holds.
    pub(crate) fn compare(self, other: Num) -> Ordering {
        match (self, other) {
            (Num::Int(a), Num::Int(b)) => a.cmp(&b),
            (Num::Float(a), Num::Float(b)) => a.partial_cmp(&b).unwrap_or(Ordering::Equal),
            (Num::Int(a), Num::Float(b)) => compare_mixed(a, b),
            (Num::Float(a), Num::Int(b)) => compare_mixed(b, a).reverse(),
        }
    }
}

/// The order of two numbers by value: exact, also between an integer and a float that no common type holds.
#[must_use]
pub fn compare_numbers(a: &Number, b: &Number) -> Ordering {
    match (Num::of_number(a), Num::of_number(b)) {
        (Some(a), Some(b)) => a.compare(b),
        // Every number is an integer or a float, unless serde_json is told to keep numbers as text.
        (a, b) => a.is_some().cmp(&b.is_some()),
    }
}

fn compare_mixed(int: i128, float: f64) -> Ordering {
    let whole = float.trunc();
    // The cast saturates far outside of any integer a value holds.
    int.cmp(&(whole as i128))
        .then_with(|| whole.partial_cmp(&float).unwrap_or(Ordering::Equal))
}

fn out_of_range() -> Fail {
    Fail::new(
        ErrorKind::Overflow,
        "the result is outside of the 64-bit integers",
    )
    .hint("convert with `float` first")
}

/// A float value, if it is finite.
pub(crate) fn float(value: f64) -> Result<Value, Fail> {
    Number::from_f64(value)
        .map(Value::Number)
        .ok_or_else(|| Fail::new(ErrorKind::Overflow, "the result is not a finite number"))
}

/// The whole part of a float as an integer.
pub(crate) fn truncate(value: f64) -> Result<i64, Fail> {
    // The cast saturates, and what saturated does not fit.
    i64::try_from(value.trunc() as i128).map_err(|_| out_of_range())
}

/// `-value`
pub(crate) fn negative(value: Num) -> Result<Value, Fail> {
    match value {
        Num::Int(int) => i64::try_from(-int)
            .map(Value::from)
            .map_err(|_| out_of_range()),
        Num::Float(number) => float(-number),
    }
}

/// Arithmetic on two numbers.
pub(crate) fn math(op: MathOp, a: Num, b: Num) -> Result<Value, Fail> {
    let dividing = matches!(op, MathOp::Divide | MathOp::FloorDivide | MathOp::Remainder);
    if dividing && b.float() == 0.0 {
        return Err(Fail::new(ErrorKind::DivisionByZero, "division by zero"));
    }
    match (a, b) {
        (Num::Int(a), Num::Int(b)) if op != MathOp::Divide => {
            let narrow = |int: i128| i64::try_from(int).ok();
            let result = narrow(a).zip(narrow(b)).and_then(|(a, b)| match op {
                MathOp::Add => a.checked_add(b),
                MathOp::Subtract => a.checked_sub(b),
                MathOp::Multiply => a.checked_mul(b),
                MathOp::FloorDivide => floor_divide(a, b),
                _ => Some(floor_remainder(a, b)),
            });
            result.map(Value::from).ok_or_else(out_of_range)
        }
        _ => {
            let (a, b) = (a.float(), b.float());
            float(match op {
                MathOp::Add => a + b,
                MathOp::Subtract => a - b,
                MathOp::Multiply => a * b,
                MathOp::Divide => a / b,
                MathOp::FloorDivide => float_floor_divide(a, b).0,
                _ => float_floor_divide(a, b).1,
            })
        }
    }
}

fn floor_divide(a: i64, b: i64) -> Option<i64> {
    let quotient = a.checked_div(b)?;
    let inexact = a % b != 0 && (a < 0) != (b < 0);
    Some(quotient - i64::from(inexact))
}

/// The remainder with the divisor's sign. The divisor is not zero.
fn floor_remainder(a: i64, b: i64) -> i64 {
    // Wraps for the lowest integer and -1 only, where the remainder is 0.
    let remainder = a.wrapping_rem(b);
    if remainder != 0 && (remainder < 0) != (b < 0) {
        remainder + b
    } else {
        remainder
    }
}

/// Quotient rounded down and the remainder with the divisor's sign, as Python defines them: the
/// remainder is exact, and the quotient is the whole number nearest to `(a - remainder) / b`.
fn float_floor_divide(a: f64, b: f64) -> (f64, f64) {
    let mut remainder = a % b;
    let mut quotient = (a - remainder) / b;
    if remainder != 0.0 && (remainder < 0.0) != (b < 0.0) {
        remainder += b;
        quotient -= 1.0;
    }
    let floor = quotient.floor();
    let nearest = if quotient - floor > 0.5 {
        floor + 1.0
    } else {
        floor
    };
    (nearest, remainder)
}

/// Rounds to `places` digits after the point, at most 22: half to even by default, or up, or down.
pub(crate) fn round(value: f64, places: usize, method: Rounding) -> Result<Value, Fail> {
    let factor = (0..places).fold(1.0, |factor, _| factor * 10.0);
    let scaled = value * factor;
    let rounded = match method {
        // Where the product is beyond 53 bits the value has no more digits than asked for.
        Rounding::Common if scaled.abs() < 9_007_199_254_740_992.0 => {
            half_even(scaled, lost(value, factor, scaled)) / factor
        }
        Rounding::Ceil if scaled.is_finite() => scaled.ceil() / factor,
        Rounding::Floor if scaled.is_finite() => scaled.floor() / factor,
        Rounding::Common | Rounding::Ceil | Rounding::Floor => value,
    };
    float(rounded + 0.0)
}

/// The whole number nearest to `value + rest`, where `rest` is less than the last bit of `value`.
fn half_even(value: f64, rest: f64) -> f64 {
    let floor = value.floor();
    let above = value - floor - 0.5;
    if above > 0.0 || (above == 0.0 && rest > 0.0) {
        floor + 1.0
    } else if above < 0.0 || rest < 0.0 {
        floor
    } else {
        2.0 * (floor / 2.0).ceil()
    }
}

/// What the product `a * b` lost to rounding, exactly (Dekker). Decides whether a value whose exact
/// digits end in 4999… or 5000…1 looks like a half only because it was scaled.
fn lost(a: f64, b: f64, product: f64) -> f64 {
    let split = |value: f64| {
        let high = value * 134_217_729.0;
        let high = high - (high - value);
        (high, value - high)
    };
    let ((a_high, a_low), (b_high, b_low)) = (split(a), split(b));
    ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
}

/// Reads digits with an optional fraction and exponent, as they are written in the language and in
/// text. `serde_json` does the arithmetic, which is in the program anyway.
pub(crate) fn parse(text: &str) -> Option<f64> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (mantissa, exponent) = digits.split_once(['e', 'E']).unwrap_or((digits, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let power = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
    let digits_only = all_digits(whole) && all_digits(fraction) && all_digits(power);
    if !digits_only || whole.len() + fraction.len() == 0 || power.is_empty() {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let json = [
        sign,
        if whole.is_empty() { "0" } else { whole },
        ".",
        fraction,
        "0e",
        exponent,
    ]
    .concat();
    serde_json::from_str::<Value>(&json).ok()?.as_f64()
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Rounding {
    Common,
    Ceil,
    Floor,
}
