//! `switch`: the case that has the value takes control.

use serde_json::{Map, Value};

use super::names::{Names, not_empty};
use crate::catalogue::{
    BLANK, DefaultValue, NodeSpec, Port, SettingFault, SettingSpec, SettingType,
};
use crate::getters::Get;
use crate::nodes::Settings;
use crate::values::ValueType;

/// Settings of `switch`.
#[derive(Debug, Clone, PartialEq)]
pub struct Switch {
    /// The cases, in the order in which they are tried.
    pub cases: Vec<SwitchCase>,
    /// Upper and lower case of texts differ.
    pub case_sensitive: bool,
}

/// A case of a `switch`.
#[derive(Debug, Clone, PartialEq)]
pub struct SwitchCase {
    /// Name of its port.
    pub id: String,
    /// The values that it takes.
    pub equals: Vec<Value>,
}

const CASES: &[SettingSpec] = &[
    SettingSpec::new("id", SettingType::Text, "Name of the case and of its port.").required(),
    SettingSpec::new(
        "equals",
        SettingType::Json,
        "The values that the case takes: a list, or a single value.",
    )
    .required(),
];

fn cases(get: Get<'_>) -> impl Iterator<Item = SwitchCase> {
    get.records("cases").map(|case| SwitchCase {
        id: case.text("id"),
        equals: match case.value("equals") {
            Some(Value::Array(list)) => list,
            other => other.into_iter().collect(),
        },
    })
}

fn settle(map: &mut Map<String, Value>) -> Vec<SettingFault> {
    let names = Names {
        setting: "cases",
        what: "a case",
        reserved: &["default", "error"],
    };
    let mut faults = names.of_records(map, "id");
    faults.extend(not_empty(map, "cases", "Add a case {\"id\", \"equals\"}."));
    faults
}

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "switch",
    group: "Control",
    title: "Switch",
    description: "Control goes on at the case that has the value.",
    ports: &[
        Port::run_in("in", "Control enters."),
        Port::data_in("value", ValueType::Any, "The value.")
            .required()
            .or_setting("value"),
        Port::run_out("default", "Taken when no case has the value."),
    ],
    settings: &[
        SettingSpec::new(
            "value",
            SettingType::Json,
            "The value while nothing is wired to value.",
        )
        .templates(),
        SettingSpec::new(
            "cases",
            SettingType::Records { fields: CASES },
            "The cases, in the order in which they are tried.",
        )
        .required(),
        SettingSpec::new(
            "case_sensitive",
            SettingType::Boolean,
            "Upper and lower case of texts differ.",
        )
        .or(DefaultValue::Boolean(true)),
    ],
    dynamic: Some(|map| {
        let port = |case: SwitchCase| {
            Port::run_out("", "Taken when the case has the value.").named(&case.id)
        };
        cases(Get(map)).map(port).collect()
    }),
    settle,
    build: |get| {
        Settings::Switch(Switch {
            cases: cases(get).collect(),
            case_sensitive: get.boolean("case_sensitive"),
        })
    },
    ..BLANK
};
