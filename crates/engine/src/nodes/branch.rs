//! `condition` and `switch`: which way control goes on.

use crate::{core::Core, data::rules, error::RunError, nodes::Progress};
use mnemograph_graph::{Condition, NodeIx, Switch, When};
use serde_json::{Value, json};

/// The first case that holds, else `else`.
pub(crate) fn condition(
    core: &mut Core,
    node: NodeIx,
    settings: &Condition,
) -> Result<Progress, RunError> {
    for (place, case) in settings.cases.iter().enumerate() {
        let at = format!("cases/{place}/when");
        let holds = match &case.when {
            When::Expression => core.test_setting(node, &at)?,
            When::Rules { all, rules } => {
                let mut holds = *all;
                let list = if *all { "all" } else { "any" };
                for (place, rule) in rules.iter().enumerate() {
                    let rule_at = format!("{at}/{list}/{place}");
                    let value = rule_value(core, node, &format!("{rule_at}/value"))?;
                    let to = if rule.has_to {
                        core.evaluate_setting(node, &format!("{rule_at}/to"))?
                    } else {
                        None
                    };
                    let fits = rules::holds(rule.op, value.as_ref(), to.as_ref())?;
                    if fits != *all {
                        holds = fits;
                        break;
                    }
                }
                holds
            }
        };
        if holds {
            return Ok(Progress::left(&case.id, []));
        }
    }
    Ok(Progress::left("else", []))
}

/// The value that a rule looks at; `None` where it reads something that is not there, which `exists` asks for.
fn rule_value(core: &mut Core, node: NodeIx, at: &str) -> Result<Option<Value>, RunError> {
    match core.evaluate_setting(node, at) {
        Err(error) if error.code == "E_TEMPLATE" && error.is_missing => Ok(None),
        other => other,
    }
}

/// The first case that lists the value, else `default`.
pub(crate) fn switch(
    core: &mut Core,
    node: NodeIx,
    settings: &Switch,
) -> Result<Progress, RunError> {
    let value = core
        .input_or_setting(node, "value", "value")?
        .unwrap_or_default();
    let fold = |value: &Value| match value {
        Value::String(text) if !settings.case_sensitive => json!(text.to_lowercase()),
        other => other.clone(),
    };
    let value = fold(&value);
    let case = settings
        .cases
        .iter()
        .find(|case| case.equals.iter().any(|equal| fold(equal) == value));
    Ok(Progress::left(
        case.map_or("default", |case| case.id.as_str()),
        [],
    ))
}
