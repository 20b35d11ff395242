//! `output`: a named result of the run.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::catalogue::{Kind, NodeSpec, PortSpec, SettingSpec, SettingType, settled};
use crate::nodes::Settings;
use crate::values::ValueType;

/// Settings of `output`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Output {
    /// Key of the result.
    pub name: String,
    /// The result while the port `value` is unwired; texts in it are templates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Value>,
}

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "output",
    version: 1,
    kind: Kind::Step,
    group: "Host",
    title: "Output",
    description: "Gives the page a named result.",
    ports: &[
        PortSpec::run_in("in", "Control enters."),
        PortSpec::run_out("out", "Taken after the result is set."),
        PortSpec::data_in("value", ValueType::Any, "The result.")
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
        .template(),
    ],
    keeps_state: false,
    settle: settled,
    build: |map| {
        Ok(Settings::Output(serde_json::from_value(Value::Object(
            map,
        ))?))
    },
};
