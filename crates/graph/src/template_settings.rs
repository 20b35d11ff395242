//! The settings of a node that are templates, found by the table of its type.

use serde_json::{Map, Value};

use crate::graph::Node;
use crate::setting::{SettingSpec, SettingType, TemplateKind};

/// A setting that is read as template when the node acts.
#[derive(Debug, Clone, PartialEq)]
pub struct TemplateSetting<'a> {
    /// Where it stands in the settings: `system_prompt`, `cases/0/when`, `args`.
    pub path: String,
    /// How it is read.
    pub kind: TemplateKind,
    /// What the author wrote: a text but for [`TemplateKind::Value`], which may be any JSON value.
    pub source: &'a Value,
}

/// The templates of a node, in the order of its type's table.
pub fn templates(node: &Node) -> Vec<TemplateSetting<'_>> {
    of_map(node.spec().settings, &node.map)
}

/// The templates of a complete map of settings.
pub(crate) fn of_map<'a>(
    fields: &[SettingSpec],
    map: &'a Map<String, Value>,
) -> Vec<TemplateSetting<'a>> {
    let mut found = Vec::new();
    walk(fields, map, "", &mut found);
    found
}

fn walk<'a>(
    fields: &[SettingSpec],
    map: &'a Map<String, Value>,
    prefix: &str,
    found: &mut Vec<TemplateSetting<'a>>,
) {
    for field in fields {
        let Some(value) = map.get(field.name) else {
            continue;
        };
        let path = format!("{prefix}{}", field.name);
        match (field.value, value, field.template) {
            (SettingType::Record { fields }, Value::Object(map), _) => {
                walk(fields, map, &format!("{path}/"), found);
            }
            (SettingType::Records { fields }, Value::Array(list), _) => {
                walk_list(fields, list, &path, found);
            }
            (SettingType::When { rule }, Value::Object(map), _) => {
                for (key, list) in map {
                    let list = list.as_array().map_or(&[][..], Vec::as_slice);
                    walk_list(rule, list, &format!("{path}/{key}"), found);
                }
            }
            (SettingType::Entries, Value::Object(map), Some(kind)) => {
                // The settings of a host's node stand in an object without a name.
                let prefix = if path.is_empty() { path } else { path + "/" };
                found.extend(map.iter().map(|(key, source)| TemplateSetting {
                    path: format!("{prefix}{key}"),
                    kind,
                    source,
                }));
            }
            (_, source, Some(kind)) => found.push(TemplateSetting { path, kind, source }),
            (_, _, None) => {}
        }
    }
}

fn walk_list<'a>(
    fields: &[SettingSpec],
    list: &'a [Value],
    path: &str,
    found: &mut Vec<TemplateSetting<'a>>,
) {
    for (index, element) in list.iter().enumerate() {
        if let Value::Object(map) = element {
            walk(fields, map, &format!("{path}/{index}/"), found);
        }
    }
}
