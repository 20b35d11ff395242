//! The rules of a `condition`.
//!
//! Values are compared as what they are: a text is never taken for a number or a boolean, `1` and `1.0` are equal,
//! `true` and `1` are not. Only two numbers or two texts have an order; texts by their characters' code points.
//! Of an absent value only existence and emptiness can be asked; anything else is an error.

use std::cmp::Ordering;

use super::kind;
use crate::error::RunError;
use mnemograph_graph::RuleOp;
use mnemograph_template::compare_numbers;
use serde_json::Value;

/// Whether the rule holds. A value exists if it is there and not null; it is empty if it does not exist, or is the
/// empty text, list or object.
///
/// # Errors
/// `E_EXPR` if the values cannot be compared so, or one is absent that is needed.
pub(crate) fn holds(
    op: RuleOp,
    value: Option<&Value>,
    to: Option<&Value>,
) -> Result<bool, RunError> {
    match op {
        RuleOp::Exists => return Ok(exists(value)),
        RuleOp::NotExists => return Ok(!exists(value)),
        RuleOp::IsEmpty => return Ok(is_empty(value)),
        RuleOp::IsNotEmpty => return Ok(!is_empty(value)),
        RuleOp::Eq
        | RuleOp::Ne
        | RuleOp::Lt
        | RuleOp::Le
        | RuleOp::Gt
        | RuleOp::Ge
        | RuleOp::Contains
        | RuleOp::NotContains
        | RuleOp::StartsWith
        | RuleOp::EndsWith
        | RuleOp::In
        | RuleOp::NotIn => {}
    }
    let value = value.ok_or_else(|| absent("value"))?;
    let to = to.ok_or_else(|| absent("to"))?;
    match op {
        RuleOp::Eq => Ok(equal(value, to)),
        RuleOp::Ne => Ok(!equal(value, to)),
        RuleOp::Lt => order(value, to).map(Ordering::is_lt),
        RuleOp::Le => order(value, to).map(Ordering::is_le),
        RuleOp::Gt => order(value, to).map(Ordering::is_gt),
        RuleOp::Ge => order(value, to).map(Ordering::is_ge),
        RuleOp::Contains => contains(value, to),
        RuleOp::NotContains => contains(value, to).map(|found| !found),
        RuleOp::In => contains(to, value),
        RuleOp::NotIn => contains(to, value).map(|found| !found),
        RuleOp::StartsWith => texts(value, to).map(|(text, part)| text.starts_with(part)),
        RuleOp::EndsWith => texts(value, to).map(|(text, part)| text.ends_with(part)),
        RuleOp::Exists | RuleOp::NotExists | RuleOp::IsEmpty | RuleOp::IsNotEmpty => Ok(false),
    }
}

fn exists(value: Option<&Value>) -> bool {
    value.is_some_and(|value| !value.is_null())
}

fn is_empty(value: Option<&Value>) -> bool {
    match value {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        Some(Value::Object(map)) => map.is_empty(),
        Some(Value::Bool(_) | Value::Number(_)) => false,
    }
}

fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => compare_numbers(a, b).is_eq(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let is_in_b = |(key, a)| b.get(key).is_some_and(|b| equal(a, b));
            a.len() == b.len() && a.iter().all(is_in_b)
        }
        (a, b) => a == b,
    }
}

fn order(a: &Value, b: &Value) -> Result<Ordering, RunError> {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => Ok(compare_numbers(a, b)),
        (Value::String(a), Value::String(b)) => Ok(a.cmp(b)),
        (a, b) => Err(incomparable(
            format!("{} and {} have no order", kind(a), kind(b)),
            "Compare two numbers or two texts; convert one side with `int`, `float` or `string`.",
        )),
    }
}

fn contains(container: &Value, item: &Value) -> Result<bool, RunError> {
    match (container, item) {
        (Value::String(text), Value::String(part)) => Ok(text.contains(part.as_str())),
        (Value::Array(items), item) => Ok(items.iter().any(|one| equal(one, item))),
        (Value::Object(map), Value::String(key)) => Ok(map.contains_key(key)),
        (container, item) => Err(incomparable(
            format!("{} cannot be looked for in {}", kind(item), kind(container)),
            "Look for a text in a text, for any value in a list, or for a key in an object.",
        )),
    }
}

fn texts<'a>(value: &'a Value, to: &'a Value) -> Result<(&'a str, &'a str), RunError> {
    value.as_str().zip(to.as_str()).ok_or_else(|| {
        incomparable(
            format!(
                "the beginning or end of {} cannot be {}",
                kind(value),
                kind(to)
            ),
            "Both sides have to be texts; convert with `string`.",
        )
    })
}

fn absent(what: &str) -> RunError {
    incomparable(
        format!("'{what}' is absent"),
        "Use exists or is_empty to ask whether there is a value.",
    )
}

fn incomparable(fault: String, hint: &str) -> RunError {
    RunError::new("E_EXPR", format!("A rule cannot be judged: {fault}.")).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::RuleOp::{
        Contains, EndsWith, Eq, Exists, Ge, Gt, In, IsEmpty, IsNotEmpty, Le, Lt, Ne, NotContains,
        NotExists, NotIn, StartsWith,
    };
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    /// `Some(true)` the rule holds, `Some(false)` its opposite does, `None` neither can be judged.
    fn check(op: RuleOp, opposite: RuleOp, rows: &[(Value, Value, Option<bool>)]) {
        for (value, to, expected) in rows {
            let judged = |op| holds(op, Some(value), Some(to));
            match expected {
                Some(expected) => {
                    assert_eq!(judged(op), Ok(*expected), "{value} {op:?} {to}");
                    assert_eq!(judged(opposite), Ok(!expected), "{value} {opposite:?} {to}");
                }
                None => {
                    assert_eq!(
                        judged(op).unwrap_err().code,
                        "E_EXPR",
                        "{value} {op:?} {to}"
                    );
                    assert_eq!(judged(opposite).unwrap_err().code, "E_EXPR");
                }
            }
        }
    }

    #[test]
    fn equality_is_strict() {
        check(
            Eq,
            Ne,
            &[
                (json!(1), json!(1.0), Some(true)),
                (json!("a"), json!("a"), Some(true)),
                (
                    json!({"a": 1, "b": [2]}),
                    json!({"b": [2.0], "a": 1}),
                    Some(true),
                ),
                (json!(null), json!(null), Some(true)),
                (json!("1"), json!(1), Some(false)),
                (json!(""), json!(0), Some(false)),
                (json!(null), json!(0), Some(false)),
                (json!(null), json!(""), Some(false)),
                (json!(true), json!(1), Some(false)),
                (json!("true"), json!(true), Some(false)),
                (json!("a"), json!("A"), Some(false)),
                (json!([1]), json!([1, 2]), Some(false)),
                (json!({"a": 1}), json!({"b": 1}), Some(false)),
                (
                    json!(9_007_199_254_740_993_i64),
                    json!(9_007_199_254_740_992.0),
                    Some(false),
                ),
            ],
        );
    }

    #[test]
    fn only_two_numbers_or_two_texts_have_an_order() {
        let rows = [
            (json!(1), json!(2), Some(true)),
            (json!(1.5), json!(2), Some(true)),
            (json!(2), json!(2.0), Some(false)),
            (json!(3), json!(2), Some(false)),
            (json!("10"), json!("9"), Some(true)),
            (json!("b"), json!("a"), Some(false)),
            (
                json!(9_007_199_254_740_992.0),
                json!(9_007_199_254_740_993_i64),
                Some(true),
            ),
            (json!("abc"), json!(5), None),
            (json!("1"), json!(2), None),
            (json!(1), json!("2"), None),
            (json!(true), json!(2), None),
            (json!(false), json!(true), None),
            (json!(null), json!(1), None),
            (json!([1]), json!([2]), None),
        ];
        check(Lt, Ge, &rows);
        let turned = rows.map(|(value, to, expected)| (to, value, expected));
        check(Gt, Le, &turned);
    }

    #[test]
    fn texts_lists_and_objects_contain() {
        let rows = [
            (json!("abc"), json!("b"), Some(true)),
            (json!("abc"), json!(""), Some(true)),
            (json!("abc"), json!("B"), Some(false)),
            (json!([1, "a"]), json!(1.0), Some(true)),
            (json!([1, "a"]), json!("1"), Some(false)),
            (json!([]), json!(null), Some(false)),
            (json!({"a": 1}), json!("a"), Some(true)),
            (json!({"a": 1}), json!("b"), Some(false)),
            (json!("123"), json!(2), None),
            (json!(123), json!(2), None),
            (json!(null), json!("a"), None),
            (json!({"1": 1}), json!(1), None),
        ];
        check(Contains, NotContains, &rows);
        check(
            In,
            NotIn,
            &rows.map(|(value, to, expected)| (to, value, expected)),
        );
    }

    #[test]
    fn texts_begin_and_end() {
        for (op, part, expected) in [
            (StartsWith, json!("ab"), Ok(true)),
            (StartsWith, json!("b"), Ok(false)),
            (EndsWith, json!("bc"), Ok(true)),
            (EndsWith, json!("b"), Ok(false)),
            (EndsWith, json!(""), Ok(true)),
            (StartsWith, json!(1), Err("E_EXPR".to_owned())),
            (EndsWith, json!(null), Err("E_EXPR".to_owned())),
        ] {
            let found = holds(op, Some(&json!("abc")), Some(&part));
            assert_eq!(found.map_err(|error| error.code), expected, "{op:?} {part}");
        }
    }

    #[test]
    fn what_is_absent_does_not_exist_and_is_empty() {
        for (value, exists, empty) in [
            (None, false, true),
            (Some(json!(null)), false, true),
            (Some(json!("")), true, true),
            (Some(json!([])), true, true),
            (Some(json!({})), true, true),
            (Some(json!(0)), true, false),
            (Some(json!(false)), true, false),
            (Some(json!(" ")), true, false),
            (Some(json!([null])), true, false),
        ] {
            let value = value.as_ref();
            assert_eq!(holds(Exists, value, None), Ok(exists), "{value:?}");
            assert_eq!(holds(NotExists, value, None), Ok(!exists), "{value:?}");
            assert_eq!(holds(IsEmpty, value, None), Ok(empty), "{value:?}");
            assert_eq!(holds(IsNotEmpty, value, None), Ok(!empty), "{value:?}");
        }
    }

    #[test]
    fn asking_anything_else_of_an_absent_value_is_an_error() {
        let one = json!(1);
        for op in [
            Eq,
            Ne,
            Lt,
            Le,
            Gt,
            Ge,
            Contains,
            NotContains,
            StartsWith,
            EndsWith,
            In,
            NotIn,
        ] {
            for (value, to) in [(None, Some(&one)), (Some(&one), None), (None, None)] {
                assert_eq!(holds(op, value, to).unwrap_err().code, "E_EXPR", "{op:?}");
            }
        }
    }

    proptest! {
        #[test]
        fn numbers_have_one_order(a in number(), b in number()) {
            let judged = |op| holds(op, Some(&a), Some(&b)).unwrap();
            let found = [judged(Lt), judged(Eq), judged(Gt)];
            prop_assert_eq!(found.iter().filter(|holds| **holds).count(), 1);
            prop_assert_eq!(judged(Le), !judged(Gt));
        }
    }

    fn number() -> impl Strategy<Value = Value> {
        prop_oneof![
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            prop::num::f64::NORMAL.prop_map(Value::from),
            (-2_i64..2).prop_map(Value::from),
            Just(json!(0.0)),
        ]
    }
}
