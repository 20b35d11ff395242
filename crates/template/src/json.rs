//! Printing: numbers and JSON.

use serde_json::{Number, Value};

/// A number as short as it reads back the same: `2.0` is `2`, `-0.0` is `0`, with an exponent from
/// `1e+16` up and below `0.000001`. Up to there the digits of a whole float are its exact value, so
/// that it may read back as an integer. The digits are those of `serde_json`; only their form changes.
pub(crate) fn number(number: &Number) -> String {
    let text = number.to_string();
    if !number.is_f64() {
        return text;
    }
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    // Where the point stands among the digits.
    let mut point: i32 = exponent.parse().unwrap_or(0);
    let (mut digits, mut counting) = (String::new(), true);
    for c in mantissa.chars() {
        match c {
            '.' => counting = false,
            '0' if digits.is_empty() => point -= i32::from(!counting),
            '0'..='9' => {
                digits.push(c);
                point += i32::from(counting);
            }
            _ => {}
        }
    }
    let digits = digits.trim_end_matches('0');
    if digits.is_empty() {
        return "0".to_owned();
    }
    let scientific = !(-5..=16).contains(&point);
    let shown = if scientific { 1 } else { point };
    let mut out = String::new();
    if text.starts_with('-') {
        out.push('-');
    }
    if shown <= 0 {
        out.push_str("0.");
        (shown..0).for_each(|_| out.push('0'));
    }
    let mut place = 0;
    for c in digits.chars() {
        if place == shown && place > 0 {
            out.push('.');
        }
        out.push(c);
        place += 1;
    }
    (place..shown).for_each(|_| out.push('0'));
    if scientific {
        out.push_str(if point > 0 { "e+" } else { "e" });
        out.push_str(&(point - 1).to_string());
    }
    out
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
