//! JSON Schema of documents, made from the tables that validation uses.
//!
//! It describes documents as they are best written, for editors and for models that write graphs. The reader is kinder:
//! `null` counts as absent, numbers may be written as text, and an unknown setting is only a warning.

use serde_json::{Map, Value, json};

use crate::catalogue::{Kind, NodeSpec, specs};
use crate::document::{EdgeType, FORMAT, FORMAT_VERSION};
use crate::policy::{LIMITS, Missing, ON_ERROR, REQUIRES};
use crate::setting::{DefaultValue, SettingSpec, SettingType, TemplateKind};

const NODE_ID: &str = "^[A-Za-z_][A-Za-z0-9_]{0,63}$";

/// The JSON Schema (draft 2020-12) of a graph document.
pub fn schema() -> Value {
    let mut definitions = Map::new();
    for spec in specs() {
        definitions.insert(spec.node_type.to_owned(), node(spec));
    }
    definitions.insert("node".to_owned(), any_node());
    definitions.insert("edge".to_owned(), edge());
    definitions.insert("on_error".to_owned(), object(ON_ERROR));
    definitions.insert("graph".to_owned(), sub_graph());
    let mut properties = body();
    properties.extend(members(json!({
        "format": {"const": FORMAT},
        "format_version": {"const": FORMAT_VERSION},
        "id": {"type": "string", "minLength": 1, "maxLength": 200,
               "description": "Identity of the graph: part of the key of everything that its nodes remember."},
        "graphs": {"type": "object", "propertyNames": {"pattern": NODE_ID}, "additionalProperties": {"$ref": "#/$defs/graph"},
                   "description": "Sub-graphs by key."},
        "limits": object(LIMITS),
        "requires": object(REQUIRES),
        "missing": {"enum": Missing::NAMES, "default": "error", "description": "What becomes of a value that a template prints and that is not there: the step fails, or it is empty text and the run warns of it."},
    })));
    let mut schema = closed(properties, &["format", "format_version", "id", "nodes"]);
    schema.extend(members(json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Mnemograph graph document",
        "$defs": definitions,
    })));
    Value::Object(schema)
}

fn members(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            Map::new()
        }
    }
}

/// Numbers may be written as text, as forms do.
const WHOLE_TEXT: &str = r"^\s*[+-]?[0-9]+\s*$";
const DECIMAL_TEXT: &str = r"^\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*$";

/// An object with these members, and whatever begins with `x-`.
fn closed(properties: Map<String, Value>, required: &[&str]) -> Map<String, Value> {
    members(json!({
        "type": "object",
        "properties": properties,
        "patternProperties": {"^x-": {}},
        "additionalProperties": false,
        "required": required,
    }))
}

/// What the document and each sub-graph have.
fn body() -> Map<String, Value> {
    members(json!({
        "name": {"type": "string"},
        "description": {"type": "string"},
        "nodes": {"type": "array", "items": {"$ref": "#/$defs/node"}, "description": "The nodes; their order means nothing."},
        "edges": {"type": "array", "items": {"$ref": "#/$defs/edge"}, "description": "The edges; their order decides ties."},
        "ui": {"type": "object", "description": "Data of the editor."},
    }))
}

fn sub_graph() -> Value {
    let mut properties = body();
    // What the key and the document say already is not looked at.
    properties.extend(members(
        json!({"format": {}, "format_version": {}, "id": {}}),
    ));
    Value::Object(closed(properties, &["nodes"]))
}

fn edge() -> Value {
    let end = json!({"type": "string", "pattern": "^[A-Za-z_][A-Za-z0-9_]{0,63}\\..+$"});
    let types: Vec<&str> = EdgeType::ALL.iter().map(|flow| flow.as_str()).collect();
    let properties = members(json!({
        "id": {"type": "string"},
        "type": {"enum": types},
        "from": end,
        "to": end,
        "ui": {"type": "object"},
    }));
    Value::Object(closed(properties, &["type", "from", "to"]))
}

/// The type says which of the definitions holds, so that a mistake is told of that one alone.
fn any_node() -> Value {
    let types: Vec<&str> = specs().iter().map(|spec| spec.node_type).collect();
    let choices = specs().iter().map(|spec| {
        json!({
            "if": {"properties": {"type": {"const": spec.node_type}}, "required": ["type"]},
            "then": {"$ref": format!("#/$defs/{}", spec.node_type)},
        })
    });
    json!({
        "type": "object",
        "properties": {"type": {"enum": types}},
        "required": ["id", "type"],
        "allOf": choices.collect::<Vec<_>>(),
    })
}

fn node(spec: &NodeSpec) -> Value {
    let mut properties = members(json!({
        "id": {"type": "string", "pattern": NODE_ID},
        "type": {"const": spec.node_type},
        "type_version": {"type": "integer", "minimum": 1, "maximum": spec.version},
        "title": {"type": "string"},
        "settings": object(spec.settings),
        "disabled": {"type": "boolean", "description": "The node is left out of runs."},
        "ui": {"type": "object", "description": "Data of the editor."},
    }));
    if spec.kind != Kind::Trigger {
        properties.extend(members(json!({
            "parent": {"type": "string", "pattern": NODE_ID, "description": "Id of the container in whose body the node stands."},
        })));
    }
    if spec.kind == Kind::Step {
        properties.extend(members(json!({
            "on_error": {"$ref": "#/$defs/on_error"},
            "timeout_ms": {"type": "integer", "minimum": 1, "description": "Time limit of one attempt, in milliseconds."},
        })));
    }
    if spec.keeps_state {
        properties.extend(members(json!({
            "renamed_from": {"type": "array", "items": {"type": "string", "pattern": NODE_ID},
                             "description": "Earlier ids whose stored state this node takes over."},
        })));
    }
    let has_required = spec.settings.iter().any(|setting| setting.required);
    let required: &[&str] = if has_required {
        &["id", "type", "settings"]
    } else {
        &["id", "type"]
    };
    let mut schema = closed(properties, required);
    schema.insert("title".to_owned(), spec.title.into());
    schema.insert("description".to_owned(), spec.description.into());
    Value::Object(schema)
}

/// An object of settings.
fn object(fields: &[SettingSpec]) -> Value {
    let properties = fields
        .iter()
        .map(|field| (field.name.to_owned(), setting(field)));
    let required: Vec<&str> = fields
        .iter()
        .filter(|field| field.required)
        .map(|field| field.name)
        .collect();
    Value::Object(closed(properties.collect(), &required))
}

fn setting(field: &SettingSpec) -> Value {
    let mut schema = members(type_of(field.value));
    let note = match field.template {
        None => "",
        Some(TemplateKind::Text) => " A template.",
        Some(TemplateKind::Value) => " Texts in it are templates.",
        Some(TemplateKind::Expression) => " An expression, without braces.",
    };
    let description = format!("{}{note}", field.description);
    schema.insert("description".to_owned(), description.into());
    if let Some(default) = field
        .absent()
        .filter(|_| field.default != DefaultValue::Fields)
    {
        schema.insert("default".to_owned(), default);
    }
    Value::Object(schema)
}

fn type_of(value: SettingType) -> Value {
    match value {
        SettingType::Text => json!({"type": "string"}),
        SettingType::Texts => json!({"type": "array", "items": {"type": "string"}}),
        SettingType::Boolean => json!({"type": "boolean"}),
        SettingType::Integer { min, max } => {
            json!({"type": ["integer", "string"], "minimum": min, "maximum": max, "pattern": WHOLE_TEXT})
        }
        SettingType::Number { min, max } => {
            json!({"type": ["number", "string"], "minimum": min, "maximum": max, "pattern": DECIMAL_TEXT})
        }
        SettingType::Choice { options } => json!({"enum": options}),
        SettingType::Object | SettingType::Schema | SettingType::Entries => {
            json!({"type": "object"})
        }
        SettingType::Json => json!({}),
        SettingType::Record { fields } => object(fields),
        SettingType::Records { fields } => json!({"type": "array", "items": object(fields)}),
        SettingType::When { rule } => {
            let rules = json!({"type": "array", "items": object(rule)});
            let group = |name: &str| {
                let rules = [(name.to_owned(), rules.clone())];
                Value::Object(closed(rules.into_iter().collect(), &[name]))
            };
            json!({"anyOf": [{"type": "string"}, group("all"), group("any")]})
        }
    }
}
