//! The compact notation of 3-memory.md 3.5. Its grammar is in tests/conformance/README.md.

use std::collections::BTreeMap;

use mnemograph_memory::{Content, Message, Part, Role, Status};
use serde_json::{Map, json};

/// Canonical messages from the notation.
pub(crate) fn parse(text: &str) -> Vec<Message> {
    let mut parser = Parser::default();
    text.split_whitespace()
        .for_each(|token| parser.token(token));
    assert!(parser.round.is_none(), "a round is not closed: {text}");
    parser.messages
}

/// The notation of messages. Rounds are not shown.
pub(crate) fn show(messages: &[Message]) -> String {
    messages
        .iter()
        .map(show_message)
        .collect::<Vec<_>>()
        .join(" ")
}

#[derive(Default)]
struct Parser {
    messages: Vec<Message>,
    round: Option<(String, Status, Option<String>, usize)>,
    rounds: usize,
    results: BTreeMap<String, usize>,
}

impl Parser {
    fn token(&mut self, token: &str) {
        if let Some(head) = token.strip_prefix('<') {
            assert!(self.round.is_none(), "rounds do not nest");
            let (status, code) = head
                .split_once(':')
                .map_or((head, None), |(status, code)| (status, Some(code)));
            self.rounds += 1;
            let status = serde_json::from_value(json!(status)).unwrap();
            let start = self.messages.len();
            self.round = Some((
                format!("r{}", self.rounds),
                status,
                code.map(str::to_owned),
                start,
            ));
            return;
        }
        let (token, closes) = token
            .strip_suffix('>')
            .map_or((token, false), |token| (token, true));
        if !token.is_empty() {
            let mut message = self.message(token);
            if let Some((round, status, ..)) = &self.round {
                message.round = Some(round.clone());
                message.status = *status;
            }
            self.messages.push(message);
        }
        if closes {
            let (_, _, code, start) = self.round.take().expect("a round is open");
            let last = self
                .messages
                .last_mut()
                .filter(|_| start < usize::MAX)
                .unwrap();
            last.error_code = code;
        }
    }

    fn message(&mut self, token: &str) -> Message {
        if let Some(rest) = token.strip_prefix("t:") {
            return self.result(rest);
        }
        let (name, rest) = token.split_at(
            token
                .find(|c: char| !c.is_ascii_alphanumeric())
                .unwrap_or(token.len()),
        );
        let role = match &name[..1] {
            "u" => Role::User,
            "a" => Role::Assistant,
            "s" => Role::System,
            other => panic!("no role is called {other}"),
        };
        let (marks, calls) = match rest.strip_suffix(']') {
            Some(rest) => {
                let (marks, calls) = rest.split_once('[').expect("calls in brackets");
                (marks, calls.split(',').collect())
            }
            None => (rest, Vec::new()),
        };
        let mut parts: Vec<Part> = match marks {
            "" => vec![Part::text(name)],
            "''" => vec![Part::text("")],
            "*" => Vec::new(),
            other => panic!("{other:?} is no mark"),
        };
        parts.extend(calls.into_iter().map(call));
        Message::new(name, role, parts, 0)
    }

    fn result(&mut self, rest: &str) -> Message {
        let (rest, is_error) = rest
            .strip_suffix('!')
            .map_or((rest, false), |rest| (rest, true));
        let (id, text) = match rest.strip_suffix(')') {
            Some(rest) => rest.split_once('(').expect("content in parentheses"),
            None => (rest, "ok"),
        };
        let times = self.results.entry(id.to_owned()).or_default();
        *times += 1;
        let message_id = if *times == 1 {
            format!("t:{id}")
        } else {
            format!("t:{id}#{times}")
        };
        let part = Part::tool_result(id, "tool", is_error, vec![Content::text(text)]);
        Message::new(message_id, Role::Tool, vec![part], 0)
    }
}

fn call(token: &str) -> Part {
    match token.strip_suffix('?') {
        None => Part::tool_call(token, "tool", json!({})),
        Some(id) => Part::ToolCall {
            call_id: id.to_owned(),
            name: "tool".to_owned(),
            args: None,
            args_raw: Some("{\"".to_owned()),
            executor: None,
            ext: Map::new(),
        },
    }
}

fn show_message(message: &Message) -> String {
    if message.role == Role::Tool {
        return show_result(message);
    }
    if message.role == Role::Assistant && message.is_synthetic() {
        let code = message
            .error_code
            .as_ref()
            .map_or(String::new(), |code| format!("({code})"));
        return format!("~{}{code}", json!(message.status).as_str().unwrap());
    }
    if message.id.starts_with("summary_") {
        return "S".to_owned();
    }
    let mut shown = message.id.clone();
    let mut calls = Vec::new();
    let mut texts = 0;
    for part in &message.parts {
        match part {
            Part::Text { text, .. } => {
                texts += 1;
                shown += if text.is_empty() { "''" } else { "" };
            }
            Part::ToolCall { call_id, args, .. } => {
                calls.push(format!(
                    "{call_id}{}",
                    if args.is_none() { "?" } else { "" }
                ));
            }
            other => panic!("the notation has no {other:?}"),
        }
    }
    if texts == 0 {
        shown.push('*');
    }
    if !calls.is_empty() {
        shown += &format!("[{}]", calls.join(","));
    }
    shown
}

fn show_result(message: &Message) -> String {
    let [
        Part::ToolResult {
            call_id,
            is_error,
            content,
            ..
        },
    ] = message.parts.as_slice()
    else {
        panic!("a tool message has one result: {message:?}")
    };
    if message.is_synthetic() {
        return format!("t:{call_id}°");
    }
    let text = match content.as_slice() {
        [Content::Text { text }] => text,
        other => panic!("the notation has no {other:?}"),
    };
    let text = if text == "ok" {
        String::new()
    } else {
        format!("({text})")
    };
    format!("t:{call_id}{text}{}", if *is_error { "!" } else { "" })
}
