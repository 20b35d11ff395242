//! `reply`: an answer that the person sees.

use crate::catalogue::{BLANK, NodeSpec, Port, SettingSpec, SettingType};
use crate::nodes::Settings;
use crate::values::ValueType;

/// Settings of `reply`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Template of the answer while the port `text` is unwired.
    pub text: Option<String>,
}

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "reply",
    group: "Host",
    title: "Reply",
    description: "Shows an answer in the conversation.",
    ports: &[
        Port::run_in("in", "Control enters."),
        Port::run_out("out", "Taken after the answer is shown."),
        Port::data_in(
            "text",
            ValueType::String,
            "The answer; streams if its source streams.",
        )
        .required()
        .or_setting("text"),
    ],
    settings: &[SettingSpec::new(
        "text",
        SettingType::Text,
        "The answer while nothing is wired to text.",
    )
    .template()],
    build: |get| {
        Settings::Reply(Reply {
            text: get.maybe_text("text"),
        })
    },
    ..BLANK
};
