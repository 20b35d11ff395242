//! Numbers and booleans.

use serde_json::{Number, Value};

use super::Coerced;

/// The greatest whole number up to which a float, and thus JavaScript, holds every one.
const MAX_EXACT: u64 = 1 << 53;

/// A number that has no fraction.
pub(super) enum Whole {
    /// Within ±2^53.
    Exact(i64),
    /// Beyond, in decimal digits.
    Beyond(String),
}

impl Whole {
    /// Decimal digits with an optional sign, and possibly a point and zeros.
    fn of_text(text: &str) -> Option<Whole> {
        let decimal = Decimal::parse(text)?;
        let fits = decimal.exponent.is_empty()
            && !decimal.whole.is_empty()
            && decimal.fraction.bytes().all(|byte| byte == b'0');
        if !fits {
            return None;
        }
        let digits = decimal.whole.trim_start_matches('0');
        let sign = if decimal.is_negative { "-" } else { "" };
        let written = if digits.is_empty() {
            "0".to_owned()
        } else {
            [sign, digits].concat()
        };
        let small = written.parse().ok().filter(|int| is_exact(*int));
        Some(small.map_or(Whole::Beyond(written), Whole::Exact))
    }

    /// A whole number or a float without a fraction that 128 bits hold.
    pub(super) fn of_number(number: &Number) -> Option<Whole> {
        if !number.is_f64() {
            let small = number.as_i64().filter(|int| is_exact(*int));
            return Some(small.map_or_else(|| Whole::Beyond(number.to_string()), Whole::Exact));
        }
        let float = number.as_f64().filter(|float| float.fract() == 0.0)?;
        // Casts saturate; what saturated is not equal any more.
        let wide = float as i128;
        if wide as f64 != float || wide == i128::MAX {
            return None;
        }
        let small = i64::try_from(wide).ok().filter(|int| is_exact(*int));
        Some(small.map_or_else(|| Whole::Beyond(wide.to_string()), Whole::Exact))
    }
}

fn is_exact(int: i64) -> bool {
    int.unsigned_abs() <= MAX_EXACT
}

pub(super) fn integer(value: &Value) -> Coerced {
    let whole = match value {
        Value::Bool(flag) => Some(Whole::Exact(i64::from(*flag))),
        Value::Number(number) => Whole::of_number(number),
        Value::String(text) => Whole::of_text(text.trim()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    match whole {
        Some(Whole::Exact(int)) => Coerced::Fit(Value::from(int)),
        Some(Whole::Beyond(digits)) => Coerced::FitWith(
            Value::String(digits),
            "An integer beyond ±2^53 is kept as text, so that no digit is lost.".to_owned(),
        ),
        None => Coerced::Misfit,
    }
}

pub(super) fn float(value: &Value) -> Coerced {
    let float = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => Decimal::parse(text.trim()).and_then(|decimal| decimal.float()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    };
    let Some(number) = float.and_then(Number::from_f64) else {
        return Coerced::Misfit;
    };
    if is_rounded(value, &number) {
        let warning = "An integer beyond ±2^53 was rounded to the nearest float.";
        return Coerced::FitWith(Value::Number(number), warning.to_owned());
    }
    Coerced::Fit(Value::Number(number))
}

/// Whether a whole number lost digits when it became a float.
fn is_rounded(value: &Value, float: &Number) -> bool {
    let digits = match value {
        Value::Number(number) if !number.is_f64() => Whole::of_number(number),
        Value::String(text) => Whole::of_text(text.trim()),
        _ => None,
    };
    match (digits, Whole::of_number(float)) {
        (Some(Whole::Beyond(before)), Some(Whole::Beyond(after))) => before != after,
        (Some(Whole::Beyond(_)), _) => true,
        _ => false,
    }
}

pub(super) fn boolean(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(flag) => Some(*flag),
        Value::Number(number) => match number.as_f64()? {
            1.0 => Some(true),
            0.0 => Some(false),
            _ => None,
        },
        Value::String(text) => {
            let is = |word: &&str| text.trim().eq_ignore_ascii_case(word);
            if ["true", "yes", "on", "1"].iter().any(is) {
                Some(true)
            } else if ["false", "no", "off", "0"].iter().any(is) {
                Some(false)
            } else {
                None
            }
        }
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A number as text says it.
pub(super) struct Decimal<'a> {
    pub(super) is_negative: bool,
    /// Digits before the point.
    pub(super) whole: &'a str,
    /// Digits after the point.
    pub(super) fraction: &'a str,
    /// Empty without an exponent, else digits with an optional sign.
    pub(super) exponent: &'a str,
}

impl<'a> Decimal<'a> {
    pub(super) fn parse(text: &'a str) -> Option<Decimal<'a>> {
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
            Some((_, "")) => return None,
            Some(parts) => parts,
            None => (unsigned, ""),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let power = exponent.strip_prefix(['-', '+']).unwrap_or(exponent);
        let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let is_number = is_digits(whole)
            && is_digits(fraction)
            && is_digits(power)
            && whole.len() + fraction.len() > 0
            && power.is_empty() == exponent.is_empty();
        is_number.then_some(Decimal {
            is_negative: text.starts_with('-'),
            whole,
            fraction,
            exponent,
        })
    }

    /// The nearest float, if there is a finite one. `serde_json`, which is in the program anyway, does the arithmetic.
    pub(super) fn float(&self) -> Option<f64> {
        let whole = self.whole.trim_start_matches('0');
        let json = [
            if self.is_negative { "-" } else { "" },
            if whole.is_empty() { "0" } else { whole },
            ".",
            self.fraction,
            "0e",
            if self.exponent.is_empty() {
                "0"
            } else {
                self.exponent
            },
        ];
        serde_json::from_str(&json.concat()).ok()
    }
}
