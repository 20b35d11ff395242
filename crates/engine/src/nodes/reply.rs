//! `reply`: what the person is shown.

use crate::{
    core::Core,
    error::RunError,
    event::{EventData, NodeStatus},
    frame::NodeValues,
    names::text_of,
    nodes::Progress,
};
use mnemograph_graph::NodeIx;
use mnemograph_memory::{Part, Role};
use serde_json::Map;

pub(crate) fn enter(core: &mut Core, node: NodeIx) -> Result<Progress, RunError> {
    let text = match core.data_input(node, "text")? {
        Some(value) => text_of(&value),
        None => core.render_setting(node, "text")?.unwrap_or_default(),
    };
    core.emit(Some(node), EventData::ReplyStarted {});
    core.emit(Some(node), EventData::ReplyDone { text: text.clone() });
    let message = match core
        .reply_message(node)
        .filter(|message| message.text() == text)
    {
        Some(message) => message,
        None => core.message(Role::Assistant, vec![Part::text(text)]),
    };
    core.shown.add_reply(message.clone());
    Ok(Progress::Succeeded(Box::new(NodeValues {
        status: Some(NodeStatus::Succeeded),
        ports: Map::new(),
        message: Some(message),
    })))
}
