//! Variables: where they are declared and where they are written.

use serde_json::{Map, Value};

use super::memory::Scope;
use crate::catalogue::{
    BLANK, DefaultValue, Kind, NodeSpec, Port, SettingFault, SettingSpec, SettingType,
};
use crate::coerce::{Coerced, coerce};
use crate::document::EdgeType;
use crate::getters::{Get, choice};
use crate::nodes::Settings;
use crate::problem::{Code, quote};
use crate::settings::describe;
use crate::values::ValueType;

/// Settings of `var`.
#[derive(Debug, Clone, PartialEq)]
pub struct Var {
    /// Name, unique in the graph.
    pub name: String,
    /// Type of the value.
    pub value_type: ValueType,
    /// How long the value lives.
    pub scope: Scope,
    /// The value while nothing is stored, already of the type where that is possible; `null` if there is none.
    pub default: Value,
}

/// Settings of `var_set`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VarSet {
    /// What is done to the value.
    pub op: VarOp,
}

choice! {
    /// What `var_set` does.
    VarOp {
        /// The input is the new value.
        Set = "set",
        /// The input goes to the end of a list or text.
        Append = "append",
        /// The input is added to a number.
        Add = "add",
        /// The value becomes the default again.
        Clear = "clear",
    }
}

fn is_name(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn settle(map: &mut Map<String, Value>) -> Vec<SettingFault> {
    let mut faults: Vec<_> = name_fault(Get(map)).into_iter().collect();
    let value_type: ValueType = Get(map).choice("type");
    if let Some(default) = map.get_mut("default") {
        match coerce(default, value_type) {
            Coerced::Fit(value) | Coerced::FitWith(value, _) => *default = value,
            Coerced::Misfit => faults.push(SettingFault {
                code: Code::VarDefault,
                ..SettingFault::new(
                    "default",
                    format!(
                        "\"default\" cannot be {}: the variable is of the type {}.",
                        describe(default),
                        value_type.as_str()
                    ),
                    "Change \"default\", or \"type\".",
                )
            }),
        }
    }
    faults
}

fn name_fault(get: Get<'_>) -> Option<SettingFault> {
    let name = get.str("name");
    let fault = match name {
        Some("loop_index") => SettingFault::new(
            "name",
            "A variable cannot have the name \"loop_index\", which loops use.",
            "Give it another name.",
        ),
        Some(name) if !is_name(name) => SettingFault::new(
            "name",
            format!("{} cannot be the name of a variable.", quote(name)),
            "Use a letter or _, then letters, digits or _.",
        ),
        Some(_) | None => return None,
    };
    Some(fault)
}

pub(crate) static VAR: NodeSpec = NodeSpec {
    node_type: "var",
    kind: Kind::Pull,
    group: "Variables",
    title: "Variable",
    description: "Holds a value under a name; reads give what was written last.",
    ports: &[Port::link_out(
        "ref",
        EdgeType::LinkVar,
        "The variable, to be written.",
    )],
    settings: &[
        SettingSpec::new("name", SettingType::Text, "Name, unique in the graph.").required(),
        SettingSpec::new(
            "type",
            SettingType::Choice {
                options: ValueType::OF_VARIABLES,
            },
            "Type of the value.",
        )
        .or(DefaultValue::Text("string")),
        SettingSpec::new(
            "scope",
            SettingType::Choice {
                options: Scope::NAMES,
            },
            "How long the value lives: as long as the conversation, this run, this access.",
        )
        .or(DefaultValue::Text("session")),
        SettingSpec::new(
            "default",
            SettingType::Json,
            "The value while nothing is stored.",
        ),
    ],
    keeps_state: true,
    dynamic: Some(|map| {
        let value_type = Get(map).choice("type");
        vec![Port::data_out("output", value_type, "The present value.")]
    }),
    settle,
    build: |get| {
        Settings::Var(Var {
            name: get.text("name"),
            value_type: get.choice("type"),
            scope: get.choice("scope"),
            default: get.value("default").unwrap_or_default(),
        })
    },
    ..BLANK
};

pub(crate) static VAR_SET: NodeSpec = NodeSpec {
    node_type: "var_set",
    group: "Variables",
    title: "Set variable",
    description: "Writes a variable.",
    ports: &[
        Port::run_in("in", "Control enters."),
        Port::run_out("out", "Taken after the value is written."),
        Port::link_in("var", EdgeType::LinkVar, "The variable.")
            .required()
            .max(1),
        Port::data_out("value", ValueType::Any, "The value that was written."),
    ],
    settings: &[
        SettingSpec::new(
            "op",
            SettingType::Choice {
                options: VarOp::NAMES,
            },
            "Replace the value, append to it, add to it, or return to its default.",
        )
        .or(DefaultValue::Text("set")),
        SettingSpec::new(
            "input",
            SettingType::Json,
            "The input while nothing is wired to input.",
        )
        .templates(),
    ],
    dynamic: Some(|map| {
        let port = Port::data_in("input", ValueType::Any, "The input.").or_setting("input");
        let is_needed = Get(map).choice::<VarOp>("op") != VarOp::Clear;
        vec![if is_needed { port.required() } else { port }]
    }),
    build: |get| {
        Settings::VarSet(VarSet {
            op: get.choice("op"),
        })
    },
    ..BLANK
};
