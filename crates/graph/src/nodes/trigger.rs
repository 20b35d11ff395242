//! What starts a graph.

use serde_json::{Map, Value};

use super::names::Names;
use crate::catalogue::{
    BLANK, DefaultValue, Kind, NodeSpec, Port, SettingFault, SettingSpec, SettingType,
};
use crate::coerce::{Coerced, coerce};
use crate::getters::Get;
use crate::nodes::Settings;
use crate::problem::quote;
use crate::settings::describe;
use crate::values::ValueType;

/// Settings of `event_trigger`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventTrigger {
    /// The event that starts the graph here; `None` is any.
    pub event: Option<String>,
}

/// Settings of `graph_input`.
#[derive(Debug, Clone, PartialEq)]
pub struct GraphInput {
    /// What the sub-graph is given.
    pub inputs: Vec<InputDecl>,
}

/// An input of a sub-graph.
#[derive(Debug, Clone, PartialEq)]
pub struct InputDecl {
    /// Name, unique in the sub-graph.
    pub name: String,
    /// Type of the value.
    pub value_type: ValueType,
    /// The value where none is given.
    pub default: Option<Value>,
    /// A value must be given.
    pub required: bool,
}

const STARTS: Port = Port::run_out("out", "Taken when the run starts here.");

pub(crate) static CHAT: NodeSpec = NodeSpec {
    node_type: "chat_trigger",
    kind: Kind::Trigger,
    group: "Triggers",
    title: "Chat",
    description: "Starts a run for each message of a conversation.",
    ports: &[
        STARTS,
        Port::data_out("text", ValueType::String, "Text of the message."),
        Port::data_out("message", ValueType::Message, "The whole message."),
        Port::data_out(
            "attachments",
            ValueType::Json,
            "Images and files of the message.",
        ),
        Port::data_out("thread_id", ValueType::String, "Id of the conversation."),
    ],
    build: |_| Settings::ChatTrigger,
    ..BLANK
};

pub(crate) static MANUAL: NodeSpec = NodeSpec {
    node_type: "manual_trigger",
    kind: Kind::Trigger,
    group: "Triggers",
    title: "Manual",
    description: "Starts a run when the page asks for it; there is no conversation.",
    ports: &[
        STARTS,
        Port::data_out("data", ValueType::Any, "What the page gave."),
    ],
    build: |_| Settings::ManualTrigger,
    ..BLANK
};

pub(crate) static EVENT: NodeSpec = NodeSpec {
    node_type: "event_trigger",
    kind: Kind::Trigger,
    group: "Triggers",
    title: "Event",
    description: "Starts a run for an event of the page: a webhook, a timer.",
    ports: &[
        STARTS,
        Port::data_out("name", ValueType::String, "Name of the event."),
        Port::data_out("data", ValueType::Any, "What came with the event."),
    ],
    settings: &[
        SettingSpec::new(
            "event",
            SettingType::Text,
            "Name of the event that starts the graph here; any event if empty.",
        ),
        SettingSpec::new(
            "thread_id",
            SettingType::Text,
            "Id of the conversation that the event belongs to, unless the page gives one; none if empty.",
        )
        .template(),
    ],
    build: |get| {
        Settings::EventTrigger(EventTrigger {
            event: get.maybe_text("event"),
        })
    },
    ..BLANK
};

const INPUTS: &[SettingSpec] = &[
    SettingSpec::new("name", SettingType::Text, "Name of the input.").required(),
    SettingSpec::new(
        "type",
        SettingType::Choice {
            options: ValueType::NAMES,
        },
        "Type of the value.",
    )
    .or(DefaultValue::Text("any")),
    SettingSpec::new(
        "default",
        SettingType::Json,
        "The value where none is given.",
    ),
    SettingSpec::new("required", SettingType::Boolean, "A value must be given.")
        .or(DefaultValue::Boolean(false)),
];

/// The inputs that settings of a `graph_input` declare.
pub(crate) fn inputs(get: Get<'_>) -> Vec<InputDecl> {
    get.records("inputs")
        .map(|record| InputDecl {
            name: record.text("name"),
            value_type: record.choice("type"),
            default: record.value("default"),
            required: record.boolean("required"),
        })
        .collect()
}

fn settle_inputs(map: &mut Map<String, Value>) -> Vec<SettingFault> {
    let names = Names {
        setting: "inputs",
        what: "an input",
        reserved: &[],
    };
    let mut faults = names.of_records(map, "name");
    for (index, input) in inputs(Get(map)).into_iter().enumerate() {
        if input.required && input.default.is_some() {
            faults.push(SettingFault::new(
                format!("inputs/{index}/default"),
                format!(
                    "The input {} is required, so its default is never used.",
                    quote(&input.name)
                ),
                "Remove \"default\", or set \"required\" to false.",
            ));
        }
    }
    let records = map.get_mut("inputs").and_then(Value::as_array_mut);
    for (index, record) in records.into_iter().flatten().enumerate() {
        let Value::Object(input) = record else {
            continue;
        };
        let value_type: ValueType = Get(input).choice("type");
        let Some(default) = input.get_mut("default") else {
            continue;
        };
        match coerce(default, value_type) {
            Coerced::Fit(value) | Coerced::FitWith(value, _) => *default = value,
            Coerced::Misfit => faults.push(SettingFault::new(
                format!("inputs/{index}/default"),
                format!(
                    "\"default\" cannot be {}: the input is of the type {}.",
                    describe(default),
                    value_type.as_str()
                ),
                "Change \"default\", or \"type\".",
            )),
        }
    }
    faults
}

pub(crate) static GRAPH_INPUT: NodeSpec = NodeSpec {
    node_type: "graph_input",
    kind: Kind::Trigger,
    group: "Triggers",
    title: "Graph input",
    description: "Starts a sub-graph and gives it its inputs.",
    ports: &[STARTS],
    settings: &[SettingSpec::new(
        "inputs",
        SettingType::Records { fields: INPUTS },
        "What the sub-graph is given.",
    )
    .or(DefaultValue::EmptyList)],
    dynamic: Some(|map| {
        let port = |input: InputDecl| {
            Port::data_out("", input.value_type, "An input of the sub-graph.").named(&input.name)
        };
        inputs(Get(map)).into_iter().map(port).collect()
    }),
    settle: settle_inputs,
    build: |get| {
        Settings::GraphInput(GraphInput {
            inputs: inputs(get),
        })
    },
    ..BLANK
};
