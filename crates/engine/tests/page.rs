//! docs/graphs.md: its tables are those of the catalogue, and its examples are nodes that load.
#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use expect_test::expect_file;
use mnemograph_engine::{HostCatalogue, load};
use mnemograph_graph::catalogue::{
    Direction, Kind, NodeSpec, Port, SettingSpec, SettingType, TemplateKind, spec, specs,
};
use mnemograph_graph::{Code, EdgeType, LIMITS, ON_ERROR};
use serde_json::{Value, json};
use std::fmt::Write;

const PAGE: &str = include_str!("../../../docs/graphs.md");

/// Begins the part of the page that is made from the tables; before it stands what people wrote.
const MADE: &str = "## Node types\n";

/// The example that stands in the section of a node type.
fn example(node_type: &str) -> Option<&'static str> {
    let (_, section) = PAGE.split_once(&format!("\n### `{node_type}`\n"))?;
    let section = section.split("\n### ").next()?;
    let (_, block) = section.split_once("```json\n")?;
    Some(block.split_once("\n```")?.0)
}

fn takes(setting: &SettingSpec) -> String {
    let kind = match setting.value {
        SettingType::Text => "text".to_owned(),
        SettingType::Texts => "texts".to_owned(),
        SettingType::Boolean => "boolean".to_owned(),
        SettingType::Integer { min, .. } => format!("integer from {min}"),
        SettingType::Number { min, .. } => format!("number from {min}"),
        SettingType::Choice { options } => options
            .iter()
            .map(|option| format!("`{option}`"))
            .collect::<Vec<_>>()
            .join(" "),
        SettingType::Object | SettingType::Entries => "object".to_owned(),
        SettingType::Schema => "JSON Schema".to_owned(),
        SettingType::Json => "any".to_owned(),
        SettingType::Record { .. } => "object of".to_owned(),
        SettingType::Records { .. } => "list of objects of".to_owned(),
        SettingType::When { .. } => {
            "expression, or `all` or `any` with a list of rules of".to_owned()
        }
    };
    match setting.template {
        Some(TemplateKind::Text | TemplateKind::Value) => format!("{kind}, templates"),
        Some(TemplateKind::Expression) if matches!(setting.value, SettingType::Text) => {
            "expression".to_owned()
        }
        Some(TemplateKind::Expression) | None => kind,
    }
}

/// Rows for settings and, below each, for the settings inside of it.
fn rows(page: &mut String, prefix: &str, settings: &[SettingSpec]) {
    for setting in settings {
        let name = format!("{prefix}{}", setting.name);
        let default = match serde_json::to_value(setting.default).unwrap() {
            _ if setting.required => "required".to_owned(),
            Value::Null => String::new(),
            value => format!("`{value}`"),
        };
        let takes = takes(setting);
        let description = setting.description;
        writeln!(page, "| `{name}` | {takes} | {default} | {description} |").unwrap();
        match setting.value {
            SettingType::Record { fields } | SettingType::Records { fields } => {
                rows(page, &format!("{name}."), fields);
            }
            SettingType::When { rule } => rows(page, &format!("{name}.all."), rule),
            _ => {}
        }
    }
}

fn settings(page: &mut String, settings: &[SettingSpec]) {
    if !settings.is_empty() {
        page.push_str("\n| Setting | Takes | Default | |\n|---|---|---|---|\n");
        rows(page, "", settings);
    }
}

fn port(page: &mut String, port: &Port) {
    let way = match port.direction {
        Direction::In => "in",
        Direction::Out => "out",
    };
    let flow = match port.value_type {
        Some(value_type) => format!("data, {}", value_type.as_str()),
        None => port.flow.as_str().to_owned(),
    };
    let instead = port
        .setting
        .map_or_else(String::new, |setting| format!(" Or setting `{setting}`."));
    let (name, description) = (&port.name, port.description);
    writeln!(
        page,
        "| `{name}` | {way} | {flow} | {description}{instead} |"
    )
    .unwrap();
}

fn section(page: &mut String, node: &NodeSpec) {
    let (name, title, description) = (node.node_type, node.title, node.description);
    let acts = match node.kind {
        Kind::Trigger => "trigger",
        Kind::Step => "step",
        Kind::Pull => "read on demand",
        Kind::Resource => "resource",
        Kind::Note => "note",
    };
    let example = example(name).unwrap_or_default();
    write!(
        page,
        "\n### `{name}`\n\n{title}, {acts}. {description}\n\n```json\n{example}\n```\n"
    )
    .unwrap();
    settings(page, node.settings);
    if !node.ports.is_empty() {
        page.push_str("\n| Port | | Edge | |\n|---|---|---|---|\n");
        node.ports.iter().for_each(|own| port(page, own));
    }
    if serde_json::to_value(node).unwrap()["has_ports_by_settings"] == true {
        page.push_str("\nIt has further ports by its settings.\n");
    }
}

#[test]
fn the_page_is_that_of_the_catalogue() {
    let (head, _) = PAGE.split_once(MADE).unwrap();
    let mut page = format!("{head}{MADE}");
    let mut group = "";
    for node in specs() {
        if node.group != group {
            group = node.group;
            write!(page, "\n## {group}\n").unwrap();
        }
        section(&mut page, node);
    }
    page.push_str("\n## Failures: `on_error` of a step\n");
    settings(&mut page, ON_ERROR);
    page.push_str("\n## Limits: `limits` of a document\n");
    settings(&mut page, LIMITS);
    expect_file!["../../../docs/graphs.md"].assert_eq(&page);
}

/// A document around a node: a trigger before it, and what it links to.
fn document_around(it: &Value) -> Value {
    let node_type = it["type"].as_str().unwrap();
    let spec = spec(node_type).unwrap();
    let id = it["id"].as_str().unwrap();
    let mut nodes = vec![
        json!({"id": "start", "type": "chat_trigger"}),
        json!({"id": "default_model", "type": "llm_model"}),
        json!({"id": "count", "type": "var", "settings": {"name": "count", "type": "integer"}}),
        json!({"id": "every", "type": "for_each", "settings": {"items": [1]}}),
        json!({"id": "kept", "type": "buffer_memory"}),
    ];
    let mut edges = vec![json!({"type": "run", "from": "start.out", "to": "every.in"})];
    let before = if it["parent"].is_null() {
        "start.out"
    } else {
        "every.body"
    };
    for port in spec.ports {
        let from = match (port.direction, port.flow) {
            (Direction::In, EdgeType::Run) => before,
            (Direction::In, EdgeType::LinkLlm) => "default_model.llm",
            (Direction::In, EdgeType::LinkVar) => "count.ref",
            (Direction::In, EdgeType::LinkMemory) if port.required => "kept.memory",
            _ => continue,
        };
        let to = format!("{id}.{}", port.name);
        edges.push(json!({"type": port.flow.as_str(), "from": from, "to": to}));
    }
    let answer = json!({"id": "hello", "type": "output", "settings": {"name": "greeting", "value": "Hello"}});
    let mut inside = vec![
        json!({"id": "given", "type": "graph_input", "settings": {"inputs": [{"name": "who"}]}}),
        answer,
    ];
    let mut start = "given";
    if node_type == "graph_input" {
        inside[0] = it.clone();
        start = id;
    } else {
        nodes.push(it.clone());
    }
    let way = json!({"type": "run", "from": format!("{start}.out"), "to": "hello.in"});
    json!({
        "format": "mnemograph", "format_version": 1, "id": "page", "nodes": nodes, "edges": edges,
        "graphs": {"greet": {"nodes": inside, "edges": [way]}},
    })
}

/// What only says that the rest of a useful graph is missing.
const OF_THE_REST: [Code; 4] = [
    Code::NoReply,
    Code::UnusedVar,
    Code::MemoryUnlinked,
    Code::Unreachable,
];

#[test]
fn every_example_is_a_node_that_loads() {
    for node in specs() {
        let name = node.node_type;
        let text = example(name).unwrap_or_else(|| panic!("{name} has no example"));
        let it: Value = serde_json::from_str(text).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert_eq!(it["type"], name);
        let loaded = load(&document_around(&it).to_string(), None::<&HostCatalogue>);
        let mut problems = loaded.problems;
        problems.retain(|problem| !OF_THE_REST.contains(&problem.code));
        assert!(problems.is_empty(), "{name}: {problems:#?}");
        assert!(loaded.plan.is_some(), "{name}");
    }
}
