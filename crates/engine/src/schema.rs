//! Answers that have to fit a JSON Schema. The host checks; the engine parses, asks once more, gives up.

use crate::{
    data,
    error::{Failure, RunError},
};
use serde_json::Value;

/// What is wrong with an answer that is no JSON at all.
pub(crate) const NO_JSON: &str = "The answer is not JSON.";

/// The JSON value in a model's text: code fences and words round it are forgiven.
pub(crate) fn parse(text: &str) -> Option<Value> {
    let parsed = data::json::run(
        mnemograph_graph::JsonOp::Parse,
        true,
        None,
        Value::from(text),
        None,
    );
    match parsed {
        Ok((value, true)) => Some(value),
        _ => None,
    }
}

/// What the host's validator found; a validator that fails has found nothing.
pub(crate) fn errors(result: Result<Value, Failure>) -> Vec<String> {
    match result {
        Ok(value) => value
            .get("errors")
            .and_then(Value::as_array)
            .map(|errors| {
                errors
                    .iter()
                    .map(|error| {
                        error
                            .as_str()
                            .map_or_else(|| error.to_string(), str::to_owned)
                    })
                    .collect()
            })
            .unwrap_or_default(),
        Err(failure) => vec![failure.message],
    }
}

/// What the model is told after an answer that does not fit.
pub(crate) fn repair_prompt(errors: &[String]) -> String {
    format!(
        "Your answer does not fit the JSON Schema: {} Answer again with the corrected JSON alone.",
        errors.join(" ")
    )
}

/// Asks for JSON beside what the author asks for.
pub(crate) fn instruct(system: &str) -> String {
    let rule = "Answer with one JSON value alone.";
    if system.trim().is_empty() {
        rule.to_owned()
    } else {
        format!("{system}\n\n{rule}")
    }
}

/// The answer did not fit, twice.
pub(crate) fn error(errors: &[String]) -> RunError {
    let first = errors.first().map_or(NO_JSON, String::as_str);
    RunError::new(
        "E_SCHEMA",
        format!("The model's answer does not fit the schema, also after a repair: {first}"),
    )
    .hint("Simplify the schema, say in the prompt what is wanted, or use a larger model.")
}
