//! Steps that join, end or delay control, and the choice among values.

use serde_json::{Map, Value};

use super::names::{Names, is_template, not_empty};
use crate::catalogue::{
    BLANK, DefaultValue, Kind, NodeSpec, Port, SettingFault, SettingSpec, SettingType,
};
use crate::getters::{Get, choice};
use crate::nodes::Settings;
use crate::problem::quote;
use crate::settings::{describe, integer};
use crate::values::ValueType;

/// Settings of `merge`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// The first branch that arrives goes on, instead of waiting for all of them.
    pub any: bool,
}

/// Settings of `coalesce`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coalesce {
    /// Names of the inputs, in the order in which they are asked.
    pub inputs: Vec<String>,
}

/// Settings of `stop`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stop {
    /// How the run ends.
    pub status: StopStatus,
}

choice! {
    /// How a run ends at `stop`.
    StopStatus {
        /// As a success.
        Succeeded = "succeeded",
        /// As one of which a part is missing.
        Partial = "partial",
    }
}

/// Settings of `fail`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fail {
    /// Code of the error.
    pub code: String,
}

pub(crate) static MERGE: NodeSpec = NodeSpec {
    node_type: "merge",
    group: "Control",
    title: "Merge",
    description: "Joins branches.",
    ports: &[
        Port::run_in("in", "Control enters from each branch."),
        Port::run_out("out", "Taken when the branches have arrived."),
    ],
    settings: &[SettingSpec::new(
        "mode",
        SettingType::Choice {
            options: &["all", "any"],
        },
        "Whether to wait for all branches that run, or to go on with the first.",
    )
    .or(DefaultValue::Text("all"))],
    build: |get| {
        Settings::Merge(Merge {
            any: get.str("mode") == Some("any"),
        })
    },
    ..BLANK
};

fn settle_coalesce(map: &mut Map<String, Value>) -> Vec<SettingFault> {
    let names = Names {
        setting: "inputs",
        what: "an input",
        reserved: &[],
    };
    let mut faults = names.of_texts(map);
    faults.extend(not_empty(map, "inputs", "Name at least one input."));
    faults
}

pub(crate) static COALESCE: NodeSpec = NodeSpec {
    node_type: "coalesce",
    kind: Kind::Pull,
    group: "Control",
    title: "First value",
    description: "Gives the first of its inputs that has a value.",
    ports: &[Port::data_out("output", ValueType::Any, "The first value.")],
    settings: &[SettingSpec::new(
        "inputs",
        SettingType::Texts,
        "Names of the inputs, in the order in which they are asked.",
    )
    .or(DefaultValue::Texts(&["a", "b"]))],
    dynamic: Some(named_inputs),
    settle: settle_coalesce,
    build: |get| {
        Settings::Coalesce(Coalesce {
            inputs: get.texts("inputs"),
        })
    },
    ..BLANK
};

/// An optional input for each name in the setting `inputs`.
pub(crate) fn named_inputs(map: &Map<String, Value>) -> Vec<Port> {
    let port = |name| Port::data_in("", ValueType::Any, "An input.").named(name);
    Get(map).strs("inputs").map(port).collect()
}

pub(crate) static STOP: NodeSpec = NodeSpec {
    node_type: "stop",
    group: "Control",
    title: "Stop",
    description: "Ends the run.",
    ports: &[Port::run_in("in", "Control enters and the run ends.")],
    settings: &[SettingSpec::new(
        "status",
        SettingType::Choice {
            options: StopStatus::NAMES,
        },
        "How the run ends.",
    )
    .or(DefaultValue::Text("succeeded"))],
    build: |get| {
        Settings::Stop(Stop {
            status: get.choice("status"),
        })
    },
    ..BLANK
};

fn settle_fail(map: &mut Map<String, Value>) -> Vec<SettingFault> {
    let code = Get(map).str("code").unwrap_or_default();
    if crate::policy::is_code(code) {
        return Vec::new();
    }
    vec![SettingFault::new(
        "code",
        format!("{} cannot be the code of an error.", quote(code)),
        "Begin it with E_, then use A-Z and _, for example \"E_NOT_FOUND\".",
    )]
}

pub(crate) static FAIL: NodeSpec = NodeSpec {
    node_type: "fail",
    group: "Control",
    title: "Fail",
    description: "Fails with an error of your own.",
    ports: &[Port::run_in("in", "Control enters and the step fails.")],
    settings: &[
        SettingSpec::new("code", SettingType::Text, "Code of the error.")
            .or(DefaultValue::Text("E_FAILED")),
        SettingSpec::new("message", SettingType::Text, "Message of the error.")
            .or(DefaultValue::Text(""))
            .template(),
    ],
    settle: settle_fail,
    build: |get| {
        Settings::Fail(Fail {
            code: get.text("code"),
        })
    },
    ..BLANK
};

/// The longest delay in milliseconds.
const MAX_DELAY: i64 = 60_000;

fn settle_delay(map: &mut Map<String, Value>) -> Vec<SettingFault> {
    let Some(ms) = map.get("ms") else {
        return Vec::new();
    };
    let is_good = match ms {
        Value::String(text) if is_template(text) => true,
        other => integer(other).is_some_and(|ms| (0..=MAX_DELAY).contains(&ms)),
    };
    if is_good {
        return Vec::new();
    }
    vec![SettingFault::new(
        "ms",
        format!("\"ms\" cannot be {}.", describe(ms)),
        format!("Give it a whole number from 0 to {MAX_DELAY}, or a template that gives one."),
    )]
}

pub(crate) static DELAY: NodeSpec = NodeSpec {
    node_type: "delay",
    group: "Control",
    title: "Delay",
    description: "Waits for a time.",
    ports: &[
        Port::run_in("in", "Control enters."),
        Port::run_out("out", "Taken after the time."),
    ],
    settings: &[SettingSpec::new(
        "ms",
        SettingType::Json,
        "The time in milliseconds, 60000 at most.",
    )
    .required()
    .templates()],
    settle: settle_delay,
    build: |_| Settings::Delay,
    ..BLANK
};
