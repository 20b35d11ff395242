//! The pure functions of memory, for hosts that want to test with what the runtime uses.

use crate::convert::{from_js, to_js};
use crate::entry::entering;
use mnemograph_compact::{Fault, Fields, FromJson};
use mnemograph_memory::{Message, ModelRef, ViewPolicy};
use serde_json::Value;
use wasm_bindgen::prelude::*;

struct ViewOptions {
    policy: ViewPolicy,
    target: Option<ModelRef>,
}

impl FromJson for ViewOptions {
    fn from_json(value: Value) -> Result<Self, Fault> {
        let mut fields = Fields::of(value);
        let policy: Option<ViewPolicy> = fields.take("policy");
        let read = Self {
            policy: policy.unwrap_or(ViewPolicy::Buffer),
            target: fields.take("target"),
        };
        fields.finish(read)
    }
}

/// What a model would be sent of these messages, as `{messages, in_view, warnings}`.
#[wasm_bindgen]
pub fn memory_view(messages: JsValue, options: JsValue) -> Result<JsValue, JsValue> {
    entering(|| {
        let messages: Vec<Message> = from_js(&messages, "The messages")?;
        let options: ViewOptions = from_js(&options, "The view's options")?;
        to_js(&mnemograph_memory::view(
            &messages,
            &options.policy,
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
