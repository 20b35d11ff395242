//! `list`: filters, sorts, cuts and changes a list.

use serde_json::{Map, Value};

use crate::catalogue::{
    BLANK, DefaultValue, Kind, NodeSpec, Port, SettingFault, SettingSpec, SettingType,
};
use crate::getters::Get;
use crate::nodes::Settings;
use crate::setting::MAX_SAFE;
use crate::values::ValueType;

/// Settings of `list`. Its steps are done in the order filter, sort, unique, slice, map.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List {
    /// Sorts the greatest first.
    pub descending: bool,
    /// Leaves out items that were there before.
    pub unique: bool,
    /// First item kept; negative counts from the end.
    pub start: Option<i64>,
    /// First item not kept; negative counts from the end.
    pub end: Option<i64>,
}

const PLACE: SettingType = SettingType::Integer {
    min: -MAX_SAFE,
    max: MAX_SAFE,
};

fn settle(map: &mut Map<String, Value>) -> Vec<SettingFault> {
    let get = Get(map);
    let mut faults = Vec::new();
    if get.boolean("descending") && get.str("sort_by").is_none() {
        faults.push(SettingFault::new(
            "descending",
            "\"descending\" is set, and nothing is sorted.",
            "Set \"sort_by\", for example to \"item\".",
        ));
    }
    // To name what makes an item unique is to ask for it.
    if get.str("unique_by").is_some() {
        map.insert("unique".to_owned(), Value::Bool(true));
    }
    faults
}

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "list",
    kind: Kind::Pull,
    group: "Data",
    title: "List",
    description: "Filters, sorts, cuts and changes a list.",
    ports: &[
        Port::data_in("items", ValueType::Any, "The list.")
            .required()
            .or_setting("items"),
        Port::data_out("output", ValueType::Json, "The new list."),
        Port::data_out("count", ValueType::Integer, "Items in it."),
    ],
    settings: &[
        SettingSpec::new(
            "items",
            SettingType::Json,
            "The list while nothing is wired to items.",
        )
        .templates(),
        SettingSpec::new(
            "filter",
            SettingType::Text,
            "Which items are kept, by item and index; all if empty.",
        )
        .expression(),
        SettingSpec::new(
            "sort_by",
            SettingType::Text,
            "By what items are sorted; not at all if empty.",
        )
        .expression(),
        SettingSpec::new(
            "descending",
            SettingType::Boolean,
            "Sorts the greatest first.",
        )
        .or(DefaultValue::Boolean(false)),
        SettingSpec::new(
            "unique",
            SettingType::Boolean,
            "Leaves out items that were there before.",
        )
        .or(DefaultValue::Boolean(false)),
        SettingSpec::new(
            "unique_by",
            SettingType::Text,
            "By what items are the same; the whole item if empty.",
        )
        .expression(),
        SettingSpec::new(
            "start",
            PLACE,
            "First item kept; a negative number counts from the end.",
        ),
        SettingSpec::new(
            "end",
            PLACE,
            "First item not kept; a negative number counts from the end.",
        ),
        SettingSpec::new(
            "map",
            SettingType::Text,
            "What each item becomes, by item and index; itself if empty.",
        )
        .expression(),
    ],
    settle,
    build: |get| {
        Settings::List(List {
            descending: get.boolean("descending"),
            unique: get.boolean("unique"),
            start: get.maybe_number("start"),
            end: get.maybe_number("end"),
        })
    },
    ..BLANK
};
