//! `ai_agent`: a model with tools and memory, called until it answers.

use serde_json::{Map, Value};

use super::llm_response::{LLM, PARAMS, USAGE};
use crate::catalogue::{BLANK, DefaultValue, NodeSpec, Port, SettingSpec, SettingType};
use crate::document::EdgeType;
use crate::getters::choice;
use crate::nodes::Settings;
use crate::values::ValueType;

/// Settings of `ai_agent`.
#[derive(Debug, Clone, PartialEq)]
pub struct AiAgent {
    /// Template of the system prompt.
    pub system_prompt: String,
    /// Template of the user message while `input` is unwired; `None` is the trigger's text.
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
    pub output_schema: Option<Value>,
    /// Ask the model for a stream.
    pub stream: bool,
    /// Passed through to the model.
    pub params: Map<String, Value>,
}

choice! {
    /// What a failing tool does to its agent.
    ToolErrors {
        /// The model reads the error and goes on.
        ToModel = "to_model",
        /// The agent fails.
        Fail = "fail",
    }
}

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "ai_agent",
    group: "AI",
    title: "AI agent",
    description: "Answers with a model, calls tools, remembers through a linked memory.",
    ports: &[
        Port::run_in("in", "Control enters."),
        Port::run_out("out", "Taken after the answer."),
        Port::data_in(
            "input",
            ValueType::Any,
            "The user message: text or a message.",
        )
        .or_setting("prompt"),
        Port::link_in("memory", EdgeType::LinkMemory, "The conversation memory.").max(1),
        LLM,
        Port::link_in(
            "extension",
            EdgeType::LinkExtension,
            "Further abilities, such as a notebook or a long-term memory.",
        ),
        Port::link_in(
            "tools",
            EdgeType::LinkTool,
            "Tools that the model may call.",
        ),
        Port::data_out("output", ValueType::String, "Text of the answer."),
        Port::data_out(
            "messages",
            ValueType::Messages,
            "All messages of the execution.",
        ),
        Port::data_out(
            "json",
            ValueType::Json,
            "The answer as `output_schema` asks.",
        ),
        USAGE,
        Port::data_out("iterations", ValueType::Integer, "Model calls made."),
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
                options: ToolErrors::NAMES,
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
        PARAMS,
    ],
    build: |get| {
        Settings::AiAgent(AiAgent {
            system_prompt: get.text("system_prompt"),
            prompt: get.maybe_text("prompt"),
            max_iterations: get.number("max_iterations"),
            tool_errors: get.choice("tool_errors"),
            parallel_tools: get.number("parallel_tools"),
            tool_result_max_chars: get.number("tool_result_max_chars"),
            output_schema: get.value("output_schema"),
            stream: get.boolean("stream"),
            params: get.object("params"),
        })
    },
    ..BLANK
};
