//! `agent_memory`: a small dictionary that an agent keeps for itself.

use serde_json::{Map, Value};

use super::memory::{SCOPE, Scope};
use crate::catalogue::{
    BLANK, DefaultValue, Kind, NodeSpec, OpenedBy, Port, SettingFault, SettingSpec, SettingType,
};
use crate::document::EdgeType;
use crate::nodes::Settings;
use crate::problem::quote;
use crate::values::ValueType;

/// Settings of `agent_memory`.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentMemory {
    /// What is in it while nothing is stored.
    pub initial: Map<String, Value>,
    /// How long it lives.
    pub scope: Scope,
    /// The tools that the agent gets for it, of [`AgentMemory::TOOLS`]; none if they are not exposed.
    pub tools: Vec<String>,
    /// The model is shown what is in it.
    pub inject: bool,
    /// Keys at most.
    pub max_keys: usize,
    /// Characters of one value at most.
    pub max_value_chars: usize,
    /// Opens the port `state`.
    pub output_state: bool,
}

impl AgentMemory {
    /// Every tool.
    pub const TOOLS: [&str; 3] = ["set", "delete", "clear"];
}

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "agent_memory",
    kind: Kind::Pull,
    group: "Conversation memory",
    title: "Agent memory",
    description: "A small dictionary that an agent keeps for itself: it is shown what is in it, and has tools to change it.",
    ports: &[
        Port::link_out("extension", EdgeType::LinkExtension, "The dictionary."),
        Port::data_out("state", ValueType::Json, "What is in it.")
            .opened_by(OpenedBy::Setting("output_state")),
    ],
    settings: &[
        SettingSpec::new(
            "initial",
            SettingType::Object,
            "What is in it while nothing is stored.",
        )
        .or(DefaultValue::EmptyObject),
        SCOPE,
        SettingSpec::new(
            "expose_tools",
            SettingType::Boolean,
            "The agent gets tools to change it.",
        )
        .or(DefaultValue::Boolean(true)),
        SettingSpec::new(
            "enabled_tools",
            SettingType::Texts,
            "Which tools: set, delete, clear. Where an agent has two dictionaries, their names begin with the node's id.",
        )
        .or(DefaultValue::Texts(&AgentMemory::TOOLS)),
        SettingSpec::new(
            "inject",
            SettingType::Boolean,
            "The model is shown what is in it, as data, before the person's message.",
        )
        .or(DefaultValue::Boolean(true)),
        SettingSpec::new(
            "max_keys",
            SettingType::Integer { min: 1, max: 10_000 },
            "Keys at most.",
        )
        .or(DefaultValue::Integer(100)),
        SettingSpec::new(
            "max_value_chars",
            SettingType::Integer {
                min: 1,
                max: 1_000_000,
            },
            "Characters of one value at most, as JSON text.",
        )
        .or(DefaultValue::Integer(4_000)),
        SettingSpec::new(
            "output_state",
            SettingType::Boolean,
            "Opens the port state.",
        )
        .or(DefaultValue::Boolean(false)),
    ],
    keeps_state: true,
    settle,
    build: |get| {
        let tools = if get.boolean("expose_tools") {
            get.texts("enabled_tools")
        } else {
            Vec::new()
        };
        Settings::AgentMemory(AgentMemory {
            initial: get.object("initial"),
            scope: get.choice("scope"),
            tools,
            inject: get.boolean("inject"),
            max_keys: get.number("max_keys"),
            max_value_chars: get.number("max_value_chars"),
            output_state: get.boolean("output_state"),
        })
    },
    ..BLANK
};

fn settle(map: &mut Map<String, Value>) -> Vec<SettingFault> {
    let mut faults = Vec::new();
    let tools = map.get("enabled_tools").and_then(Value::as_array);
    for (place, tool) in tools.into_iter().flatten().enumerate() {
        let name = tool.as_str().unwrap_or_default();
        if !AgentMemory::TOOLS.contains(&name) {
            faults.push(SettingFault::new(
                format!("enabled_tools/{place}"),
                format!("{} is no tool of a dictionary.", quote(name)),
                "The tools are set, delete and clear.",
            ));
        }
    }
    let most = map.get("max_keys").and_then(Value::as_u64);
    let initial = map.get("initial").and_then(Value::as_object);
    if let (Some(most), Some(initial)) = (most, initial)
        && initial.len() as u64 > most
    {
        faults.push(SettingFault::new(
            "initial",
            format!(
                "\"initial\" has {} keys, and \"max_keys\" is {most}.",
                initial.len()
            ),
            "Raise \"max_keys\", or begin with fewer.",
        ));
    }
    faults
}
