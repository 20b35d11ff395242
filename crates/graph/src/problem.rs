//! Diagnostics: what is wrong with a document, where, and how to mend it.
//!
//! All problems of a document are found in one pass over it. The texts are part of the product: each names
//! the place in the author's words and each hint can be followed without the documentation at hand.

use mnemograph_compact::FromJson;
use serde::Serialize;

/// How much a problem matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The graph cannot be loaded.
    Error,
    /// The graph runs, though probably not as meant.
    Warning,
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal,)+) => {
        /// The stable code of a load diagnostic. `E_…` are errors, `W_…` are warnings.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, FromJson)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "ProblemCode"))]
        pub enum Code {
            $($(#[doc = $doc])+ #[serde(rename = $text)] $name,)+
        }

        impl Code {
            /// Every code, in the order of the documentation.
            pub const ALL: &'static [Code] = &[$(Code::$name),+];

            /// The code as it appears in JSON.
            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $text),+ }
            }

            /// One sentence on what the code means.
            pub fn summary(self) -> &'static str {
                match self { $(Code::$name => concat!($($doc),+)),+ }
            }
        }
    };
}

codes! {
    /// The text is not JSON, or not of the shape of a graph document.
    Json = "E_JSON",
    /// The document or a node is of a format version that this runtime does not know.
    Version = "E_VERSION",
    /// An id is missing or malformed.
    BadId = "E_BAD_ID",
    /// An id is used twice.
    DupId = "E_DUP_ID",
    /// No node type of this name exists.
    UnknownType = "E_UNKNOWN_TYPE",
    /// A setting has a value that cannot work.
    Setting = "E_SETTING",
    /// An edge begins or ends at a node that does not exist.
    DanglingEdge = "E_DANGLING_EDGE",
    /// An edge names a port that the node does not have or that its settings keep closed.
    PortUnknown = "E_PORT_UNKNOWN",
    /// An edge uses a port of another kind or direction than its type asks for.
    PortKind = "E_PORT_KIND",
    /// A data edge joins two types that do not fit.
    TypeMismatch = "E_TYPE_MISMATCH",
    /// A link joins nodes that cannot be linked in this way.
    LinkTarget = "E_LINK_TARGET",
    /// A port has more connections than it takes, or one connection is drawn twice.
    MaxConnections = "E_MAX_CONNECTIONS",
    /// Something that the node cannot do without is neither wired nor set.
    RequiredPort = "E_REQUIRED_PORT",
    /// Nodes wait for each other in a circle.
    Cycle = "E_CYCLE",
    /// An edge crosses the border of a loop where none may, or a node stands where it cannot.
    ContainerCrossing = "E_CONTAINER_CROSSING",
    /// Nothing starts the graph, or something that cannot.
    Trigger = "E_TRIGGER",
    /// Two variables have one name.
    VarDup = "E_VAR_DUP",
    /// The default of a variable is not of its type.
    VarDefault = "E_VAR_DEFAULT",
    /// A template or expression cannot be read.
    TemplateSyntax = "E_TEMPLATE_SYNTAX",
    /// A template reads something that does not exist.
    TemplateRef = "E_TEMPLATE_REF",
    /// A template reads a variable in a way that its scope does not allow.
    TemplateScope = "E_TEMPLATE_SCOPE",
    /// Two steps that may run at the same time write one variable.
    Race = "E_RACE",
    /// Sub-graphs run each other in a circle, or too many of them inside each other.
    Depth = "E_DEPTH",
    /// The host does not offer something that the graph needs.
    Requires = "E_REQUIRES",
    /// The document is larger or deeper than a document may be.
    DocLimit = "E_DOC_LIMIT",
    /// The runtime contradicts itself: a fault of Mnemograph, not of the graph.
    Internal = "E_INTERNAL",
    /// No trigger leads to a step, or nothing uses a resource.
    Unreachable = "W_UNREACHABLE",
    /// No agent is linked to a memory.
    MemoryUnlinked = "W_MEMORY_UNLINKED",
    /// A memory waits for messages that nothing is wired to give.
    MessagesInUnwired = "W_MESSAGES_IN_UNWIRED",
    /// A thread memory can only be reached in runs without a chat.
    ThreadWithoutChat = "W_THREAD_WITHOUT_CHAT",
    /// A window is too small for a question with its answer.
    WindowSmall = "W_WINDOW_SMALL",
    /// Two agents that may run at the same time use one memory.
    MemorySharedParallel = "W_MEMORY_SHARED_PARALLEL",
    /// A step reads a node that is not on every path to it.
    RefMaybeSkipped = "W_REF_MAYBE_SKIPPED",
    /// Nothing reads or writes a variable.
    UnusedVar = "W_UNUSED_VAR",
    /// An input has a setting and an edge; the edge wins.
    SettingAndEdge = "W_SETTING_AND_EDGE",
    /// A chat starts the graph and nothing answers it.
    NoReply = "W_NO_REPLY",
    /// A step takes a branch when it fails, and nothing is wired to it.
    ErrorUnwired = "W_ERROR_UNWIRED",
    /// The format has it, and this version does nothing about it.
    NotYet = "W_NOT_YET",
    /// A setting has no effect.
    UnknownSetting = "W_UNKNOWN_SETTING",
}

impl Code {
    /// Whether the code is that of an error or of a warning.
    pub fn severity(self) -> Severity {
        if self.as_str().starts_with('E') {
            Severity::Error
        } else {
            Severity::Warning
        }
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One thing that is wrong with a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Problem {
    /// The stable code.
    pub code: Code,
    /// Error or warning; follows from the code.
    pub severity: Severity,
    /// Key of the sub-graph that the problem is in; none in the graph of the document itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub graph: Option<String>,
    /// Id of the node that is to be looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub node: Option<String>,
    /// Port of that node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub port: Option<String>,
    /// JSON pointer into the document. Missing where the place has none or its pointer is longer than 1 000 bytes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub path: Option<String>,
    /// What is wrong.
    pub message: String,
    /// How to mend it.
    pub hint: String,
}

/// A pointer longer than this is of no use to a person and would let a hostile document multiply itself.
const MAX_POINTER: usize = 1_000;

impl Problem {
    /// A problem without a place.
    pub fn new(code: Code, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Problem {
            code,
            severity: code.severity(),
            graph: None,
            node: None,
            port: None,
            path: None,
            message: message.into(),
            hint: hint.into(),
        }
    }

    /// Whether the problem keeps the graph from being loaded.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// Names the sub-graph.
    #[must_use]
    pub fn graph(mut self, key: impl Into<String>) -> Self {
        self.graph = Some(key.into());
        self
    }

    /// Names the node.
    #[must_use]
    pub fn node(mut self, id: impl Into<String>) -> Self {
        self.node = Some(id.into());
        self
    }

    /// Names the port.
    #[must_use]
    pub fn port(mut self, name: impl Into<String>) -> Self {
        self.port = Some(name.into());
        self
    }

    /// Gives the place in the document.
    #[must_use]
    pub fn at(mut self, path: &Pointer) -> Self {
        self.path = (path.0.len() <= MAX_POINTER).then(|| path.0.clone());
        self
    }
}

/// A JSON pointer (RFC 6901) that grows with the descent into a document.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Pointer(String);

impl Pointer {
    /// The whole document.
    pub fn root() -> Self {
        Pointer::default()
    }

    /// A member of the object that this points at.
    #[must_use]
    pub fn key(&self, name: &str) -> Self {
        Pointer(format!(
            "{}/{}",
            self.0,
            name.replace('~', "~0").replace('/', "~1")
        ))
    }

    /// An element of the list that this points at.
    #[must_use]
    pub fn index(&self, index: usize) -> Self {
        Pointer(format!("{}/{index}", self.0))
    }

    /// What a path of keys and indexes, joined by `/`, leads to from here.
    #[must_use]
    pub(crate) fn join(&self, path: &str) -> Self {
        path.split('/').fold(self.clone(), |at, key| at.key(key))
    }

    /// The pointer as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// At most this many errors, and this many warnings, are listed; the rest is counted.
pub const MAX_LISTED: usize = 1_000;

/// Collects problems in the order in which they are found.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    list: Vec<Problem>,
    errors: usize,
    warnings: usize,
    omitted: usize,
    /// The sub-graph that is being judged.
    graph: Option<String>,
}

impl Problems {
    /// What is added from now on is in this sub-graph, or in the document itself.
    pub(crate) fn enter(&mut self, graph: Option<&str>) {
        self.graph = graph.map(str::to_owned);
    }

    pub(crate) fn add(&mut self, mut problem: Problem) {
        let count = match problem.severity {
            Severity::Error => &mut self.errors,
            Severity::Warning => &mut self.warnings,
        };
        *count += 1;
        if *count <= MAX_LISTED {
            if problem.graph.is_none() {
                problem.graph.clone_from(&self.graph);
            }
            self.list.push(problem);
        } else {
            self.omitted += 1;
        }
    }

    pub(crate) fn extend(&mut self, problems: impl IntoIterator<Item = Problem>) {
        for problem in problems {
            self.add(problem);
        }
    }

    pub(crate) fn errors(&self) -> usize {
        self.errors
    }

    /// The listed problems and the number of those left out.
    pub(crate) fn into_parts(self) -> (Vec<Problem>, usize) {
        (self.list, self.omitted)
    }
}

/// Quotes text of a document for a message, cut to a length that a person reads.
pub(crate) fn quote(text: &str) -> String {
    const MAX: usize = 60;
    let mut quoted = String::from("\"");
    for (count, character) in text.chars().enumerate() {
        if count == MAX {
            quoted.push('…');
            break;
        }
        quoted.push(if character.is_control() {
            ' '
        } else {
            character
        });
    }
    quoted.push('"');
    quoted
}
