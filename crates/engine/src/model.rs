//! What is asked of a model and what it answers, in the canonical form of 3-memory.md 3.4.

use crate::error::{Failure, RunError};
use mnemograph_compact::{FromJson, json_enum, json_struct, json_words};
use mnemograph_memory::{Message, ModelRef, Part, Usage};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The longest text that one model answer may have, in bytes. Longer answers are `E_LLM_RESPONSE`.
pub const MAX_RESPONSE_BYTES: usize = 8 << 20;

/// What a call of a model is for, so that the host can route, bill or refuse it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
    /// An answer that did not fit its schema is asked for once more.
    #[serde(rename = "repair")]
    Repair,
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
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
#[derive(Debug, Clone, PartialEq, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Serialize)]
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
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
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

json_words!(FinishReason);

json_enum!(ChatChunk by "type" {
    "text" => Text { text },
    "reasoning" => Reasoning { text, signature, redacted, ext },
    "tool_call" => ToolCall { index, call_id, name, args },
    "finish" => Finish { reason, usage, model },
});

json_struct! {
    ResponseToolCall { call_id, name, args, args_raw }
    ChatResponse { text, parts, tool_calls, finish_reason, usage, model }
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

/// A tool call while its arguments arrive.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
struct CallDraft {
    index: u32,
    call_id: Option<String>,
    name: String,
    args: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
enum PartDraft {
    Whole(Part),
    Text(String),
    Reasoning {
        text: String,
        signature: Option<String>,
        redacted: bool,
        ext: Map<String, Value>,
    },
    Call(CallDraft),
}

/// An answer that is being put together from its pieces.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Draft {
    parts: Vec<PartDraft>,
    bytes: usize,
    /// True once a piece has arrived: from then on the call cannot be repeated unseen.
    pub(crate) touched: bool,
    /// Why the model stopped, once known.
    pub(crate) finish: Option<FinishReason>,
    /// Tokens of this call, once known.
    pub(crate) usage: Option<Usage>,
    /// The model that answered, once known.
    pub(crate) model: Option<ModelRef>,
}

impl Draft {
    /// Adds a piece.
    ///
    /// # Errors
    /// `E_LLM_RESPONSE` if the answer grows beyond [`MAX_RESPONSE_BYTES`].
    pub(crate) fn push(&mut self, chunk: ChatChunk) -> Result<(), Failure> {
        self.touched = true;
        match chunk {
            ChatChunk::Text { text } => {
                self.grow(text.len())?;
                if let Some(PartDraft::Text(so_far)) = self.parts.last_mut() {
                    so_far.push_str(&text);
                } else if !text.is_empty() {
                    self.parts.push(PartDraft::Text(text));
                }
            }
            ChatChunk::Reasoning {
                text,
                signature,
                redacted,
                ext,
            } => {
                let piece = text.unwrap_or_default();
                self.grow(piece.len() + signature.as_ref().map_or(0, String::len))?;
                self.push_reasoning(&piece, signature, redacted.unwrap_or(false), ext);
            }
            ChatChunk::ToolCall {
                index,
                call_id,
                name,
                args,
            } => {
                self.grow(args.as_ref().map_or(0, String::len))?;
                self.push_call(index, call_id, name, args);
            }
            ChatChunk::Finish {
                reason,
                usage,
                model,
            } => {
                self.finish = Some(reason);
                self.usage = usage.or(self.usage.take());
                self.model = model.or(self.model.take());
            }
        }
        Ok(())
    }

    /// Takes a whole answer.
    ///
    /// # Errors
    /// `E_LLM_RESPONSE` if it is too large or holds parts that an answer cannot hold.
    pub(crate) fn absorb(&mut self, response: ChatResponse) -> Result<(), Failure> {
        for part in response.parts.unwrap_or_default() {
            if matches!(part, Part::ToolResult { .. }) {
                return Err(Failure::new(
                    "E_LLM_RESPONSE",
                    "The model callback answered a tool_result part; only the runtime writes those.",
                ));
            }
            self.grow(serde_json::to_string(&part).map_or(0, |text| text.len()))?;
            self.parts.push(PartDraft::Whole(part));
        }
        if let Some(text) = response.text.filter(|text| !text.is_empty()) {
            self.grow(text.len())?;
            self.parts.push(PartDraft::Text(text));
        }
        for (place, call) in response
            .tool_calls
            .unwrap_or_default()
            .into_iter()
            .enumerate()
        {
            let args = match (call.args_raw, call.args) {
                (Some(raw), _) => raw,
                (None, Some(args)) => args.to_string(),
                (None, None) => String::new(),
            };
            self.grow(args.len())?;
            let index = u32::try_from(place).unwrap_or(u32::MAX);
            self.parts.push(PartDraft::Call(CallDraft {
                index,
                call_id: call.call_id,
                name: call.name,
                args,
            }));
        }
        self.finish = response.finish_reason.or(self.finish);
        self.usage = response.usage.or(self.usage.take());
        self.model = response.model.or(self.model.take());
        Ok(())
    }

    /// The text so far.
    #[must_use]
    pub(crate) fn text(&self) -> String {
        self.parts
            .iter()
            .filter_map(|part| match part {
                PartDraft::Text(text) | PartDraft::Whole(Part::Text { text, .. }) => {
                    Some(text.as_str())
                }
                _ => None,
            })
            .collect()
    }

    /// The parts so far. Calls whose arguments are not whole carry `args_raw` alone;
    /// calls without an id get one from `fallback_id` and their place.
    #[must_use]
    pub(crate) fn parts(&self, fallback_id: &str) -> Vec<Part> {
        self.parts
            .iter()
            .enumerate()
            .map(|(place, part)| match part {
                PartDraft::Whole(part) => part.clone(),
                PartDraft::Text(text) => Part::text(text.clone()),
                PartDraft::Reasoning {
                    text,
                    signature,
                    redacted,
                    ext,
                } => Part::Reasoning {
                    text: (!text.is_empty()).then(|| text.clone()),
                    summary: None,
                    signature: signature.clone(),
                    redacted: redacted.then_some(true),
                    ext: ext.clone(),
                },
                PartDraft::Call(call) => call.part(fallback_id, place),
            })
            .collect()
    }

    /// Checks that an answer which ended well can be acted on.
    ///
    /// # Errors
    /// `E_LLM_RESPONSE` for a call without a name; `E_LLM` if the model reported a failure.
    pub(crate) fn check(&self) -> Result<(), RunError> {
        if self.finish == Some(FinishReason::Error) {
            return Err(RunError::new(
                "E_LLM",
                "The model reported an error and ended its answer.",
            )
            .retryable(true));
        }
        for part in &self.parts {
            if let PartDraft::Call(call) = part
                && call.name.is_empty()
            {
                return Err(RunError::new(
                    "E_LLM_RESPONSE",
                    "The model called a tool without naming it.",
                ));
            }
        }
        Ok(())
    }

    fn grow(&mut self, bytes: usize) -> Result<(), Failure> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes <= MAX_RESPONSE_BYTES {
            return Ok(());
        }
        Err(Failure::new(
            "E_LLM_RESPONSE",
            format!("The model's answer is longer than {MAX_RESPONSE_BYTES} bytes."),
        ))
    }

    fn push_reasoning(
        &mut self,
        piece: &str,
        signature: Option<String>,
        redacted: bool,
        ext: Option<Map<String, Value>>,
    ) {
        if !matches!(
            self.parts.last(),
            Some(PartDraft::Reasoning {
                signature: None,
                ..
            })
        ) {
            self.parts.push(PartDraft::Reasoning {
                text: String::new(),
                signature: None,
                redacted: false,
                ext: Map::new(),
            });
        }
        if let Some(PartDraft::Reasoning {
            text,
            signature: known,
            redacted: hidden,
            ext: data,
        }) = self.parts.last_mut()
        {
            text.push_str(piece);
            *known = signature.or(known.take());
            *hidden |= redacted;
            data.extend(ext.unwrap_or_default());
        }
    }

    fn push_call(
        &mut self,
        index: u32,
        call_id: Option<String>,
        name: Option<String>,
        args: Option<String>,
    ) {
        let known = self.parts.iter_mut().find_map(|part| match part {
            PartDraft::Call(call) if call.index == index => Some(call),
            _ => None,
        });
        match known {
            Some(call) => {
                call.call_id = call.call_id.take().or(call_id);
                if call.name.is_empty() {
                    call.name = name.unwrap_or_default();
                }
                call.args.push_str(args.as_deref().unwrap_or_default());
            }
            None => self.parts.push(PartDraft::Call(CallDraft {
                index,
                call_id,
                name: name.unwrap_or_default(),
                args: args.unwrap_or_default(),
            })),
        }
    }
}

impl CallDraft {
    fn part(&self, fallback_id: &str, place: usize) -> Part {
        let call_id = self
            .call_id
            .clone()
            .filter(|id| !id.is_empty())
            .unwrap_or_else(|| format!("{fallback_id}_{place}"));
        let (args, args_raw) = read_args(&self.args);
        Part::ToolCall {
            call_id,
            name: self.name.clone(),
            args,
            args_raw,
            executor: None,
            ext: Map::new(),
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
