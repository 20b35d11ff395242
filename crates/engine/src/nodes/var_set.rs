//! `var_set`: writes a variable, coerced to its type.

use crate::{
    core::Core,
    effect::{Effect, Input, RequestId},
    error::RunError,
    event::EventData,
    held::Held,
    names::text_of,
    nodes::{Activity, Entered, Progress, Signal},
};
use mnemograph_compact::FromJson;
use mnemograph_graph::{Coerced, NodeIx, Scope, Settings, ValueType, Var, VarOp, VarSet, coerce};
use serde::Serialize;
use serde_json::{Number, Value};

/// A thread variable on its way to the storage.
#[derive(Debug, Serialize, FromJson)]
pub(crate) struct Write {
    request: RequestId,
    state_id: String,
    value: Held,
    name: String,
}

pub(crate) fn enter(core: &mut Core, node: NodeIx, settings: &VarSet) -> Entered {
    let plan = std::rc::Rc::clone(&core.plan);
    let target = plan.graph.links(node, "var").first().copied();
    let var = target.and_then(|ix| plan.graph.node(ix));
    let (Some(target), Some(Settings::Var(var))) = (target, var.map(|node| &node.settings)) else {
        return Err(RunError::internal(
            "A variable is written that does not exist.",
        ));
    };
    let value = match settings.op {
        VarOp::Clear => None,
        VarOp::Set | VarOp::Append | VarOp::Add => {
            let input = core
                .input_or_setting(node, "input", "input")?
                .unwrap_or_default();
            let present = core.variable(target);
            let value = match settings.op {
                VarOp::Append => append(var, present, input)?,
                VarOp::Add => add(present, &input)?,
                VarOp::Set | VarOp::Clear => input,
            };
            Some(fit(core, node, var, value))
        }
    };
    let state_id = core.state_id(target);
    if var.scope == Scope::Thread && core.identity.has_thread {
        let request = core.request();
        core.effects.push(Effect::WriteVariable {
            request,
            variable: state_id.clone(),
            value: value.clone(),
        });
        let write = Write {
            request,
            state_id,
            value: Held(value),
            name: var.name.clone(),
        };
        return Ok((Some(Activity::Write(write)), Progress::Waiting));
    }
    put(&mut core.session_variables, state_id, value);
    Ok((None, written(core, node, target, var.name.clone())))
}

impl Write {
    pub(crate) fn resume(&mut self, core: &mut Core, node: NodeIx, signal: Signal) -> Progress {
        let Signal::Input(Input::VariableWritten { request, result }) = signal else {
            return Progress::Waiting;
        };
        if request != self.request {
            return Progress::Waiting;
        }
        core.forget_request(request);
        if let Err(failure) = result {
            return Progress::Failed(failure.into_error("E_STORE_UNAVAILABLE"));
        }
        let state_id = std::mem::take(&mut self.state_id);
        put(&mut core.thread_variables, state_id, self.value.0.take());
        let target = core.plan.graph.links(node, "var").first().copied();
        let Some(target) = target else {
            return Progress::Failed(RunError::internal("A written variable is gone."));
        };
        written(core, node, target, std::mem::take(&mut self.name))
    }
}

fn put(variables: &mut serde_json::Map<String, Value>, id: String, value: Option<Value>) {
    match value {
        Some(value) => {
            variables.insert(id, value);
        }
        None => {
            variables.shift_remove(&id);
        }
    }
}

fn written(core: &mut Core, node: NodeIx, target: NodeIx, name: String) -> Progress {
    core.pulled.clear();
    let scope = match core.plan.graph.node(target).map(|node| &node.settings) {
        Some(Settings::Var(var)) => var.scope,
        _ => Scope::Session,
    };
    core.emit(
        Some(node),
        EventData::VariableSet {
            name,
            scope: scope.as_str().to_owned(),
        },
    );
    let value = core.variable(target);
    Progress::out([("value", value)])
}

/// The value in the variable's type; one that does not fit is written as it is, with a warning.
fn fit(core: &mut Core, node: NodeIx, var: &Var, value: Value) -> Value {
    let (value, why) = match coerce(&value, var.value_type) {
        Coerced::Fit(value) => return value,
        Coerced::FitWith(value, why) => (value, why),
        Coerced::Misfit => {
            let why = format!(
                "The value is no {} and was written as it is.",
                var.value_type.as_str()
            );
            (value, why)
        }
    };
    core.warn(
        Some(node),
        "W_VAR_UNCOERCED",
        &format!("Variable '{}': {why}", var.name),
        "Convert the value before it is written, or change the variable's type.",
    );
    value
}

/// A list grows by an item, a text by a text.
fn append(var: &Var, present: Value, input: Value) -> Result<Value, RunError> {
    match (var.value_type, present) {
        (ValueType::String, Value::String(text)) => Ok(Value::String(text + &text_of(&input))),
        (ValueType::String, Value::Null) => Ok(Value::String(text_of(&input))),
        (ValueType::Json, Value::Array(mut items)) => {
            items.push(input);
            Ok(Value::Array(items))
        }
        (ValueType::Json, Value::Null) => Ok(Value::Array(vec![input])),
        (ValueType::Csv | ValueType::Dataframe, present) => append_rows(&present, &input),
        _ => Err(RunError::new(
            "E_COERCE",
            format!(
                "Nothing can be appended to the present value of '{}'.",
                var.name
            ),
        )
        .hint("Append to a text, a list, CSV or a data frame.")),
    }
}

/// The rows of both tables, one after the other; `fit` makes the variable's type of them.
fn append_rows(present: &Value, input: &Value) -> Result<Value, RunError> {
    let mut rows = Vec::new();
    for value in [present, input] {
        let single = Value::Array(vec![value.clone()]);
        let is_row = value
            .as_object()
            .is_some_and(|object| !object.contains_key("columns"));
        match value {
            Value::Null => continue,
            _ if is_row => rows.extend(crate::data::table::run(&single)?.2.as_array().cloned()),
            _ => rows.extend(crate::data::table::run(value)?.2.as_array().cloned()),
        }
    }
    Ok(rows.into_iter().flatten().collect())
}

/// The sum of two numbers; whole numbers stay whole.
fn add(present: Value, input: &Value) -> Result<Value, RunError> {
    let present = if present.is_null() {
        Value::from(0)
    } else {
        present
    };
    let number = |value: &Value| match coerce(value, ValueType::Float) {
        Coerced::Fit(Value::Number(number)) if !value.is_boolean() => Some(number),
        _ => None,
    };
    let (Some(a), Some(b)) = (number(&present), number(input)) else {
        return Err(RunError::new("E_COERCE", "Only numbers can be added.")
            .hint("Give the variable a number first, and add a number to it."));
    };
    let whole = |value: &Value| match coerce(value, ValueType::Integer) {
        Coerced::Fit(Value::Number(number)) => number.as_i64(),
        _ => None,
    };
    if let (Some(a), Some(b)) = (whole(&present), whole(input))
        && let Some(sum) = a.checked_add(b)
    {
        return Ok(Value::from(sum));
    }
    let sum = a.as_f64().unwrap_or_default() + b.as_f64().unwrap_or_default();
    Number::from_f64(sum)
        .map(Value::Number)
        .ok_or_else(|| RunError::new("E_COERCE", "The sum is beyond what a number can hold."))
}
