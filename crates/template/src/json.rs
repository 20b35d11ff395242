//! Printing: numbers and JSON.

use serde_json::{Number, Value};

/// A number as JavaScript prints it: `2.0` is `2`, `-0.0` is `0`, an exponent only from `1e+21` up
/// and below `0.000001`.
pub(crate) fn number(number: &Number) -> String {
    match number.as_f64().filter(|_| number.is_f64()) {
        Some(0.0) => "0".to_owned(),
        Some(float) if (1e-6..1e21).contains(&float.abs()) => float.to_string(),
        _ => number.to_string(),
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
