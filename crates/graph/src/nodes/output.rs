//! `output`: a named result of the run.

use serde_json::Value;

use crate::catalogue::{BLANK, NodeSpec, Port, SettingSpec, SettingType};
use crate::nodes::Settings;
use crate::values::ValueType;

/// Settings of `output`.
#[derive(Debug, Clone, PartialEq)]
pub struct Output {
    /// Key of the result.
    pub name: String,
    /// The result while the port `value` is unwired; texts in it are templates.
    pub value: Option<Value>,
}

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "output",
    group: "Host",
    title: "Output",
    description: "Gives the page a named result.",
    ports: &[
        Port::run_in("in", "Control enters."),
        Port::run_out("out", "Taken after the result is set."),
        Port::data_in("value", ValueType::Any, "The result.")
            .required()
            .or_setting("value"),
    ],
    settings: &[
        SettingSpec::new(
            "name",
            SettingType::Text,
            "The key under which the page finds the result.",
        )
        .required(),
        SettingSpec::new(
            "value",
            SettingType::Json,
            "The result while nothing is wired to value.",
        )
        .templates(),
    ],
    build: |get| {
        Settings::Output(Output {
            name: get.text("name"),
            value: get.value("value"),
        })
    },
    ..BLANK
};
