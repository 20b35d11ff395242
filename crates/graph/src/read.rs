//! JSON value → [`Document`]: the structure, and nothing of its meaning.
//!
//! Structure is read strictly: a key that the format does not know is an error, since a misspelt `settings` or
//! `disabled` would silently make another graph of it. What stands in `settings` is judged later and kindly.

use mnemograph_compact::FromJson;
use serde_json::{Map, Value};

use crate::document::{
    Document, EdgeDocument, EdgeType, FORMAT, FORMAT_VERSION, NodeDocument, SubGraphDocument,
};
use crate::fields::{Fields, lower};
use crate::policy::{Missing, REQUIRES, Requires};
use crate::problem::{Code, Pointer, Problem, Problems, quote};
use crate::settings::{Place, Unknown, complete, describe, integer, names};
use crate::suggest::Suggest;
use crate::upgrade::UPGRADES;

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
    "missing",
    "ui",
];
/// The first three say what the key and the document say already, and are not looked at.
const SUB_GRAPH_KEYS: &[&str] = &[
    "format",
    "format_version",
    "id",
    "name",
    "description",
    "nodes",
    "edges",
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

/// What could be read of a document.
pub(crate) struct ReadDocument {
    /// All but nodes, edges and sub-graphs.
    pub(crate) head: Document,
    pub(crate) body: ReadBody,
    pub(crate) graphs: Vec<ReadGraph>,
}

/// A sub-graph and its key.
pub(crate) struct ReadGraph {
    pub(crate) key: String,
    /// All but nodes and edges.
    pub(crate) head: SubGraphDocument,
    pub(crate) body: ReadBody,
}

/// Nodes and edges of one graph. Those that are no such thing are reported and left out.
pub(crate) struct ReadBody {
    /// Where the graph stands in the document.
    pub(crate) path: Pointer,
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
    let Value::Object(mut map) = value else {
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
    UPGRADES.apply(&mut map);
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
        name: fields.text("name"),
        description: fields.text("description"),
        limits: fields.object("limits").unwrap_or_default(),
        ui: fields.object("ui"),
        extra: fields.extensions(),
        missing: match fields.word("missing", &Missing::NAMES) {
            Some("empty") => Missing::Empty,
            _ => Missing::Error,
        },
        ..Document::default()
    };
    head.id = graph_id(&mut fields);
    head.requires = requires(&mut fields);
    let graphs = fields.object("graphs").unwrap_or_default();
    let body = body(fields);
    let graphs = graphs
        .into_iter()
        .filter_map(|(key, value)| sub_graph(key, value, suggest, problems))
        .collect();
    problems.enter(None);
    Some(ReadDocument { head, body, graphs })
}

/// Reads nodes and edges.
fn body(mut fields: Fields<'_>) -> ReadBody {
    let has_nodes = fields.map.get("nodes").is_some_and(Value::is_array);
    let nodes = fields.list("nodes", true);
    let edges = fields.list("edges", false);
    let written = nodes.len() + edges.len();
    let Fields {
        path,
        suggest,
        problems,
        ..
    } = fields;
    let mut body = ReadBody {
        nodes: Vec::with_capacity(nodes.len()),
        edges: Vec::with_capacity(edges.len()),
        is_partial: false,
        path,
    };
    let path = body.path.key("nodes");
    for (index, value) in nodes.into_iter().enumerate() {
        let node = node(index, path.index(index), value, suggest, problems);
        body.nodes.extend(node.map(|node| ReadNode { index, node }));
    }
    let path = body.path.key("edges");
    for (index, value) in edges.into_iter().enumerate() {
        let edge = edge(index, path.index(index), value, suggest, problems);
        body.edges.extend(edge.map(|edge| ReadEdge { index, edge }));
    }
    body.is_partial = body.nodes.len() + body.edges.len() < written || !has_nodes;
    body
}

fn sub_graph(
    key: String,
    value: Value,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> Option<ReadGraph> {
    problems.enter(Some(&key));
    let path = Pointer::root().key("graphs").key(&key);
    if !is_node_id(&key) {
        problems.add(
            Problem::new(
                Code::BadId,
                format!("{} cannot be the key of a sub-graph.", quote(&key)),
                "Use a letter or _, then up to 63 letters, digits or _.",
            )
            .at(&path),
        );
        return None;
    }
    let map = object_of(value, "A sub-graph", &path, problems)?;
    let mut fields = Fields {
        map,
        path,
        owner: format!("The sub-graph {}", quote(&key)),
        node: None,
        problems,
        suggest,
    };
    fields.refuse_unknown(SUB_GRAPH_KEYS);
    let head = SubGraphDocument {
        name: fields.text("name"),
        description: fields.text("description"),
        ui: fields.object("ui"),
        extra: fields.extensions(),
        ..SubGraphDocument::default()
    };
    let body = body(fields);
    Some(ReadGraph { key, head, body })
}

/// [`FORMAT_VERSION`] as documents give it.
const NEWEST: i64 = FORMAT_VERSION.cast_signed();

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
    let number = version.and_then(integer);
    if number.is_some_and(|number| (1..=NEWEST).contains(&number)) {
        return true;
    }
    let (message, hint) = match version {
        None => (
            "The document has no \"format_version\".".to_owned(),
            "Add \"format_version\": 1.",
        ),
        Some(value) => (
            format!(
                "This runtime reads format versions up to {NEWEST}, not {}.",
                describe(value)
            ),
            "Update mnemograph, or save the graph in an older format version.",
        ),
    };
    problems.add(Problem::new(Code::Version, message, hint).at(&root.key("format_version")));
    version.is_none()
}

/// The limits hold for all graphs of the document together. Each graph needs a node, so there are no more of them.
fn is_within_limits(map: &Map<String, Value>, problems: &mut Problems) -> bool {
    let graphs = map.get("graphs").and_then(Value::as_object);
    let count = |key: &str| {
        let of = |graph: Option<&Value>| graph.and_then(Value::as_array).map_or(0, Vec::len);
        let inner = graphs.into_iter().flatten();
        of(map.get(key)) + inner.map(|(_, graph)| of(graph.get(key))).sum::<usize>()
    };
    let counts = [
        ("nodes", count("nodes"), MAX_NODES),
        ("edges", count("edges"), MAX_EDGES),
        ("graphs", graphs.map_or(0, Map::len), MAX_NODES),
    ];
    let mut within = true;
    for (key, count, limit) in counts {
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
    path: Pointer,
    value: Value,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> Option<NodeDocument> {
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
        parent: fields.text("parent"),
        on_error: fields.object("on_error"),
        timeout_ms: fields.whole("timeout_ms", Code::Setting),
        disabled: fields.boolean("disabled"),
        renamed_from: earlier_ids(&mut fields),
        ui: fields.object("ui"),
        extra: fields.extensions(),
    };
    (id.is_some() && node_type.is_some()).then_some(node)
}

fn edge(
    index: usize,
    path: Pointer,
    value: Value,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> Option<EdgeDocument> {
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
    let mut requires: Requires = FromJson::from_json(Value::Object(full)).unwrap_or_default();
    requires.normalise();
    requires
}
