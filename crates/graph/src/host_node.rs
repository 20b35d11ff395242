//! Node types that the host registers. They are judged as the built-in ones are, but for their settings: these have
//! a schema that only the host can check.

use std::rc::Rc;

use mnemograph_compact::{FromJson, SortedMap};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::catalogue::{BLANK, Kind, NodeSpec, Port};
use crate::setting::{SettingSpec, SettingType};
use crate::values::ValueType;

/// Node types of the host, by the names that documents use.
pub type HostNodes = SortedMap<String, Rc<HostNode>>;

/// A node type of the host: a step that takes values, does something outside and gives values.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct HostNode {
    /// Name in documents.
    #[serde(rename = "type")]
    pub node_type: String,
    /// What it takes.
    #[serde(default)]
    pub inputs: Vec<HostPort>,
    /// What it gives.
    #[serde(default)]
    pub outputs: Vec<HostPort>,
    /// The ports by which control leaves; `out` if there are none. The first is taken unless the host says another, the
    /// last after a failure with `on_error.mode` = `continue`.
    #[serde(default)]
    pub exits: Vec<String>,
    /// Longest wait for one attempt, in milliseconds; a node's own `timeout_ms` goes before it.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub timeout_ms: u64,
}

/// A data port of a node type of the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct HostPort {
    /// Name, unique among the ports of its direction.
    pub name: String,
    /// Type of its values.
    #[serde(rename = "type")]
    pub value_type: ValueType,
    /// An input without which the node cannot work.
    #[serde(default)]
    pub required: bool,
}

impl HostNode {
    /// The exit that is taken unless the host says another.
    pub fn first_exit(&self) -> &str {
        self.exits.first().map_or("out", String::as_str)
    }

    /// Whether control can leave by this port.
    pub fn has_exit(&self, name: &str) -> bool {
        self.exits.iter().any(|exit| exit == name) || name == self.first_exit()
    }

    pub(crate) fn ports(&self) -> Vec<Port> {
        let mut ports = vec![Port::run_in("in", "Control enters.")];
        let exit = |name: &str| Port::run_out("out", "Control leaves.").named(name);
        if self.exits.is_empty() {
            ports.push(exit("out"));
        }
        ports.extend(self.exits.iter().map(|name| exit(name)));
        for input in &self.inputs {
            let port = Port::data_in("", input.value_type, "What the host's node takes.");
            let port = port.named(&input.name);
            ports.push(if input.required {
                port.required()
            } else {
                port
            });
        }
        for output in &self.outputs {
            let port = Port::data_out("", output.value_type, "What the host's node gives.");
            ports.push(port.named(&output.name));
        }
        ports
    }
}

/// What all of them have. It stands in no list of types: what is particular to one is in its [`HostNode`].
pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "",
    kind: Kind::Step,
    group: "Host",
    settings: &[
        // All that a document gives, under no name of its own.
        SettingSpec::new("", SettingType::Entries, "What the host's schema allows.").templates(),
    ],
    ..BLANK
};

/// The settings of a document as [`SPEC`] has them.
pub(crate) fn settings(given: &Map<String, Value>) -> Map<String, Value> {
    let own = given
        .iter()
        .filter(|(key, _)| !crate::settings::is_extension(key));
    let own: Map<_, _> = own
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    [(String::new(), Value::Object(own))].into_iter().collect()
}
