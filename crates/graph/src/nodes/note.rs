//! `note`: text on the canvas. It changes nothing and is no part of the semantic hash.

use crate::catalogue::{BLANK, DefaultValue, Kind, NodeSpec, SettingSpec, SettingType};
use crate::nodes::Settings;

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "note",
    kind: Kind::Note,
    group: "Host",
    title: "Note",
    description: "Text for the reader of the canvas.",
    ports: &[],
    settings: &[SettingSpec::new("text", SettingType::Text, "The text.").or(DefaultValue::Text(""))],
    build: |_| Settings::Note,
    ..BLANK
};
