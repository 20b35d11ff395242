//! What the engine asks for, and what it is told. All of it is plain data: a log of inputs is a
//! recording, and the same inputs give the same effects to the byte.

use crate::model::Summariser;
use crate::{
    error::Failure,
    event::RunEvent,
    interrupt::Interrupt,
    model::{ChatChunk, ChatRequest, Purpose},
    result::RunResult,
};
use mnemograph_compact::FromJson;
use mnemograph_memory::{
    DictionaryLimits, DictionaryOp, MemoryType, Message, Round, Scope, Shown, Summary, ViewPolicy,
};
use serde::Serialize;
use serde_json::{Map, Value};

/// Number of a request to the storage or the host, unique within a run. Its answer carries it.
pub type RequestId = u64;

/// Which history of the run's thread.
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
pub struct MemoryRef {
    /// Id of the memory node.
    pub node: String,
    /// Its type, which is part of the key.
    pub memory_type: MemoryType,
    /// How much of it the model is shown, and so how much is read.
    #[serde(default)]
    pub policy: ViewPolicy,
    /// How long it lives. Never `call`: such a memory is neither read nor written.
    pub scope: Scope,
    /// Who makes its notes, with a policy of type `summary`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summariser: Option<Box<Summariser>>,
}

/// What the host is asked to do beside models and tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum HostWork {
    /// Call a registered function; the payload is its arguments.
    Function,
    /// Make an HTTP request; the payload is `{method, url, headers, query, body_type, body, max_bytes}`, the answer
    /// `{status, headers, body}`.
    Http,
    /// Execute a node of a type of the host; the payload is `{settings, inputs}`, the answer `{exit, outputs}`, of which
    /// either may be absent.
    Node,
    /// Check a value against a JSON Schema; the payload is `{schema, value}`, the answer `{errors: [text]}`.
    Schema,
}

impl HostWork {
    /// The word on the wire.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Http => "http",
            Self::Node => "node",
            Self::Schema => "schema",
        }
    }
}

/// What is done to a whole history.
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum MemoryOp {
    /// Nothing: it is read.
    Get {},
    /// These come at its end.
    Append {
        /// They.
        messages: Vec<Message>,
    },
    /// These come in the place of all that it holds.
    Replace {
        /// They.
        messages: Vec<Message>,
    },
    /// Its last round goes.
    DeleteLast {},
    /// All of it goes.
    Clear {},
}

/// A run that waits for people, as it is put away.
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
pub struct Checkpoint {
    /// Semantic hash of the graph.
    pub graph_hash: String,
    /// The open questions.
    pub interrupts: Vec<Interrupt>,
    /// The state, for [`crate::Run::restore`].
    pub state: Value,
}

/// What a graph reads of its thread before it begins.
#[derive(Debug, Clone, Default, PartialEq, Serialize, FromJson)]
pub struct ThreadState {
    /// Stored variables by state id; absent ones have their default.
    pub variables: Map<String, Value>,
    /// Stored dictionaries by state id; absent ones are as they begin.
    #[serde(default)]
    pub dictionaries: Map<String, Value>,
    /// The newest entries of the transcript before this run's, oldest first.
    pub transcript: Vec<Shown>,
}

/// A request of the engine. Effects are performed in order; those on storage one after another.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Effect {
    /// Make the thread known and open its transcript's entry. Answer: [`Input::TurnOpened`]. It may come when it is clear
    /// that this can be written, and be written with the next effect that writes, before any call at the latest.
    OpenTurn {
        /// Carried by the answer.
        request: RequestId,
        /// What the person sent.
        shown: Shown,
    },
    /// Read a history. Answer: [`Input::HistoryLoaded`].
    LoadHistory {
        /// Carried by the answer.
        request: RequestId,
        /// Which one.
        memory: MemoryRef,
    },
    /// Note the open round, relaxed; a failure is told by [`Input::JournalFailed`].
    WriteJournal {
        /// Which history it will belong to.
        memory: MemoryRef,
        /// The round so far, status `pending` in spirit: what a crash would leave.
        round: Round,
        /// Last stored message that the model saw, 0 for none.
        seen_seq: u64,
    },
    /// Store a finished round and the transcript's entry. Answer: [`Input::RoundCommitted`].
    CommitRound {
        /// Carried by the answer.
        request: RequestId,
        /// Which history.
        memory: MemoryRef,
        /// The round.
        round: Round,
        /// Last stored message that the model saw, 0 for none.
        seen_seq: u64,
        /// The transcript's entry to store with it.
        shown: Option<Shown>,
    },
    /// Store the transcript's entry. Answer: [`Input::TranscriptWritten`].
    WriteTranscript {
        /// Carried by the answer.
        request: RequestId,
        /// The entry.
        shown: Shown,
    },
    /// Call a model. Answers: [`Input::ModelDelta`], [`Input::ModelDone`].
    CallModel {
        /// Carried by the answers.
        request: RequestId,
        /// Id of the node that asks.
        node: String,
        /// What it is for.
        purpose: Purpose,
        /// Name under which the host registered the model.
        model: String,
        /// What is asked.
        chat: ChatRequest,
    },
    /// Call a host tool. Answer: [`Input::ToolDone`], or [`Input::ToolAsks`] if a person has not agreed yet.
    CallTool {
        /// Carried by the answer.
        request: RequestId,
        /// Id of the agent.
        node: String,
        /// Name under which the host registered the tool.
        tool: String,
        /// The provider's id of the call.
        call_id: String,
        /// Arguments.
        args: Value,
        /// A person has agreed to the call.
        agreed: bool,
    },
    /// Ask something else of the host. Answer: [`Input::HostDone`].
    CallHost {
        /// Carried by the answer.
        request: RequestId,
        /// Id of the node that asks.
        node: String,
        /// What sort of work.
        work: HostWork,
        /// Name under which the host registered it.
        name: String,
        /// What it is given.
        payload: Value,
    },
    /// Read what the graph needs of its thread. Answer: [`Input::ThreadRead`].
    ReadThread {
        /// Carried by the answer.
        request: RequestId,
        /// State ids of the variables.
        variables: Vec<String>,
        /// State ids of the dictionaries.
        dictionaries: Vec<String>,
        /// Messages of the transcript, 0 for none.
        transcript: u32,
    },
    /// Store a thread variable, or remove it. Answer: [`Input::VariableWritten`].
    WriteVariable {
        /// Carried by the answer.
        request: RequestId,
        /// Its state id.
        variable: String,
        /// The value; `None` removes it.
        value: Option<Value>,
    },
    /// Change a dictionary of the thread. Answer: [`Input::DictionaryChanged`].
    ChangeDictionary {
        /// Carried by the answer.
        request: RequestId,
        /// Its state id.
        dictionary: String,
        /// The change.
        op: DictionaryOp,
        /// What is in it while nothing is stored.
        initial: Map<String, Value>,
        /// How much it holds.
        limits: DictionaryLimits,
    },
    /// Read or change a whole history. Answer: [`Input::MemoryManaged`].
    ManageMemory {
        /// Carried by the answer.
        request: RequestId,
        /// Which.
        memory: MemoryRef,
        /// What to do.
        op: MemoryOp,
    },
    /// Store the run, which waits for people. Answer: [`Input::CheckpointSaved`].
    SaveCheckpoint {
        /// Carried by the answer.
        request: RequestId,
        /// What to store.
        checkpoint: Box<Checkpoint>,
    },
    /// Remove the stored run: it was cancelled while it was being stored.
    DropCheckpoint {},
    /// A call is no longer wanted; an answer to it will be ignored.
    CancelCall {
        /// Which.
        request: RequestId,
        /// Why, for the host's `AbortSignal`.
        reason: String,
    },
    /// Send [`Input::Timer`] at this time. A later one replaces an earlier one.
    WakeAt {
        /// Milliseconds since the epoch.
        at: u64,
    },
    /// Tell the host.
    Emit(
        /// What.
        Box<RunEvent>,
    ),
    /// The run is over; nothing follows.
    Finish(
        /// Its result.
        Box<RunResult>,
    ),
}

/// What a run begins with. The host has checked shapes; the engine checks meaning.
#[derive(Debug, Clone, Default, PartialEq, Serialize, FromJson)]
pub struct RunInput {
    /// Text of the person's message.
    pub text: Option<String>,
    /// The whole message instead, canonical.
    pub message: Option<Message>,
    /// Images and files that go with the text.
    pub attachments: Vec<mnemograph_memory::Part>,
    /// Id of the trigger node that starts; absent: the first that fits.
    pub trigger: Option<String>,
    /// Name of the event, for an `event_trigger`.
    #[serde(default)]
    pub event: String,
    /// What a manual run or an event brings.
    pub data: Value,
    /// Constants of the page for templates.
    pub env: Map<String, Value>,
}

/// Who and where a run is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, FromJson)]
pub struct RunIdentity {
    /// Id of the run, unique for all time: message and round ids are made from it.
    pub run_id: String,
    /// The thread; the run's id where the host gave none.
    pub thread_id: String,
    /// True if the host gave a thread: only then anything outlives the run.
    pub has_thread: bool,
}

/// A history as the storage gave it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, FromJson)]
pub struct LoadedHistory {
    /// The notes on its older part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
    /// What the last attempt to make notes failed with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary_failed: Option<String>,
    /// Stored messages in order, as far as the memory's policy needs them.
    pub messages: Vec<Message>,
    /// All stored messages, also those not loaded.
    pub count: u64,
    /// `seq` of the last stored message, 0 for none.
    pub last_seq: u64,
    /// Rounds that could not be read and were left out.
    pub quarantined: u64,
}

/// What became of a round.
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Committed {
    /// It is stored.
    Stored {
        /// Messages in it.
        count: u64,
        /// Bytes of it.
        bytes: u64,
        /// Hash of its body.
        hash: String,
    },
    /// The history was cleared while the run went on: nothing was stored.
    Stale,
}

/// An answer or an event from outside. Each comes with the time, see [`crate::Run::step`].
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Input {
    /// Begin.
    Start(
        /// With what.
        Box<RunInput>,
    ),
    /// Answer to [`Effect::OpenTurn`].
    TurnOpened {
        /// The request.
        request: RequestId,
        /// What came of it.
        result: Result<(), Failure>,
    },
    /// What [`Input::TurnOpened`] said was to be written did not get written: the run ends.
    TurnFailed {
        /// Why.
        failure: Failure,
    },
    /// Answer to [`Effect::LoadHistory`].
    HistoryLoaded {
        /// The request.
        request: RequestId,
        /// What came of it.
        result: Result<LoadedHistory, Failure>,
    },
    /// A journal row could not be written.
    JournalFailed {
        /// Why.
        failure: Failure,
    },
    /// Answer to [`Effect::CommitRound`].
    RoundCommitted {
        /// The request.
        request: RequestId,
        /// What came of it.
        result: Result<Committed, Failure>,
    },
    /// Answer to [`Effect::WriteTranscript`].
    TranscriptWritten {
        /// The request.
        request: RequestId,
        /// What came of it.
        result: Result<(), Failure>,
    },
    /// A piece of a model's answer.
    ModelDelta {
        /// The request.
        request: RequestId,
        /// The piece.
        chunk: ChatChunk,
    },
    /// The end of a model call: a whole answer, `null` where the pieces were the answer, or a failure.
    ModelDone {
        /// The request.
        request: RequestId,
        /// What came of it.
        result: Result<Value, Failure>,
    },
    /// The end of a tool call.
    ToolDone {
        /// The request.
        request: RequestId,
        /// What came of it.
        result: Result<Value, Failure>,
    },
    /// The host does not make the call before a person has agreed to it.
    ToolAsks {
        /// The request.
        request: RequestId,
    },
    /// The end of a [`Effect::CallHost`].
    HostDone {
        /// The request.
        request: RequestId,
        /// What came of it.
        result: Result<Value, Failure>,
    },
    /// Answer to [`Effect::ReadThread`].
    ThreadRead {
        /// The request.
        request: RequestId,
        /// What came of it.
        result: Result<ThreadState, Failure>,
    },
    /// Answer to [`Effect::WriteVariable`].
    VariableWritten {
        /// The request.
        request: RequestId,
        /// What came of it.
        result: Result<(), Failure>,
    },
    /// Answer to [`Effect::ChangeDictionary`].
    DictionaryChanged {
        /// The request.
        request: RequestId,
        /// What is in it now, also by others.
        result: Result<Map<String, Value>, Failure>,
    },
    /// Answer to [`Effect::ManageMemory`].
    MemoryManaged {
        /// The request.
        request: RequestId,
        /// The messages that it holds now, each with `in_view`.
        result: Result<Vec<Value>, Failure>,
    },
    /// Answer to [`Effect::SaveCheckpoint`].
    CheckpointSaved {
        /// The request.
        request: RequestId,
        /// What came of it.
        result: Result<(), Failure>,
    },
    /// A person has answered an interrupt of a run that was put away.
    Resume {
        /// Id of the interrupt.
        interrupt: String,
        /// What was decided.
        action: String,
        /// What was given with it.
        data: Value,
    },
    /// The time that [`Effect::WakeAt`] named has come.
    Timer,
    /// The page may go without another word: the open round is noted as it is now.
    Suspend,
    /// The host wants the run to stop.
    Cancel {
        /// Why.
        reason: String,
    },
}

impl Input {
    /// The request that it answers.
    pub(crate) fn request(&self) -> Option<RequestId> {
        match self {
            Self::HistoryLoaded { request, .. }
            | Self::RoundCommitted { request, .. }
            | Self::ModelDelta { request, .. }
            | Self::ModelDone { request, .. }
            | Self::ToolDone { request, .. }
            | Self::ToolAsks { request }
            | Self::HostDone { request, .. }
            | Self::DictionaryChanged { request, .. }
            | Self::MemoryManaged { request, .. }
            | Self::VariableWritten { request, .. } => Some(*request),
            Self::Start(_)
            | Self::TurnOpened { .. }
            | Self::TurnFailed { .. }
            | Self::ThreadRead { .. }
            | Self::CheckpointSaved { .. }
            | Self::Resume { .. }
            | Self::JournalFailed { .. }
            | Self::TranscriptWritten { .. }
            | Self::Timer
            | Self::Suspend
            | Self::Cancel { .. } => None,
        }
    }
}
