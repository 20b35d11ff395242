//! `chat_history`: what the conversation showed.

use serde_json::{Map, Value};

use crate::catalogue::{
    BLANK, DefaultValue, Kind, NodeSpec, Port, SettingFault, SettingSpec, SettingType,
};
use crate::getters::Get;
use crate::nodes::Settings;
use crate::problem::quote;
use crate::values::ValueType;

/// Settings of `chat_history`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatHistory {
    /// Messages at most, the last ones.
    pub limit: u32,
    /// Whose messages: `user`, `assistant`.
    pub roles: Vec<String>,
    /// The message that started the run is among them.
    pub include_current: bool,
}

/// Messages of a transcript at most.
pub(crate) const HISTORY_LIMIT: SettingType = SettingType::Integer {
    min: 1,
    max: 10_000,
};

fn settle(map: &mut Map<String, Value>) -> Vec<SettingFault> {
    let roles = Get(map).strs("roles").enumerate();
    roles
        .filter(|(_, role)| !matches!(*role, "user" | "assistant"))
        .map(|(index, role)| {
            SettingFault::new(
                format!("roles/{index}"),
                format!("A conversation has no messages of {}.", quote(role)),
                "Use \"user\" and \"assistant\".",
            )
        })
        .collect()
}

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "chat_history",
    kind: Kind::Pull,
    group: "AI",
    title: "Chat history",
    description: "Reads what the conversation showed, whatever any memory keeps.",
    ports: &[
        Port::data_out("messages", ValueType::Messages, "The messages."),
        Port::data_out("text", ValueType::String, "The messages as text."),
        Port::data_out("count", ValueType::Integer, "How many they are."),
    ],
    settings: &[
        SettingSpec::new("limit", HISTORY_LIMIT, "Messages at most, the last ones.")
            .or(DefaultValue::Integer(20)),
        SettingSpec::new(
            "roles",
            SettingType::Texts,
            "Whose messages: user, assistant.",
        )
        .or(DefaultValue::Texts(&["user", "assistant"])),
        SettingSpec::new(
            "include_current",
            SettingType::Boolean,
            "The message that started the run is among them.",
        )
        .or(DefaultValue::Boolean(false)),
    ],
    settle,
    build: |get| {
        Settings::ChatHistory(ChatHistory {
            limit: get.number("limit"),
            roles: get.texts("roles"),
            include_current: get.boolean("include_current"),
        })
    },
    ..BLANK
};
