//! Records and what a value may hold.

use mnemograph_compact::FromJson;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Number};

use crate::{Key, MAX_INT, StoreError};

/// A record's content: a JSON object with the record's own format version `v`, the few fields that people or ranges
/// need, and larger bodies as one JSON text.
pub type Value = Map<String, serde_json::Value>;

/// How deep objects and arrays may nest in a value.
pub const MAX_DEPTH: usize = 64;

/// A record as it was read.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[json(own_deserialize)]
pub struct Record {
    /// Where it is.
    pub key: Key,
    /// How many puts it has had since the key was last absent.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub rev: u64,
    /// What it holds.
    #[cfg_attr(feature = "ts", ts(type = "Record<string, unknown>"))]
    pub value: Value,
}

impl Record {
    /// For backends that read through JavaScript: it writes a whole float beyond 2^53 like an integer; here it becomes
    /// the float again that it was.
    pub fn restore_numbers(&mut self) {
        self.value.values_mut().for_each(restore_floats);
    }
}

fn restore_floats(value: &mut serde_json::Value) {
    use serde_json::Value as Json;
    match value {
        Json::Null | Json::Bool(_) | Json::String(_) => {}
        Json::Number(number) if normalise_number(number).is_some() => {}
        Json::Number(number) => {
            let float = number.as_f64().and_then(Number::from_f64);
            *number = float.unwrap_or_else(|| number.clone());
        }
        Json::Array(items) => items.iter_mut().for_each(restore_floats),
        Json::Object(members) => members.values_mut().for_each(restore_floats),
    }
}

/// Refuses values that a JavaScript backend would change or could not give back, and writes each number in the one
/// form in which it comes back: integral floats as integers.
pub(crate) fn normalise(key: &Key, value: &mut Value) -> Result<(), StoreError> {
    value
        .values_mut()
        .try_for_each(|member| normalise_json(member, 1))
        .map_err(|fault| StoreError::BadValue(format!("the value for key {key} {fault}")))
}

fn normalise_json(value: &mut serde_json::Value, depth: usize) -> Result<(), &'static str> {
    use serde_json::Value as Json;
    if depth > MAX_DEPTH {
        return Err("nests more than 64 deep");
    }
    match value {
        Json::Null | Json::Bool(_) | Json::String(_) => Ok(()),
        Json::Number(number) => {
            *number = normalise_number(number).ok_or("has an integer beyond 2^53-1")?;
            Ok(())
        }
        Json::Array(items) => items
            .iter_mut()
            .try_for_each(|item| normalise_json(item, depth + 1)),
        Json::Object(members) => members
            .values_mut()
            .try_for_each(|member| normalise_json(member, depth + 1)),
    }
}

fn normalise_number(number: &Number) -> Option<Number> {
    if number.is_f64() {
        let float = number.as_f64()?;
        // Both are exact: the float is integral and within the range of the integers.
        #[expect(clippy::cast_precision_loss, reason = "2^53-1 is exactly a float")]
        let exact = float.fract() == 0.0 && float.abs() <= MAX_INT as f64;
        if !exact {
            return Some(number.clone());
        }
        #[expect(
            clippy::cast_possible_truncation,
            reason = "integral and at most 2^53-1"
        )]
        return Some(Number::from(float as i64));
    }
    let fits = number.as_u64().is_some_and(|value| value <= MAX_INT)
        || number
            .as_i64()
            .is_some_and(|value| value.unsigned_abs() <= MAX_INT);
    fits.then(|| number.clone())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn normalised(value: serde_json::Value) -> Result<serde_json::Value, StoreError> {
        let mut map = Value::new();
        map.insert("x".to_owned(), value);
        normalise(&Key::new(["k"]), &mut map)?;
        Ok(map.remove("x").unwrap())
    }

    #[test]
    fn integral_floats_become_integers_and_others_stay() {
        assert_eq!(normalised(json!(1.0)).unwrap().to_string(), "1");
        assert_eq!(normalised(json!(-0.0)).unwrap().to_string(), "0");
        assert_eq!(normalised(json!(1.5)).unwrap().to_string(), "1.5");
        assert_eq!(normalised(json!(1e300)).unwrap(), json!(1e300));
        assert_eq!(
            normalised(json!([{"a": 2.0}])).unwrap().to_string(),
            r#"[{"a":2}]"#
        );
    }

    #[test]
    fn whole_floats_beyond_the_integers_are_restored() {
        let written = json!([
            9_007_199_254_740_994_u64,
            1,
            -9_007_199_254_740_994_i64,
            2.5
        ]);
        let mut record = Record {
            key: Key::new(["k"]),
            rev: 1,
            value: Value::from_iter([("x".to_owned(), written)]),
        };
        record.restore_numbers();
        let expected = json!([9_007_199_254_740_994.0, 1, -9_007_199_254_740_994.0, 2.5]);
        assert_eq!(record.value.get("x"), Some(&expected));
    }

    #[test]
    fn numbers_and_depth_that_javascript_loses_are_refused() {
        assert!(normalised(json!(MAX_INT)).is_ok());
        assert!(normalised(json!(MAX_INT + 1)).is_err());
        assert!(normalised(json!(-9_007_199_254_740_992_i64)).is_err());
        let nested = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!([inner]));
        assert!(normalised(nested(MAX_DEPTH - 1)).is_ok());
        assert!(normalised(nested(MAX_DEPTH)).is_err());
    }
}
