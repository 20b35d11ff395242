//! Values as text: the same form that templates print.

use serde_json::{Number, Value};

/// The value as compact JSON. Whole floats are written without `.0`, as JavaScript writes them.
///
/// ```
/// let value = serde_json::json!({"a": [1.0, "x"]});
/// assert_eq!(mnemograph_graph::compact_json(&value), r#"{"a":[1,"x"]}"#);
/// ```
pub fn compact_json(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

/// Text as it is, everything else as JSON.
pub(crate) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => compact_json(other),
    }
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(flag) => out.push_str(if *flag { "true" } else { "false" }),
        Value::Number(value) => out.push_str(&number(value)),
        Value::String(text) => quote(text, out),
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(map) => {
            out.push('{');
            for (index, (key, item)) in map.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                quote(key, out);
                out.push(':');
                write(item, out);
            }
            out.push('}');
        }
    }
}

fn quote(text: &str, out: &mut String) {
    // Writing a text to a string cannot fail.
    out.push_str(&serde_json::to_string(text).unwrap_or_default());
}

/// A number as short as it reads back the same: `2.0` is `2`, `-0.0` is `0`, `1e300` is `1e+300`.
pub(crate) fn number(number: &Number) -> String {
    let text = number.to_string();
    if !number.is_f64() {
        return text;
    }
    if number.as_f64() == Some(0.0) {
        return "0".to_owned();
    }
    match text.split_once('e') {
        None => text.strip_suffix(".0").unwrap_or(&text).to_owned(),
        Some((digits, "-6")) => {
            let (sign, digits) = match digits.strip_prefix('-') {
                Some(digits) => ("-", digits),
                None => ("", digits),
            };
            [sign, "0.00000", &digits.replace('.', "")].concat()
        }
        Some((digits, power)) => {
            let digits = digits.strip_suffix(".0").unwrap_or(digits);
            let sign = if power.starts_with(['-', '+']) {
                ""
            } else {
                "+"
            };
            [digits, "e", sign, power].concat()
        }
    }
}
