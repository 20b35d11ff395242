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
    let fits = |ix: &&NodeIx| match graph.node(**ix).map(|node| &node.settings) {
        Some(Settings::ChatTrigger) => has_message && input.event.is_empty(),
        Some(Settings::ManualTrigger) => !has_message && input.event.is_empty(),
        Some(Settings::EventTrigger(trigger)) => {
            let wanted = trigger.event.as_ref();
            !input.event.is_empty() && wanted.is_none_or(|event| *event == input.event)
        }
        _ => false,
    };
    if let Some(found) = triggers.iter().find(fits) {
        return Ok(*found);
    }
    if !input.event.is_empty() {
        return Err(RunError::new(
            "E_TRIGGER",
            format!(
                "No trigger of this graph takes the event '{}'.",
                input.event
            ),
        )
        .hint("Add an event_trigger with this \"event\", or with none."));
    }
    triggers.first().copied().ok_or_else(|| {
        RunError::new("E_TRIGGER", "The graph has no trigger.").hint("Add a chat_trigger node.")
    })
}

/// The thread that an event belongs to, by the `thread_id` of the trigger that takes it: to be known before the thread's
/// turn is awaited. `None` if it says nothing.
///
/// # Errors
/// `E_TRIGGER`; `E_TEMPLATE` with setting, line and column; `E_BAD_ID` for what is no text.
pub fn event_thread(
    plan: &std::rc::Rc<crate::plan::Plan>,
    input: &RunInput,
) -> Result<Option<String>, RunError> {
    let identity = crate::effect::RunIdentity {
        run_id: String::new(),
        thread_id: String::new(),
        has_thread: false,
    };
    let mut core = Core::new(std::rc::Rc::clone(plan), identity);
    core.input = input.clone();
    let trigger = choose(&core, input)?;
    let message = message(&mut core, input);
    let values = values(&core, trigger, &message);
    core.set_trigger_message(message);
    core.set_values(trigger, values);
    match core.evaluate_setting(trigger, "thread_id")? {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(thread)) => Ok(Some(thread)),
        Some(_) => Err(
            RunError::new("E_BAD_ID", "The event's 'thread_id' is no text.")
                .hint("Let the template give a text, or nothing.")
                .at(&core.node_id(trigger)),
        ),
    }
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
