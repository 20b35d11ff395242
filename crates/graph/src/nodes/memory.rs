//! The conversation memories. What they store and send is decided in the memory crate; here are their settings.

use crate::catalogue::{
    BLANK, DefaultValue, Kind, NodeSpec, OpenedBy, Port, SettingSpec, SettingType,
};
use crate::document::EdgeType;
use crate::getters::{Get, choice};
use crate::nodes::Settings;
use crate::setting::MAX_SAFE;
use crate::values::ValueType;

/// Settings that every conversation memory has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Memory {
    /// How long the messages live.
    pub scope: Scope,
    /// Opens the port `messages_in`, which overwrites the whole store.
    pub set_from_input: bool,
    /// Opens the port `messages`, a snapshot.
    pub output_messages: bool,
    /// What is pruned; `None` keeps everything.
    pub retention: Option<Retention>,
    /// What is shortened for the model; `None` shortens nothing.
    pub token_guard: Option<TokenGuard>,
}

choice! {
    /// How long a value lives.
    Scope {
        /// As long as the conversation, in the database.
        Thread = "thread",
        /// This run.
        Session = "session",
        /// This access; always starts empty.
        Call = "call",
    }
}

/// Bounds beyond which whole rounds are pruned, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Retention {
    /// Rounds kept.
    pub max_rounds: Option<u64>,
    /// Bytes kept.
    pub max_bytes: Option<u64>,
    /// Time since a conversation was last used, in milliseconds.
    pub ttl_ms: Option<u64>,
}

/// Shortens what the model is sent to an estimated number of tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenGuard {
    /// Estimated tokens of the view.
    pub max_tokens: u64,
}

const COUNT: SettingType = SettingType::Integer {
    min: 1,
    max: MAX_SAFE,
};

const RETENTION: &[SettingSpec] = &[
    SettingSpec::new("max_rounds", COUNT, "Rounds kept."),
    SettingSpec::new("max_bytes", COUNT, "Bytes kept."),
    SettingSpec::new(
        "ttl_ms",
        COUNT,
        "Time since a conversation was last used, in milliseconds.",
    ),
];

const TOKEN_GUARD: &[SettingSpec] = &[SettingSpec::new(
    "max_tokens",
    COUNT,
    "Estimated tokens that the model is sent.",
)
.required()];

const SETTINGS: &[SettingSpec] = &[
    SettingSpec::new(
        "scope",
        SettingType::Choice {
            options: Scope::NAMES,
        },
        "How long the messages live: as long as the conversation, this run, this access.",
    )
    .or(DefaultValue::Text("thread")),
    SettingSpec::new(
        "set_from_input",
        SettingType::Boolean,
        "Opens the port messages_in, which overwrites the whole memory.",
    )
    .or(DefaultValue::Boolean(false)),
    SettingSpec::new(
        "output_messages",
        SettingType::Boolean,
        "Opens the port messages, a snapshot of the memory that changes nothing.",
    )
    .or(DefaultValue::Boolean(false)),
    SettingSpec::new(
        "retention",
        SettingType::Record { fields: RETENTION },
        "Prunes the oldest rounds; keeps everything if empty.",
    ),
    SettingSpec::new(
        "token_guard",
        SettingType::Record {
            fields: TOKEN_GUARD,
        },
        "Shortens what the model is sent; nothing if empty.",
    ),
];

pub(crate) static BUFFER: NodeSpec = NodeSpec {
    node_type: "buffer_memory",
    kind: Kind::Resource,
    group: "Conversation memory",
    title: "Buffer memory",
    description: "Remembers the whole conversation and sends all of it to the model.",
    ports: &[
        Port::link_out("memory", EdgeType::LinkMemory, "The memory."),
        Port::data_in(
            "messages_in",
            ValueType::Messages,
            "Overwrites the whole memory.",
        )
        .opened_by(OpenedBy::Setting("set_from_input")),
        Port::data_out("messages", ValueType::Messages, "A snapshot of the memory.")
            .opened_by(OpenedBy::Setting("output_messages")),
    ],
    settings: SETTINGS,
    keeps_state: true,
    build: |get| Settings::BufferMemory(memory(get)),
    ..BLANK
};

/// What all conversation memories have.
fn memory(get: Get<'_>) -> Memory {
    Memory {
        scope: get.choice("scope"),
        set_from_input: get.boolean("set_from_input"),
        output_messages: get.boolean("output_messages"),
        retention: get.record("retention").map(|record| Retention {
            max_rounds: record.maybe_number("max_rounds"),
            max_bytes: record.maybe_number("max_bytes"),
            ttl_ms: record.maybe_number("ttl_ms"),
        }),
        token_guard: get.record("token_guard").map(|record| TokenGuard {
            max_tokens: record.number("max_tokens"),
        }),
    }
}
