//! Types of columns, inferred from their cells.

use serde_json::Value;

use super::scalar::{Decimal, Whole};
use super::{Coerced, coerce};
use crate::print;
use crate::values::ValueType;

/// What one cell speaks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// Nothing: an empty cell.
    None,
    Boolean,
    Integer,
    /// An integer beyond ±2^53.
    Beyond,
    Float,
    Text,
    /// A list or an object.
    Nested,
}

/// Infers the type of the column and makes its cells of it. `is_text`: the cells are the fields of CSV text.
/// Returns the type, and whether integers became text in order to keep their digits.
pub(super) fn infer(rows: &mut [Vec<Value>], column: usize, is_text: bool) -> (ValueType, bool) {
    let (mut seen, mut beyond) = (Sign::None, false);
    let mut is_mixed = false;
    for cell in rows.iter().filter_map(|row| row.get(column)) {
        let sign = match cell {
            Value::String(text) if is_text => of_field(text),
            value => of_value(value),
        };
        beyond |= sign == Sign::Beyond;
        seen = match (seen, sign) {
            (before, Sign::None) => before,
            (Sign::None, now) => now,
            (before, now) if before == now => now,
            (Sign::Integer | Sign::Float, Sign::Integer | Sign::Float) => Sign::Float,
            (
                Sign::Integer | Sign::Beyond | Sign::Float,
                Sign::Integer | Sign::Beyond | Sign::Float,
            ) => Sign::Beyond,
            (_, now) => {
                is_mixed = true;
                now
            }
        };
    }
    let value_type = match seen {
        _ if is_mixed && is_text => ValueType::String,
        _ if is_mixed => ValueType::Json,
        Sign::None | Sign::Text | Sign::Beyond => ValueType::String,
        Sign::Boolean => ValueType::Boolean,
        Sign::Integer => ValueType::Integer,
        Sign::Float => ValueType::Float,
        Sign::Nested => ValueType::Json,
    };
    for cell in rows.iter_mut().filter_map(|row| row.get_mut(column)) {
        if is_text && value_type != ValueType::String && cell.as_str() == Some("") {
            *cell = Value::Null;
        }
        // Cells speak for the type, so they fit it.
        let _ = convert(cell, value_type);
    }
    (value_type, beyond && seen == Sign::Beyond && !is_mixed)
}

/// Makes a cell of the column's type; false if it does not fit.
pub(super) fn convert(cell: &mut Value, to: ValueType) -> bool {
    // In a column of any values a text is a text, also if it looks like JSON.
    if to == ValueType::Json {
        return true;
    }
    match coerce(cell, to) {
        Coerced::Fit(value) | Coerced::FitWith(value, _) => {
            *cell = value;
            true
        }
        Coerced::Misfit => false,
    }
}

fn of_value(value: &Value) -> Sign {
    match value {
        Value::Null => Sign::None,
        Value::Bool(_) => Sign::Boolean,
        Value::Number(number) => match Whole::of_number(number) {
            Some(Whole::Exact(_)) => Sign::Integer,
            Some(Whole::Beyond(_)) if !number.is_f64() => Sign::Beyond,
            Some(Whole::Beyond(_)) | None => Sign::Float,
        },
        Value::String(_) => Sign::Text,
        Value::Array(_) | Value::Object(_) => Sign::Nested,
    }
}

/// A field of CSV text. Numbers are only what a program would write as a number, so that no code or telephone number
/// loses a zero, a plus or an `E`.
fn of_field(text: &str) -> Sign {
    if text.is_empty() {
        return Sign::None;
    }
    if text.eq_ignore_ascii_case("true") || text.eq_ignore_ascii_case("false") {
        return Sign::Boolean;
    }
    let Some(decimal) = Decimal::parse(text) else {
        return Sign::Text;
    };
    let has_point = text.contains('.');
    let is_padded = decimal.whole.is_empty()
        || (decimal.whole.len() > 1 && decimal.whole.starts_with('0'))
        || (has_point && decimal.fraction.is_empty())
        || text.starts_with('+');
    if is_padded {
        return Sign::Text;
    }
    if decimal.exponent.is_empty() && !has_point {
        return match text.parse::<i64>() {
            Ok(0) if decimal.is_negative => Sign::Text,
            Ok(int) if int.unsigned_abs() <= 1 << 53 => Sign::Integer,
            _ => Sign::Beyond,
        };
    }
    let is_code =
        !decimal.exponent.is_empty() && !has_point && !decimal.exponent.starts_with(['-', '+']);
    if is_code || decimal.float().is_none() {
        Sign::Text
    } else {
        Sign::Float
    }
}

/// A cell as the field of a CSV record; `None` is an empty one.
pub(super) fn field(cell: &Value) -> Option<String> {
    match cell {
        Value::Null => None,
        // With a point it reads back as a float.
        Value::Number(number)
            if number.is_f64() && matches!(Whole::of_number(number), Some(Whole::Beyond(_))) =>
        {
            Some(number.to_string().replace("e+", "e").replace('e', "e+"))
        }
        value => Some(print::text(value)),
    }
}
