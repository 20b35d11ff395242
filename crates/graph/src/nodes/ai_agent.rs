//! `ai_agent`: a model with tools and memory, called until it answers.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::catalogue::{DefaultValue, Kind, NodeSpec, PortSpec, SettingSpec, SettingType, settled};
use crate::document::EdgeType;
use crate::nodes::Settings;
use crate::values::ValueType;

/// Settings of `ai_agent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct AiAgent {
    /// Template of the system prompt.
    pub system_prompt: String,
    /// Template of the user message while `input` is unwired; `None` is the trigger's text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prompt: Option<String>,
    /// Model calls of one execution.
    pub max_iterations: u32,
    /// What a failing tool does.
    pub tool_errors: ToolErrors,
    /// Tool calls that run at the same time.
    pub parallel_tools: usize,
    /// Characters of one tool result that the model sees.
    pub tool_result_max_chars: usize,
    /// JSON Schema of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<Value>,
    /// Ask the model for a stream.
    pub stream: bool,
    /// Passed through to the model.
    pub params: Map<String, Value>,
}

/// What a failing tool does to its agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolErrors {
    /// The model reads the error and goes on.
    ToModel,
    /// The agent fails.
    Fail,
}

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "ai_agent",
    version: 1,
    kind: Kind::Step,
    group: "AI",
    title: "AI agent",
    description: "Answers with a model, calls tools, remembers through a linked memory.",
    ports: &[
        PortSpec::run_in("in", "Control enters."),
        PortSpec::run_out("out", "Taken after the answer."),
        PortSpec::data_in(
            "input",
            ValueType::Any,
            "The user message: text or a message.",
        )
        .or_setting("prompt"),
        PortSpec::link_in("memory", EdgeType::LinkMemory, "The conversation memory.").max(1),
        PortSpec::link_in(
            "llm",
            EdgeType::LinkLlm,
            "The model, and a second one for when it fails.",
        )
        .required()
        .max(2),
        PortSpec::link_in(
            "tools",
            EdgeType::LinkTool,
            "Tools that the model may call.",
        ),
        PortSpec::data_out("output", ValueType::String, "Text of the answer."),
        PortSpec::data_out(
            "messages",
            ValueType::Messages,
            "All messages of the execution.",
        ),
        PortSpec::data_out(
            "json",
            ValueType::Json,
            "The answer as `output_schema` asks.",
        ),
        PortSpec::data_out("usage", ValueType::Json, "Tokens used."),
        PortSpec::data_out("iterations", ValueType::Integer, "Model calls made."),
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
            "max_iterations",
            SettingType::Integer { min: 1, max: 1_000 },
            "Model calls of one execution.",
        )
        .or(DefaultValue::Integer(10)),
        SettingSpec::new(
            "tool_errors",
            SettingType::Choice {
                options: &["to_model", "fail"],
            },
            "Whether the model reads the error of a tool or the agent fails.",
        )
        .or(DefaultValue::Text("to_model")),
        SettingSpec::new(
            "parallel_tools",
            SettingType::Integer { min: 1, max: 64 },
            "Tool calls that run at the same time.",
        )
        .or(DefaultValue::Integer(4)),
        SettingSpec::new(
            "tool_result_max_chars",
            SettingType::Integer {
                min: 1,
                max: 10_000_000,
            },
            "Characters of one tool result that the model sees.",
        )
        .or(DefaultValue::Integer(16_000)),
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
        SettingSpec::new(
            "params",
            SettingType::Object,
            "Passed through to the model.",
        )
        .or(DefaultValue::EmptyObject),
    ],
    keeps_state: false,
    settle: settled,
    build: |map| {
        Ok(Settings::AiAgent(serde_json::from_value(Value::Object(
            map,
        ))?))
    },
};
