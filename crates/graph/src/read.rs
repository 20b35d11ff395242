//! JSON value → [`Document`]: the structure, and nothing of its meaning.
//!
//! Structure is read strictly: a key that the format does not know is an error, since a misspelt `settings` or
//! `disabled` would silently make another graph of it. What stands in `settings` is judged later and kindly.

use serde_json::{Map, Value};

use crate::document::{Document, EdgeDocument, EdgeType, FORMAT, FORMAT_VERSION, NodeDocument};
use crate::policy::{REQUIRES, Requires};
use crate::problem::{Code, Pointer, Problem, Problems, quote};
use crate::settings::{MAX_MS, Place, Unknown, complete, describe, integer, is_extension, names};
use crate::suggest::Suggest;

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
}

pub(crate) fn document(
    value: Value,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> Option<ReadDocument> {
    let Value::Object(map) = value else {
        problems.add(Problem::new(
            Code::Json,
            format!("A graph document is an object, not {}.", describe(&value)),
            "A graph begins {\"format\": \"mnemograph\", \"format_version\": 1, …}.",
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
    head.id = fields.graph_id();
    head.requires = fields.requires();
    fields.no_sub_graphs();
    let nodes = fields.list("nodes", true);
    let edges = fields.list("edges", false);
    let nodes = nodes
        .into_iter()
        .enumerate()
        .filter_map(|(index, value)| {
            Some(ReadNode {
                index,
                node: node(index, value, suggest, problems)?,
            })
        })
        .collect();
    let edges = edges
        .into_iter()
        .enumerate()
        .filter_map(|(index, value)| {
            Some(ReadEdge {
                index,
                edge: edge(index, value, suggest, problems)?,
            })
        })
        .collect();
    Some(ReadDocument { head, nodes, edges })
}

/// A document of another version is not judged further: this version cannot know what is right in it.
fn is_known_version(map: &Map<String, Value>, problems: &mut Problems) -> bool {
    let root = Pointer::root();
    let format = map.get("format");
    if format.and_then(Value::as_str) != Some(FORMAT) {
        let found = format.map_or("has no \"format\"".to_owned(), |value| {
            format!("has the format {}", describe(value))
        });
        problems.add(
            Problem::new(
                Code::Version,
                format!("The document {found}."),
                "A graph begins {\"format\": \"mnemograph\", \"format_version\": 1, …}.",
            )
            .at(&root.key("format")),
        );
        return format.is_none();
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
        fields.bad_node_id();
    }
    let node_type = fields.needed_text("type");
    let node = NodeDocument {
        id: id.clone().unwrap_or_default(),
        node_type: node_type.clone().unwrap_or_default(),
        type_version: fields.whole("type_version", 1),
        title: fields.text("title"),
        settings: fields.object("settings").unwrap_or_default(),
        on_error: fields.object("on_error"),
        timeout_ms: fields.whole("timeout_ms", 1),
        disabled: fields.boolean("disabled"),
        renamed_from: fields.earlier_ids(),
        ui: fields.object("ui"),
        extra: fields.extensions(),
    };
    fields.no_container();
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
    let edge_type = fields.edge_type();
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

/// Reads the keys of one object.
struct Fields<'a> {
    map: Map<String, Value>,
    path: Pointer,
    owner: String,
    node: Option<String>,
    problems: &'a mut Problems,
    suggest: &'a mut Suggest,
}

impl Fields<'_> {
    fn report(&mut self, code: Code, key: &str, message: String, hint: impl Into<String>) {
        let place = Place {
            node: self.node.as_deref(),
            owner: &self.owner,
            path: &self.path,
        };
        self.problems
            .add(place.problem(code, key, message, hint.into()));
    }

    fn wrong(&mut self, key: &str, value: &Value, expected: &str) {
        let message = format!(
            "\"{key}\" of {} cannot be {}.",
            lower(&self.owner),
            describe(value)
        );
        self.report(
            Code::Json,
            key,
            message,
            format!("Give it {expected}, or remove it."),
        );
    }

    /// Takes a value; `null` counts as absent.
    fn take(&mut self, key: &str) -> Option<Value> {
        self.map
            .get_mut(key)
            .map(Value::take)
            .filter(|value| !value.is_null())
    }

    fn text(&mut self, key: &str) -> Option<String> {
        match self.take(key)? {
            Value::String(text) => Some(text),
            other => {
                self.wrong(key, &other, "a text");
                None
            }
        }
    }

    fn needed_text(&mut self, key: &str) -> Option<String> {
        if self.map.get(key).is_none_or(Value::is_null) {
            let message = format!("{} has no \"{key}\".", self.owner);
            self.report(Code::Json, key, message, format!("Add \"{key}\", a text."));
            return None;
        }
        self.text(key)
    }

    fn object(&mut self, key: &str) -> Option<Map<String, Value>> {
        match self.take(key)? {
            Value::Object(map) => Some(map),
            other => {
                self.wrong(key, &other, "an object");
                None
            }
        }
    }

    fn list(&mut self, key: &str, needed: bool) -> Vec<Value> {
        match self.take(key) {
            Some(Value::Array(list)) => return list,
            Some(other) => self.wrong(key, &other, "a list"),
            None if needed => {
                let message = format!("{} has no \"{key}\".", self.owner);
                self.report(Code::Json, key, message, format!("Add \"{key}\", a list."));
            }
            None => {}
        }
        Vec::new()
    }

    fn boolean(&mut self, key: &str) -> bool {
        match self.take(key) {
            Some(Value::Bool(value)) => value,
            Some(other) => {
                self.wrong(key, &other, "true or false");
                false
            }
            None => false,
        }
    }

    fn whole(&mut self, key: &str, min: i64) -> Option<u64> {
        let value = self.take(key)?;
        let number = integer(&value)
            .filter(|number| (min..=MAX_MS).contains(number))
            .and_then(|number| u64::try_from(number).ok());
        if number.is_none() {
            self.wrong(
                key,
                &value,
                &format!("a whole number from {min} to {MAX_MS}"),
            );
        }
        number
    }

    fn extensions(&mut self) -> Map<String, Value> {
        self.map
            .iter()
            .filter(|(key, _)| is_extension(key))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect()
    }

    fn refuse_unknown(&mut self, known: &'static [&'static str]) {
        let unknown: Vec<String> = self
            .map
            .keys()
            .filter(|key| !is_extension(key) && !known.contains(&key.as_str()))
            .cloned()
            .collect();
        for key in unknown {
            let hint = match self.suggest.nearest(&key, known.iter().copied()) {
                Some(name) => format!("Did you mean \"{name}\"?"),
                None => format!(
                    "Remove it, or begin its name with \"x-\" to keep it as your own data. Known here: {}.",
                    names(known.iter().copied())
                ),
            };
            let message = format!("{} has no key {}.", self.owner, quote(&key));
            self.report(Code::Json, &key, message, hint);
        }
    }

    fn graph_id(&mut self) -> String {
        let id = match self.take("id") {
            Some(Value::String(id)) if (1..=200).contains(&id.chars().count()) => return id,
            other => other,
        };
        let message = match id {
            None => "The graph has no id.".to_owned(),
            Some(Value::String(text)) if text.is_empty() => {
                "The id of the graph is empty.".to_owned()
            }
            Some(Value::String(_)) => {
                "The id of the graph is longer than 200 characters.".to_owned()
            }
            Some(other) => format!("The id of the graph cannot be {}.", describe(&other)),
        };
        let hint = "Set \"id\" to a text of 1 to 200 characters and keep it: what the graph remembers is stored under it.";
        self.report(Code::BadId, "id", message, hint);
        String::new()
    }

    fn bad_node_id(&mut self) {
        let message = match self.map.get("id") {
            None | Some(Value::Null) => format!("{} has no id.", self.owner),
            Some(Value::String(id)) => format!("{} cannot be the id of a node.", quote(id)),
            Some(other) => format!("The id of a node cannot be {}.", describe(other)),
        };
        let hint = "Use a letter or _, then up to 63 letters, digits or _.";
        self.report(Code::BadId, "id", message, hint);
    }

    fn earlier_ids(&mut self) -> Vec<String> {
        let list = self.list("renamed_from", false);
        let all = list.len();
        let ids: Vec<String> = list
            .into_iter()
            .filter_map(|id| id.as_str().filter(|id| is_node_id(id)).map(str::to_owned))
            .collect();
        if ids.len() != all {
            let message = format!(
                "\"renamed_from\" of {} holds something that is no id.",
                lower(&self.owner)
            );
            self.report(
                Code::BadId,
                "renamed_from",
                message,
                "List earlier ids of this node only.",
            );
        }
        ids
    }

    fn edge_type(&mut self) -> Option<EdgeType> {
        let text = self.needed_text("type")?;
        let found = EdgeType::ALL
            .iter()
            .find(|edge_type| edge_type.as_str() == text);
        if found.is_none() {
            let known = || EdgeType::ALL.iter().map(|edge_type| edge_type.as_str());
            let mut hint = format!("Use one of: {}.", names(known()));
            if let Some(name) = self.suggest.nearest(&text, known()) {
                hint = format!("Did you mean \"{name}\"? {hint}");
            }
            let message = format!("{} has the unknown type {}.", self.owner, quote(&text));
            self.report(Code::Json, "type", message, hint);
        }
        found.copied()
    }

    fn requires(&mut self) -> Requires {
        let Some(map) = self.object("requires") else {
            return Requires::default();
        };
        let path = self.path.key("requires");
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
            self.suggest,
            self.problems,
        );
        let mut requires: Requires =
            serde_json::from_value(Value::Object(full)).unwrap_or_default();
        requires.normalise();
        requires
    }

    fn no_sub_graphs(&mut self) {
        if self
            .object("graphs")
            .is_some_and(|graphs| !graphs.is_empty())
        {
            let message =
                "The document has sub-graphs, which this version does not run.".to_owned();
            self.report(
                Code::Setting,
                "graphs",
                message,
                "Move their nodes into the main graph.",
            );
        }
    }

    fn no_container(&mut self) {
        if let Some(parent) = self.take("parent") {
            let message = format!(
                "{} cannot be inside {}, which is no container.",
                self.owner,
                describe(&parent)
            );
            self.report(Code::Setting, "parent", message, "Remove \"parent\".");
        }
    }
}

/// An owner in the middle of a sentence.
fn lower(owner: &str) -> String {
    let mut text = owner.to_owned();
    if let Some(first) = text.get_mut(0..1) {
        first.make_ascii_lowercase();
    }
    text
}
