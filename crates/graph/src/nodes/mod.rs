//! The node types: one file each, with the settings struct and the entry in the catalogue.

use serde::Serialize;

use crate::catalogue::NodeSpec;

pub(crate) mod ai_agent;
pub(crate) mod llm_model;
pub(crate) mod memory;
pub(crate) mod note;
pub(crate) mod output;
pub(crate) mod reply;
pub(crate) mod tool;
pub(crate) mod trigger;

pub use ai_agent::{AiAgent, ToolErrors};
pub use llm_model::LlmModel;
pub use memory::{Memory, Retention, Scope, TokenGuard};
pub use output::Output;
pub use reply::Reply;
pub use tool::{Tool, ToolRun};

/// The settings of a node, checked and complete. The variant is the node's type.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", content = "settings", rename_all = "snake_case")]
pub enum Settings {
    /// `chat_trigger`
    ChatTrigger,
    /// `manual_trigger`
    ManualTrigger,
    /// `ai_agent`
    AiAgent(AiAgent),
    /// `llm_model`
    LlmModel(LlmModel),
    /// `tool`
    Tool(Tool),
    /// `buffer_memory`
    BufferMemory(Memory),
    /// `reply`
    Reply(Reply),
    /// `output`
    Output(Output),
    /// `note`
    Note,
}

impl Settings {
    /// Name of the node type.
    pub fn type_name(&self) -> &'static str {
        self.spec().node_type
    }

    /// The node type's entry in the catalogue.
    pub fn spec(&self) -> &'static NodeSpec {
        match self {
            Settings::ChatTrigger => &trigger::CHAT,
            Settings::ManualTrigger => &trigger::MANUAL,
            Settings::AiAgent(_) => &ai_agent::SPEC,
            Settings::LlmModel(_) => &llm_model::SPEC,
            Settings::Tool(_) => &tool::SPEC,
            Settings::BufferMemory(_) => &memory::BUFFER,
            Settings::Reply(_) => &reply::SPEC,
            Settings::Output(_) => &output::SPEC,
            Settings::Note => &note::SPEC,
        }
    }

    /// The settings that all conversation memories have, if the node is one.
    pub fn memory(&self) -> Option<&Memory> {
        match self {
            Settings::BufferMemory(memory) => Some(memory),
            Settings::ChatTrigger
            | Settings::ManualTrigger
            | Settings::AiAgent(_)
            | Settings::LlmModel(_)
            | Settings::Tool(_)
            | Settings::Reply(_)
            | Settings::Output(_)
            | Settings::Note => None,
        }
    }
}
