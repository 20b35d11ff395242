//! The triggers: which one starts, and what it gives.

use crate::{core::Core, effect::RunInput, error::RunError, event::NodeStatus, frame::NodeValues};
use mnemograph_graph::{NodeIx, Settings};
use mnemograph_memory::{Message, Part, Role};
use serde_json::{Map, Value};

/// The trigger that starts: the one that was named, else the first for a message or for data.
///
/// # Errors
/// `E_TRIGGER` if the named node is no trigger, or none fits.
pub(crate) fn choose(core: &Core, input: &RunInput) -> Result<NodeIx, RunError> {
    let graph = &core.plan.graph;
    let triggers = graph.triggers();
    if let Some(wanted) = &input.trigger {
        let found = graph.find(wanted).filter(|ix| triggers.contains(ix));
        let names: Vec<_> = triggers.iter().map(|ix| core.node_id(*ix)).collect();
        return found.ok_or_else(|| {
            RunError::new(
                "E_TRIGGER",
                format!("'{wanted}' is no trigger of this graph."),
            )
            .hint(format!("Triggers: {}.", names.join(", ")))
        });
    }
    let has_message = input.text.is_some() || input.message.is_some();
    let is_chat = |ix: &NodeIx| {
        matches!(
            graph.node(*ix).map(|node| &node.settings),
            Some(Settings::ChatTrigger)
        )
    };
    triggers
        .iter()
        .find(|ix| is_chat(ix) == has_message)
        .or_else(|| triggers.first())
        .copied()
        .ok_or_else(|| {
            RunError::new("E_TRIGGER", "The graph has no trigger.").hint("Add a chat_trigger node.")
        })
}

/// The person's message of this run.
pub(crate) fn message(core: &mut Core, input: &RunInput) -> Message {
    if let Some(message) = &input.message {
        return message.clone();
    }
    let text = match (&input.text, &input.data) {
        (Some(text), _) => text.clone(),
        (None, Value::String(text)) => text.clone(),
        (None, _) => String::new(),
    };
    let mut parts = vec![Part::text(text)];
    parts.extend(input.attachments.iter().cloned());
    core.message(Role::User, parts)
}

/// The values of the trigger's ports.
pub(crate) fn values(core: &Core, trigger: NodeIx, message: &Message) -> NodeValues {
    let mut ports = Map::new();
    match core.plan.graph.node(trigger).map(|node| &node.settings) {
        Some(Settings::ChatTrigger) => {
            ports.insert("text".to_owned(), Value::String(message.text()));
            ports.insert(
                "message".to_owned(),
                serde_json::to_value(message).unwrap_or(Value::Null),
            );
            let files: Vec<_> = message
                .parts
                .iter()
                .filter(|part| matches!(part, Part::Image { .. } | Part::File { .. }))
                .collect();
            ports.insert(
                "attachments".to_owned(),
                serde_json::to_value(files).unwrap_or(Value::Null),
            );
            ports.insert(
                "thread_id".to_owned(),
                Value::String(core.identity.thread_id.clone()),
            );
        }
        Some(Settings::EventTrigger(_)) => {
            ports.insert("name".to_owned(), Value::from(core.input.event.clone()));
            ports.insert("data".to_owned(), core.input.data.clone());
        }
        _ => {
            ports.insert("data".to_owned(), core.input.data.clone());
        }
    }
    NodeValues {
        status: Some(NodeStatus::Succeeded),
        ports,
        message: None,
    }
}
