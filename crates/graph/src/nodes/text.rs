//! `text` and `set`: values made by templates.

use serde_json::{Map, Value};

use super::control::named_inputs;
use super::names::{Names, not_empty};
use crate::catalogue::{
    BLANK, DefaultValue, Kind, NodeSpec, Port, SettingFault, SettingSpec, SettingType,
};
use crate::nodes::Settings;
use crate::values::ValueType;

/// Settings of `text`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// Names of the inputs, which the template reads as `inputs.<name>`.
    pub inputs: Vec<String>,
}

/// Settings of `set`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Set {
    /// The fields of the object that it gives.
    pub fields: Vec<SetField>,
    /// Names of the inputs, which the templates read as `inputs.<name>`.
    pub inputs: Vec<String>,
}

/// A field of `set`; its value is the template at `fields/<n>/value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetField {
    /// Name in the object.
    pub name: String,
    /// Type of the value.
    pub value_type: ValueType,
}

const INPUTS: SettingSpec = SettingSpec::new(
    "inputs",
    SettingType::Texts,
    "Names of inputs, which templates read as inputs.<name>.",
)
.or(DefaultValue::EmptyList);

const INPUT_NAMES: Names = Names {
    setting: "inputs",
    what: "an input",
    reserved: &[],
};

pub(crate) static TEXT: NodeSpec = NodeSpec {
    node_type: "text",
    kind: Kind::Pull,
    group: "Data",
    title: "Text",
    description: "Makes a text from a template.",
    ports: &[Port::data_out("output", ValueType::String, "The text.")],
    settings: &[
        SettingSpec::new("template", SettingType::Text, "The template.")
            .required()
            .template(),
        INPUTS,
    ],
    dynamic: Some(named_inputs),
    settle: |map| INPUT_NAMES.of_texts(map),
    build: |get| {
        Settings::Text(Text {
            inputs: get.texts("inputs"),
        })
    },
    ..BLANK
};

const FIELDS: &[SettingSpec] = &[
    SettingSpec::new("name", SettingType::Text, "Name in the object.").required(),
    SettingSpec::new(
        "type",
        SettingType::Choice {
            options: ValueType::OF_VARIABLES,
        },
        "Type of the value.",
    )
    .or(DefaultValue::Text("json")),
    SettingSpec::new("value", SettingType::Json, "The value; null if empty.").templates(),
];

fn settle_set(map: &mut Map<String, Value>) -> Vec<SettingFault> {
    let fields = Names {
        setting: "fields",
        what: "a field",
        reserved: &[],
    };
    let mut faults = fields.of_records(map, "name");
    faults.extend(not_empty(
        map,
        "fields",
        "Add a field {\"name\", \"type\", \"value\"}.",
    ));
    faults.extend(INPUT_NAMES.of_texts(map));
    faults
}

pub(crate) static SET: NodeSpec = NodeSpec {
    node_type: "set",
    kind: Kind::Pull,
    group: "Data",
    title: "Fields",
    description: "Makes an object of typed fields.",
    ports: &[Port::data_out("output", ValueType::Json, "The object.")],
    settings: &[
        SettingSpec::new(
            "fields",
            SettingType::Records { fields: FIELDS },
            "The fields of the object.",
        )
        .required(),
        INPUTS,
    ],
    dynamic: Some(named_inputs),
    settle: settle_set,
    build: |get| {
        Settings::Set(Set {
            fields: get
                .records("fields")
                .map(|field| SetField {
                    name: field.text("name"),
                    value_type: field.choice("type"),
                })
                .collect(),
            inputs: get.texts("inputs"),
        })
    },
    ..BLANK
};
