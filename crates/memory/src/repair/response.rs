//! what belongs to one model family is sent to no other.

use serde_json::{Map, Value};

use crate::message::{Message, ModelRef, Role};
use crate::part::Part;

/// Whether one model may be sent what the other thought.
fn same_family(a: &ModelRef, b: &ModelRef) -> bool {
    a.provider == b.provider && family(a) == family(b)
}

/// The family that is named, else the id without a date or `latest` at its end: `gpt-5-2025-08-07` is `gpt-5`.
fn family(model: &ModelRef) -> &str {
    if let Some(family) = &model.family {
        return family;
    }
    let mut rest = model.id.as_str();
    loop {
        let shorter = rest
            .rsplit_once(['-', '@'])
            .filter(|(head, tail)| !head.is_empty() && (*tail == "latest" || is_stamp(tail)));
        match shorter {
            Some((head, _)) => rest = head,
            None => return rest,
        }
    }
}

/// A date `20250807`, or a piece of one: `2025`, `08`.
fn is_stamp(text: &str) -> bool {
    matches!(text.len(), 2 | 4 | 8) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Removes from a message what its reader must not be sent: reasoning and opaque data of another model family, and
/// reasoning that nothing follows (it was cut off). What stays is never altered.
pub(super) fn fit(message: &mut Message, target: Option<&ModelRef>) {
    message.usage = None;
    message.meta = Map::new();
    message.parts.retain(|part| !is_empty(part));
    if message.role != Role::Assistant || message.is_synthetic() {
        return;
    }
    let own = match (&message.model, target) {
        (Some(origin), Some(target)) => same_family(origin, target),
        (None, _) | (_, None) => false,
    };
    if !own {
        forget_origin(message);
    }
    while matches!(message.parts.last(), Some(Part::Reasoning { .. })) {
        message.parts.pop();
    }
}

/// With the reasoning go the ids of the items and all else that only its provider understands.
fn forget_origin(message: &mut Message) {
    message.ext = Map::new();
    message.parts.retain_mut(|part| match part {
        Part::Reasoning { .. } => false,
        Part::Compaction { text, opaque, ext } => {
            *opaque = None;
            *ext = Map::new();
            text.as_ref().is_some_and(|text| !text.is_empty())
        }
        Part::Text { ext, .. }
        | Part::Image { ext, .. }
        | Part::File { ext, .. }
        | Part::ToolCall { ext, .. }
        | Part::ToolResult { ext, .. }
        | Part::Refusal { ext, .. }
        | Part::Data { ext, .. } => {
            *ext = Map::new();
            true
        }
        Part::Unknown(_) => true,
    });
}

/// R-6, and data parts, which no model sees.
fn is_empty(part: &Part) -> bool {
    let blank = |text: &Option<String>| text.as_ref().is_none_or(String::is_empty);
    let nothing = |value: &Option<Value>| value.is_none();
    match part {
        Part::Text { text, .. } | Part::Refusal { text, .. } => text.is_empty(),
        Part::Reasoning {
            text,
            summary,
            signature,
            redacted,
            ext,
        } => {
            blank(text)
                && nothing(summary)
                && blank(signature)
                && *redacted != Some(true)
                && ext.is_empty()
        }
        Part::Compaction { text, opaque, ext } => blank(text) && nothing(opaque) && ext.is_empty(),
        Part::Data { .. } => true,
        Part::Image { .. }
        | Part::File { .. }
        | Part::ToolCall { .. }
        | Part::ToolResult { .. }
        | Part::Unknown(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_family_is_the_id_without_date_or_latest() {
        let family_of = |id: &str| {
            let model = ModelRef {
                id: id.to_owned(),
                ..ModelRef::default()
            };
            family(&model).to_owned()
        };
        for (id, expected) in [
            ("gpt-5-2025-08-07", "gpt-5"),
            ("gpt-5", "gpt-5"),
            ("claude-sonnet-4-20250514", "claude-sonnet-4"),
            ("claude-sonnet-4@20250514", "claude-sonnet-4"),
            ("claude-opus-latest", "claude-opus"),
            ("gpt-5-mini", "gpt-5-mini"),
            ("20250514", "20250514"),
            ("", ""),
        ] {
            assert_eq!(family_of(id), expected, "{id}");
        }
    }
}
