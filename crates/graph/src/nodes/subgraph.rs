//! `subgraph`: another graph of the document as one step.

use serde_json::{Map, Value, json};

use super::trigger::InputDecl;
use crate::catalogue::{BLANK, DefaultValue, NodeSpec, Port, SettingSpec, SettingType};
use crate::nodes::Settings;
use crate::values::ValueType;

/// Settings of `subgraph`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subgraph {
    /// Key of the sub-graph in the document.
    pub graph: String,
}

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "subgraph",
    group: "Control",
    title: "Sub-graph",
    description: "Runs another graph of the document.",
    ports: &[
        Port::run_in("in", "Control enters."),
        Port::run_out("out", "Taken after the sub-graph has ended."),
        Port::data_out(
            "outputs",
            ValueType::Json,
            "All outputs of the sub-graph by name.",
        ),
    ],
    settings: &[
        SettingSpec::new(
            "graph",
            SettingType::Text,
            "Key of the sub-graph in \"graphs\".",
        )
        .required(),
        SettingSpec::new(
            "inputs",
            SettingType::Entries,
            "The inputs to which nothing is wired, by name.",
        )
        .or(DefaultValue::EmptyObject)
        .templates(),
    ],
    // The ports follow from the sub-graph, which settings alone do not show.
    dynamic: Some(|_| Vec::new()),
    build: |get| {
        Settings::Subgraph(Subgraph {
            graph: get.text("graph"),
        })
    },
    ..BLANK
};

/// The ports of a node that runs a sub-graph with these inputs and outputs.
pub(crate) fn ports(inputs: &[InputDecl], outputs: &[String]) -> Vec<Port> {
    let input = |input: &InputDecl| {
        let port = Port::data_in("", input.value_type, "An input of the sub-graph.")
            .or_entry("inputs")
            .named(&input.name);
        if input.required {
            port.required()
        } else {
            port
        }
    };
    let is_free = |name: &&String| {
        !SPEC
            .all_ports()
            .any(|port| port.is_data_out() && port.name == name.as_str())
    };
    let output = |name: &String| {
        Port::data_out("", ValueType::Any, "An output of the sub-graph.").named(name)
    };
    let inputs = inputs.iter().map(input);
    inputs
        .chain(outputs.iter().filter(is_free).map(output))
        .collect()
}

/// JSON Schema of an object that holds the inputs of a sub-graph.
pub fn input_schema(inputs: &[InputDecl]) -> Value {
    let schema = |input: &InputDecl| {
        let mut schema = match input.value_type {
            ValueType::String | ValueType::Csv => json!({"type": "string"}),
            ValueType::Integer => json!({"type": "integer"}),
            ValueType::Float => json!({"type": "number"}),
            ValueType::Boolean => json!({"type": "boolean"}),
            ValueType::Dataframe | ValueType::Message => json!({"type": "object"}),
            ValueType::Messages => json!({"type": "array"}),
            ValueType::Json | ValueType::Any => json!({}),
        };
        if let (Some(map), Some(default)) = (schema.as_object_mut(), &input.default) {
            map.insert("default".to_owned(), default.clone());
        }
        (input.name.clone(), schema)
    };
    let properties: Map<String, Value> = inputs.iter().map(schema).collect();
    let required = inputs.iter().filter(|input| input.required);
    let required: Vec<&str> = required.map(|input| input.name.as_str()).collect();
    json!({"type": "object", "properties": properties, "required": required})
}
