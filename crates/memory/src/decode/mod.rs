//! Reading canonical messages from JSON values: strict about the fields of 3.4, with the place of the fault and a hint.

mod fast;
mod fields;

use mnemograph_compact::{Fault, FromJson, deserialize_by_json, kind_of};
use serde_json::Value;

use crate::message::{Message, Role, Status};
use crate::part::{Content, Part};
use fields::{Fields, Path};

const PART_TYPES: &str =
    "text, image, file, reasoning, tool_call, tool_result, refusal, compaction, data";

/// What is wrong with a message, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path} {problem}")]
pub struct DecodeError {
    /// Where: `messages[3].parts[0].call_id`.
    pub path: String,
    /// What: `is missing`, `is a number, not a text`.
    pub problem: String,
    /// How to mend it.
    pub hint: String,
}

/// Reads a list of canonical messages; `root` names it in errors.
///
/// # Errors
/// The first fault, with its path.
pub fn decode_messages(value: Value, root: &str) -> Result<Vec<Message>, DecodeError> {
    list(value, &Path::Root(root), decode_message)
}

/// Why a text holds no messages.
pub(crate) enum TextFault {
    /// It is no JSON.
    Json(serde_json::Error),
    /// There is something in it that is no message.
    Message(DecodeError),
}

/// Reads a list of canonical messages from JSON text.
pub(crate) fn decode_text(text: &str) -> Result<Vec<Message>, TextFault> {
    if let Some(messages) = fast::read(text) {
        return Ok(messages);
    }
    let value = serde_json::from_str(text).map_err(TextFault::Json)?;
    decode_messages(value, "messages").map_err(TextFault::Message)
}

impl Message {
    /// Reads one canonical message.
    ///
    /// # Errors
    /// The first fault, with its path.
    pub fn from_value(value: Value) -> Result<Self, DecodeError> {
        decode_message(value, &Path::Root("message"))
    }
}

impl FromJson for Message {
    fn from_json(value: Value) -> Result<Self, Fault> {
        decode_message(value, &Path::Root("")).map_err(DecodeError::into_fault)
    }
}

impl FromJson for Part {
    fn from_json(value: Value) -> Result<Self, Fault> {
        decode_part(value, &Path::Root("")).map_err(DecodeError::into_fault)
    }
}

impl FromJson for Content {
    fn from_json(value: Value) -> Result<Self, Fault> {
        decode_content(value, &Path::Root("")).map_err(DecodeError::into_fault)
    }
}

deserialize_by_json!(Message);
deserialize_by_json!(Part);
deserialize_by_json!(Content);

impl DecodeError {
    fn into_fault(self) -> Fault {
        Fault::new(self.problem).inside(&self.path)
    }
}

fn decode_message(value: Value, path: &Path<'_>) -> Result<Message, DecodeError> {
    let mut fields = Fields::of(value, path)?;
    let v = fields.version()?;
    if fields.map.contains_key("content") && !fields.map.contains_key("parts") {
        return Err(fields.fault(
            "parts",
            "is missing",
            r#"A canonical message has "parts": [{"type": "text", "text": "…"}] where other formats have "content"."#,
        ));
    }
    let role = fields.one_of("role", "user, assistant, tool, system")?;
    let parts = list(
        fields.required("parts", "a list of parts")?,
        &fields.at("parts"),
        decode_part,
    )?;
    check_parts(role, &parts, path)?;
    let status = match fields.map.get("status") {
        None | Some(Value::Null) => Status::Complete,
        Some(_) => fields.one_of("status", "complete, aborted, failed, incomplete, blocked")?,
    };
    Ok(Message {
        v,
        id: fields.id("id")?,
        round: fields.optional_text("round")?,
        seq: fields.optional_integer("seq")?,
        role,
        status,
        error_code: fields.optional_text("error_code")?,
        created_at: fields.optional_integer("created_at")?,
        name: fields.optional_text("name")?,
        parts,
        model: fields.optional("model", "an object {provider, id, api?, family?}")?,
        finish_reason: fields.optional_text("finish_reason")?,
        usage: fields.optional("usage", "an object of token counts {input, output}")?,
        meta: fields.object("meta")?,
        ext: fields.object("ext")?,
    })
}

/// Which parts a role can have.
fn check_parts(role: Role, parts: &[Part], path: &Path<'_>) -> Result<(), DecodeError> {
    let fault = |place: Option<usize>, problem: &str, hint: &str| {
        let parts = Path::Field(path, "parts");
        Err(match place {
            Some(place) => Path::Index(&parts, place).fault(problem, hint),
            None => parts.fault(problem, hint),
        })
    };
    let is_call = |part: &Part| matches!(part, Part::ToolCall { .. });
    let is_result = |part: &Part| matches!(part, Part::ToolResult { .. });
    match role {
        Role::Tool if !(parts.len() == 1 && parts.iter().all(is_result)) => fault(
            None,
            "must hold exactly one tool_result",
            "Give each tool result a message of its own with the role \"tool\".",
        ),
        Role::User | Role::System => match parts
            .iter()
            .position(|part| is_call(part) || is_result(part))
        {
            None => Ok(()),
            Some(place) => fault(
                Some(place),
                "belongs to another role",
                "A tool_call stands in an assistant message, a tool_result in a tool message.",
            ),
        },
        Role::Tool | Role::Assistant => Ok(()),
    }
}

fn decode_part(value: Value, path: &Path<'_>) -> Result<Part, DecodeError> {
    let mut fields = Fields::of(value, path)?;
    let Some(Value::String(kind)) = fields.map.get("type") else {
        return Err(fields.fault("type", "is missing or not a text", &type_hint()));
    };
    if kind.starts_with("x-") {
        return Ok(Part::Unknown(fields.map));
    }
    let kind = kind.clone();
    Ok(match kind.as_str() {
        "text" => Part::Text {
            text: fields.text("text")?,
            annotations: fields.optional_value("annotations"),
            ext: fields.object("ext")?,
        },
        "image" => Part::Image {
            source: fields.source()?,
            media_type: fields.text("media_type")?,
            detail: fields.optional_text("detail")?,
            alt: fields.optional_text("alt")?,
            ext: fields.object("ext")?,
        },
        "file" => Part::File {
            source: fields.source()?,
            media_type: fields.text("media_type")?,
            filename: fields.optional_text("filename")?,
            ext: fields.object("ext")?,
        },
        "reasoning" => Part::Reasoning {
            text: fields.optional_text("text")?,
            summary: fields.optional_value("summary"),
            signature: fields.optional_text("signature")?,
            redacted: fields.optional("redacted", "true or false")?,
            ext: fields.object("ext")?,
        },
        "tool_call" => Part::ToolCall {
            call_id: fields.id("call_id")?,
            name: fields.text("name")?,
            args: fields.map.swap_remove("args"),
            args_raw: fields.optional_text("args_raw")?,
            executor: match fields.map.get("executor") {
                None | Some(Value::Null) => None,
                Some(_) => Some(fields.one_of("executor", "client, provider")?),
            },
            ext: fields.object("ext")?,
        },
        "tool_result" => Part::ToolResult {
            call_id: fields.id("call_id")?,
            name: fields.text("name")?,
            is_error: fields.required("is_error", "true or false")?,
            content: list(
                fields.required(
                    "content",
                    r#"a list such as [{"type": "text", "text": "…"}]"#,
                )?,
                &fields.at("content"),
                decode_content,
            )?,
            preliminary: fields.optional("preliminary", "true or false")?,
            ext: fields.object("ext")?,
        },
        "refusal" => Part::Refusal {
            text: fields.text("text")?,
            ext: fields.object("ext")?,
        },
        "compaction" => Part::Compaction {
            text: fields.optional_text("text")?,
            opaque: fields.optional_value("opaque"),
            ext: fields.object("ext")?,
        },
        "data" => Part::Data {
            name: fields.text("name")?,
            data: fields.required("data", "the data")?,
            ext: fields.object("ext")?,
        },
        other => {
            return Err(fields.fault(
                "type",
                &format!("is {other:?}, which is no part"),
                &type_hint(),
            ));
        }
    })
}

fn type_hint() -> String {
    format!("A part is one of {PART_TYPES}; a type of your own begins with \"x-\".")
}

fn decode_content(value: Value, path: &Path<'_>) -> Result<Content, DecodeError> {
    const HINT: &str = "Content of a tool result is one of text, json, image, file.";
    let mut fields = Fields::of(value, path)?;
    let Some(Value::String(kind)) = fields.map.get("type").cloned() else {
        return Err(fields.fault("type", "is missing or not a text", HINT));
    };
    Ok(match kind.as_str() {
        "text" => Content::Text {
            text: fields.text("text")?,
        },
        "json" => Content::Json {
            json: fields.required("json", "the value")?,
        },
        "image" => Content::Image {
            source: fields.source()?,
            media_type: fields.text("media_type")?,
        },
        "file" => Content::File {
            source: fields.source()?,
            media_type: fields.text("media_type")?,
            filename: fields.optional_text("filename")?,
        },
        other => {
            return Err(fields.fault("type", &format!("is {other:?}, which is no content"), HINT));
        }
    })
}

fn list<T>(
    value: Value,
    path: &Path<'_>,
    item: fn(Value, &Path<'_>) -> Result<T, DecodeError>,
) -> Result<Vec<T>, DecodeError> {
    let Value::Array(items) = value else {
        let problem = format!("is {}, not a list", kind_of(&value));
        return Err(path.fault(&problem, "Write it in brackets: [ … ]."));
    };
    items
        .into_iter()
        .enumerate()
        .map(|(place, value)| item(value, &Path::Index(path, place)))
        .collect()
}
