//! `table`: the same rows as CSV, as data frame and as list of objects.

use crate::catalogue::{BLANK, Kind, NodeSpec, Port, SettingSpec, SettingType};
use crate::nodes::Settings;
use crate::values::ValueType;

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "table",
    kind: Kind::Pull,
    group: "Data",
    title: "Table",
    description: "Gives rows as CSV, as data frame and as list of objects.",
    ports: &[
        Port::data_in(
            "input",
            ValueType::Any,
            "CSV text, a data frame or a list of objects.",
        )
        .required()
        .or_setting("input"),
        Port::data_out("csv", ValueType::Csv, "The rows as CSV text."),
        Port::data_out("dataframe", ValueType::Dataframe, "The rows as data frame."),
        Port::data_out("rows", ValueType::Json, "The rows as list of objects."),
    ],
    settings: &[SettingSpec::new(
        "input",
        SettingType::Json,
        "The rows while nothing is wired to input.",
    )
    .templates()],
    build: |_| Settings::Table,
    ..BLANK
};
