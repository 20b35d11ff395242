//! `regex`: finds or replaces by a regular expression.

use regex_lite::RegexBuilder;
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
    /// The group that `first` and `matches` give; 0 is the whole match.
    pub group: usize,
}

/// Most bytes of a pattern.
const MAX_PATTERN: usize = 10_000;
/// Most bytes of a compiled pattern; a search takes up to its size for each character.
const MAX_PROGRAM: usize = 256 << 10;

/// The pattern with the flags `i` (case does not matter), `m` (`^` and `$` at each line) and `s` (`.` takes line ends).
///
/// # Errors
/// Why the pattern or the flags cannot be used.
pub fn compile_regex(pattern: &str, flags: &str) -> Result<regex_lite::Regex, String> {
    if pattern.len() > MAX_PATTERN {
        return Err(format!(
            "it has {} bytes, and {MAX_PATTERN} are allowed",
            pattern.len()
        ));
    }
    let mut builder = RegexBuilder::new(pattern);
    builder.size_limit(MAX_PROGRAM);
    for flag in flags.chars() {
        match flag {
            'i' => builder.case_insensitive(true),
            'm' => builder.multi_line(true),
            's' => builder.dot_matches_new_line(true),
            _ => return Err("a flag is none of i, m and s".to_owned()),
        };
    }
    builder.build().map_err(|error| error.to_string())
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
    match compile_regex(pattern, flags) {
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
        Port::data_out("matches", ValueType::Json, "The group of every match."),
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
            "The group that first and matches give; 0 is the whole match.",
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
