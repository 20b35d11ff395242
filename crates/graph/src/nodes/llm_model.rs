//! `llm_model`: a model that the host registered.

use serde_json::{Map, Value};

use super::llm_response::PARAMS;
use crate::catalogue::{BLANK, DefaultValue, Kind, NodeSpec, Port, SettingSpec, SettingType};
use crate::document::EdgeType;
use crate::nodes::Settings;

/// Settings of `llm_model`.
#[derive(Debug, Clone, PartialEq)]
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
    kind: Kind::Resource,
    group: "AI",
    title: "Model",
    description: "Offers a model that the page registered.",
    ports: &[Port::link_out("llm", EdgeType::LinkLlm, "The model.")],
    settings: &[
        SettingSpec::new(
            "model",
            SettingType::Text,
            "The name under which the page registered the model.",
        )
        .or(DefaultValue::Text("default")),
        PARAMS,
        SettingSpec::new(
            "max_retries",
            SettingType::Integer { min: 0, max: 100 },
            "Further attempts of a failed call.",
        )
        .or(DefaultValue::Integer(2)),
    ],
    build: |get| {
        Settings::LlmModel(LlmModel {
            model: get.text("model"),
            params: get.object("params"),
            max_retries: get.number("max_retries"),
        })
    },
    ..BLANK
};
