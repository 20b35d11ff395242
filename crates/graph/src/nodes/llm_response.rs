//! `llm_response`: one model call, without tools and memory.

use serde_json::{Map, Value};

use super::chat_history::HISTORY_LIMIT;
use crate::catalogue::{BLANK, DefaultValue, NodeSpec, Port, SettingSpec, SettingType};
use crate::document::EdgeType;
use crate::nodes::Settings;
use crate::values::ValueType;

/// Settings of `llm_response`.
#[derive(Debug, Clone, PartialEq)]
pub struct LlmResponse {
    /// The model also reads what the conversation showed.
    pub use_chat_history: bool,
    /// Messages of it at most.
    pub history_limit: u32,
    /// JSON Schema of the answer.
    pub output_schema: Option<Value>,
    /// Ask the model for a stream.
    pub stream: bool,
    /// Passed through to the model.
    pub params: Map<String, Value>,
}

/// The model of a node, and its substitute.
pub(crate) const LLM: Port = Port::link_in(
    "llm",
    EdgeType::LinkLlm,
    "The model, and a second one for when it fails.",
)
.required()
.max(2);

/// What goes to the model as it is.
pub(crate) const PARAMS: SettingSpec = SettingSpec::new(
    "params",
    SettingType::Object,
    "Passed through to the model.",
)
.or(DefaultValue::EmptyObject);

/// Tokens used.
pub(crate) const USAGE: Port = Port::data_out("usage", ValueType::Json, "Tokens used.");

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "llm_response",
    group: "AI",
    title: "Model answer",
    description: "Asks a model once, without tools and memory.",
    ports: &[
        Port::run_in("in", "Control enters."),
        Port::run_out("out", "Taken after the answer."),
        Port::data_in(
            "input",
            ValueType::Any,
            "The user message: text or a message.",
        )
        .or_setting("prompt"),
        Port::data_in(
            "history",
            ValueType::Messages,
            "Messages that the model reads before the user message.",
        ),
        LLM,
        Port::data_out("output", ValueType::String, "Text of the answer."),
        Port::data_out(
            "json",
            ValueType::Json,
            "The answer as `output_schema` asks.",
        ),
        USAGE,
    ],
    settings: &[
        SettingSpec::new(
            "system_prompt",
            SettingType::Text,
            "What the model is told before all else.",
        )
        .or(DefaultValue::Text(""))
        .template(),
        SettingSpec::new(
            "prompt",
            SettingType::Text,
            "The user message while nothing is wired to input; the trigger's text if empty.",
        )
        .template(),
        SettingSpec::new(
            "use_chat_history",
            SettingType::Boolean,
            "The model also reads what the conversation showed.",
        )
        .or(DefaultValue::Boolean(false)),
        SettingSpec::new(
            "history_limit",
            HISTORY_LIMIT,
            "Messages of the conversation at most, the last ones.",
        )
        .or(DefaultValue::Integer(20)),
        SettingSpec::new(
            "output_schema",
            SettingType::Schema,
            "JSON Schema of the answer.",
        ),
        SettingSpec::new(
            "stream",
            SettingType::Boolean,
            "Ask the model for a stream.",
        )
        .or(DefaultValue::Boolean(true)),
        PARAMS,
    ],
    build: |get| {
        Settings::LlmResponse(LlmResponse {
            use_chat_history: get.boolean("use_chat_history"),
            history_limit: get.number("history_limit"),
            output_schema: get.value("output_schema"),
            stream: get.boolean("stream"),
            params: get.object("params"),
        })
    },
    ..BLANK
};
