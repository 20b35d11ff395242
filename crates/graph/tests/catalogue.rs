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
use mnemograph_graph::{EdgeType, LIMITS, Limits, ON_ERROR, OnError, Settings, ValueType, parse};
use serde_json::{Map, Value, json};

/// A value that a setting accepts and that is not its default.
fn example(node_type: &str, setting: &SettingSpec) -> Value {
    match (node_type, setting.name) {
        ("tool", "run") => return json!("host:x"),
        ("fail", "code") => return json!("E_OTHER"),
        ("delay", "ms") => return json!(5),
        ("regex", "flags") => return json!("i"),
        ("regex", "group") => return json!(1),
        ("regex", "pattern") => return json!("(x)"),
        ("agent_memory", "enabled_tools") => return json!(["clear"]),
        ("chat_history", "roles") => return json!(["user"]),
        ("on_error", "default") => return json!({"status": "x"}),
        ("summary_memory", "keep_recent") => return json!(5),
        _ => {}
    }
    match setting.value {
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
        SettingType::Choice { options } => {
            let mut options = options.iter().rev();
            json!(options.find(|option| setting.default != DefaultValue::Text(option)))
        }
        SettingType::Object | SettingType::Schema | SettingType::Json | SettingType::Entries => {
            json!({"a": 1})
        }
        SettingType::Record { fields } => Value::Object(examples(node_type, fields)),
        SettingType::Records { fields } => json!([examples("", fields)]),
        SettingType::When { .. } => json!({"any": [{"value": 1, "op": "ne", "to": 2}]}),
    }
}

fn examples(node_type: &str, settings: &[SettingSpec]) -> Map<String, Value> {
    settings
        .iter()
        .map(|setting| (setting.name.to_owned(), example(node_type, setting)))
        .collect()
}

/// The settings that a node of this type has if it is given these.
fn settings_of(node_type: &str, given: &Value) -> Settings {
    let document = json!({
        "format": "mnemograph", "format_version": 1, "id": "g",
        "nodes": [
            {"id": "start", "type": "manual_trigger"},
            {"id": "loop", "type": "for_each", "settings": {"items": []}},
            {"id": "it", "type": node_type, "settings": given, "disabled": true,
             "parent": matches!(node_type, "break" | "continue").then_some("loop")}
        ],
        "graphs": {"x": {"nodes": [{"id": "start", "type": "graph_input"}]}}
    });
    let parsed = parse(&document.to_string());
    let graph = parsed
        .graph
        .unwrap_or_else(|| panic!("{node_type}: {:?}", parsed.problems));
    let it = graph.node(graph.find("it").unwrap()).unwrap();
    assert_eq!(it.type_name(), node_type);
    it.settings.clone()
}

/// What has to be set, as briefly as can be.
fn least(node_type: &str, settings: &[SettingSpec]) -> Value {
    let required = settings.iter().filter(|setting| setting.required);
    required
        .map(|setting| {
            let value = match (node_type, setting.value) {
                ("condition", _) => json!([{"id": "a", "when": "true"}]),
                ("switch", _) => json!([{"id": "a", "equals": 1}]),
                (_, SettingType::Records { .. }) => json!([{"id": "a", "name": "a"}]),
                (_, SettingType::Schema) => json!({}),
                ("tool", _) => json!("host:a"),
                ("delay", _) => json!(1),
                ("regex", _) => json!("(a)|a"),
                _ => json!("a"),
            };
            (setting.name.to_owned(), value)
        })
        .collect::<Map<_, _>>()
        .into()
}

#[test]
fn every_setting_of_the_table_reaches_the_struct_or_is_a_template() {
    for node in specs() {
        if node.node_type == "graph_input" || node.node_type == "note" {
            continue;
        }
        let mut given = least(node.node_type, node.settings);
        let other_key = if node.node_type == "subgraph" {
            "x"
        } else {
            ""
        };
        if !other_key.is_empty() {
            given["graph"] = json!(other_key);
        }
        if node.node_type == "summary_memory" {
            // Less than any trigger.
            given["keep_recent"] = json!(0);
        }
        let before = settings_of(node.node_type, &given);
        for setting in node
            .settings
            .iter()
            .filter(|setting| setting.template.is_none())
        {
            if (node.node_type, setting.name) == ("subgraph", "graph") {
                continue;
            }
            let mut changed = given.clone();
            changed[setting.name] = example(node.node_type, setting);
            match (node.node_type, setting.name) {
                ("http_request", "body_type") => changed["method"] = json!("POST"),
                ("list", "descending") => changed["sort_by"] = json!("item"),
                ("merge" | "stop", _) | (_, _) => {}
            }
            assert_ne!(
                settings_of(node.node_type, &changed),
                before,
                "{}.{}",
                node.node_type,
                setting.name
            );
        }
    }
}

#[test]
fn every_key_of_a_policy_reaches_the_struct() {
    let given = examples("on_error", ON_ERROR);
    let policy: OnError = serde_json::from_value(Value::Object(given.clone())).unwrap();
    assert_eq!(serde_json::to_value(policy).unwrap(), Value::Object(given));
    let given = examples("", LIMITS);
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
                ports.insert((port.name.clone(), port.flow, port.direction)),
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
    for link in EdgeType::ALL.iter().copied().filter(|flow| flow.is_link()) {
        for direction in [Direction::In, Direction::Out] {
            let has =
                |port: &&mnemograph_graph::Port| port.flow == link && port.direction == direction;
            let mut nodes = specs().iter();
            assert!(
                nodes.any(|node| node.all_ports().any(|port| has(&port))),
                "{link:?}"
            );
        }
    }
    for node in specs() {
        assert_eq!(
            node.offers().is_some(),
            node.kind == Kind::Resource || matches!(node.node_type, "var" | "agent_memory"),
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
