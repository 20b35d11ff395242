//! JSON in the text that a model writes: in code fences, inside prose, with trailing commas.
//!
//! Finding nothing is better than finding the wrong thing. So there has to be exactly one candidate, a text that was
//! cut off has none, and the inside of something that is almost JSON is no candidate.

use mnemograph_graph::json;
use serde_json::Value;

/// The one JSON value in the text, if there is one:
///
/// 1. the whole text without trailing commas;
/// 2. where there are code blocks, what stands in them: in those marked `json`, or else in those that hold an object or
///    a list;
/// 3. else an object, or a list of anything but numbers alone (those are footnotes), inside prose.
pub(super) fn find(text: &str) -> Option<Value> {
    if let Some(value) = read(text) {
        return Some(value);
    }
    let blocks = fenced(text);
    if blocks.is_empty() {
        return in_prose(text);
    }
    if blocks.iter().any(|(is_json, _)| *is_json) {
        let marked = blocks.iter().filter(|(is_json, _)| *is_json);
        let values: Option<Vec<Value>> = marked.map(|(_, body)| read(body)).collect();
        return only(values?);
    }
    let values = blocks.iter().filter_map(|(_, body)| read(body));
    only(values.filter(|value| value.is_object() || value.is_array()))
}

fn read(text: &str) -> Option<Value> {
    let exact = json::parse(text).ok();
    exact.or_else(|| json::parse(&without_trailing_commas(text)).ok())
}

/// The value that all candidates agree on.
fn only(values: impl IntoIterator<Item = Value>) -> Option<Value> {
    let mut values = values.into_iter();
    let first = values.next()?;
    values.all(|value| value == first).then_some(first)
}

/// Each code block: whether it is marked `json`, and what it holds. A last one without an end goes to the end of the
/// text.
fn fenced(text: &str) -> Vec<(bool, &str)> {
    let mut blocks = Vec::new();
    let mut rest = text;
    while let Some((_, after)) = rest.split_once(FENCE) {
        let (block, after) = after.split_once(FENCE).unwrap_or((after, ""));
        rest = after;
        blocks.push(match (block.get(..4), block.get(4..)) {
            (Some(mark), Some(body)) if mark.eq_ignore_ascii_case("json") => (true, body),
            _ => (
                false,
                block.split_once('\n').map_or(block, |(label, body)| {
                    if label.contains(['{', '[']) {
                        block
                    } else {
                        body
                    }
                }),
            ),
        });
    }
    blocks
}

const FENCE: &str = "```";

/// The only candidate among the brackets of a text. A bracket that is not closed hides what is missing, so then there
/// is none. What is no JSON is skipped if it is words in brackets, such as `[sic]` or `{name}`.
fn in_prose(text: &str) -> Option<Value> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find(['{', '[']) {
        let from = rest.get(start..)?;
        let (span, after) = from.split_at_checked(closed(from)?)?;
        rest = after;
        match read(span) {
            Some(Value::Array(items)) if items.iter().all(Value::is_number) => {}
            Some(value) => found.push(value),
            None if is_words(span) => {}
            None => return None,
        }
    }
    only(found)
}

fn is_words(span: &str) -> bool {
    let inside = span.get(1..).unwrap_or_default();
    !inside.contains(['"', '\'', ':', '{', '['])
}

/// Where the bracket at the beginning of the text is closed.
fn closed(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut scan = Scan::default();
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if scan.is_in_string(byte) => {}
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The text without commas that stand after a value and before a closing bracket.
fn without_trailing_commas(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut scan = Scan::default();
    for (at, c) in text.char_indices() {
        // Beyond ASCII no character ends a string.
        let is_in_string = scan.is_in_string(u8::try_from(c).unwrap_or_default());
        let is_dropped = c == ','
            && !is_in_string
            && text
                .get(at + 1..)
                .is_some_and(|after| after.trim_start().starts_with(['}', ']']))
            && !out.trim_end().ends_with(['{', '[', ',', ':']);
        if !is_dropped {
            out.push(c);
        }
    }
    out
}

/// Whether one is inside a JSON string, byte by byte.
#[derive(Default)]
struct Scan {
    is_inside: bool,
    is_escaped: bool,
}

impl Scan {
    /// Takes the next byte; true if it belongs to a string, its quotation marks included.
    fn is_in_string(&mut self, byte: u8) -> bool {
        if !self.is_inside {
            self.is_inside = byte == b'"';
            return self.is_inside;
        }
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' => self.is_escaped = true,
            b'"' => self.is_inside = false,
            _ => {}
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn check(rows: &[(&str, Option<Value>)]) {
        for (text, expected) in rows {
            assert_eq!(&find(text), expected, "{text}");
        }
    }

    #[test]
    fn trailing_commas_are_dropped_and_no_others() {
        check(&[
            (r#"{"a": [1, 2,], }"#, Some(json!({"a": [1, 2]}))),
            ("[{\"a\": \",]\"}\n,\n]", Some(json!([{"a": ",]"}]))),
            (r#"["ü,", ]"#, Some(json!(["ü,"]))),
            (r#"["\\",]"#, Some(json!(["\\"]))),
            ("[1,,]", None),
            ("[,]", None),
            (r#"{"a":,}"#, None),
            (r#"{"a": 1 "b": 2}"#, None),
        ]);
    }

    #[test]
    fn one_code_block_is_read() {
        let expected = Some(json!({"a": 1}));
        for text in [
            "```json\n{\"a\": 1}\n```",
            "Sure!\n\n```JSON\n{\"a\": 1,}\n```\nIs that all [right]?",
            "```\n{\"a\": 1}\n```",
            "```js\n{\"a\": 1}\n```",
            "```{\"a\":\n1}```",
            "```json {\"a\": 1}``` done",
            "```json\n{\"a\": 1}",
            "```sh\nls [a]\n```\nthen\n```json\n{\"a\": 1}\n```",
            "```sh\nls\n```\nthen\n```\n{\"a\": 1}\n```",
            "```json\n{\"a\": 1}\n```\nagain\n```json\n{\"a\":1}\n```",
        ] {
            assert_eq!(find(text), expected, "{text}");
        }
    }

    #[test]
    fn of_two_different_blocks_none_is_taken() {
        check(&[
            ("```json\n1\n```\n```json\n2\n```", None),
            ("```json\n{\"a\": 1}\n```\n```json\n{\"a\": \n```", None),
            ("```\n[1]\n```\n```\n[2]\n```", None),
            ("```json\n{\"a\": 1, \"b\": [2]", None),
            ("```\nls\n```", None),
        ]);
    }

    #[test]
    fn one_object_or_list_in_prose_is_read() {
        check(&[
            (r#"The answer is {"a": [1]}."#, Some(json!({"a": [1]}))),
            (r#"As [1] says: {"a": 1,} [sic]"#, Some(json!({"a": 1}))),
            (r#"Fill {name}: {"a": "}{"}"#, Some(json!({"a": "}{"}))),
            (r#"A list: ["x", "y"]"#, Some(json!(["x", "y"]))),
            (r#"{"a": 1} or, again, {"a": 1}"#, Some(json!({"a": 1}))),
        ]);
    }

    #[test]
    fn nothing_is_guessed() {
        check(&[
            ("", None),
            ("The answer is 5.", None),
            ("As [1] and [2, 3] say.", None),
            (r#"{"a": 1} or {"a": 2}"#, None),
            (r#"It is {"a": [1, "x"], "b": "#, None),
            (r#"It is {a: ["x"]}"#, None),
            (r#"{'a': 1} as in ["x"]"#, None),
            (r#"It is {"a": ["x"]"#, None),
            (r#"[see {"a": 1}"#, None),
        ]);
    }

    #[test]
    fn long_hostile_texts_take_little_time() {
        for text in ["[", "{\"", "```", "[]", "a[", ",", ", ", "[,", "\\\""] {
            find(&text.repeat(200_000));
        }
    }

    proptest! {
        #[test]
        fn what_is_json_is_found_as_it_is_in_a_fence_and_in_prose(
            items in prop::collection::vec(("[a-z]{1,3}", ".{0,6}"), 1..4),
            around in "[a-z .]{0,10}",
        ) {
            let value: Value = items.into_iter().map(|(key, text)| (key, Value::from(text))).collect();
            prop_assume!(!value.to_string().contains(FENCE));
            for text in [format!("{around}\n```json\n{value}\n```\n{around}"), format!("{around}{value}{around}")] {
                prop_assert_eq!(find(&text), Some(value.clone()));
            }
        }

        #[test]
        fn a_text_that_was_cut_off_holds_nothing(text in ".{1,6}", part in 1_usize..100) {
            let value = json!({"list": [{"a": text}, ["b"]], "c": {"d": "e"}}).to_string();
            let cut: String = value.chars().take(value.chars().count() * part / 100).collect();
            prop_assert_eq!(find(&format!("Here: {cut}")), None);
        }

        #[test]
        fn any_text_is_read_without_panic(text in r#"[\[\]{}",:\\a1 `\n]{0,40}"#) {
            find(&text);
        }
    }
}
