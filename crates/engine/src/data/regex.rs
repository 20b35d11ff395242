//! The `regex` node, by `regex-lite`: no look-around and no back-references, so that time grows with the length of the
//! text and not with the ways in which it could match.

use crate::error::RunError;
use mnemograph_graph::compile_regex;
use serde_json::Value;

/// Most bytes of the text that is searched.
const MAX_TEXT: usize = 1 << 20;
/// Most matches. Each is a search that may look at the whole rest of the text.
const MAX_MATCHES: usize = 10_000;
/// Most bytes of the text that replacing makes.
const MAX_OUTPUT: usize = 4 << 20;

/// What the node gives.
#[derive(Debug, PartialEq)]
pub(crate) struct RegexResult {
    /// The group's text of every match, null where the group took no part in it.
    pub(crate) matches: Value,
    /// The first of them, null without a match.
    pub(crate) first: Value,
    /// The text with all matches replaced, or the text as it is.
    pub(crate) output: String,
    /// Whether anything matched.
    pub(crate) ok: bool,
}

/// Finds all matches and replaces them where `replace` is given: `$1` and `${name}` in it are groups, `$$` is a dollar.
///
/// # Errors
/// `E_REGEX` if the pattern cannot be used, there is no such group, or a limit is exceeded; nothing is cut silently.
pub(crate) fn run(
    pattern: &str,
    flags: &str,
    group: usize,
    text: &str,
    replace: Option<&str>,
) -> Result<RegexResult, RunError> {
    let regex = compile_regex(pattern, flags).map_err(|reason| {
        fault(
            format!("The pattern cannot be used: {reason}"),
            "Look-around and back-references do not exist here; a literal mark such as ( or . needs a backslash.",
        )
    })?;
    if group >= regex.captures_len() {
        let last = regex.captures_len().saturating_sub(1);
        return Err(fault(
            format!("The pattern has no group {group}; its last group is {last}"),
            "Group 0 is the whole match; further groups are in parentheses.",
        ));
    }
    if text.len() > MAX_TEXT {
        return Err(fault(
            format!("The text has {} bytes; {MAX_TEXT} are allowed", text.len()),
            "Cut the text before, with `slice` or the node 'list'.",
        ));
    }
    let mut matches = Vec::new();
    let mut output = String::new();
    let mut copied = 0;
    for captures in regex.captures_iter(text) {
        if matches.len() == MAX_MATCHES {
            return Err(fault(
                format!("There are more than {MAX_MATCHES} matches"),
                "Write a pattern that takes more text at once, or cut the text before.",
            ));
        }
        let found = captures.get(group);
        matches.push(found.map_or(Value::Null, |found| Value::from(found.as_str())));
        let (Some(replace), Some(whole)) = (replace, captures.get(0)) else {
            continue;
        };
        output.push_str(text.get(copied..whole.start()).unwrap_or_default());
        captures.expand(replace, &mut output);
        copied = whole.end();
        if output.len() > MAX_OUTPUT {
            return Err(fault(
                format!("Replacing makes more than {MAX_OUTPUT} bytes"),
                "Write a shorter replacement.",
            ));
        }
    }
    output.push_str(text.get(copied..).unwrap_or_default());
    Ok(RegexResult {
        first: matches.first().cloned().unwrap_or_default(),
        ok: !matches.is_empty(),
        matches: Value::Array(matches),
        output,
    })
}

fn fault(message: String, hint: &str) -> RunError {
    RunError::new("E_REGEX", format!("{message}.")).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn check(
        (pattern, flags, group): (&str, &str, usize),
        text: &str,
        replace: Option<&str>,
        expected: (Value, &str),
    ) {
        let found = run(pattern, flags, group, text, replace).unwrap();
        let (matches, output) = expected;
        assert_eq!(found.ok, matches != json!([]), "{pattern}");
        assert_eq!(found.first, matches.get(0).cloned().unwrap_or_default());
        assert_eq!(
            (found.matches, found.output.as_str()),
            (matches, output),
            "{pattern}"
        );
    }

    #[test]
    fn all_matches_are_found_and_replaced() {
        check(
            (r"\d+", "", 0),
            "a1 b22",
            None,
            (json!(["1", "22"]), "a1 b22"),
        );
        check(
            (r"(\w)(\d)?", "", 2),
            "a1 b",
            None,
            (json!(["1", null]), "a1 b"),
        );
        check(("x", "", 0), "abc", Some("-"), (json!([]), "abc"));
        check(
            (r"(?<k>\w)=(\w)", "", 0),
            "a=b,c=d",
            Some("$2=${k}$$"),
            (json!(["a=b", "c=d"]), "b=a$,d=c$"),
        );
        check(("", "", 0), "üx", Some("-"), (json!(["", "", ""]), "-ü-x-"));
        check(("ü", "", 0), "aüb", Some("$0$0"), (json!(["ü"]), "aüüb"));
        check(("a", "", 0), "aa", Some(""), (json!(["a", "a"]), ""));
    }

    #[test]
    fn flags_change_case_lines_and_the_dot() {
        check(("^a.", "", 0), "x\nA\nb", None, (json!([]), "x\nA\nb"));
        check(
            ("^a.", "ims", 0),
            "x\nA\nb",
            None,
            (json!(["A\n"]), "x\nA\nb"),
        );
    }

    #[test]
    fn what_cannot_be_done_is_an_error_with_a_hint() {
        for (pattern, flags, group) in [
            ("(", "", 0),
            (r"\", "", 0),
            ("(?=a)", "", 0),
            (r"(a)\1", "", 0),
            ("*", "", 0),
            ("a{99999999999}", "", 0),
            ("((a{100}){100}){100}", "", 0),
            (&"(".repeat(9_000), "", 0),
            (&"a".repeat(10_001), "", 0),
            ("a", "x", 0),
            ("(a)", "", 2),
            ("a", "", usize::MAX),
        ] {
            let error = run(pattern, flags, group, "aaa", None).unwrap_err();
            assert_eq!(error.code, "E_REGEX");
            assert!(error.hint.is_some());
        }
    }

    #[test]
    fn limits_are_errors_and_cut_nothing() {
        let code = |pattern, text: &str, replace| {
            run(pattern, "", 0, text, replace).map_err(|error| error.code)
        };
        let refused = Err("E_REGEX".to_owned());
        assert_eq!(code("b", &"a".repeat(MAX_TEXT + 1), None), refused);
        assert_eq!(code("a", &"a".repeat(MAX_MATCHES + 1), None), refused);
        let long = "-".repeat(1_000);
        assert_eq!(code("a", &"a".repeat(MAX_MATCHES), Some(&long)), refused);
        let found = run("a", "", 0, &"a".repeat(MAX_MATCHES), Some("b")).unwrap();
        assert_eq!(found.output, "b".repeat(MAX_MATCHES));
    }

    #[test]
    fn a_pattern_that_hangs_other_engines_is_quick() {
        let text = format!("{}!", "a".repeat(10_000));
        check(("^(a+)+$", "", 0), &text, None, (json!([]), &text));
    }

    proptest! {
        #[test]
        fn no_pattern_panics(
            pattern in r"[ab().*+?|\[\]{}0-9^$\\-]{0,12}",
            flags in "[ims]{0,2}",
            group in 0_usize..3,
            text in ".{0,20}",
            replace in r"[a$0-9{}]{0,6}",
        ) {
            if let Ok(found) = run(&pattern, &flags, group, &text, Some(&replace)) {
                let without = run(&pattern, &flags, group, &text, None).unwrap();
                prop_assert_eq!(without.matches, found.matches);
                prop_assert_eq!(without.output, text);
            }
        }

        #[test]
        fn replacing_each_match_by_itself_changes_nothing(pattern in "[ab.]{1,3}[*+?]?", text in "[abcü]{0,12}") {
            prop_assert_eq!(run(&pattern, "", 0, &text, Some("$0")).unwrap().output, text);
        }
    }
}
