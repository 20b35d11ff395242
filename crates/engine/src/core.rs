//! What every node of a run may use: identity, clock of this step, ids, events, warnings, values.

use crate::{
    effect::{Effect, RequestId, RunIdentity, RunInput},
    error::RunError,
    event::{Channel, EventData, NodeStatus, RunEvent},
    plan::Plan,
    result::RunWarning,
    shown::ShownState,
};
use mnemograph_compact::SortedMap;
use mnemograph_graph::NodeIx;
use mnemograph_memory::{Message, Part, Role, Usage};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::rc::Rc;

/// The state of a run that its nodes share. Everything but the plan and the step's effects is kept.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Core {
    #[serde(skip)]
    pub(crate) plan: Rc<Plan>,
    #[serde(skip)]
    pub(crate) effects: Vec<Effect>,
    /// Time of the present input, milliseconds since the epoch.
    pub(crate) now: u64,
    pub(crate) identity: RunIdentity,
    pub(crate) input: RunInput,
    pub(crate) started_at: u64,
    pub(crate) shown: ShownState,
    pub(crate) outputs: Map<String, Value>,
    pub(crate) messages: Vec<Message>,
    pub(crate) usage: Usage,
    pub(crate) warnings: Vec<RunWarning>,
    pub(crate) trigger_message: Option<Message>,
    /// Values of the ports of steps that have run.
    values: SortedMap<String, NodeValues>,
    /// Who waits for which answer.
    requests: SortedMap<RequestId, NodeIx>,
    seq: u64,
    next_request: RequestId,
    next_message: u64,
}

/// What a step left behind.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct NodeValues {
    pub(crate) status: Option<NodeStatus>,
    pub(crate) ports: Map<String, Value>,
    /// The message whose text `output` is, as a person would be shown it.
    pub(crate) message: Option<Message>,
}

impl Core {
    pub(crate) fn new(plan: Rc<Plan>, identity: RunIdentity) -> Self {
        Self {
            plan,
            effects: Vec::new(),
            now: 0,
            identity,
            input: RunInput::default(),
            started_at: 0,
            shown: ShownState::default(),
            outputs: Map::new(),
            messages: Vec::new(),
            usage: Usage::default(),
            warnings: Vec::new(),
            trigger_message: None,
            values: SortedMap::new(),
            requests: SortedMap::new(),
            seq: 0,
            next_request: 1,
            next_message: 1,
        }
    }

    /// Id of a node for people.
    pub(crate) fn node_id(&self, node: NodeIx) -> String {
        self.plan
            .graph
            .node(node)
            .map(|node| node.id.clone())
            .unwrap_or_default()
    }

    pub(crate) fn emit(&mut self, node: Option<NodeIx>, data: EventData) {
        self.seq += 1;
        let event = RunEvent {
            seq: self.seq,
            t: self.now,
            run_id: self.identity.run_id.clone(),
            thread_id: self.identity.thread_id.clone(),
            graph_id: self.plan.graph.id.clone(),
            node: node.map(|node| self.node_id(node)),
            data,
        };
        self.effects.push(Effect::Emit(Box::new(event)));
    }

    pub(crate) fn warn(&mut self, node: Option<NodeIx>, code: &str, message: &str, hint: &str) {
        self.warnings.push(RunWarning {
            code: code.to_owned(),
            node: node.map(|node| self.node_id(node)),
            message: message.to_owned(),
            hint: hint.to_owned(),
        });
        self.emit(
            node,
            EventData::Warning {
                code: code.to_owned(),
                message: message.to_owned(),
                hint: hint.to_owned(),
            },
        );
    }

    /// Tells a piece of text.
    pub(crate) fn emit_text(&mut self, node: NodeIx, channel: Channel, text: String) {
        if !text.is_empty() {
            self.emit(Some(node), EventData::Token { channel, text });
        }
    }

    /// A new request whose answer goes to `node`.
    pub(crate) fn request(&mut self, node: NodeIx) -> RequestId {
        let request = self.next_request;
        self.next_request += 1;
        self.requests.insert(request, node);
        request
    }

    /// A request whose answer goes to the run itself.
    pub(crate) fn own_request(&mut self) -> RequestId {
        let request = self.next_request;
        self.next_request += 1;
        request
    }

    /// Who waits for this answer. The answer to a stream's piece leaves the request open.
    pub(crate) fn waiter(&self, request: RequestId) -> Option<NodeIx> {
        self.requests.get(&request).copied()
    }

    /// The request is answered, or nobody wants the answer any more.
    pub(crate) fn forget_request(&mut self, request: RequestId) {
        self.requests.remove(&request);
    }

    /// Ends a call that runs outside.
    pub(crate) fn cancel_call(&mut self, request: RequestId, reason: &str) {
        self.forget_request(request);
        self.effects.push(Effect::CancelCall {
            request,
            reason: reason.to_owned(),
        });
    }

    /// A new message of this run. Ids are made of the run's id, so the same inputs give the same ids.
    pub(crate) fn message(&mut self, role: Role, parts: Vec<Part>) -> Message {
        let id = format!("msg_{}_{}", self.identity.run_id, self.next_message);
        self.next_message += 1;
        Message::new(id, role, parts, self.now)
    }

    pub(crate) fn set_values(&mut self, node: NodeIx, values: NodeValues) {
        self.values.insert(self.node_id(node), values);
    }

    /// The value on a data input: of the edge, `None` if nothing is wired.
    ///
    /// # Errors
    /// `E_INPUT_ABSENT` if what it is wired to was skipped or has no such value.
    pub(crate) fn data_input(&self, node: NodeIx, port: &str) -> Result<Option<Value>, RunError> {
        let Some((source, source_port)) = self.plan.graph.data_into(node, port) else {
            return Ok(None);
        };
        let source_id = self.node_id(source);
        match self.values.get(&source_id).and_then(|values| values.ports.get(source_port)) {
            Some(value) => Ok(Some(value.clone())),
            None => Err(RunError::new(
                "E_INPUT_ABSENT",
                format!(
                    "The input '{port}' is wired to '{source_id}.{source_port}', which has no value in this run."
                ),
            )
            .hint(format!("Let control pass through '{source_id}' before this node, or wire another value."))
            .at(&self.node_id(node))),
        }
    }
}

impl Core {
    /// The values of all steps so far, for templates.
    pub(crate) fn all_values(&self) -> Map<String, Value> {
        self.values
            .iter()
            .map(|(id, values)| {
                let mut ports = values.ports.clone();
                ports.insert(
                    "status".to_owned(),
                    serde_json::to_value(values.status).unwrap_or(Value::Null),
                );
                (id.clone(), Value::Object(ports))
            })
            .collect()
    }

    /// The message that a reply's text comes from.
    pub(crate) fn reply_message(&self, reply: NodeIx) -> Option<Message> {
        let (source, _) = self.plan.reply_source(reply)?;
        self.values.get(&self.node_id(source))?.message.clone()
    }
}
