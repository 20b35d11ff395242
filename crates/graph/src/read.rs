//! JSON value → [`Document`]: the structure, and nothing of its meaning.
//!
//! Structure is read strictly: a key that the format does not know is an error, since a misspelt `settings` or
//! `disabled` would silently make another graph of it. What stands in `settings` is judged later and kindly.

use serde_json::{Map, Value};

use crate::document::{Document, EdgeDocument, EdgeType, FORMAT, FORMAT_VERSION, NodeDocument};
use crate::fields::{Fields, lower};
use crate::policy::{REQUIRES, Requires};
use crate::problem::{Code, Pointer, Problem, Problems, quote};
use crate::settings::{Place, Unknown, complete, describe, integer, names};
use crate::suggest::Suggest;

/// How a document begins.
pub(crate) const BEGINNING: &str =
    "A graph begins {\"format\": \"mnemograph\", \"format_version\": 1, …}.";

/// Most nodes of a document.
pub const MAX_NODES: usize = 2_000;
/// Most edges of a document.
pub const MAX_EDGES: usize = 10_000;

const DOCUMENT_KEYS: &[&str] = &[
    "format",
    "format_version",
    "id",
    "name",
    "description",
    "nodes",
    "edges",
    "graphs",
    "limits",
    "requires",
    "ui",
];
const NODE_KEYS: &[&str] = &[
    "id",
    "type",
    "type_version",
    "title",
    "settings",
    "parent",
    "on_error",
    "timeout_ms",
    "disabled",
    "renamed_from",
    "ui",
];
const EDGE_KEYS: &[&str] = &["id", "type", "from", "to", "ui"];

/// A node of the document with the place where it was read.
pub(crate) struct ReadNode {
    pub(crate) index: usize,
    pub(crate) node: NodeDocument,
}

/// An edge of the document with the place where it was read.
pub(crate) struct ReadEdge {
    pub(crate) index: usize,
    pub(crate) edge: EdgeDocument,
}

/// What could be read of a document. Nodes and edges that are no such thing are reported and left out.
pub(crate) struct ReadDocument {
    pub(crate) head: Document,
    pub(crate) nodes: Vec<ReadNode>,
    pub(crate) edges: Vec<ReadEdge>,
    /// Something was left out, so that the whole cannot be judged.
    pub(crate) is_partial: bool,
}

pub(crate) fn document(
    value: Value,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> Option<ReadDocument> {
    let Value::Object(map) = value else {
        let hint = if value.is_string() {
            "JSON text inside of JSON text: read it once more before you pass it on."
        } else {
            BEGINNING
        };
        problems.add(Problem::new(
            Code::Json,
            format!("A graph document is an object, not {}.", describe(&value)),
            hint,
        ));
        return None;
    };
    if !is_known_version(&map, problems) || !is_within_limits(&map, problems) {
        return None;
    }
    let mut fields = Fields {
        map,
        path: Pointer::root(),
        owner: "The document".to_owned(),
        node: None,
        problems,
        suggest,
    };
    fields.refuse_unknown(DOCUMENT_KEYS);
    let mut head = Document {
        format: FORMAT.to_owned(),
        format_version: FORMAT_VERSION,
        id: String::new(),
        name: fields.text("name"),
        description: fields.text("description"),
        nodes: Vec::new(),
        edges: Vec::new(),
        limits: fields.object("limits").unwrap_or_default(),
        requires: Requires::default(),
        ui: fields.object("ui"),
        extra: fields.extensions(),
    };
    head.id = graph_id(&mut fields);
    head.requires = requires(&mut fields);
    no_sub_graphs(&mut fields);
    let has_nodes = fields.map.get("nodes").is_some_and(Value::is_array);
    let nodes = fields.list("nodes", true);
    let edges = fields.list("edges", false);
    let written = nodes.len() + edges.len();
    let nodes: Vec<ReadNode> = nodes
        .into_iter()
        .enumerate()
        .filter_map(|(index, value)| {
            Some(ReadNode {
                index,
                node: node(index, value, suggest, problems)?,
            })
        })
        .collect();
    let edges: Vec<ReadEdge> = edges
        .into_iter()
        .enumerate()
        .filter_map(|(index, value)| {
            Some(ReadEdge {
                index,
                edge: edge(index, value, suggest, problems)?,
            })
        })
        .collect();
    let is_partial = nodes.len() + edges.len() < written || !has_nodes;
    Some(ReadDocument {
        head,
        nodes,
        edges,
        is_partial,
    })
}

/// A document of another version is not judged further: this version cannot know what is right in it.
fn is_known_version(map: &Map<String, Value>, problems: &mut Problems) -> bool {
    let root = Pointer::root();
    let format = map.get("format");
    if format.and_then(Value::as_str) != Some(FORMAT) {
        let message = match format {
            None => "The document has no \"format\".".to_owned(),
            Some(value) => format!("The \"format\" of a graph cannot be {}.", describe(value)),
        };
        problems.add(Problem::new(Code::Version, message, BEGINNING).at(&root.key("format")));
        if format.is_some() {
            return false;
        }
    }
    let version = map.get("format_version");
    if version.and_then(integer) == Some(1) {
        return true;
    }
    let (message, hint) = match version {
        None => (
            "The document has no \"format_version\".".to_owned(),
            "Add \"format_version\": 1.",
        ),
        Some(value) => (
            format!(
                "This runtime reads format version 1, not {}.",
                describe(value)
            ),
            "Update mnemograph, or save the graph in format version 1.",
        ),
    };
    problems.add(Problem::new(Code::Version, message, hint).at(&root.key("format_version")));
    version.is_none()
}

fn is_within_limits(map: &Map<String, Value>, problems: &mut Problems) -> bool {
    let mut within = true;
    for (key, limit) in [("nodes", MAX_NODES), ("edges", MAX_EDGES)] {
        let count = map.get(key).and_then(Value::as_array).map_or(0, Vec::len);
        if count > limit {
            within = false;
            problems.add(
                Problem::new(
                    Code::DocLimit,
                    format!("The document has {count} {key}; {limit} are allowed."),
                    "Make several graphs of it.",
                )
                .at(&Pointer::root().key(key)),
            );
        }
    }
    within
}

fn node(
    index: usize,
    value: Value,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> Option<NodeDocument> {
    let path = Pointer::root().key("nodes").index(index);
    let map = object_of(value, "A node", &path, problems)?;
    let id = map
        .get("id")
        .and_then(Value::as_str)
        .filter(|id| is_node_id(id))
        .map(str::to_owned);
    let owner = id.as_ref().map_or_else(
        || format!("Node {index}"),
        |id| format!("Node {}", quote(id)),
    );
    let mut fields = Fields {
        map,
        path,
        owner,
        node: id.clone(),
        problems,
        suggest,
    };
    fields.refuse_unknown(NODE_KEYS);
    if id.is_none() {
        bad_node_id(&mut fields);
    }
    let node_type = fields.needed_text("type");
    let node = NodeDocument {
        id: id.clone().unwrap_or_default(),
        node_type: node_type.clone().unwrap_or_default(),
        type_version: fields.whole("type_version", Code::Version),
        title: fields.text("title"),
        settings: fields.object("settings").unwrap_or_default(),
        on_error: fields.object("on_error"),
        timeout_ms: fields.whole("timeout_ms", Code::Setting),
        disabled: fields.boolean("disabled"),
        renamed_from: earlier_ids(&mut fields),
        ui: fields.object("ui"),
        extra: fields.extensions(),
    };
    no_container(&mut fields);
    (id.is_some() && node_type.is_some()).then_some(node)
}

fn edge(
    index: usize,
    value: Value,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> Option<EdgeDocument> {
    let path = Pointer::root().key("edges").index(index);
    let map = object_of(value, "An edge", &path, problems)?;
    let mut fields = Fields {
        map,
        path,
        owner: format!("Edge {index}"),
        node: None,
        problems,
        suggest,
    };
    fields.refuse_unknown(EDGE_KEYS);
    let id = fields.text("id");
    let edge_type = edge_type(&mut fields);
    let from = fields.needed_text("from");
    let to = fields.needed_text("to");
    let ui = fields.object("ui");
    let extra = fields.extensions();
    Some(EdgeDocument {
        id,
        edge_type: edge_type?,
        from: from?,
        to: to?,
        ui,
        extra,
    })
}

fn object_of(
    value: Value,
    what: &str,
    path: &Pointer,
    problems: &mut Problems,
) -> Option<Map<String, Value>> {
    match value {
        Value::Object(map) => Some(map),
        other => {
            let message = format!("{what} is an object, not {}.", describe(&other));
            problems.add(
                Problem::new(Code::Json, message, "Write it as an object, or remove it.").at(path),
            );
            None
        }
    }
}

/// Whether a text can be the id of a node.
pub(crate) fn is_node_id(id: &str) -> bool {
    let mut bytes = id.bytes();
    id.len() <= 64
        && bytes
            .next()
            .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn graph_id(fields: &mut Fields<'_>) -> String {
    let id = match fields.take("id") {
        Some(Value::String(id)) if (1..=200).contains(&id.chars().count()) => return id,
        other => other,
    };
    let message = match id {
        None => "The graph has no id.".to_owned(),
        Some(Value::String(text)) if text.is_empty() => "The id of the graph is empty.".to_owned(),
        Some(Value::String(_)) => "The id of the graph is longer than 200 characters.".to_owned(),
        Some(other) => format!("The id of the graph cannot be {}.", describe(&other)),
    };
    let hint = "Set \"id\" to a text of 1 to 200 characters and keep it: what the graph remembers is stored under it.";
    fields.report(Code::BadId, "id", message, hint);
    String::new()
}

fn bad_node_id(fields: &mut Fields<'_>) {
    let message = match fields.map.get("id") {
        None | Some(Value::Null) => format!("{} has no id.", fields.owner),
        Some(Value::String(id)) => format!("{} cannot be the id of a node.", quote(id)),
        Some(other) => format!("The id of a node cannot be {}.", describe(other)),
    };
    let hint = "Use a letter or _, then up to 63 letters, digits or _.";
    fields.report(Code::BadId, "id", message, hint);
}

fn earlier_ids(fields: &mut Fields<'_>) -> Vec<String> {
    let list = fields.list("renamed_from", false);
    let all = list.len();
    let ids: Vec<String> = list
        .into_iter()
        .filter_map(|id| id.as_str().filter(|id| is_node_id(id)).map(str::to_owned))
        .collect();
    if ids.len() != all {
        let message = format!(
            "\"renamed_from\" of {} holds something that is no id.",
            lower(&fields.owner)
        );
        fields.report(
            Code::BadId,
            "renamed_from",
            message,
            "List earlier ids of this node only.",
        );
    }
    ids
}

fn edge_type(fields: &mut Fields<'_>) -> Option<EdgeType> {
    let text = fields.needed_text("type")?;
    let found = EdgeType::ALL
        .iter()
        .find(|edge_type| edge_type.as_str() == text);
    if found.is_none() {
        let known = || EdgeType::ALL.iter().map(|edge_type| edge_type.as_str());
        let mut hint = format!("Use one of: {}.", names(known()));
        if let Some(name) = fields.suggest.nearest(&text, known()) {
            hint = format!("Did you mean \"{name}\"? {hint}");
        }
        let message = format!("{} has the unknown type {}.", fields.owner, quote(&text));
        fields.report(Code::Json, "type", message, hint);
    }
    found.copied()
}

fn requires(fields: &mut Fields<'_>) -> Requires {
    let Some(map) = fields.object("requires") else {
        return Requires::default();
    };
    let path = fields.path.key("requires");
    let place = Place {
        node: None,
        owner: "\"requires\"",
        path: &path,
    };
    let full = complete(
        REQUIRES,
        &map,
        Unknown::Refuse,
        place,
        fields.suggest,
        fields.problems,
    );
    let mut requires: Requires = serde_json::from_value(Value::Object(full)).unwrap_or_default();
    requires.normalise();
    requires
}

fn no_sub_graphs(fields: &mut Fields<'_>) {
    if fields
        .object("graphs")
        .is_some_and(|graphs| !graphs.is_empty())
    {
        let message = "The document has sub-graphs, which this version does not run.".to_owned();
        fields.report(
            Code::Setting,
            "graphs",
            message,
            "Move their nodes into the main graph.",
        );
    }
}

fn no_container(fields: &mut Fields<'_>) {
    if let Some(parent) = fields.take("parent") {
        let message = format!(
            "{} cannot be inside {}, which is no container.",
            fields.owner,
            describe(&parent)
        );
        fields.report(Code::Setting, "parent", message, "Remove \"parent\".");
    }
}
