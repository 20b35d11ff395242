//! What a message is made of.

use mnemograph_compact::FromJson;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Where an image or a file is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Source {
    /// On the web.
    Url {
        /// Its address.
        url: String,
    },
    /// In the blob table.
    Blob {
        /// SHA-256 of the content, hexadecimal.
        sha256: String,
        /// Bytes.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        size: u64,
    },
    /// With a provider.
    FileId {
        /// Which provider.
        provider: String,
        /// The provider's id of the file.
        id: String,
    },
    /// Here.
    Inline {
        /// The content.
        base64: String,
    },
}

/// Who runs a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
#[json(own_deserialize)]
pub enum Executor {
    /// We do; also where nothing is said.
    Client,
    /// The model's provider; its result may stand in the same message.
    Provider,
}

/// A piece of a tool's result.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Content {
    /// Text.
    Text {
        /// The text.
        text: String,
    },
    /// A JSON value.
    Json {
        /// The value.
        #[cfg_attr(feature = "ts", ts(type = "unknown"))]
        json: Value,
    },
    /// An image.
    Image {
        /// Where it is.
        source: Source,
        /// MIME type.
        media_type: String,
    },
    /// A file.
    File {
        /// Where it is.
        source: Source,
        /// MIME type.
        media_type: String,
        /// Its name.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        filename: Option<String>,
    },
}

impl Content {
    /// A text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}

/// One part of a message.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    /// Text.
    Text {
        /// The text.
        text: String,
        /// Citations and the like, opaque.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional, type = "unknown"))]
        annotations: Option<Value>,
        /// Data of foreign systems.
        #[serde(skip_serializing_if = "Map::is_empty")]
        #[cfg_attr(feature = "ts", ts(optional, as = "Option<Map<String, Value>>"))]
        ext: Map<String, Value>,
    },
    /// An image.
    Image {
        /// Where it is.
        source: Source,
        /// MIME type.
        media_type: String,
        /// How closely the model should look.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        detail: Option<String>,
        /// What it shows, in words.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        alt: Option<String>,
        /// Data of foreign systems.
        #[serde(skip_serializing_if = "Map::is_empty")]
        #[cfg_attr(feature = "ts", ts(optional, as = "Option<Map<String, Value>>"))]
        ext: Map<String, Value>,
    },
    /// A file, audio and video too.
    File {
        /// Where it is.
        source: Source,
        /// MIME type.
        media_type: String,
        /// Its name.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        filename: Option<String>,
        /// Data of foreign systems.
        #[serde(skip_serializing_if = "Map::is_empty")]
        #[cfg_attr(feature = "ts", ts(optional, as = "Option<Map<String, Value>>"))]
        ext: Map<String, Value>,
    },
    /// What the model thought; only the model family that thought it is sent it again.
    Reasoning {
        /// The text.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        text: Option<String>,
        /// The provider's summary, opaque.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional, type = "unknown"))]
        summary: Option<Value>,
        /// The provider's signature, never altered.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        signature: Option<String>,
        /// True if the provider hid the text.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        redacted: Option<bool>,
        /// Data of foreign systems.
        #[serde(skip_serializing_if = "Map::is_empty")]
        #[cfg_attr(feature = "ts", ts(optional, as = "Option<Map<String, Value>>"))]
        ext: Map<String, Value>,
    },
    /// A call of a tool.
    ToolCall {
        /// Ties the result to it.
        call_id: String,
        /// The tool.
        name: String,
        /// The arguments; absent if their text is not valid JSON. `null` and `{}` are values.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional, type = "unknown"))]
        args: Option<Value>,
        /// The exact text of the arguments, where `args` would not be written the same way.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        args_raw: Option<String>,
        /// Who runs it.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        executor: Option<Executor>,
        /// Data of foreign systems.
        #[serde(skip_serializing_if = "Map::is_empty")]
        #[cfg_attr(feature = "ts", ts(optional, as = "Option<Map<String, Value>>"))]
        ext: Map<String, Value>,
    },
    /// What a tool answered.
    ToolResult {
        /// The call.
        call_id: String,
        /// The tool.
        name: String,
        /// Whether it failed.
        is_error: bool,
        /// The answer.
        content: Vec<Content>,
        /// True if a later result may replace it.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        preliminary: Option<bool>,
        /// Data of foreign systems.
        #[serde(skip_serializing_if = "Map::is_empty")]
        #[cfg_attr(feature = "ts", ts(optional, as = "Option<Map<String, Value>>"))]
        ext: Map<String, Value>,
    },
    /// The model's refusal.
    Refusal {
        /// Its words.
        text: String,
        /// Data of foreign systems.
        #[serde(skip_serializing_if = "Map::is_empty")]
        #[cfg_attr(feature = "ts", ts(optional, as = "Option<Map<String, Value>>"))]
        ext: Map<String, Value>,
    },
    /// A provider's own compression of what went before.
    Compaction {
        /// In words.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional))]
        text: Option<String>,
        /// Readable by the provider only.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(feature = "ts", ts(optional, type = "unknown"))]
        opaque: Option<Value>,
        /// Data of foreign systems.
        #[serde(skip_serializing_if = "Map::is_empty")]
        #[cfg_attr(feature = "ts", ts(optional, as = "Option<Map<String, Value>>"))]
        ext: Map<String, Value>,
    },
    /// Data for the user interface; no model sees it.
    Data {
        /// What it is.
        name: String,
        /// The data.
        #[cfg_attr(feature = "ts", ts(type = "unknown"))]
        data: Value,
        /// Data of foreign systems.
        #[serde(skip_serializing_if = "Map::is_empty")]
        #[cfg_attr(feature = "ts", ts(optional, as = "Option<Map<String, Value>>"))]
        ext: Map<String, Value>,
    },
    /// A part of a type `x-…` that we do not know, kept as it is.
    #[serde(untagged)]
    Unknown(
        /// The whole object, `type` included.
        #[cfg_attr(
            feature = "ts",
            ts(type = "{ type: `x-${string}` } & Record<string, unknown>")
        )]
        Map<String, Value>,
    ),
}

impl Part {
    /// A text.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text {
            text: text.into(),
            annotations: None,
            ext: Map::new(),
        }
    }

    /// A call that we run.
    #[must_use]
    pub fn tool_call(call_id: impl Into<String>, name: impl Into<String>, args: Value) -> Self {
        Self::ToolCall {
            call_id: call_id.into(),
            name: name.into(),
            args: Some(args),
            args_raw: None,
            executor: None,
            ext: Map::new(),
        }
    }

    /// A final result.
    #[must_use]
    pub fn tool_result(
        call_id: impl Into<String>,
        name: impl Into<String>,
        is_error: bool,
        content: Vec<Content>,
    ) -> Self {
        Self::ToolResult {
            call_id: call_id.into(),
            name: name.into(),
            is_error,
            content,
            preliminary: None,
            ext: Map::new(),
        }
    }

    /// The text, if it is a text part.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Whether it is a call that we have to run: not one that the provider runs.
    #[must_use]
    pub fn is_open_call(&self) -> bool {
        matches!(self, Self::ToolCall { executor, .. } if *executor != Some(Executor::Provider))
    }
}
