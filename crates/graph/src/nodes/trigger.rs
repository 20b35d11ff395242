//! `chat_trigger` and `manual_trigger`: what starts a run. Neither has settings.

use crate::catalogue::{Kind, NodeSpec, PortSpec, settled};
use crate::nodes::Settings;
use crate::values::ValueType;

const STARTS: PortSpec = PortSpec::run_out("out", "Taken when the run starts here.");

pub(crate) static CHAT: NodeSpec = NodeSpec {
    node_type: "chat_trigger",
    version: 1,
    kind: Kind::Trigger,
    group: "Triggers",
    title: "Chat",
    description: "Starts a run for each message of a conversation.",
    ports: &[
        STARTS,
        PortSpec::data_out("text", ValueType::String, "Text of the message."),
        PortSpec::data_out("message", ValueType::Message, "The whole message."),
        PortSpec::data_out(
            "attachments",
            ValueType::Json,
            "Images and files of the message.",
        ),
        PortSpec::data_out("thread_id", ValueType::String, "Id of the conversation."),
    ],
    settings: &[],
    keeps_state: false,
    settle: settled,
    build: |_| Ok(Settings::ChatTrigger),
};

pub(crate) static MANUAL: NodeSpec = NodeSpec {
    node_type: "manual_trigger",
    version: 1,
    kind: Kind::Trigger,
    group: "Triggers",
    title: "Manual",
    description: "Starts a run when the page asks for it; there is no conversation.",
    ports: &[
        STARTS,
        PortSpec::data_out("data", ValueType::Any, "What the page gave."),
    ],
    settings: &[],
    keeps_state: false,
    settle: settled,
    build: |_| Ok(Settings::ManualTrigger),
};
