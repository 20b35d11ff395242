//! `memory_manager`: a step that reads or changes what a memory holds, without a model.

use super::memory::messages_port;
use crate::catalogue::{BLANK, DefaultValue, NodeSpec, Port, SettingSpec, SettingType};
use crate::document::EdgeType;
use crate::getters::choice;
use crate::nodes::Settings;
use crate::values::ValueType;

/// Settings of `memory_manager`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryManager {
    /// What is done.
    pub op: ManagerOp,
}

choice! {
    /// What a `memory_manager` does.
    ManagerOp {
        /// Reads.
        Get = "get",
        /// Adds the messages at the end.
        Append = "append",
        /// Puts the messages in the place of all that is there.
        Replace = "replace",
        /// Takes the last round away.
        DeleteLast = "delete_last",
        /// Forgets everything.
        Clear = "clear",
    }
}

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "memory_manager",
    group: "Conversation memory",
    title: "Memory manager",
    description: "Reads or changes what a memory holds.",
    ports: &[
        Port::run_in("in", "Control enters."),
        Port::run_out("out", "Taken after it is done."),
        Port::link_in("memory", EdgeType::LinkMemory, "The memory.")
            .required()
            .max(1),
        Port::data_in(
            "messages",
            ValueType::Messages,
            "The messages that are added, or put in the place of all.",
        ),
        messages_port("What the memory holds then, each message with in_view."),
    ],
    settings: &[SettingSpec::new(
        "op",
        SettingType::Choice {
            options: ManagerOp::NAMES,
        },
        "What is done: read, add the messages, put them in the place of all, take the last round away, forget everything.",
    )
    .or(DefaultValue::Text("get"))],
    build: |get| {
        Settings::MemoryManager(MemoryManager {
            op: get.choice("op"),
        })
    },
    ..BLANK
};
