//! What the model is sent: system prompt, view, open round, tools, parameters.

use super::Agent;
use crate::{core::Core, error::RunError, model::ChatRequest};
use mnemograph_graph::{AiAgent, LlmModel, NodeIx, Settings};
use mnemograph_memory::{Content, Message, Part, Role};
use serde_json::{Map, Value};

/// The linked model in use.
pub(super) fn model_of(core: &Core, agent: NodeIx, place: usize) -> Result<LlmModel, RunError> {
    let linked = core.plan.graph.links(agent, "llm").get(place).copied();
    match linked
        .and_then(|ix| core.plan.graph.node(ix))
        .map(|node| &node.settings)
    {
        Some(Settings::LlmModel(model)) => Ok(model.clone()),
        _ => Err(
            RunError::new("E_NO_MODEL", "The agent has no model to ask.")
                .hint("Link an llm_model node to its 'llm' port.")
                .at(&core.node_id(agent)),
        ),
    }
}

pub(super) fn chat_request(
    core: &mut Core,
    agent: &Agent,
    settings: &AiAgent,
    model: &LlmModel,
) -> ChatRequest {
    let limit = settings.tool_result_max_chars;
    let system = agent
        .system
        .as_ref()
        .map(|text| core.message(Role::System, vec![Part::text(text.clone())]));
    let messages = system
        .into_iter()
        .chain(
            agent
                .view
                .iter()
                .chain(&agent.round.messages)
                .map(|message| shorten(message, limit)),
        )
        .collect();
    ChatRequest {
        messages,
        tools: core
            .plan
            .tools(agent.node)
            .iter()
            .map(|tool| tool.spec.clone())
            .collect(),
        params: merged(&model.params, &settings.params),
        response_format: settings
            .output_schema
            .as_ref()
            .and_then(Value::as_object)
            .cloned(),
        stream: settings.stream,
    }
}

/// The model's parameters with the node's own over them.
fn merged(base: &Map<String, Value>, over: &Map<String, Value>) -> Map<String, Value> {
    let mut all = base.clone();
    all.extend(over.clone());
    all
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
