//! Steps that wait for a person.

use serde_json::{Map, Value};

use super::names::{Names, not_empty};
use crate::catalogue::{
    BLANK, DefaultValue, NodeSpec, Port, SettingFault, SettingSpec, SettingType,
};
use crate::getters::Get;
use crate::nodes::Settings;
use crate::setting::milliseconds;
use crate::values::ValueType;

/// Settings of `human_approval`.
#[derive(Debug, Clone, PartialEq)]
pub struct HumanApproval {
    /// What the person can choose; each has a port.
    pub actions: Vec<String>,
    /// JSON Schema of what the person fills in.
    pub form: Option<Value>,
    /// Longest wait in milliseconds.
    pub timeout_ms: Option<u64>,
}

/// Settings of `ask_user`.
#[derive(Debug, Clone, PartialEq)]
pub struct AskUser {
    /// Longest wait in milliseconds.
    pub timeout_ms: Option<u64>,
    /// JSON Schema of the answer.
    pub schema: Option<Value>,
}

const PROMPT: SettingSpec = SettingSpec::new("prompt", SettingType::Text, "What the person reads.")
    .required()
    .template();
const TIMEOUT: SettingSpec = SettingSpec::new(
    "timeout_ms",
    milliseconds(1),
    "Longest wait in milliseconds; no limit if empty.",
);

fn settle(map: &mut Map<String, Value>) -> Vec<SettingFault> {
    let names = Names {
        setting: "actions",
        what: "an action",
        reserved: &["timeout", "error"],
    };
    let mut faults = names.of_texts(map);
    faults.extend(not_empty(map, "actions", "Name at least one action."));
    faults
}

pub(crate) static APPROVAL: NodeSpec = NodeSpec {
    node_type: "human_approval",
    group: "Control",
    title: "Approval",
    description: "Waits until a person has chosen an action.",
    ports: &[
        Port::run_in("in", "Control enters."),
        Port::run_out("timeout", "Taken when nobody has chosen in time."),
        Port::data_out("action", ValueType::String, "What was chosen."),
        Port::data_out("data", ValueType::Json, "What was filled in."),
        Port::data_out("comment", ValueType::String, "What the person wrote."),
    ],
    settings: &[
        PROMPT,
        SettingSpec::new(
            "actions",
            SettingType::Texts,
            "What the person can choose; each has a port.",
        )
        .or(DefaultValue::Texts(&["approve", "reject"])),
        SettingSpec::new(
            "form",
            SettingType::Schema,
            "JSON Schema of what the person fills in; nothing if empty.",
        ),
        TIMEOUT,
    ],
    dynamic: Some(|map| {
        let port = |name| Port::run_out("", "Taken when this action is chosen.").named(name);
        Get(map).strs("actions").map(port).collect()
    }),
    settle,
    build: |get| {
        Settings::HumanApproval(HumanApproval {
            actions: get.texts("actions"),
            form: get.value("form"),
            timeout_ms: get.maybe_number("timeout_ms"),
        })
    },
    ..BLANK
};

pub(crate) static ASK: NodeSpec = NodeSpec {
    node_type: "ask_user",
    group: "Control",
    title: "Question",
    description: "Asks the person and waits for the next message.",
    ports: &[
        Port::run_in("in", "Control enters."),
        Port::run_out("out", "Taken after the answer."),
        Port::run_out("timeout", "Taken when nobody has answered in time."),
        Port::data_out("text", ValueType::String, "Text of the answer."),
        Port::data_out("message", ValueType::Message, "The whole answer."),
    ],
    settings: &[
        PROMPT,
        SettingSpec::new(
            "schema",
            SettingType::Schema,
            "JSON Schema of the answer; any text if empty.",
        ),
        TIMEOUT,
    ],
    build: |get| {
        Settings::AskUser(AskUser {
            timeout_ms: get.maybe_number("timeout_ms"),
            schema: get.value("schema"),
        })
    },
    ..BLANK
};
