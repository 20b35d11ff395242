//! The pure functions of memory, for hosts that want to test with what the runtime uses.

use crate::convert::{from_js, to_js};
use crate::entry::entering;
use mnemograph_compact::FromJson;
use mnemograph_memory::{Message, ModelRef, Summary, ViewPolicy};
use wasm_bindgen::prelude::*;

#[derive(FromJson)]
struct ViewOptions {
    policy: Option<ViewPolicy>,
    target: Option<ModelRef>,
    summary: Option<Summary>,
}

/// What a model would be sent of these messages, as `{messages, in_view, warnings}`.
#[wasm_bindgen]
pub fn memory_view(messages: JsValue, options: JsValue) -> Result<JsValue, JsValue> {
    entering(|| {
        let messages: Vec<Message> = from_js(&messages, "The messages")?;
        let options: ViewOptions = from_js(&options, "The view's options")?;
        to_js(&mnemograph_memory::view(
            &messages,
            options.summary.as_ref(),
            &options.policy.unwrap_or(ViewPolicy::Buffer),
            options.target.as_ref(),
        ))
    })
}

/// Messages that every provider takes, as `{messages, warnings}`.
#[wasm_bindgen]
pub fn memory_repair(messages: JsValue) -> Result<JsValue, JsValue> {
    entering(|| {
        let messages: Vec<Message> = from_js(&messages, "The messages")?;
        to_js(&mnemograph_memory::repair(&messages, None))
    })
}

/// The problems of a graph document without a host, as `{ok, problems, hash}`.
#[wasm_bindgen]
pub fn check_document(text: &str) -> Result<JsValue, JsValue> {
    entering(|| {
        let loaded = mnemograph_engine::load(text, None);
        to_js(
            &serde_json::json!({"ok": loaded.plan.is_some(), "problems": loaded.problems, "hash": loaded.hash}),
        )
    })
}
