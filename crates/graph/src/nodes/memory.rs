//! The conversation memories. What they store and send is decided in the memory crate; here are their settings.

use serde_json::{Map, Value};

use crate::catalogue::{
    BLANK, DefaultValue, Kind, NodeSpec, OpenedBy, Port, SettingFault, SettingSpec, SettingType,
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

/// `window_memory`: sends the last stored messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowMemory {
    /// What it has in common with the others.
    pub memory: Memory,
    /// At most this many stored messages are sent (3-memory.md D6).
    pub window_size: usize,
}

/// `summary_memory`: sends notes on the older messages and the newer ones as they are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SummaryMemory {
    /// What it has in common with the others.
    pub memory: Memory,
    /// Notes are made once more than this many stored messages are not covered by them (3-memory.md D10).
    pub summary_trigger: usize,
    /// At least this many messages stay as they are (D11).
    pub keep_recent: usize,
    /// What the model is told in place of the built-in instructions.
    pub summary_prompt: Option<String>,
    /// Words that the notes may have.
    pub summary_max_words: u64,
    /// Whose rank the notes have.
    pub summary_placement: SummaryPlacement,
}

choice! {
    /// Whose rank the notes have in what a model is sent.
    SummaryPlacement {
        /// A message of the person.
        User = "user",
        /// A system message.
        System = "system",
    }
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

/// A window that holds more is a buffer.
const MAX_WINDOW: i64 = 1_000_000;

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

pub(crate) const SCOPE: SettingSpec = SettingSpec::new(
    "scope",
    SettingType::Choice {
        options: Scope::NAMES,
    },
    "How long the messages live: as long as the conversation, this run, this access.",
)
.or(DefaultValue::Text("thread"));

const SET_FROM_INPUT: SettingSpec = SettingSpec::new(
    "set_from_input",
    SettingType::Boolean,
    "Opens the port messages_in, which overwrites the whole memory.",
)
.or(DefaultValue::Boolean(false));

const OUTPUT_MESSAGES: SettingSpec = SettingSpec::new(
    "output_messages",
    SettingType::Boolean,
    "Opens the port messages, a snapshot of the memory that changes nothing.",
)
.or(DefaultValue::Boolean(false));

const RETAINED: SettingSpec = SettingSpec::new(
    "retention",
    SettingType::Record { fields: RETENTION },
    "Not in effect yet: prunes the oldest rounds; keeps everything if empty.",
)
.planned();

const GUARDED: SettingSpec = SettingSpec::new(
    "token_guard",
    SettingType::Record {
        fields: TOKEN_GUARD,
    },
    "Not in effect yet: shortens what the model is sent; nothing if empty.",
)
.planned();

const MESSAGES_IN: Port = Port::data_in(
    "messages_in",
    ValueType::Messages,
    "Overwrites the whole memory before an agent reads it; nothing or null leaves it as it is.",
)
.opened_by(OpenedBy::Setting("set_from_input"));

/// A port that gives messages.
pub(crate) const fn messages_port(description: &'static str) -> Port {
    Port::data_out("messages", ValueType::Messages, description)
}

const MESSAGES: Port = messages_port(
    "What the memory holds after an agent has stored its round, each message with in_view.",
)
.opened_by(OpenedBy::Setting("output_messages"));

const PORTS: &[Port] = &[
    Port::link_out("memory", EdgeType::LinkMemory, "The memory."),
    MESSAGES_IN,
    MESSAGES,
];

pub(crate) static BUFFER: NodeSpec = NodeSpec {
    node_type: "buffer_memory",
    kind: Kind::Resource,
    group: "Conversation memory",
    title: "Buffer memory",
    description: "Remembers the whole conversation and sends all of it to the model.",
    ports: PORTS,
    settings: &[SCOPE, SET_FROM_INPUT, OUTPUT_MESSAGES, RETAINED, GUARDED],
    keeps_state: true,
    build: |get| Settings::BufferMemory(memory(get)),
    ..BLANK
};

pub(crate) static WINDOW: NodeSpec = NodeSpec {
    node_type: "window_memory",
    kind: Kind::Resource,
    group: "Conversation memory",
    title: "Window memory",
    description: "Remembers the whole conversation and sends the last messages of it to the model, in whole exchanges.",
    ports: PORTS,
    settings: &[
        SettingSpec::new(
            "window_size",
            SettingType::Integer {
                min: 0,
                max: MAX_WINDOW,
            },
            "At most this many stored messages are sent; 0 sends none. A call of a tool and its results are messages too.",
        )
        .or(DefaultValue::Integer(10)),
        SCOPE,
        SET_FROM_INPUT,
        OUTPUT_MESSAGES,
        RETAINED,
        GUARDED,
    ],
    keeps_state: true,
    build: |get| {
        Settings::WindowMemory(WindowMemory {
            memory: memory(get),
            window_size: get.number("window_size"),
        })
    },
    ..BLANK
};

pub(crate) static SUMMARY: NodeSpec = NodeSpec {
    node_type: "summary_memory",
    kind: Kind::Resource,
    group: "Conversation memory",
    title: "Summary memory",
    description: "Remembers the whole conversation and sends notes on its older part and the newer messages as they are to the model.",
    ports: &[
        Port::link_out("memory", EdgeType::LinkMemory, "The memory."),
        Port::link_in(
            "llm",
            EdgeType::LinkLlm,
            "The model that writes the notes; that of the agent if there is none.",
        )
        .max(1),
        MESSAGES_IN,
        MESSAGES,
    ],
    settings: &[
        SettingSpec::new(
            "summary_trigger",
            SettingType::Integer {
                min: 1,
                max: MAX_WINDOW,
            },
            "Notes are made once more than this many messages are not covered by them.",
        )
        .or(DefaultValue::Integer(20)),
        SettingSpec::new(
            "keep_recent",
            SettingType::Integer {
                min: 0,
                max: MAX_WINDOW,
            },
            "At least this many messages stay as they are; fewer than summary_trigger.",
        )
        .or(DefaultValue::Integer(6)),
        SettingSpec::new(
            "summary_prompt",
            SettingType::Text,
            "What the model that writes the notes is told, in place of the built-in instructions.",
        ),
        SettingSpec::new(
            "summary_max_words",
            SettingType::Integer {
                min: 1,
                max: 100_000,
            },
            "Words that the notes may have; what is longer is cut at the end of a line.",
        )
        .or(DefaultValue::Integer(300)),
        SettingSpec::new(
            "summary_placement",
            SettingType::Choice {
                options: SummaryPlacement::NAMES,
            },
            "Whose rank the notes have: what people and tools said is never promoted with \"user\".",
        )
        .or(DefaultValue::Text("user")),
        SCOPE,
        SET_FROM_INPUT,
        OUTPUT_MESSAGES,
        RETAINED,
        GUARDED,
    ],
    keeps_state: true,
    settle: settle_summary,
    build: |get| {
        Settings::SummaryMemory(SummaryMemory {
            memory: memory(get),
            summary_trigger: get.number("summary_trigger"),
            keep_recent: get.number("keep_recent"),
            summary_prompt: get.maybe_text("summary_prompt"),
            summary_max_words: get.number("summary_max_words"),
            summary_placement: get.choice("summary_placement"),
        })
    },
    ..BLANK
};

fn settle_summary(map: &mut Map<String, Value>) -> Vec<SettingFault> {
    let number = |name: &str| map.get(name).and_then(Value::as_i64);
    match (number("keep_recent"), number("summary_trigger")) {
        (Some(keep), Some(trigger)) if keep >= trigger => vec![SettingFault::new(
            "keep_recent",
            format!("\"keep_recent\" ({keep}) is not less than \"summary_trigger\" ({trigger})."),
            "Keep fewer messages as they are, or raise \"summary_trigger\": else there is nothing to make notes of.",
        )],
        _ => Vec::new(),
    }
}

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
