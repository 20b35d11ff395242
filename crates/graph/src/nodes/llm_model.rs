//! `llm_model`: a model that the host registered.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::catalogue::{DefaultValue, Kind, NodeSpec, PortSpec, SettingSpec, SettingType, settled};
use crate::document::EdgeType;
use crate::nodes::Settings;

/// Settings of `llm_model`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LlmModel {
    /// The name under which the host registered the model.
    pub model: String,
    /// Passed through to the model.
    pub params: Map<String, Value>,
    /// Further attempts of a failed call.
    pub max_retries: u32,
}

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "llm_model",
    version: 1,
    kind: Kind::Resource,
    group: "AI",
    title: "Model",
    description: "Offers a model that the page registered.",
    ports: &[PortSpec::link_out("llm", EdgeType::LinkLlm, "The model.")],
    settings: &[
        SettingSpec::new(
            "model",
            SettingType::Text,
            "The name under which the page registered the model.",
        )
        .or(DefaultValue::Text("default")),
        SettingSpec::new(
            "params",
            SettingType::Object,
            "Passed through to the model.",
        )
        .or(DefaultValue::EmptyObject),
        SettingSpec::new(
            "max_retries",
            SettingType::Integer { min: 0, max: 100 },
            "Further attempts of a failed call.",
        )
        .or(DefaultValue::Integer(2)),
    ],
    keeps_state: false,
    settle: settled,
    build: |map| {
        Ok(Settings::LlmModel(serde_json::from_value(Value::Object(
            map,
        ))?))
    },
};
