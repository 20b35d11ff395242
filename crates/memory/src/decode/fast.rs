//! The short way for what we wrote ourselves: straight from the text into messages, without a tree of values between.
//!
//! It accepts only what the careful reader accepts, and reads it the same; it says nothing about faults. Whatever it
//! does not take (a fault, a part of an unknown type) is read the careful way.

use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::fields::MAX_SAFE;
use super::{Path, check_parts};
use crate::message::{MESSAGE_VERSION, Message, ModelRef, Role, Status, Usage};
use crate::part::{Content, Executor, Part, Source};

/// The messages of a JSON list; `None` if the careful reader has to look.
pub(super) fn read(text: &str) -> Option<Vec<Message>> {
    let messages: Vec<RawMessage> = serde_json::from_str(text).ok()?;
    messages.into_iter().map(RawMessage::read).collect()
}

#[derive(Deserialize)]
struct RawMessage {
    v: Option<u32>,
    id: String,
    round: Option<String>,
    seq: Option<u64>,
    role: Role,
    status: Option<Status>,
    error_code: Option<String>,
    created_at: Option<u64>,
    name: Option<String>,
    parts: Vec<RawPart>,
    model: Option<ModelRef>,
    finish_reason: Option<String>,
    usage: Option<Usage>,
    meta: Option<Map<String, Value>>,
    ext: Option<Map<String, Value>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    Text,
    Image,
    File,
    Reasoning,
    ToolCall,
    ToolResult,
    Refusal,
    Compaction,
    Data,
}

/// The fields of all parts together: a tag that decides over the rest would have to be read first.
#[derive(Deserialize)]
struct RawPart {
    r#type: Kind,
    text: Option<String>,
    annotations: Option<Value>,
    source: Option<Source>,
    media_type: Option<String>,
    detail: Option<String>,
    alt: Option<String>,
    filename: Option<String>,
    summary: Option<Value>,
    signature: Option<String>,
    redacted: Option<bool>,
    call_id: Option<String>,
    name: Option<String>,
    #[serde(default, deserialize_with = "present")]
    args: Option<Value>,
    args_raw: Option<String>,
    executor: Option<Executor>,
    is_error: Option<bool>,
    content: Option<Vec<RawContent>>,
    preliminary: Option<bool>,
    opaque: Option<Value>,
    #[serde(default, deserialize_with = "present")]
    data: Option<Value>,
    ext: Option<Map<String, Value>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "snake_case")]
enum ContentKind {
    Text,
    Json,
    Image,
    File,
}

#[derive(Deserialize)]
struct RawContent {
    r#type: ContentKind,
    text: Option<String>,
    #[serde(default, deserialize_with = "present")]
    json: Option<Value>,
    source: Option<Source>,
    media_type: Option<String>,
    filename: Option<String>,
}

/// `null` is a value here.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl RawMessage {
    fn read(self) -> Option<Message> {
        let safe = |number: Option<u64>| number.is_none_or(|number| number <= MAX_SAFE);
        let known = self.v.is_none_or(|v| v == MESSAGE_VERSION);
        if !known || self.id.is_empty() || !safe(self.seq) || !safe(self.created_at) {
            return None;
        }
        let parts: Vec<Part> = self
            .parts
            .into_iter()
            .map(RawPart::read)
            .collect::<Option<_>>()?;
        check_parts(self.role, &parts, &Path::Root("")).ok()?;
        Some(Message {
            v: MESSAGE_VERSION,
            id: self.id,
            round: self.round,
            seq: self.seq,
            role: self.role,
            status: self.status.unwrap_or_default(),
            error_code: self.error_code,
            created_at: self.created_at,
            name: self.name,
            parts,
            model: self.model,
            finish_reason: self.finish_reason,
            usage: self.usage,
            meta: self.meta.unwrap_or_default(),
            ext: self.ext.unwrap_or_default(),
        })
    }
}

impl RawPart {
    fn read(self) -> Option<Part> {
        let ext = self.ext.unwrap_or_default();
        let call_id = self.call_id.filter(|id| !id.is_empty());
        Some(match self.r#type {
            Kind::Text => Part::Text {
                text: self.text?,
                annotations: self.annotations,
                ext,
            },
            Kind::Image => Part::Image {
                source: self.source?,
                media_type: self.media_type?,
                detail: self.detail,
                alt: self.alt,
                ext,
            },
            Kind::File => Part::File {
                source: self.source?,
                media_type: self.media_type?,
                filename: self.filename,
                ext,
            },
            Kind::Reasoning => Part::Reasoning {
                text: self.text,
                summary: self.summary,
                signature: self.signature,
                redacted: self.redacted,
                ext,
            },
            Kind::ToolCall => Part::ToolCall {
                call_id: call_id?,
                name: self.name?,
                args: self.args,
                args_raw: self.args_raw,
                executor: self.executor,
                ext,
            },
            Kind::ToolResult => Part::ToolResult {
                call_id: call_id?,
                name: self.name?,
                is_error: self.is_error?,
                content: self
                    .content?
                    .into_iter()
                    .map(RawContent::read)
                    .collect::<Option<_>>()?,
                preliminary: self.preliminary,
                ext,
            },
            Kind::Refusal => Part::Refusal {
                text: self.text?,
                ext,
            },
            Kind::Compaction => Part::Compaction {
                text: self.text,
                opaque: self.opaque,
                ext,
            },
            Kind::Data => Part::Data {
                name: self.name?,
                data: self.data?,
                ext,
            },
        })
    }
}

impl RawContent {
    fn read(self) -> Option<Content> {
        Some(match self.r#type {
            ContentKind::Text => Content::Text { text: self.text? },
            ContentKind::Json => Content::Json { json: self.json? },
            ContentKind::Image => Content::Image {
                source: self.source?,
                media_type: self.media_type?,
            },
            ContentKind::File => Content::File {
                source: self.source?,
                media_type: self.media_type?,
                filename: self.filename,
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::decode::decode_messages;

    fn careful(text: &str) -> Option<Vec<Message>> {
        decode_messages(serde_json::from_str(text).ok()?, "messages").ok()
    }

    fn json_value() -> impl Strategy<Value = Value> {
        prop_oneof![
            Just(json!(null)),
            Just(json!("")),
            Just(json!("x")),
            Just(json!("client")),
            Just(json!(true)),
            Just(json!(0)),
            Just(json!(7)),
            Just(json!(-1)),
            Just(json!(1.5)),
            Just(json!(9_007_199_254_740_992_u64)),
            Just(json!([])),
            Just(json!({})),
            Just(json!({"kind": "url", "url": "u"})),
            Just(json!({"provider": "p", "id": "i"})),
            Just(json!([{"type": "text", "text": "x"}, {"type": "json", "json": null}])),
            Just(json!([{"type": "image"}])),
        ]
    }

    fn object(
        kinds: &'static [&'static str],
        names: &'static [&'static str],
    ) -> impl Strategy<Value = Value> {
        let field = (prop::sample::select(names), json_value());
        (
            prop::sample::select(kinds),
            prop::collection::vec(field, 0..8),
        )
            .prop_map(|(kind, fields)| {
                let fields = fields
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value));
                let mut object: Map<String, Value> = fields.collect();
                object.insert("type".to_owned(), json!(kind));
                Value::Object(object)
            })
    }

    fn part() -> impl Strategy<Value = Value> {
        let kinds = &[
            "text",
            "image",
            "file",
            "reasoning",
            "tool_call",
            "tool_result",
            "refusal",
            "compaction",
            "data",
            "x-y",
            "?",
        ];
        let names = &[
            "text",
            "annotations",
            "source",
            "media_type",
            "detail",
            "alt",
            "filename",
            "summary",
            "signature",
            "redacted",
            "call_id",
            "name",
            "args",
            "args_raw",
            "executor",
            "is_error",
            "content",
            "preliminary",
            "opaque",
            "data",
            "ext",
            "more",
        ];
        object(kinds, names).prop_map(|mut part| {
            // Mostly with what is required.
            for (name, value) in [
                ("text", json!("t")),
                ("call_id", json!("c")),
                ("name", json!("n")),
                ("is_error", json!(false)),
                ("content", json!([])),
                (
                    "source",
                    json!({"kind": "file_id", "provider": "p", "id": "i"}),
                ),
                ("media_type", json!("m")),
                ("data", json!(1)),
            ] {
                let fields = part.as_object_mut().unwrap();
                fields.entry(name).or_insert(value);
            }
            part
        })
    }

    fn message() -> impl Strategy<Value = Value> {
        let names = &[
            "v",
            "id",
            "round",
            "seq",
            "status",
            "error_code",
            "created_at",
            "name",
            "model",
            "finish_reason",
            "usage",
            "meta",
            "ext",
            "content",
        ];
        let roles = &["user", "assistant", "tool", "system", "assistant"];
        (object(roles, names), prop::collection::vec(part(), 0..3)).prop_map(
            |(mut message, parts)| {
                message["role"] = message["type"].take();
                message["parts"] = json!(parts);
                let fields = message.as_object_mut().unwrap();
                fields.entry("id").or_insert(json!("m"));
                message
            },
        )
    }

    #[test]
    fn a_message_as_we_write_it_takes_the_short_way() {
        let text = r#"[{"v":1,"id":"m","round":"r","role":"assistant","status":"aborted","created_at":1,"parts":[
            {"type":"text","text":"t"},{"type":"tool_call","call_id":"c","name":"n","args":null}]}]"#;
        assert_eq!(read(text), careful(text));
        assert!(read(text).is_some());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3_000))]

        #[test]
        fn both_ways_read_the_same(message in message()) {
            let text = json!([message]).to_string();
            if let Some(messages) = read(&text) {
                prop_assert_eq!(Some(messages), careful(&text));
            }
        }
    }
}
