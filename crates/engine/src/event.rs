//! The events of a run: one envelope, one payload for each type (0-rulings.md 0.3).

use crate::{error::RunError, result::RunStatus};
use mnemograph_compact::FromJson;
use mnemograph_memory::Usage;
use serde::{Deserialize, Serialize, Serializer, ser::SerializeStruct, ser::SerializeTuple};
use std::rc::Rc;

/// Version of the envelope.
pub const EVENT_VERSION: u32 = 1;

/// One event of a run. On the wire the payload stands as `type` and `data` beside the envelope.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    feature = "ts",
    derive(ts_rs::TS),
    ts(type = "RunEventEnvelope & RunEventData")
)]
pub struct RunEvent {
    /// Strictly increasing within a run, from 1.
    pub seq: u64,
    /// Milliseconds since the epoch, by the host's clock.
    pub t: u64,
    /// The run, its thread and its graph.
    pub origin: Rc<Origin>,
    /// Ids of the containers (`each[2]`) and sub-graphs around the node, outermost first.
    pub path: Rc<[String]>,
    /// The node it is about; absent for the run itself.
    pub node: Option<String>,
    /// What happened.
    pub data: EventData,
}

/// Where events come from: the same for all events of a run.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "EventOrigin"))]
pub struct Origin {
    /// The run.
    pub run_id: String,
    /// The thread of the run.
    pub thread_id: String,
    /// The graph of the run.
    pub graph_id: String,
}

/// Events of one run as they cross, which is what a long run spends most of its time on: what they have in common once,
/// then `[seq, t, path, node or null, type, data]` for each.
#[derive(Debug)]
#[cfg_attr(
    feature = "ts",
    derive(ts_rs::TS),
    ts(
        type = "{ origin: EventOrigin | null; events: [seq: number, t: number, path: string[], node: string | null, type: RunEventData[\"type\"], data: RunEventData[\"data\"]][] }"
    )
)]
pub struct EventBatch<'a>(pub &'a [RunEvent]);

impl Serialize for EventBatch<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("EventBatch", 2)?;
        out.serialize_field("origin", &self.0.first().map(|event| &*event.origin))?;
        let events: Vec<Row<'_>> = self.0.iter().map(Row).collect();
        out.serialize_field("events", &events)?;
        out.end()
    }
}

struct Row<'a>(&'a RunEvent);

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let event = self.0;
        let mut out = serializer.serialize_tuple(6)?;
        out.serialize_element(&event.seq)?;
        out.serialize_element(&event.t)?;
        out.serialize_element(&*event.path)?;
        out.serialize_element(&event.node)?;
        out.serialize_element(event.data.type_name())?;
        out.serialize_element(&Payload(&event.data))?;
        out.end()
    }
}

/// What every event of a run carries.
#[cfg(feature = "ts")]
#[derive(ts_rs::TS)]
#[expect(dead_code, reason = "declares the TypeScript type")]
pub struct RunEventEnvelope {
    /// Version of the envelope, 1.
    v: u32,
    /// Strictly increasing within a run, from 1.
    seq: u64,
    /// Milliseconds since the epoch, by the host's clock.
    t: u64,
    /// The run.
    run_id: String,
    /// The thread of the run.
    thread_id: String,
    /// The graph of the run.
    graph_id: String,
    /// Ids of the containers (`each[2]`) and sub-graphs around the node, outermost first.
    path: Vec<String>,
    /// The node it is about; absent for the run itself.
    #[ts(optional)]
    node: Option<String>,
}

impl Serialize for RunEvent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("RunEvent", 10)?;
        out.serialize_field("v", &EVENT_VERSION)?;
        out.serialize_field("seq", &self.seq)?;
        out.serialize_field("t", &self.t)?;
        out.serialize_field("run_id", &self.origin.run_id)?;
        out.serialize_field("thread_id", &self.origin.thread_id)?;
        out.serialize_field("graph_id", &self.origin.graph_id)?;
        out.serialize_field("path", &*self.path)?;
        match &self.node {
            Some(node) => out.serialize_field("node", node)?,
            None => out.skip_field("node")?,
        }
        out.serialize_field("type", self.data.type_name())?;
        out.serialize_field("data", &Payload(&self.data))?;
        out.end()
    }
}

/// Where streamed text is going.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    /// To the person: a `reply` node shows this text.
    Reply,
    /// Inside the graph only.
    Internal,
}

/// How a node ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum NodeStatus {
    /// It has not been reached.
    Pending,
    /// It is executing.
    Running,
    /// It did its work.
    Succeeded,
    /// Control never reached it.
    Skipped,
    /// It failed and `on_error` took over.
    Handled,
    /// It failed, and the run with it.
    Failed,
    /// What was around it ended while it was executing.
    Cancelled,
}

impl NodeStatus {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Skipped => "skipped",
            Self::Handled => "handled",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// What goes with an event, without its type.
struct Payload<'a>(&'a EventData);

macro_rules! events {
    ($($(#[$doc:meta])* $variant:ident = $name:literal { $($(#[$field_doc:meta])* $field:ident : $type:ty),* $(,)? })*) => {
        /// The payloads by type.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "RunEventData"))]
        #[serde(tag = "type", content = "data")]
        pub enum EventData {
            $($(#[$doc])* #[serde(rename = $name)] $variant { $($(#[$field_doc])* $field: $type),* },)*
        }

        impl EventData {
            /// The type as it stands on the wire.
            #[must_use]
            pub fn type_name(&self) -> &'static str {
                match self { $(Self::$variant { .. } => $name,)* }
            }
        }

        impl Serialize for Payload<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self.0 {
                    $(EventData::$variant { $($field),* } => {
                        #[derive(Serialize)]
                        struct Data<'a> { $($field: &'a $type,)* #[serde(skip)] _life: std::marker::PhantomData<&'a ()> }
                        Data { $($field,)* _life: std::marker::PhantomData }.serialize(serializer)
                    })*
                }
            }
        }
    };
}

events! {
    /// The run exists and its trigger is taken.
    RunStarted = "run_started" {
        /// Id of the trigger node.
        trigger: String,
        /// Semantic hash of the graph.
        graph_hash: String,
    }
    /// A step begins.
    NodeStarted = "node_started" {}
    /// A step ended well or was handled.
    NodeFinished = "node_finished" {
        /// How it ended.
        status: NodeStatus,
        /// How long it took, in milliseconds.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        ms: u64,
    }
    /// Control will never reach the step.
    NodeSkipped = "node_skipped" {}
    /// A step failed.
    NodeFailed = "node_failed" {
        /// Why.
        error: RunError,
    }
    /// A failed call is made again.
    NodeRetry = "node_retry" {
        /// Number of the attempt that comes, from 2.
        attempt: u32,
        /// Wait before it, in milliseconds.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        delay_ms: u64,
        /// Code of the error.
        code: String,
    }
    /// Control went along an edge.
    EdgeTaken = "edge_taken" {
        /// `node.port` where it begins.
        from: String,
        /// `node.port` where it ends.
        to: String,
    }
    /// Control will never go along an edge.
    EdgeSkipped = "edge_skipped" {
        /// `node.port` where it begins.
        from: String,
        /// `node.port` where it ends.
        to: String,
    }
    /// Streamed text of a model.
    Token = "token" {
        /// Where it is going.
        channel: Channel,
        /// The piece of text.
        text: String,
    }
    /// Streamed reasoning of a model.
    ReasoningToken = "reasoning_token" {
        /// The piece of text.
        text: String,
    }
    /// The model calls a tool, which begins now.
    ToolCall = "tool_call" {
        /// The provider's id of the call.
        call_id: String,
        /// Name of the tool.
        name: String,
        /// Arguments; text where they were no valid JSON.
        #[cfg_attr(feature = "ts", ts(type = "unknown"))]
        args: serde_json::Value,
    }
    /// A tool call ended.
    ToolResult = "tool_result" {
        /// The provider's id of the call.
        call_id: String,
        /// Name of the tool.
        name: String,
        /// True if the tool failed.
        is_error: bool,
        /// What the model will read, whole.
        content: Vec<mnemograph_memory::Content>,
        /// How long it took, in milliseconds.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        ms: u64,
    }
    /// A memory was read for a model call.
    MemoryRead = "memory_read" {
        /// Id of the memory node; the envelope names the step that reads.
        memory: String,
        /// Stored messages.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        count: u64,
        /// Messages of them that the model is sent.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        in_view: u64,
    }
    /// A round was stored.
    MemoryWritten = "memory_written" {
        /// Id of the memory node; the envelope names the step that writes.
        memory: String,
        /// Messages of the round.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        count: u64,
        /// Bytes of the round.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        bytes: u64,
        /// SHA-256 of the round's body, hex.
        hash: String,
    }
    /// A pass of a loop begins.
    LoopPass = "loop_pass" {
        /// Place of the pass or item, from 0.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        index: u64,
    }
    /// A variable was written.
    VariableSet = "variable_set" {
        /// Its name.
        name: String,
        /// How long it lives.
        scope: String,
    }
    /// An agent changed its dictionary.
    AgentMemoryChanged = "agent_memory_changed" {
        /// Id of the node.
        memory: String,
        /// What was done: `set`, `delete` or `clear`.
        op: String,
        /// How many keys it has now.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        keys: u64,
    }
    /// An `emit` node tells the page something.
    Custom = "custom" {
        /// Name of the event.
        name: String,
        /// What goes with it.
        #[cfg_attr(feature = "ts", ts(type = "unknown"))]
        value: serde_json::Value,
    }
    /// The run waits for a person.
    Interrupt = "interrupt" {
        /// The question.
        interrupt: crate::interrupt::Interrupt,
    }
    /// A person has answered; the run goes on.
    Resumed = "resumed" {
        /// Id of the question.
        id: String,
        /// What was decided; `timeout` if it came too late.
        action: String,
    }
    /// A reply to the person begins.
    ReplyStarted = "reply_started" {}
    /// A reply to the person is whole.
    ReplyDone = "reply_done" {
        /// The whole text.
        text: String,
    }
    /// Something to know that stops nothing.
    Warning = "warning" {
        /// Stable code, `W_…` or the `E_…` of what failed.
        code: String,
        /// What happened.
        message: String,
        /// What to do.
        hint: String,
    }
    /// The run ended; `status` is `succeeded` or `partial`.
    RunFinished = "run_finished" {
        /// How it ended.
        status: RunStatus,
        /// What was replied, whole.
        text: String,
        /// The named results.
        #[cfg_attr(feature = "ts", ts(type = "Record<string, unknown>"))]
        outputs: serde_json::Map<String, serde_json::Value>,
        /// Tokens of all model calls.
        usage: Usage,
    }
    /// The run failed.
    RunFailed = "run_failed" {
        /// Why.
        error: RunError,
    }
    /// The run was cancelled.
    RunCancelled = "run_cancelled" {
        /// The reason that was given.
        reason: String,
    }
    /// The run reached a limit.
    RunLimit = "run_limit" {
        /// Which.
        error: RunError,
    }
}

impl EventData {
    /// True for what happens at every step or with every piece of a text: needed by whoever follows a run, not by whoever
    /// waits for its result.
    #[must_use]
    pub fn is_step(&self) -> bool {
        matches!(
            self,
            Self::NodeStarted {}
                | Self::NodeFinished { .. }
                | Self::NodeSkipped {}
                | Self::EdgeTaken { .. }
                | Self::EdgeSkipped { .. }
                | Self::LoopPass { .. }
                | Self::Token { .. }
                | Self::ReasoningToken { .. }
        )
    }

    /// True for the one event that ends a run.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        matches!(
            self,
            Self::RunFinished { .. }
                | Self::RunFailed { .. }
                | Self::RunCancelled { .. }
                | Self::RunLimit { .. }
        )
    }
}
