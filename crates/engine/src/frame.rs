//! Frames: the run itself, one pass of a loop, one execution of a sub-graph. What steps leave behind belongs to
//! the frame that they ran in.

use crate::{error::RunError, event::NodeStatus, held::Held};
use mnemograph_compact::{Fault, FromJson, SortedMap};
use mnemograph_graph::{EdgeIx, NodeIx};
use mnemograph_memory::Message;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};
use std::rc::Rc;

/// Number of a frame, unique within a run.
pub(crate) type FrameId = u32;
/// Number of an execution of a step, in the order in which they began.
pub(crate) type TaskId = u64;
/// The frame of the run itself.
pub(crate) const ROOT: FrameId = 0;

/// What steps left behind. Boxed, since an insertion moves what stands after it.
pub(crate) type Values = SortedMap<NodeIx, Box<NodeValues>>;

/// Ids of the containers and sub-graphs around a frame, outermost first. Every event has a copy.
#[derive(Debug, Clone, Default)]
pub(crate) struct Path(pub(crate) Rc<[String]>);

impl Path {
    /// The path of a frame with this name in this one.
    pub(crate) fn with(&self, name: String) -> Self {
        Self(self.0.iter().cloned().chain([name]).collect())
    }
}

impl Serialize for Path {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl FromJson for Path {
    fn from_json(value: Value) -> Result<Self, Fault> {
        Vec::from_json(value).map(|names| Self(names.into()))
    }
}

/// One frame.
#[derive(Debug, Serialize, FromJson)]
pub(crate) struct Frame {
    /// The frame around it.
    pub(crate) parent: Option<FrameId>,
    /// The execution that waits for it.
    pub(crate) owner: Option<TaskId>,
    pub(crate) kind: FrameKind,
    /// Key of the sub-graph that it is in; `None` is the graph itself.
    pub(crate) graph: Option<String>,
    /// Containers and sub-graphs around it, for events: `each[2]`, `helper`.
    pub(crate) path: Path,
    /// Run edges that are decided, with what was decided.
    pub(crate) edges: SortedMap<EdgeIx, bool>,
    pub(crate) values: Values,
    /// The last finished pass of each container in it.
    pub(crate) passes: SortedMap<NodeIx, Finished>,
    /// Steps in it that are ready or executing.
    pub(crate) open: usize,
    /// Why it ends before its steps do.
    pub(crate) outcome: Option<Outcome>,
}

/// What a frame is.
#[derive(Debug, Serialize, FromJson)]
pub(crate) enum FrameKind {
    Root,
    Pass {
        container: NodeIx,
        index: u64,
        item: Held,
    },
    Graph {
        inputs: Map<String, Value>,
        outputs: Map<String, Value>,
    },
}

/// Why a frame ends before its steps do.
#[derive(Debug, Clone, Serialize, FromJson)]
pub(crate) enum Outcome {
    Failed(RunError),
    Broken,
    Continued,
    Aborted,
}

/// What is kept of a pass that is over.
#[derive(Debug, Default, Serialize, FromJson)]
pub(crate) struct Finished {
    pub(crate) values: Values,
    pub(crate) passes: SortedMap<NodeIx, Finished>,
}

/// What a step left behind.
#[derive(Debug, Clone, Default, Serialize, FromJson)]
pub(crate) struct NodeValues {
    pub(crate) status: Option<NodeStatus>,
    pub(crate) ports: Map<String, Value>,
    /// The message whose text `output` is, as a person would be shown it.
    pub(crate) message: Option<Message>,
}

impl NodeValues {
    /// Values of a step that succeeded.
    pub(crate) fn of<const N: usize>(ports: [(&str, Value); N]) -> Self {
        let mut map = Map::new();
        for (name, value) in ports {
            map.insert(name.to_owned(), value);
        }
        Self {
            status: Some(NodeStatus::Succeeded),
            ports: map,
            message: None,
        }
    }

    pub(crate) fn with_status(status: NodeStatus) -> Self {
        Self {
            status: Some(status),
            ..Self::default()
        }
    }
}

impl Frame {
    pub(crate) fn new(kind: FrameKind) -> Self {
        Self {
            parent: None,
            owner: None,
            kind,
            graph: None,
            path: Path::default(),
            edges: SortedMap::new(),
            values: Values::new(),
            passes: SortedMap::new(),
            open: 0,
            outcome: None,
        }
    }
}
