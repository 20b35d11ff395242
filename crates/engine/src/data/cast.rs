//! Fields of a `set` node.

use super::kind;
use crate::error::RunError;
use mnemograph_graph::{Coerced, ValueType, coerce};
use serde_json::Value;

/// The value as one of the field's type.
///
/// # Errors
/// `E_COERCE` if it cannot be of that type.
pub(crate) fn set_field(value: Value, ty: ValueType) -> Result<Value, RunError> {
    match coerce(&value, ty) {
        Coerced::Fit(value) | Coerced::FitWith(value, _) => Ok(value),
        Coerced::Misfit => {
            let (from, to) = (kind(&value), ty.as_str());
            let message = format!("The value, {from}, cannot be made a value of the type {to}.");
            Err(RunError::new("E_COERCE", message)
                .hint("Choose another type for the field, or convert the value in the expression."))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mnemograph_template::{Options, Template};
    use proptest::prelude::*;
    use serde_json::{Map, json};

    #[test]
    fn a_field_has_its_type_or_the_node_fails_without_telling_the_value() {
        assert_eq!(set_field(json!("5"), ValueType::Integer), Ok(json!(5)));
        assert_eq!(set_field(json!("5"), ValueType::Any), Ok(json!("5")));
        let error = set_field(json!("secret"), ValueType::Integer).unwrap_err();
        assert_eq!(error.code, "E_COERCE");
        assert!(error.message.contains("a text") && error.message.contains("integer"));
        assert!(!format!("{error:?}").contains("secret"));
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            (-40_i32..40).prop_map(|power| json!(1.5 * 10_f64.powi(power))),
            (-40_i32..40).prop_map(|power| json!(10_f64.powi(power))),
            ".{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(2, 8, 3, |inner| {
            let list = prop::collection::vec(inner.clone(), 0..3).prop_map(Value::Array);
            prop_oneof![
                list,
                (".{0,3}", inner).prop_map(|(key, value)| json!({key: value}))
            ]
        })
    }

    proptest! {
        #[test]
        fn a_text_field_says_what_a_template_would_print(value in value()) {
            let names = Map::from_iter([("x".to_owned(), value.clone())]);
            let template = Template::parse("{{ x }}").unwrap();
            let printed = template.render(&names, &Options::default()).unwrap().text;
            // JSON has no infinity: such a float became null, which is no value.
            prop_assume!(!value.is_null());
            prop_assert_eq!(set_field(value, ValueType::String), Ok(Value::String(printed)));
        }
    }
}
