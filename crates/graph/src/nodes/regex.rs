//! `regex`: finds or replaces by a regular expression.

use serde_json::{Map, Value};

use crate::catalogue::{
    BLANK, DefaultValue, Kind, NodeSpec, Port, SettingFault, SettingSpec, SettingType,
};
use crate::getters::Get;
use crate::nodes::Settings;
use crate::values::ValueType;

/// Settings of `regex`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Regex {
    /// The expression, in the syntax of `regex-lite`.
    pub pattern: String,
    /// Of `i`, `m`, `s`.
    pub flags: String,
    /// The group that `first` gives; 0 is the whole match.
    pub group: usize,
}

fn settle(map: &mut Map<String, Value>) -> Vec<SettingFault> {
    let get = Get(map);
    let flags = get.str("flags").unwrap_or_default();
    if !flags.chars().all(|flag| matches!(flag, 'i' | 'm' | 's')) {
        return vec![SettingFault::new(
            "flags",
            "\"flags\" has a letter that is no flag.",
            "Use i (case does not matter), m (^ and $ at each line), s (. takes line ends), or none.",
        )];
    }
    let Some(pattern) = get.str("pattern") else {
        return Vec::new();
    };
    let flagged = if flags.is_empty() {
        pattern.to_owned()
    } else {
        format!("(?{flags}){pattern}")
    };
    match regex_lite::Regex::new(&flagged) {
        Err(error) => vec![SettingFault::new(
            "pattern",
            format!("\"pattern\" is no regular expression: {error}."),
            "Look-around and back-references do not exist here; escape marks that are meant as such with \\.",
        )],
        Ok(regex) if get.number::<usize>("group") >= regex.captures_len() => {
            vec![SettingFault::new(
                "group",
                format!("\"pattern\" has {} groups.", regex.captures_len() - 1),
                "Set \"group\" to the number of a group, or to 0 for the whole match.",
            )]
        }
        Ok(_) => Vec::new(),
    }
}

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "regex",
    kind: Kind::Pull,
    group: "Data",
    title: "Regular expression",
    description: "Finds what fits a pattern in a text, and replaces it.",
    ports: &[
        Port::data_in("text", ValueType::String, "The text.")
            .required()
            .or_setting("text"),
        Port::data_out("matches", ValueType::Json, "All matches."),
        Port::data_out("first", ValueType::String, "The group of the first match."),
        Port::data_out("output", ValueType::String, "The text after replacement."),
        Port::data_out("ok", ValueType::Boolean, "Whether anything was found."),
    ],
    settings: &[
        SettingSpec::new(
            "text",
            SettingType::Text,
            "The text while nothing is wired to text.",
        )
        .template(),
        SettingSpec::new("pattern", SettingType::Text, "The regular expression.").required(),
        SettingSpec::new("flags", SettingType::Text, "Any of i, m and s.")
            .or(DefaultValue::Text("")),
        SettingSpec::new(
            "group",
            SettingType::Integer { min: 0, max: 1_000 },
            "The group that first gives; 0 is the whole match.",
        )
        .or(DefaultValue::Integer(0)),
        SettingSpec::new(
            "replace",
            SettingType::Text,
            "What each match is replaced by; $1 is the first group. Nothing is replaced if empty.",
        )
        .template(),
    ],
    settle,
    build: |get| {
        Settings::Regex(Regex {
            pattern: get.text("pattern"),
            flags: get.text("flags"),
            group: get.number("group"),
        })
    },
    ..BLANK
};
