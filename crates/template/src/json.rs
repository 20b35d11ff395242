//! Printing: numbers and JSON.

use serde_json::{Number, Value};

/// A number as JavaScript prints it: `2.0` is `2`, `-0.0` is `0`, an exponent only from `1e+21` up
/// and below `0.000001`. The digits are those of `serde_json`; only their form is changed.
pub(crate) fn number(number: &Number) -> String {
    let text = number.to_string();
    if !number.is_f64() {
        return text;
    }
    let (sign, text) = match text.strip_prefix('-') {
        Some(text) => ("-", text),
        None => ("", text.as_str()),
    };
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let mut digits = [whole, fraction].concat();
    // Where the point stands among the digits.
    let mut point = i32::try_from(whole.len()).unwrap_or(0) + exponent;
    let leading = digits.len() - digits.trim_start_matches('0').len();
    digits.drain(..leading);
    point -= i32::try_from(leading).unwrap_or(0);
    if digits.is_empty() {
        return "0".to_owned();
    }
    let length = i32::try_from(digits.len()).unwrap_or(i32::MAX);
    let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
    let split = |at: i32| {
        digits
            .split_at_checked(usize::try_from(at).unwrap_or(0))
            .unwrap_or((&digits, ""))
    };
    match point {
        -5..=0 => [sign, "0.", &zeros(-point), &digits].concat(),
        1..=21 if point < length => {
            let (whole, fraction) = split(point);
            [sign, whole, ".", fraction].concat()
        }
        1..=21 => [sign, &digits, &zeros(point - length)].concat(),
        _ => {
            let (first, rest) = split(1);
            let dot = if rest.is_empty() { "" } else { "." };
            let plus = if point > 0 { "e+" } else { "e" };
            [sign, first, dot, rest, plus, &(point - 1).to_string()].concat()
        }
    }
}

/// JSON, compact or with `indent` spaces a level. Callers have measured the value.
pub(crate) fn write(value: &Value, indent: Option<usize>, level: usize, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(value) => out.push_str(&number(value)),
        Value::String(text) => quote(text, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                line(index, indent, level + 1, out);
                write(item, indent, level + 1, out);
            }
            close(items.is_empty(), indent, level, ']', out);
        }
        Value::Object(map) => {
            out.push('{');
            for (index, (key, item)) in map.iter().enumerate() {
                line(index, indent, level + 1, out);
                quote(key, out);
                out.push(':');
                if indent.is_some() {
                    out.push(' ');
                }
                write(item, indent, level + 1, out);
            }
            close(map.is_empty(), indent, level, '}', out);
        }
    }
}

fn quote(text: &str, out: &mut String) {
    // Writing a text to a string cannot fail.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

fn line(index: usize, indent: Option<usize>, level: usize, out: &mut String) {
    if index > 0 {
        out.push(',');
    }
    if let Some(indent) = indent {
        out.push('\n');
        out.push_str(&" ".repeat(indent * level));
    }
}

fn close(empty: bool, indent: Option<usize>, level: usize, bracket: char, out: &mut String) {
    if !empty && let Some(indent) = indent {
        out.push('\n');
        out.push_str(&" ".repeat(indent * level));
    }
    out.push(bracket);
}
