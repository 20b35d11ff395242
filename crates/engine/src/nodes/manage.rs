//! `memory_manager`, and what an agent does to its memory by the ports of that: overwriting and reading a history.

use crate::{
    core::Core,
    effect::{Effect, Input, MemoryOp, MemoryRef, RequestId},
    error::RunError,
    nodes::{Activity, Entered, Progress, Signal},
};
use mnemograph_compact::FromJson;
use mnemograph_graph::{ManagerOp, MemoryManager, NodeIx};
use mnemograph_memory::{Message, decode_messages};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A history that is being read or changed.
#[derive(Debug, Serialize, FromJson)]
pub(crate) struct Manage {
    request: RequestId,
}

pub(crate) fn enter(core: &mut Core, node: NodeIx, settings: &MemoryManager) -> Entered {
    let given = core.data_input(node, "messages")?;
    let mut messages = || match given.clone() {
        Some(value) => read_messages(core, node, "messages", value),
        None => Err(RunError::new(
            "E_INPUT_ABSENT",
            "There are no messages to put into the memory.",
        )
        .hint("Wire a list of messages to the port messages.")),
    };
    let op = match settings.op {
        ManagerOp::Get => MemoryOp::Get {},
        ManagerOp::Append => MemoryOp::Append {
            messages: messages()?,
        },
        ManagerOp::Replace => MemoryOp::Replace {
            messages: messages()?,
        },
        ManagerOp::DeleteLast => MemoryOp::DeleteLast {},
        ManagerOp::Clear => MemoryOp::Clear {},
    };
    // Of a memory that lives for one access there is nothing to read or to change.
    let Some(memory) = linked(core, node) else {
        return Ok((None, Progress::out([("messages", json!([]))])));
    };
    let request = core.request();
    core.effects.push(Effect::ManageMemory {
        request,
        memory,
        op,
    });
    Ok((
        Some(Activity::Manage(Manage { request })),
        Progress::Waiting,
    ))
}

impl Manage {
    pub(crate) fn resume(&mut self, core: &mut Core, node: NodeIx, signal: Signal) -> Progress {
        let Signal::Input(Input::MemoryManaged { request, result }) = signal else {
            return Progress::Waiting;
        };
        if request != self.request {
            return Progress::Waiting;
        }
        core.forget_request(request);
        match result {
            Ok(messages) => {
                let messages = Value::Array(messages);
                let plan = std::rc::Rc::clone(&core.plan);
                if let Some(memory) = plan.graph.links(node, "memory").first() {
                    snapshot(core, *memory, messages.clone());
                }
                Progress::out([("messages", messages)])
            }
            Err(failure) => Progress::Failed(failure.into_error("E_STORE_UNAVAILABLE")),
        }
    }
}

/// The memory on a node's port, under the id that its state has.
fn linked(core: &Core, node: NodeIx) -> Option<MemoryRef> {
    let mut memory = core.plan.memory(node, core.identity.has_thread)?;
    memory.node = core.state_key(&memory.node);
    Some(memory)
}

/// What a memory holds, for who reads its port `messages`.
pub(crate) fn snapshot(core: &mut Core, memory: NodeIx, messages: Value) {
    let id = core.state_id(memory);
    core.snapshots.insert(id, messages);
    core.pulled.clear();
}

/// Messages that a graph gives: canonical ones, of which id, status and the like may be left out, or the short form
/// `{role, content: text}`.
///
/// # Errors
/// `E_COERCE` with the place of the first fault.
pub(crate) fn read_messages(
    core: &mut Core,
    node: NodeIx,
    port: &str,
    value: Value,
) -> Result<Vec<Message>, RunError> {
    let value = match value {
        Value::Array(items) => items
            .into_iter()
            .map(|item| completed(core, item))
            .collect(),
        other => other,
    };
    decode_messages(value, port).map_err(|fault| {
        RunError::new(
            "E_COERCE",
            format!("What is wired to '{port}' is no list of messages: {fault}."),
        )
        .hint(fault.hint.clone())
        .at(&core.node_id(node))
    })
}

fn completed(core: &mut Core, item: Value) -> Value {
    let Value::Object(mut message) = item else {
        return item;
    };
    if !message.contains_key("parts")
        && let Some(Value::String(text)) = message.get("content").cloned()
    {
        message.shift_remove("content");
        message.insert("parts".to_owned(), json!([{"type": "text", "text": text}]));
    }
    // What a read adds is no part of a message.
    for read in ["in_view", "seq", "round"] {
        message.shift_remove(read);
    }
    let made = core.message(mnemograph_memory::Role::User, Vec::new());
    let fill = |map: &mut Map<String, Value>, name: &str, value: Value| {
        if map.get(name).is_none_or(Value::is_null) {
            map.insert(name.to_owned(), value);
        }
    };
    fill(&mut message, "v", made.v.into());
    fill(&mut message, "id", made.id.into());
    fill(&mut message, "status", "complete".into());
    fill(&mut message, "created_at", made.created_at.into());
    Value::Object(message)
}
