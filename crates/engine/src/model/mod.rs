//! What is asked of a model and what it answers, in the canonical form of 3-memory.md 3.4.

mod draft;
mod summary;

pub(crate) use draft::Draft;
pub use summary::{Summariser, SummaryCall};

use crate::error::Failure;
use mnemograph_compact::FromJson;
use mnemograph_memory::{Message, ModelRef, Part, Usage};
use serde::Serialize;
use serde_json::{Map, Value};

/// The longest text that one model answer may have, in bytes. Longer answers are `E_LLM_RESPONSE`.
pub const MAX_RESPONSE_BYTES: usize = 8 << 20;

/// What a call of a model is for, so that the host can route, bill or refuse it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum Purpose {
    /// A step of an agent.
    #[serde(rename = "agent")]
    Agent,
    /// An `llm_response` node.
    #[serde(rename = "response")]
    Response,
    /// A `classifier` node.
    #[serde(rename = "classifier")]
    Classifier,
    /// An `extract` node.
    #[serde(rename = "extract")]
    Extract,
    /// A `summary_memory` makes notes of a conversation's older part.
    #[serde(rename = "memory.summary")]
    MemorySummary,
    /// An answer that did not fit its schema is asked for once more.
    #[serde(rename = "repair")]
    Repair,
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ToolSpec {
    /// Name that the model calls.
    pub name: String,
    /// What it does, for the model.
    pub description: String,
    /// JSON Schema of the arguments.
    #[cfg_attr(feature = "ts", ts(type = "Record<string, unknown>"))]
    pub parameters: Value,
}

/// One model call.
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChatRequest {
    /// Canonical messages: the system message first, if any; the current user message last in the first call.
    pub messages: Vec<Message>,
    /// The tools on offer.
    pub tools: Vec<ToolSpec>,
    /// Passed through to the model; the node's settings over the model's.
    #[cfg_attr(feature = "ts", ts(type = "Record<string, unknown>"))]
    pub params: Map<String, Value>,
    /// JSON Schema that the answer should follow, for models that can be held to one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "Record<string, unknown>"))]
    pub response_format: Option<Map<String, Value>>,
    /// True if the graph wants the answer in pieces; a whole answer is right all the same.
    pub stream: bool,
}

/// Why a model stopped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum FinishReason {
    /// It had said everything.
    Stop,
    /// It waits for the results of its calls.
    ToolCalls,
    /// The output limit cut it.
    Length,
    /// A filter of the provider stopped it.
    ContentFilter,
    /// It failed on its side.
    Error,
    /// Anything else.
    #[default]
    Other,
}

impl FinishReason {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stop => "stop",
            Self::ToolCalls => "tool_calls",
            Self::Length => "length",
            Self::ContentFilter => "content_filter",
            Self::Error => "error",
            Self::Other => "other",
        }
    }
}

/// One piece of a streamed answer.
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ChatChunk {
    /// A piece of the answer's text.
    Text {
        /// The piece.
        text: String,
    },
    /// A piece of the reasoning; signature and ext stand for the part as a whole.
    Reasoning {
        /// The piece.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        text: Option<String>,
        /// The provider's signature, never altered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        signature: Option<String>,
        /// True if the provider hid the text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        redacted: Option<bool>,
        /// Opaque data of the provider.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional, type = "Record<string, unknown>"))]
        ext: Option<Map<String, Value>>,
    },
    /// A piece of a tool call.
    ToolCall {
        /// Which of the calls of this answer.
        index: u32,
        /// The provider's id, with the first piece.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        call_id: Option<String>,
        /// The tool's name, with the first piece.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        name: Option<String>,
        /// A piece of the arguments' JSON text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        args: Option<String>,
    },
    /// The end of the answer.
    Finish {
        /// Why it ended.
        reason: FinishReason,
        /// Tokens of this call.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        usage: Option<Usage>,
        /// The model that answered.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        model: Option<ModelRef>,
    },
}

/// A tool call in a whole answer: `args` as JSON, or `args_raw` as the provider's exact text.
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ResponseToolCall {
    /// The provider's id; made up where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub call_id: Option<String>,
    /// The tool's name.
    pub name: String,
    /// Arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "unknown"))]
    pub args: Option<Value>,
    /// The arguments' exact text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub args_raw: Option<String>,
}

/// A whole answer. Give `parts` (canonical) or `text` and `tool_calls`; a plain string is `text`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ChatResponse {
    /// The text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub text: Option<String>,
    /// Canonical parts, in order; before `text` and `tool_calls` where those are given too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub parts: Option<Vec<Part>>,
    /// The calls.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub tool_calls: Option<Vec<ResponseToolCall>>,
    /// Why it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub finish_reason: Option<FinishReason>,
    /// Tokens of this call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub usage: Option<Usage>,
    /// The model that answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub model: Option<ModelRef>,
}

impl ChatResponse {
    /// Reads what a callback answered: a string, or an object of this shape with something in it.
    ///
    /// # Errors
    /// `E_LLM_RESPONSE`, with what was wrong, for anything else.
    pub fn from_value(value: Value) -> Result<Self, Failure> {
        let bad = |why: String| {
            Failure::new(
                "E_LLM_RESPONSE",
                format!("The model callback answered {why}."),
            )
        };
        match value {
            Value::String(text) => Ok(Self {
                text: Some(text),
                ..Self::default()
            }),
            Value::Object(object) => {
                let known = ["text", "parts", "tool_calls"];
                if !known.iter().any(|key| object.contains_key(*key)) {
                    return Err(bad("an object without text, parts or tool_calls".to_owned()));
                }
                Self::from_json(Value::Object(object))
                    .map_err(|error| bad(format!("an object that is no response: {error}")))
            }
            Value::Null => Err(bad("nothing".to_owned())),
            Value::Bool(_) => Err(bad("a boolean".to_owned())),
            Value::Number(_) => Err(bad("a number".to_owned())),
            Value::Array(_) => Err(bad("a list".to_owned())),
        }
    }
}

/// The arguments of a call from their text: the value where it is valid JSON, and the exact text
/// where JavaScript would not write the value the same way (3-memory.md 3.4, `args_raw`).
/// Providers send empty text for a tool without parameters: that is `{}`.
#[must_use]
pub fn read_args(text: &str) -> (Option<Value>, Option<String>) {
    if text.trim().is_empty() {
        return (Some(Value::Object(Map::new())), Some(text.to_owned()));
    }
    match mnemograph_graph::json::parse(text) {
        Ok(value) => {
            let written = value.to_string();
            let exact = survives_javascript(&value) && written == text;
            (Some(value), (!exact).then(|| text.to_owned()))
        }
        Err(_) => (None, Some(text.to_owned())),
    }
}

/// False if a number in the value changes when JavaScript reads and writes it.
fn survives_javascript(value: &Value) -> bool {
    match value {
        Value::Number(number) => {
            const SAFE: u64 = (1 << 53) - 1;
            match (number.as_u64(), number.as_i64()) {
                (Some(n), _) => n <= SAFE,
                (None, Some(n)) => n.unsigned_abs() <= SAFE,
                (None, None) => false,
            }
        }
        Value::Array(items) => items.iter().all(survives_javascript),
        Value::Object(fields) => fields.values().all(survives_javascript),
        Value::Null | Value::Bool(_) | Value::String(_) => true,
    }
}
