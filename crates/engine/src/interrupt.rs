//! What is put to a person, and their answer.

use mnemograph_compact::FromJson;
use serde::Serialize;
use serde_json::Value;

/// What sort of question it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum InterruptKind {
    /// A `human_approval` node.
    Approval,
    /// An `ask_user` node: the thread's next message is the answer.
    Question,
    /// A tool call that a person must agree to.
    Tool,
}

/// A question to a person. The run waits until it is answered by `resume`.
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Interrupt {
    /// Id, unique within the run; an answer names it.
    pub id: String,
    /// Id of the node that asks.
    pub node: String,
    /// Ids of the containers and sub-graphs around the node, outermost first.
    pub path: Vec<String>,
    /// What sort of question it is.
    pub kind: InterruptKind,
    /// What the person is asked.
    pub prompt: String,
    /// The answers that are possible.
    pub actions: Vec<String>,
    /// JSON Schema of the data that goes with the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "Record<string, unknown>"))]
    pub schema: Option<Value>,
    /// After this time an answer goes to the port `timeout`; milliseconds since the epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub expires_at: Option<u64>,
    /// The tool call that is to be approved: its name and arguments.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub call: Option<PendingCall>,
}

/// A tool call that waits for a person.
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct PendingCall {
    /// The provider's id of the call.
    pub call_id: String,
    /// Name of the tool.
    pub name: String,
    /// Its arguments.
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub args: Value,
}

impl Interrupt {
    /// Whether the time to answer is over.
    pub(crate) fn is_expired(&self, now: u64) -> bool {
        self.expires_at.is_some_and(|at| now >= at)
    }
}
