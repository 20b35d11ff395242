//! `json`: reads, writes, picks and joins JSON values.

use serde_json::{Map, Value};

use crate::catalogue::{
    BLANK, DefaultValue, Kind, NodeSpec, Port, SettingFault, SettingSpec, SettingType,
};
use crate::getters::{Get, choice};
use crate::json_path::JsonPath;
use crate::nodes::Settings;
use crate::values::ValueType;

/// Settings of `json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Json {
    /// What is done.
    pub op: JsonOp,
    /// Text around the JSON, such as a code fence, is passed over.
    pub lenient: bool,
    /// What `get` picks, as [`JsonPath`] reads it.
    pub path: Option<String>,
}

choice! {
    /// What `json` does.
    JsonOp {
        /// Text to value.
        Parse = "parse",
        /// Value to text.
        Stringify = "stringify",
        /// A part of the value.
        Get = "get",
        /// Two objects to one.
        Merge = "merge",
    }
}

fn settle(map: &mut Map<String, Value>) -> Vec<SettingFault> {
    let get = Get(map);
    let is_get = get.choice::<JsonOp>("op") == JsonOp::Get;
    match (is_get, get.str("path")) {
        (true, None) => vec![SettingFault::new(
            "path",
            "\"path\" says what to get, and it is empty.",
            "Set \"path\", for example \"items[0].name\".",
        )],
        (true, Some(path)) => match JsonPath::parse(path) {
            Ok(_) => Vec::new(),
            Err(fault) => vec![SettingFault::new(
                "path",
                format!("\"path\" cannot be read: {fault}."),
                "Write a path as items[0].name or [\"a key\"].x, or as a JSON pointer: /items/0/name.",
            )],
        },
        (false, _) => Vec::new(),
    }
}

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "json",
    kind: Kind::Pull,
    group: "Data",
    title: "JSON",
    description: "Reads, writes, picks and joins JSON values.",
    ports: &[
        Port::data_in("input", ValueType::Any, "The value or text.")
            .required()
            .or_setting("input"),
        Port::data_out("output", ValueType::Any, "The result; null if it failed."),
        Port::data_out("ok", ValueType::Boolean, "Whether it succeeded."),
    ],
    settings: &[
        SettingSpec::new(
            "op",
            SettingType::Choice {
                options: JsonOp::NAMES,
            },
            "Read text, write text, pick a part, or join two objects.",
        )
        .or(DefaultValue::Text("parse")),
        SettingSpec::new(
            "input",
            SettingType::Json,
            "The value while nothing is wired to input.",
        )
        .templates(),
        SettingSpec::new(
            "other",
            SettingType::Json,
            "The second object of a merge, while nothing is wired to other.",
        )
        .templates(),
        SettingSpec::new(
            "path",
            SettingType::Text,
            "What \"get\" picks: a path such as items[0].name, or a JSON pointer.",
        ),
        SettingSpec::new(
            "lenient",
            SettingType::Boolean,
            "Text around the JSON, such as a code fence, is passed over.",
        )
        .or(DefaultValue::Boolean(true)),
    ],
    dynamic: Some(|map| {
        let port = Port::data_in("other", ValueType::Any, "The second object of a merge.")
            .required()
            .or_setting("other");
        let is_merge = Get(map).choice::<JsonOp>("op") == JsonOp::Merge;
        is_merge.then_some(port).into_iter().collect()
    }),
    settle,
    build: |get| {
        Settings::Json(Json {
            op: get.choice("op"),
            lenient: get.boolean("lenient"),
            path: get.maybe_text("path"),
        })
    },
    ..BLANK
};

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_path_that_cannot_be_read_is_told_at_load() {
        for (path, is_read) in [
            ("items[0].name", true),
            ("/items/0", true),
            ("items[", false),
            ("a..b", false),
        ] {
            let mut map = Map::from_iter([
                ("op".to_owned(), json!("get")),
                ("path".to_owned(), json!(path)),
            ]);
            assert_eq!(settle(&mut map).is_empty(), is_read, "{path}");
        }
    }
}
