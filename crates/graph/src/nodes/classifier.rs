//! `classifier` and `extract`: what a model finds in a text.

use serde_json::{Map, Value};

use super::llm_response::{LLM, PARAMS, USAGE};
use super::names::{Names, not_empty};
use crate::catalogue::{
    BLANK, DefaultValue, NodeSpec, Port, SettingFault, SettingSpec, SettingType,
};
use crate::getters::Get;
use crate::nodes::Settings;
use crate::values::ValueType;

/// Settings of `classifier`.
#[derive(Debug, Clone, PartialEq)]
pub struct Classifier {
    /// What a text can be; each has a port.
    pub classes: Vec<Class>,
    /// Passed through to the model.
    pub params: Map<String, Value>,
}

/// A class of `classifier`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Class {
    /// Name of the class and of its port.
    pub id: String,
    /// What the model reads about it.
    pub description: String,
}

/// Settings of `extract`.
#[derive(Debug, Clone, PartialEq)]
pub struct Extract {
    /// JSON Schema of what is to be found.
    pub schema: Value,
    /// Passed through to the model.
    pub params: Map<String, Value>,
}

const TEXT_IN: Port = Port::data_in("text", ValueType::String, "The text.").or_setting("text");
const TEXT: SettingSpec = SettingSpec::new(
    "text",
    SettingType::Text,
    "The text while nothing is wired to text; the trigger's text if empty.",
)
.template();
const INSTRUCTION: SettingSpec = SettingSpec::new(
    "instruction",
    SettingType::Text,
    "What the model is told besides.",
)
.or(DefaultValue::Text(""))
.template();

const CLASSES: &[SettingSpec] = &[
    SettingSpec::new(
        "id",
        SettingType::Text,
        "Name of the class and of its port.",
    )
    .required(),
    SettingSpec::new(
        "description",
        SettingType::Text,
        "What the model reads about the class.",
    )
    .or(DefaultValue::Text("")),
];

fn settle(map: &mut Map<String, Value>) -> Vec<SettingFault> {
    let names = Names {
        setting: "classes",
        what: "a class",
        reserved: &["other", "error"],
    };
    let mut faults = names.of_records(map, "id");
    faults.extend(not_empty(
        map,
        "classes",
        "Add a class {\"id\", \"description\"}.",
    ));
    faults
}

pub(crate) static CLASSIFIER: NodeSpec = NodeSpec {
    node_type: "classifier",
    group: "AI",
    title: "Classifier",
    description: "A model decides which class a text is of; control goes on there.",
    ports: &[
        Port::run_in("in", "Control enters."),
        Port::run_out("other", "Taken when the text is of no class."),
        TEXT_IN,
        LLM,
        Port::data_out("class", ValueType::String, "The class."),
        Port::data_out("reason", ValueType::String, "Why the model chose it."),
        USAGE,
    ],
    settings: &[
        TEXT,
        SettingSpec::new(
            "classes",
            SettingType::Records { fields: CLASSES },
            "What a text can be; each has a port.",
        )
        .required(),
        INSTRUCTION,
        PARAMS,
    ],
    dynamic: Some(|map| {
        let ids = Get(map)
            .records("classes")
            .filter_map(|class| class.str("id"));
        ids.map(|id| Port::run_out("", "Taken when the text is of this class.").named(id))
            .collect()
    }),
    settle,
    build: |get| {
        Settings::Classifier(Classifier {
            classes: get
                .records("classes")
                .map(|class| Class {
                    id: class.text("id"),
                    description: class.text("description"),
                })
                .collect(),
            params: get.object("params"),
        })
    },
    ..BLANK
};

pub(crate) static EXTRACT: NodeSpec = NodeSpec {
    node_type: "extract",
    group: "AI",
    title: "Extract",
    description: "A model finds structured data in a text.",
    ports: &[
        Port::run_in("in", "Control enters."),
        Port::run_out("out", "Taken after the data is found."),
        TEXT_IN,
        LLM,
        Port::data_out("json", ValueType::Json, "The data."),
        Port::data_out(
            "ok",
            ValueType::Boolean,
            "Whether it is as the schema asks.",
        ),
        USAGE,
    ],
    settings: &[
        TEXT,
        SettingSpec::new("schema", SettingType::Schema, "JSON Schema of the data.").required(),
        INSTRUCTION,
        PARAMS,
    ],
    build: |get| {
        Settings::Extract(Extract {
            schema: get.value("schema").unwrap_or_default(),
            params: get.object("params"),
        })
    },
    ..BLANK
};
