//! An answer of a model while it is being put together from its pieces.

use super::{ChatChunk, ChatResponse, FinishReason, MAX_RESPONSE_BYTES, read_args};
use crate::error::{Failure, RunError};
use mnemograph_compact::FromJson;
use mnemograph_memory::{ModelRef, Part, Usage};
use serde::Serialize;
use serde_json::{Map, Value};

/// A tool call while its arguments arrive.
#[derive(Debug, Clone, Default, PartialEq, Serialize, FromJson)]
struct CallDraft {
    index: u32,
    call_id: Option<String>,
    name: String,
    args: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
enum PartDraft {
    Whole(Part),
    Text(String),
    Reasoning {
        text: String,
        signature: Option<String>,
        redacted: bool,
        ext: Map<String, Value>,
    },
    Call(CallDraft),
}

/// An answer that is being put together from its pieces.
#[derive(Debug, Clone, Default, PartialEq, Serialize, FromJson)]
pub(crate) struct Draft {
    parts: Vec<PartDraft>,
    bytes: usize,
    /// True once a piece has arrived: from then on the call cannot be repeated unseen.
    pub(crate) touched: bool,
    /// Why the model stopped, once known.
    pub(crate) finish: Option<FinishReason>,
    /// Tokens of this call, once known.
    pub(crate) usage: Option<Usage>,
    /// The model that answered, once known.
    pub(crate) model: Option<ModelRef>,
}

impl Draft {
    /// Adds a piece.
    ///
    /// # Errors
    /// `E_LLM_RESPONSE` if the answer grows beyond [`MAX_RESPONSE_BYTES`].
    pub(crate) fn push(&mut self, chunk: ChatChunk) -> Result<(), Failure> {
        self.touched = true;
        match chunk {
            ChatChunk::Text { text } => {
                self.grow(text.len())?;
                if let Some(PartDraft::Text(so_far)) = self.parts.last_mut() {
                    so_far.push_str(&text);
                } else if !text.is_empty() {
                    self.parts.push(PartDraft::Text(text));
                }
            }
            ChatChunk::Reasoning {
                text,
                signature,
                redacted,
                ext,
            } => {
                let piece = text.unwrap_or_default();
                self.grow(piece.len() + signature.as_ref().map_or(0, String::len))?;
                self.push_reasoning(&piece, signature, redacted.unwrap_or(false), ext);
            }
            ChatChunk::ToolCall {
                index,
                call_id,
                name,
                args,
            } => {
                self.grow(args.as_ref().map_or(0, String::len))?;
                self.push_call(index, call_id, name, args);
            }
            ChatChunk::Finish {
                reason,
                usage,
                model,
            } => {
                self.finish = Some(reason);
                self.usage = usage.or(self.usage.take());
                self.model = model.or(self.model.take());
            }
        }
        Ok(())
    }

    /// Takes a whole answer.
    ///
    /// # Errors
    /// `E_LLM_RESPONSE` if it is too large or holds parts that an answer cannot hold.
    pub(crate) fn absorb(&mut self, response: ChatResponse) -> Result<(), Failure> {
        for part in response.parts.unwrap_or_default() {
            if matches!(part, Part::ToolResult { .. }) {
                return Err(Failure::new(
                    "E_LLM_RESPONSE",
                    "The model callback answered a tool_result part; only the runtime writes those.",
                ));
            }
            self.grow(serde_json::to_string(&part).map_or(0, |text| text.len()))?;
            self.parts.push(PartDraft::Whole(part));
        }
        if let Some(text) = response.text.filter(|text| !text.is_empty()) {
            self.grow(text.len())?;
            self.parts.push(PartDraft::Text(text));
        }
        for (place, call) in response
            .tool_calls
            .unwrap_or_default()
            .into_iter()
            .enumerate()
        {
            let args = match (call.args_raw, call.args) {
                (Some(raw), _) => raw,
                (None, Some(args)) => args.to_string(),
                (None, None) => String::new(),
            };
            self.grow(args.len())?;
            let index = u32::try_from(place).unwrap_or(u32::MAX);
            self.parts.push(PartDraft::Call(CallDraft {
                index,
                call_id: call.call_id,
                name: call.name,
                args,
            }));
        }
        self.finish = response.finish_reason.or(self.finish);
        self.usage = response.usage.or(self.usage.take());
        self.model = response.model.or(self.model.take());
        Ok(())
    }

    /// The text so far.
    #[must_use]
    pub(crate) fn text(&self) -> String {
        self.parts
            .iter()
            .filter_map(|part| match part {
                PartDraft::Text(text) | PartDraft::Whole(Part::Text { text, .. }) => {
                    Some(text.as_str())
                }
                _ => None,
            })
            .collect()
    }

    /// The parts so far. Calls whose arguments are not whole carry `args_raw` alone;
    /// calls without an id get one from `fallback_id` and their place.
    #[must_use]
    pub(crate) fn parts(&self, fallback_id: &str) -> Vec<Part> {
        self.parts
            .iter()
            .enumerate()
            .map(|(place, part)| match part {
                PartDraft::Whole(part) => part.clone(),
                PartDraft::Text(text) => Part::text(text.clone()),
                PartDraft::Reasoning {
                    text,
                    signature,
                    redacted,
                    ext,
                } => Part::Reasoning {
                    text: (!text.is_empty()).then(|| text.clone()),
                    summary: None,
                    signature: signature.clone(),
                    redacted: redacted.then_some(true),
                    ext: ext.clone(),
                },
                PartDraft::Call(call) => call.part(fallback_id, place),
            })
            .collect()
    }

    /// Checks that an answer which ended well can be acted on.
    ///
    /// # Errors
    /// `E_LLM_RESPONSE` for a call without a name; `E_LLM` if the model reported a failure.
    pub(crate) fn check(&self) -> Result<(), RunError> {
        if self.finish == Some(FinishReason::Error) {
            return Err(RunError::new(
                "E_LLM",
                "The model reported an error and ended its answer.",
            )
            .retryable(true));
        }
        for part in &self.parts {
            if let PartDraft::Call(call) = part
                && call.name.is_empty()
            {
                return Err(RunError::new(
                    "E_LLM_RESPONSE",
                    "The model called a tool without naming it.",
                ));
            }
        }
        Ok(())
    }

    fn grow(&mut self, bytes: usize) -> Result<(), Failure> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes <= MAX_RESPONSE_BYTES {
            return Ok(());
        }
        Err(Failure::new(
            "E_LLM_RESPONSE",
            format!("The model's answer is longer than {MAX_RESPONSE_BYTES} bytes."),
        ))
    }

    fn push_reasoning(
        &mut self,
        piece: &str,
        signature: Option<String>,
        redacted: bool,
        ext: Option<Map<String, Value>>,
    ) {
        if !matches!(
            self.parts.last(),
            Some(PartDraft::Reasoning {
                signature: None,
                ..
            })
        ) {
            self.parts.push(PartDraft::Reasoning {
                text: String::new(),
                signature: None,
                redacted: false,
                ext: Map::new(),
            });
        }
        if let Some(PartDraft::Reasoning {
            text,
            signature: known,
            redacted: hidden,
            ext: data,
        }) = self.parts.last_mut()
        {
            text.push_str(piece);
            *known = signature.or(known.take());
            *hidden |= redacted;
            data.extend(ext.unwrap_or_default());
        }
    }

    fn push_call(
        &mut self,
        index: u32,
        call_id: Option<String>,
        name: Option<String>,
        args: Option<String>,
    ) {
        let known = self.parts.iter_mut().find_map(|part| match part {
            PartDraft::Call(call) if call.index == index => Some(call),
            _ => None,
        });
        match known {
            Some(call) => {
                call.call_id = call.call_id.take().or(call_id);
                if call.name.is_empty() {
                    call.name = name.unwrap_or_default();
                }
                call.args.push_str(args.as_deref().unwrap_or_default());
            }
            None => self.parts.push(PartDraft::Call(CallDraft {
                index,
                call_id,
                name: name.unwrap_or_default(),
                args: args.unwrap_or_default(),
            })),
        }
    }
}

impl CallDraft {
    fn part(&self, fallback_id: &str, place: usize) -> Part {
        let call_id = self
            .call_id
            .clone()
            .filter(|id| !id.is_empty())
            .unwrap_or_else(|| format!("{fallback_id}_{place}"));
        let (args, args_raw) = read_args(&self.args);
        Part::ToolCall {
            call_id,
            name: self.name.clone(),
            args,
            args_raw,
            executor: None,
            ext: Map::new(),
        }
    }
}
