//! `reply`: an answer that the person sees.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::catalogue::{Kind, NodeSpec, PortSpec, SettingSpec, SettingType, settled};
use crate::nodes::Settings;
use crate::values::ValueType;

/// Settings of `reply`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// Template of the answer while the port `text` is unwired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "reply",
    version: 1,
    kind: Kind::Step,
    group: "Host",
    title: "Reply",
    description: "Shows an answer in the conversation.",
    ports: &[
        PortSpec::run_in("in", "Control enters."),
        PortSpec::run_out("out", "Taken after the answer is shown."),
        PortSpec::data_in(
            "text",
            ValueType::String,
            "The answer; streams if its source streams.",
        )
        .required()
        .or_setting("text"),
    ],
    settings: &[SettingSpec::new(
        "text",
        SettingType::Text,
        "The answer while nothing is wired to text.",
    )
    .template()],
    keeps_state: false,
    settle: settled,
    build: |map| Ok(Settings::Reply(serde_json::from_value(Value::Object(map))?)),
};
