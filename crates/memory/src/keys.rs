//! Keys (0-rulings.md 0.2, D23). Structured, never joined: no id can run into another.

use mnemograph_compact::FromJson;
use mnemograph_storage::{Key, Part as KeyPart};
use serde::Serialize;

use crate::error::MemoryError;

/// The longest id, in UTF-16 units.
pub const MAX_ID: usize = 16_384;

/// Which sort of memory node a history belongs to. It is part of the key: another sort begins anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub enum MemoryType {
    /// Everything is sent.
    #[serde(rename = "buffer_memory")]
    Buffer,
    /// The last messages are sent.
    #[serde(rename = "window_memory")]
    Window,
    /// Older messages are sent as a summary.
    #[serde(rename = "summary_memory")]
    Summary,
}

impl MemoryType {
    /// The node's type, as in documents and keys.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Buffer => "buffer_memory",
            Self::Window => "window_memory",
            Self::Summary => "summary_memory",
        }
    }

    fn of(text: &str) -> Option<Self> {
        [Self::Buffer, Self::Window, Self::Summary]
            .into_iter()
            .find(|memory_type| memory_type.as_str() == text)
    }
}

/// How long a memory lives (D24).
#[derive(
    Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, FromJson,
)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// As long as the conversation, in the database.
    #[default]
    Thread,
    /// This run only, in memory.
    Session,
    /// This one access: always empty, nothing is stored.
    Call,
}

/// Checks an id that a key is made of.
///
/// # Errors
/// `E_BAD_ID` unless it has 1 to [`MAX_ID`] UTF-16 units.
pub fn check_id(what: &'static str, id: &str) -> Result<(), MemoryError> {
    // A UTF-16 unit takes one to three bytes, so most ids are told by their bytes.
    let problem = if id.is_empty() {
        "is empty"
    } else if id.len() > MAX_ID && id.encode_utf16().count() > MAX_ID {
        "is longer than 16384 UTF-16 units"
    } else {
        return Ok(());
    };
    Err(MemoryError::BadId { what, problem })
}

/// Names one history: what one memory node of one graph remembers of one thread.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HistoryKey {
    namespace: String,
    graph: String,
    node: String,
    thread: String,
    memory_type: MemoryType,
}

impl HistoryKey {
    /// A key of these ids. `node` is `<graphs key>.<node id>` inside a sub-graph, `graph` the root's id.
    ///
    /// # Errors
    /// `E_BAD_ID`, see [`check_id`].
    pub fn new(
        namespace: impl Into<String>,
        graph: impl Into<String>,
        node: impl Into<String>,
        thread: impl Into<String>,
        memory_type: MemoryType,
    ) -> Result<Self, MemoryError> {
        let key = Self {
            namespace: namespace.into(),
            graph: graph.into(),
            node: node.into(),
            thread: thread.into(),
            memory_type,
        };
        check_id("namespace", &key.namespace)?;
        check_id("graph", &key.graph)?;
        check_id("node", &key.node)?;
        check_id("thread", &key.thread)?;
        Ok(key)
    }

    /// The person's partition.
    #[must_use]
    pub fn namespace(&self) -> &str {
        &self.namespace
    }

    /// The root graph.
    #[must_use]
    pub fn graph(&self) -> &str {
        &self.graph
    }

    /// The memory node.
    #[must_use]
    pub fn node(&self) -> &str {
        &self.node
    }

    /// The conversation.
    #[must_use]
    pub fn thread(&self) -> &str {
        &self.thread
    }

    /// The node's type.
    #[must_use]
    pub const fn memory_type(&self) -> MemoryType {
        self.memory_type
    }

    /// `[namespace, graph, node, thread, type]`: the key of the head and the prefix of all else.
    pub(crate) fn head(&self) -> Key {
        Key::new([
            self.namespace.as_str(),
            &self.graph,
            &self.node,
            &self.thread,
            self.memory_type.as_str(),
        ])
    }

    /// The prefix of an epoch's rounds.
    pub(crate) fn rounds(&self, epoch: u64) -> Key {
        self.head().with(epoch)
    }

    pub(crate) fn round(&self, epoch: u64, first_seq: u64) -> Key {
        self.rounds(epoch).with(first_seq)
    }

    /// The notes that hold now.
    pub(crate) fn summary(&self, epoch: u64) -> Key {
        self.rounds(epoch)
    }

    /// Earlier notes, by what they cover; 0 stands for the attempts that failed.
    pub(crate) fn snapshot(&self, epoch: u64, covers_seq: u64) -> Key {
        self.rounds(epoch).with(covers_seq)
    }

    pub(crate) fn round_id(&self, round_id: &str) -> Key {
        self.head().with(round_id)
    }

    /// The journal row of an open round. It belongs to one life of the history: what is written for another one is
    /// never taken for it.
    pub(crate) fn journal(&self, epoch: u64, round_id: &str) -> Key {
        self.rounds(epoch).with(round_id)
    }

    /// The prefix of [`HistoryKey::life`].
    pub(crate) fn lives(&self) -> Key {
        Key::new([
            KeyPart::from(self.namespace.as_str()),
            KeyPart::Int(0),
            KeyPart::from(self.thread.as_str()),
            KeyPart::from(self.graph.as_str()),
            KeyPart::from(self.node.as_str()),
            KeyPart::from(self.memory_type.as_str()),
        ])
    }

    /// The row in `heads` that stands for one life of this history: `[namespace, 0, thread, graph, node, type, epoch]`.
    /// A head's second part is the graph, a text, so an integer in its place can be no head.
    ///
    /// It is written with the head of a new epoch and has two uses. A writer checks that it is there: the head's `rev`
    /// alone could match by chance after the head was deleted and begun again. And it is how a thread finds its
    /// histories: deleting one costs its own histories and not a scan of every head of the namespace, and a history
    /// whose head is damaged is found all the same.
    pub(crate) fn life(&self, epoch: u64) -> Key {
        self.lives().with(epoch)
    }

    /// Reads [`HistoryKey::life`] back.
    pub(crate) fn from_life(key: &Key) -> Option<Self> {
        let [
            KeyPart::Text(namespace),
            KeyPart::Int(0),
            KeyPart::Text(thread),
            KeyPart::Text(graph),
            KeyPart::Text(node),
            KeyPart::Text(memory_type),
            KeyPart::Int(_),
        ] = key.parts()
        else {
            return None;
        };
        Self::new(namespace, graph, node, thread, MemoryType::of(memory_type)?).ok()
    }
}

/// The prefix of the rows that stand for a thread's histories, see [`HistoryKey::life`].
pub(crate) fn thread_histories(namespace: &str, thread: &str) -> Key {
    Key::new([
        KeyPart::from(namespace),
        KeyPart::Int(0),
        KeyPart::from(thread),
    ])
}

/// `[namespace, thread]`.
pub(crate) fn thread(namespace: &str, thread: &str) -> Key {
    Key::new([namespace, thread])
}

/// The counter that epochs are taken from, in `meta`.
pub(crate) fn next_epoch() -> Key {
    Key::new(["next_epoch"])
}
