//! What the model is sent: system prompt, view, open round, tools, parameters.

use super::Agent;
use crate::{core::Core, model::ChatRequest, plan::shown_dictionary, schema};
use mnemograph_graph::{AiAgent, NodeIx};
use mnemograph_memory::{Content, Message, Part, Role};
use serde_json::Value;

pub(super) fn chat_request(core: &mut Core, agent: &Agent, settings: &AiAgent) -> ChatRequest {
    let limit = settings.tool_result_max_chars;
    let system = match (&agent.system, &settings.output_schema) {
        (Some(system), Some(_)) => Some(schema::instruct(system)),
        (None, Some(_)) => Some(schema::instruct("")),
        (system, None) => system.clone(),
    };
    let mut messages = Vec::new();
    if let Some(system) = system {
        messages.push(core.message(Role::System, vec![Part::text(system)]));
    }
    messages.extend(agent.view.iter().map(|message| shorten(message, limit)));
    messages.extend(dictionaries(core, agent.node));
    let round = agent.round.messages.iter();
    messages.extend(round.map(|message| shorten(message, limit)));
    let mut tools: Vec<_> = Vec::new();
    match &agent.unfit {
        Some((text, errors)) => {
            messages.push(core.message(Role::Assistant, vec![Part::text(text.clone())]));
            let prompt = schema::repair_prompt(errors);
            messages.push(core.message(Role::User, vec![Part::text(prompt)]));
        }
        None => tools.extend(
            core.plan
                .tools(agent.node)
                .iter()
                .map(|tool| tool.spec.clone()),
        ),
    }
    ChatRequest {
        messages,
        tools,
        params: settings.params.clone(),
        stream: settings.stream,
        response_format: settings
            .output_schema
            .as_ref()
            .and_then(Value::as_object)
            .cloned(),
    }
}

/// What the agent's dictionaries hold now, as a message of the person: what people and tools said does not gain the rank
/// of the system prompt by being kept. It stands behind the history, which a provider's cache then still knows.
fn dictionaries(core: &mut Core, agent: NodeIx) -> Option<Message> {
    let plan = std::rc::Rc::clone(&core.plan);
    let mut text = String::new();
    for (ix, settings) in plan.dictionaries(agent) {
        if settings.inject {
            let title = plan.graph.node(ix).and_then(|node| node.title.as_deref());
            let title = title.unwrap_or("Your notes");
            text.push_str(&shown_dictionary(title, &core.dictionary(ix)));
        }
    }
    (!text.is_empty()).then(|| core.message(Role::User, vec![Part::text(text)]))
}

/// The message with long tool results cut for the model; the store keeps them whole.
fn shorten(message: &Message, limit: usize) -> Message {
    let mut message = message.clone();
    for part in &mut message.parts {
        if let Part::ToolResult { content, .. } = part {
            for item in content {
                shorten_content(item, limit);
            }
        }
    }
    message
}

fn shorten_content(content: &mut Content, limit: usize) {
    let text = match content {
        Content::Text { text } if text.len() > limit => std::mem::take(text),
        Content::Json { json } => {
            let text = json.to_string();
            if text.len() <= limit {
                return;
            }
            text
        }
        Content::Text { .. } | Content::Image { .. } | Content::File { .. } => return,
    };
    *content = Content::Text {
        text: cut(&text, limit),
    };
}

/// At most `limit` characters, with a note of what was left out.
fn cut(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.to_owned(),
        Some((end, _)) => {
            let kept = text.get(..end).unwrap_or_default();
            let left = text.chars().count() - limit;
            format!("{kept}\n[{left} characters left out]")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn cutting_counts_characters_and_says_what_is_missing() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöüß", 3), "äöü\n[1 characters left out]");
        assert_eq!(cut("🔥🔥", 0), "\n[2 characters left out]");
    }
}
