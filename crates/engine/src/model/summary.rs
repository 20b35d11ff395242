//! The question that makes notes of a conversation's older part, and what its answer is.

use super::{ChatRequest, ChatResponse, Draft, FinishReason};
use crate::effect::Input;
use crate::error::Failure;
use mnemograph_compact::FromJson;
use mnemograph_memory::{Message, Part, Role, summary};
use serde::Serialize;
use serde_json::{Map, Value};

/// Who makes the notes of a memory, and how.
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Summariser {
    /// Name under which the host registered the model.
    pub model: String,
    /// Passed through to it.
    #[cfg_attr(feature = "ts", ts(type = "Record<string, unknown>"))]
    pub params: Map<String, Value>,
    /// What it is told in place of the built-in instructions.
    pub prompt: Option<String>,
    /// Words that the notes may have.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub max_words: u64,
}

impl Summariser {
    /// Version of the instructions that it follows, 0 for its own.
    #[must_use]
    pub fn prompt_version(&self) -> u32 {
        match self.prompt {
            Some(_) => 0,
            None => summary::PROMPT_VERSION,
        }
    }

    /// Asks for notes of the notes so far and a further piece of the conversation. Both stand in one message of the
    /// person, between marks that do not occur in them, and no tools are offered (3-memory.md D14).
    #[must_use]
    pub fn request(&self, notes: Option<&str>, piece: &str, now: u64) -> ChatRequest {
        let system = summary::instructions(self.prompt.as_deref(), self.max_words);
        let mut mark = "=====".to_owned();
        while piece.contains(&mark) || notes.is_some_and(|notes| notes.contains(&mark)) {
            mark.push('=');
        }
        let mut text = String::new();
        if let Some(notes) = notes {
            text.push_str(&format!("The notes so far:\n{mark}\n{notes}\n{mark}\n\n"));
        }
        text.push_str(&format!(
            "The conversation since:\n{mark}\n{piece}\n{mark}\n\nWrite the notes."
        ));
        let message = |id: &str, role, text| Message::new(id, role, vec![Part::text(text)], now);
        ChatRequest {
            messages: vec![
                message("summary_system", Role::System, system),
                message("summary_request", Role::User, text),
            ],
            tools: Vec::new(),
            params: self.params.clone(),
            response_format: None,
            stream: false,
        }
    }
}

/// The answer to it while it arrives.
#[derive(Debug, Default)]
pub struct SummaryCall(Draft);

impl SummaryCall {
    /// Takes an input of the call; the answer once it is whole.
    ///
    /// # Errors
    /// What the model failed with; `E_LLM_RESPONSE` for what is no answer; `E_CANCELLED`.
    pub fn take(&mut self, input: Input) -> Result<Option<summary::Answer>, Failure> {
        match input {
            Input::ModelDelta { chunk, .. } => self.0.push(chunk).map(|()| None),
            Input::ModelDone { result, .. } => {
                match result? {
                    Value::Null if self.0.touched => {}
                    value => self.0.absorb(ChatResponse::from_value(value)?)?,
                }
                let parts = self.0.parts("summary");
                Ok(Some(summary::Answer {
                    text: self.0.text(),
                    is_whole: !matches!(
                        self.0.finish,
                        Some(
                            FinishReason::Length
                                | FinishReason::ContentFilter
                                | FinishReason::Error
                        )
                    ),
                    has_calls: parts
                        .iter()
                        .any(|part| matches!(part, Part::ToolCall { .. })),
                }))
            }
            Input::Cancel { reason } => Err(Failure::new("E_CANCELLED", reason)),
            _ => Ok(None),
        }
    }
}
