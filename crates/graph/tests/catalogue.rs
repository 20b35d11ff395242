//! The table of node types agrees with itself, with the settings structs and with the edges.
#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::collections::BTreeSet;

use expect_test::expect_file;
use mnemograph_graph::catalogue::{
    DefaultValue, Direction, Kind, OpenedBy, SettingSpec, SettingType, spec, specs,
};
use mnemograph_graph::{EdgeType, LIMITS, Limits, ON_ERROR, OnError, ValueType, parse};
use serde_json::{Map, Value, json};

/// A value that a setting accepts and that is not its default.
fn example(setting: &SettingSpec) -> Value {
    match setting.value {
        SettingType::Text if setting.name == "run" => json!("host:x"),
        SettingType::Text => json!("x"),
        SettingType::Texts => json!(["E_LLM"]),
        SettingType::Boolean => json!(setting.default != DefaultValue::Boolean(true)),
        SettingType::Integer { min, max } => {
            json!(if setting.default == DefaultValue::Integer(min) {
                max
            } else {
                min
            })
        }
        SettingType::Number { max, .. } => json!(max),
        SettingType::Choice { options } => json!(options.last().unwrap()),
        SettingType::Object if setting.name == "default" => json!({"status": "x"}),
        SettingType::Object | SettingType::Schema | SettingType::Json => json!({"a": 1}),
        SettingType::Record { fields } => Value::Object(examples(fields)),
    }
}

fn examples(settings: &[SettingSpec]) -> Map<String, Value> {
    settings
        .iter()
        .map(|setting| (setting.name.to_owned(), example(setting)))
        .collect()
}

#[test]
fn every_setting_of_the_table_reaches_the_struct() {
    for node in specs()
        .iter()
        .filter(|node| !matches!(node.kind, Kind::Trigger | Kind::Note))
    {
        let document = json!({
            "format": "mnemograph", "format_version": 1, "id": "g",
            "nodes": [
                {"id": "start", "type": "manual_trigger"},
                {"id": "it", "type": node.node_type, "settings": examples(node.settings), "disabled": true}
            ]
        });
        let parsed = parse(&document.to_string());
        let graph = parsed
            .graph
            .unwrap_or_else(|| panic!("{:?}", parsed.problems));
        let it = graph.node(graph.find("it").unwrap()).unwrap();
        let settings = serde_json::to_value(&it.settings).unwrap();
        assert_eq!(settings["type"], node.node_type);
        assert_eq!(it.type_name(), node.node_type);
        assert_eq!(
            settings["settings"],
            Value::Object(examples(node.settings)),
            "{}",
            node.node_type
        );
    }
}

#[test]
fn every_key_of_a_policy_reaches_the_struct() {
    let given = examples(ON_ERROR);
    let policy: OnError = serde_json::from_value(Value::Object(given.clone())).unwrap();
    assert_eq!(serde_json::to_value(policy).unwrap(), Value::Object(given));
    let given = examples(LIMITS);
    let limits: Limits = serde_json::from_value(Value::Object(given.clone())).unwrap();
    assert_eq!(serde_json::to_value(limits).unwrap(), Value::Object(given));
}

#[test]
fn the_defaults_of_the_table_are_those_of_the_structs() {
    let document = r#"{"format": "mnemograph", "format_version": 1, "id": "g", "nodes": [{"id": "start", "type": "manual_trigger"}]}"#;
    let graph = parse(document).graph.unwrap();
    assert_eq!(graph.limits, Limits::default());
    let (_, start) = graph.nodes().next().unwrap();
    assert_eq!(start.on_error, OnError::default());
}

#[test]
fn names_are_unique_and_described() {
    let mut types = BTreeSet::new();
    for node in specs() {
        assert!(types.insert(node.node_type));
        assert_eq!(
            spec(node.node_type).map(|found| found.title),
            Some(node.title)
        );
        let mut ports = BTreeSet::new();
        for port in node.all_ports() {
            let place = format!("{}.{}", node.node_type, port.name);
            assert!(
                ports.insert((port.name, port.flow, port.direction)),
                "{place} stands twice"
            );
            assert!(port.description.ends_with('.'), "{place}");
            assert_eq!(
                port.value_type.is_some(),
                port.flow == EdgeType::Data,
                "{place}"
            );
            if let Some(setting) = port.setting {
                assert!(
                    node.settings.iter().any(|found| found.name == setting),
                    "{place}"
                );
            }
            if let Some(OpenedBy::Setting(opener)) = port.opened_by {
                let found = node
                    .settings
                    .iter()
                    .find(|found| found.name == opener)
                    .unwrap();
                assert_eq!(found.value, SettingType::Boolean, "{place}");
            }
        }
        let settings: BTreeSet<&str> = node.settings.iter().map(|setting| setting.name).collect();
        assert_eq!(settings.len(), node.settings.len(), "{}", node.node_type);
    }
}

#[test]
fn each_link_has_both_ends_and_each_resource_offers_one() {
    for link in [EdgeType::LinkMemory, EdgeType::LinkLlm, EdgeType::LinkTool] {
        for direction in [Direction::In, Direction::Out] {
            let has = |port: &&_| {
                let port: &mnemograph_graph::catalogue::PortSpec = port;
                port.flow == link && port.direction == direction
            };
            assert!(
                specs()
                    .iter()
                    .any(|node| node.all_ports().any(|port| has(&port))),
                "{link:?}"
            );
        }
    }
    for node in specs() {
        assert_eq!(
            node.offers().is_some(),
            node.kind == Kind::Resource,
            "{}",
            node.node_type
        );
    }
}

#[test]
fn the_catalogue_is_as_reviewed() {
    let table = serde_json::to_string_pretty(specs()).unwrap() + "\n";
    expect_file!["catalogue.json"].assert_eq(&table);
}

#[test]
fn types_fit_themselves_any_and_the_listed_widenings() {
    let mut widenings = Vec::new();
    for from in ValueType::ALL {
        for to in ValueType::ALL {
            let is_trivial = from == to || *from == ValueType::Any || *to == ValueType::Any;
            match (from.fits(*to), is_trivial) {
                (true, false) => widenings.push(format!("{} → {}", from.as_str(), to.as_str())),
                (fits, _) => assert_eq!(fits, is_trivial, "{from:?} {to:?}"),
            }
        }
    }
    assert_eq!(
        widenings,
        [
            "integer → string",
            "integer → float",
            "float → string",
            "boolean → string",
            "messages → json"
        ]
    );
}

#[test]
fn names_in_code_are_names_in_json() {
    for value_type in ValueType::ALL {
        assert_eq!(
            serde_json::to_value(value_type).unwrap(),
            value_type.as_str()
        );
    }
    for edge_type in EdgeType::ALL {
        assert_eq!(serde_json::to_value(edge_type).unwrap(), edge_type.as_str());
    }
}
