//! The canonical message (3-memory.md 3.4): what is stored, what a model is sent, what crosses to the host.

use mnemograph_compact::FromJson;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::part::Part;

/// The format version of a message that this code writes and reads.
pub const MESSAGE_VERSION: u32 = 1;

/// Namespace of the marks that we put into `ext` ourselves.
const OWN_EXT: &str = "mnemograph";

/// Who speaks.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, FromJson,
)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[json(own_deserialize)]
pub enum Role {
    /// The person.
    User,
    /// The model.
    Assistant,
    /// The result of one tool call.
    Tool,
    /// Instructions. Stored if given, never sent from memory (D5).
    System,
}

impl Role {
    /// The word on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Assistant => "assistant",
            Self::Tool => "tool",
            Self::System => "system",
        }
    }
}

/// How the round of a message ended. All messages of a round that is not complete carry its status.
#[derive(
    Debug,
    Clone,
    Copy,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    FromJson,
)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[json(own_deserialize)]
pub enum Status {
    /// As it should.
    #[default]
    Complete,
    /// It was stopped, or its page was closed.
    Aborted,
    /// The model or a tool failed for good.
    Failed,
    /// The model's output limit cut it.
    Incomplete,
    /// A guard or the host withheld the answer.
    Blocked,
}

/// Which model wrote a response, or is about to read one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ModelRef {
    /// Who runs it: `openai`, `anthropic`, …
    pub provider: String,
    /// Which of the provider's interfaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub api: Option<String>,
    /// The model's id at the provider.
    pub id: String,
    /// The family whose members read each other's reasoning; absent: told from the id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub family: Option<String>,
}

/// Tokens that a model call used.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Usage {
    /// Tokens read.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub input: u64,
    /// Tokens written.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub output: u64,
    /// Of the tokens read, those that came from a cache.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub cached_input: Option<u64>,
    /// Of the tokens written, those of reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub reasoning: Option<u64>,
}

impl Usage {
    /// Adds another call's tokens.
    pub fn add(&mut self, other: &Self) {
        let sum = |a: Option<u64>, b: Option<u64>| match (a, b) {
            (None, None) => None,
            (a, b) => Some(a.unwrap_or(0).saturating_add(b.unwrap_or(0))),
        };
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cached_input = sum(self.cached_input, other.cached_input);
        self.reasoning = sum(self.reasoning, other.reasoning);
    }
}

/// One message: a person's input, one response of a model with all its calls, or one tool result.
///
/// Reading is strict about the fields of 3.4 and blind to others; what must survive belongs into `meta` or `ext`.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Message {
    /// Format version, [`MESSAGE_VERSION`].
    pub v: u32,
    /// Unique; foreign ids are kept as given.
    pub id: String,
    /// The round it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub round: Option<String>,
    /// Its place in the store: given by a read, never part of what is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub seq: Option<u64>,
    /// Who speaks.
    pub role: Role,
    /// How its round ended.
    pub status: Status,
    /// Why the round is not complete; on its last message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub error_code: Option<String>,
    /// Milliseconds since the epoch, for people; never sorted by.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub created_at: Option<u64>,
    /// Name of the speaker or the agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub name: Option<String>,
    /// What is said. A tool message holds exactly one `tool_result`.
    pub parts: Vec<Part>,
    /// The model that wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub model: Option<ModelRef>,
    /// Why the model stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub finish_reason: Option<String>,
    /// Tokens used.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub usage: Option<Usage>,
    /// The host's own data; never sent.
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<Map<String, Value>>"))]
    pub meta: Map<String, Value>,
    /// Data of foreign systems, one namespace each; opaque, preserved.
    #[serde(skip_serializing_if = "Map::is_empty")]
    #[cfg_attr(feature = "ts", ts(optional, as = "Option<Map<String, Value>>"))]
    pub ext: Map<String, Value>,
}

impl Message {
    /// A complete message without a round.
    #[must_use]
    pub fn new(id: impl Into<String>, role: Role, parts: Vec<Part>, created_at: u64) -> Self {
        Self {
            v: MESSAGE_VERSION,
            id: id.into(),
            round: None,
            seq: None,
            role,
            status: Status::Complete,
            error_code: None,
            created_at: Some(created_at),
            name: None,
            parts,
            model: None,
            finish_reason: None,
            usage: None,
            meta: Map::new(),
            ext: Map::new(),
        }
    }

    /// All text parts in order, joined.
    #[must_use]
    pub fn text(&self) -> String {
        self.parts.iter().filter_map(Part::as_text).collect()
    }

    /// Whether repair made it: it is in the view and not in the store.
    #[must_use]
    pub fn is_synthetic(&self) -> bool {
        self.synthetic().is_some()
    }

    /// Which repair made it.
    pub(crate) fn synthetic(&self) -> Option<&str> {
        self.ext.get(OWN_EXT)?.get("synthetic")?.as_str()
    }

    /// Marks a message as made by a repair.
    pub(crate) fn mark_synthetic(&mut self, kind: &str) {
        let mut own = Map::new();
        own.insert("synthetic".to_owned(), Value::from(kind));
        self.ext.insert(OWN_EXT.to_owned(), Value::Object(own));
    }
}

/// Everything that one execution of an agent adds to memory.
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Round {
    /// Unique for all time: a second append with the same id stores nothing.
    pub id: String,
    /// The run it belongs to.
    pub run_id: String,
    /// How it ended.
    pub status: Status,
    /// Why it is not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub error_code: Option<String>,
    /// The round it follows where that is not simply the one before it (D39).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub parent: Option<String>,
    /// Its messages in order of execution.
    pub messages: Vec<Message>,
}

impl Round {
    /// An empty round.
    #[must_use]
    pub fn new(id: impl Into<String>, run_id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            run_id: run_id.into(),
            status: Status::Complete,
            error_code: None,
            parent: None,
            messages: Vec::new(),
        }
    }

    /// Sets how the round ended, on the round and on its messages: each carries the status if it is not complete, the
    /// last one the code, so that views can be computed from messages alone.
    pub fn end(&mut self, status: Status, error_code: Option<String>) {
        self.status = status;
        self.error_code.clone_from(&error_code);
        for message in &mut self.messages {
            message.status = status;
            message.error_code = None;
        }
        if let Some(last) = self.messages.last_mut() {
            last.error_code = error_code;
        }
    }
}
