//! `note`: text on the canvas. It changes nothing and is no part of the semantic hash.

use crate::catalogue::{DefaultValue, Kind, NodeSpec, SettingSpec, SettingType, settled};
use crate::nodes::Settings;

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "note",
    version: 1,
    kind: Kind::Note,
    group: "Host",
    title: "Note",
    description: "Text for the reader of the canvas.",
    ports: &[],
    settings: &[SettingSpec::new("text", SettingType::Text, "The text.").or(DefaultValue::Text(""))],
    keeps_state: false,
    settle: settled,
    build: |_| Ok(Settings::Note),
};
