//! Older documents → documents of today: pure functions from one version to the next, of the format and of each node
//! type. None is ever removed, so that whatever was saved can be read for good.
//!
//! They work on the document as JSON, before anything of it is judged; what is not of the shape that they expect they
//! leave as it is, for the reader to report.

use serde_json::{Map, Value};

use crate::settings::integer;

/// Changes an object of one version to the next.
pub(crate) type Upgrade = fn(&mut Map<String, Value>);

/// What a new version of a node type changed.
#[derive(Clone, Copy)]
pub(crate) struct NodeUpgrade {
    /// Changes the settings.
    pub(crate) settings: Upgrade,
    /// Ports with another name than before: old, new.
    pub(crate) ports: &'static [(&'static str, &'static str)],
}

/// All upgrades there are.
#[derive(Clone, Copy)]
pub(crate) struct Upgrades {
    /// Of the document: the first makes version 2 of version 1.
    pub(crate) format: &'static [Upgrade],
    /// Of nodes, by type: the first of each makes version 2 of version 1.
    pub(crate) nodes: &'static [(&'static str, &'static [NodeUpgrade])],
}

/// The upgrades of this crate. `FORMAT_VERSION` and the versions in the catalogue are one more than their number.
pub(crate) const UPGRADES: Upgrades = Upgrades {
    format: &[],
    nodes: &[],
};

impl Upgrades {
    /// Brings a document to the newest versions.
    pub(crate) fn apply(&self, document: &mut Map<String, Value>) {
        let version = version(document, "format_version");
        for upgrade in steps(self.format, version) {
            upgrade(document);
        }
        if steps(self.format, version).next().is_some() {
            set_version(document, "format_version", self.format.len());
        }
        if self.nodes.is_empty() {
            return;
        }
        self.apply_to_nodes(document);
        let graphs = document.get_mut("graphs").and_then(Value::as_object_mut);
        for (_, graph) in graphs.into_iter().flatten() {
            if let Value::Object(graph) = graph {
                self.apply_to_nodes(graph);
            }
        }
    }

    fn apply_to_nodes(&self, graph: &mut Map<String, Value>) {
        let mut renamed = Vec::new();
        let nodes = graph.get_mut("nodes").and_then(Value::as_array_mut);
        for node in nodes.into_iter().flatten() {
            let Value::Object(node) = node else {
                continue;
            };
            let node_type = node.get("type").and_then(Value::as_str);
            let of_type = |(name, _): &&(&str, _)| node_type == Some(*name);
            let Some((_, upgrades)) = self.nodes.iter().find(of_type) else {
                continue;
            };
            let id = node.get("id").and_then(Value::as_str).map(str::to_owned);
            for upgrade in steps(upgrades, version(node, "type_version")) {
                if let Some(Value::Object(settings)) = node.get_mut("settings") {
                    (upgrade.settings)(settings);
                }
                for (old, new) in upgrade.ports {
                    renamed.extend(
                        id.as_ref()
                            .map(|id| (format!("{id}.{old}"), format!("{id}.{new}"))),
                    );
                }
                set_version(node, "type_version", upgrades.len());
            }
        }
        if !renamed.is_empty() {
            rename_ports(graph, &renamed);
        }
    }
}

/// Moves the ends of edges, one version after the other.
fn rename_ports(graph: &mut Map<String, Value>, renamed: &[(String, String)]) {
    let edges = graph.get_mut("edges").and_then(Value::as_array_mut);
    for edge in edges.into_iter().flatten() {
        for side in ["from", "to"] {
            let Some(Value::String(end)) = edge.get_mut(side) else {
                continue;
            };
            for (old, new) in renamed {
                if end == old {
                    end.clone_from(new);
                }
            }
        }
    }
}

/// The steps from a version on; none from one that is not known.
fn steps<T>(all: &[T], version: Option<usize>) -> impl Iterator<Item = &T> {
    let done = version
        .and_then(|version| version.checked_sub(1))
        .unwrap_or(all.len());
    all.iter().skip(done)
}

fn version(map: &Map<String, Value>, key: &str) -> Option<usize> {
    match map.get(key) {
        None | Some(Value::Null) => Some(1),
        Some(value) => integer(value)?.try_into().ok(),
    }
}

fn set_version(map: &mut Map<String, Value>, key: &str, upgrades: usize) {
    map.insert(key.to_owned(), Value::from(upgrades + 1));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::catalogue::specs;
    use crate::document::FORMAT_VERSION;

    /// Version 2 of the format calls `links` edges, version 3 has an id. Version 2 of `a` calls `old` new, and its
    /// port too; version 3 doubles it, and calls the port newest.
    const FAKE: Upgrades = Upgrades {
        format: &[
            |document| {
                if let Some(links) = document.remove("links") {
                    document.insert("edges".to_owned(), links);
                }
            },
            |document| {
                document.insert("id".to_owned(), json!("given"));
            },
        ],
        nodes: &[(
            "a",
            &[
                NodeUpgrade {
                    settings: |settings| {
                        if let Some(old) = settings.remove("old") {
                            settings.insert("new".to_owned(), old);
                        }
                    },
                    ports: &[("old", "new")],
                },
                NodeUpgrade {
                    settings: |settings| {
                        let doubled = settings.get("new").and_then(Value::as_i64).map(|n| n * 2);
                        settings.insert("new".to_owned(), json!(doubled));
                    },
                    ports: &[("new", "newest")],
                },
            ],
        )],
    };

    fn check(before: Value, after: Value) {
        let Value::Object(mut map) = before else {
            panic!()
        };
        FAKE.apply(&mut map);
        assert_eq!(Value::Object(map.clone()), after);
        FAKE.apply(&mut map);
        assert_eq!(
            Value::Object(map),
            after,
            "the newest version stays as it is"
        );
    }

    #[test]
    fn each_version_takes_the_steps_that_it_lacks() {
        let newest = json!({"format_version": 3, "id": "given", "edges": []});
        check(json!({"links": []}), newest.clone());
        check(json!({"format_version": 1, "links": []}), newest.clone());
        check(json!({"format_version": "2", "edges": []}), newest.clone());
        check(newest.clone(), newest);
    }

    #[test]
    fn nodes_of_all_graphs_are_brought_up_with_the_edges_at_their_ports() {
        check(
            json!({
                "format_version": 3,
                "nodes": [
                    {"id": "x", "type": "a", "settings": {"old": 1}},
                    {"id": "y", "type": "a", "type_version": 2, "settings": {"new": 1}},
                    {"id": "z", "type": "b", "settings": {"old": 1}}
                ],
                "edges": [
                    {"from": "x.old", "to": "y.new"}, {"from": "z.old", "to": "y.old"}, {"from": "x.other", "to": 5}
                ],
                "graphs": {"g": {"nodes": [{"id": "x", "type": "a"}], "edges": [{"from": "x.old", "to": "x.new"}]}, "h": 1}
            }),
            json!({
                "format_version": 3,
                "nodes": [
                    {"id": "x", "type": "a", "settings": {"new": 2}, "type_version": 3},
                    {"id": "y", "type": "a", "type_version": 3, "settings": {"new": 2}},
                    {"id": "z", "type": "b", "settings": {"old": 1}}
                ],
                "edges": [
                    {"from": "x.newest", "to": "y.newest"}, {"from": "z.old", "to": "y.old"}, {"from": "x.other", "to": 5}
                ],
                "graphs": {
                    "g": {"nodes": [{"id": "x", "type": "a", "type_version": 3}], "edges": [{"from": "x.newest", "to": "x.newest"}]},
                    "h": 1
                }
            }),
        );
    }

    #[test]
    fn what_is_unknown_or_no_version_stays() {
        for version in [json!(4), json!(0), json!(-1), json!("x"), json!([])] {
            let document =
                json!({"format_version": version, "nodes": 5, "edges": {}, "graphs": [1]});
            check(document.clone(), document);
        }
        for node in [
            json!(1),
            json!({"type": "a", "type_version": 9}),
            json!({"type": 1}),
        ] {
            let document = json!({"format_version": 3, "nodes": [node]});
            check(document.clone(), document);
        }
    }

    #[test]
    fn every_version_has_its_upgrades() {
        assert_eq!(FORMAT_VERSION, UPGRADES.format.len() as u64 + 1);
        for spec in specs() {
            let of_type = UPGRADES
                .nodes
                .iter()
                .find(|(name, _)| *name == spec.node_type);
            let count = of_type.map_or(0, |(_, upgrades)| upgrades.len());
            assert_eq!(spec.version, count as u64 + 1, "{}", spec.node_type);
        }
    }
}
