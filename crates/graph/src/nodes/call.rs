//! `call` and `emit`: the page's functions and the page's ears.

use crate::catalogue::{BLANK, DefaultValue, NodeSpec, Port, SettingSpec, SettingType};
use crate::nodes::Settings;
use crate::setting::milliseconds;
use crate::values::ValueType;

/// Settings of `call`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Name under which the page registered the function.
    pub function: String,
    /// Longest wait in milliseconds.
    pub timeout_ms: u64,
}

/// Settings of `emit`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Emit {
    /// Name of the event.
    pub event: String,
}

pub(crate) static CALL: NodeSpec = NodeSpec {
    node_type: "call",
    group: "Host",
    title: "Call",
    description: "Calls a function of the page.",
    ports: &[
        Port::run_in("in", "Control enters."),
        Port::run_out("out", "Taken after the function has ended."),
        Port::data_in("args", ValueType::Any, "What the function is given.").or_setting("args"),
        Port::data_out("result", ValueType::Any, "What the function gave."),
    ],
    settings: &[
        SettingSpec::new(
            "function",
            SettingType::Text,
            "Name under which the page registered the function.",
        )
        .required(),
        SettingSpec::new(
            "args",
            SettingType::Json,
            "What the function is given while nothing is wired to args.",
        )
        .templates(),
        SettingSpec::new(
            "timeout_ms",
            milliseconds(1),
            "Longest wait in milliseconds.",
        )
        .or(DefaultValue::Integer(30_000)),
    ],
    build: |get| {
        Settings::Call(Call {
            function: get.text("function"),
            timeout_ms: get.number("timeout_ms"),
        })
    },
    ..BLANK
};

pub(crate) static EMIT: NodeSpec = NodeSpec {
    node_type: "emit",
    group: "Host",
    title: "Emit",
    description: "Tells the page of an event.",
    ports: &[
        Port::run_in("in", "Control enters."),
        Port::run_out("out", "Taken after the page is told."),
        Port::data_in("data", ValueType::Any, "What goes with the event.").or_setting("data"),
    ],
    settings: &[
        SettingSpec::new("event", SettingType::Text, "Name of the event.").required(),
        SettingSpec::new(
            "data",
            SettingType::Json,
            "What goes with the event while nothing is wired to data.",
        )
        .templates(),
    ],
    build: |get| {
        Settings::Emit(Emit {
            event: get.text("event"),
        })
    },
    ..BLANK
};
