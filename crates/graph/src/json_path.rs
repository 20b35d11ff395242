//! Paths into JSON values: `items[0].name`, `["a.b"]`, or a JSON pointer (RFC 6901), which begins with a slash.

use serde_json::Value;

/// A path into a JSON value.
///
/// ```
/// let value = serde_json::json!({"items": [{"name": "Ada"}]});
/// let path = mnemograph_graph::JsonPath::parse("items[0].name").unwrap();
/// assert_eq!(path.find(&value), Ok(&serde_json::json!("Ada")));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonPath {
    steps: Vec<Step>,
}

impl JsonPath {
    /// Reads a path. The empty one is the whole value.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(path: &str) -> Result<JsonPath, String> {
        steps(path).map(|steps| JsonPath { steps })
    }

    /// What is there.
    ///
    /// # Errors
    /// The number of the first step that leads nowhere, counted from 1, and the value that it starts from.
    pub fn find<'a>(&self, value: &'a Value) -> Result<&'a Value, (usize, &'a Value)> {
        let mut place = value;
        for (index, step) in self.steps.iter().enumerate() {
            place = step.of(place).ok_or((index.saturating_add(1), place))?;
        }
        Ok(place)
    }
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Step {
    /// The value under a key; of a list, the item if the key is its number.
    Key(String),
    /// The item of a list; a negative number counts from the end.
    Item(i64),
}

impl Step {
    /// Where the step leads from a value.
    fn of<'a>(&self, value: &'a Value) -> Option<&'a Value> {
        match (self, value) {
            (Step::Key(key), Value::Object(map)) => map.get(key),
            (Step::Key(key), Value::Array(items)) => {
                let is_number = key == "0" || !key.starts_with(['0', '+']);
                let index = key.parse::<usize>().ok().filter(|_| is_number)?;
                items.get(index)
            }
            (Step::Item(index), Value::Array(items)) => {
                let from_start = usize::try_from(*index).ok();
                let from_end = || {
                    items
                        .len()
                        .checked_sub(usize::try_from(index.unsigned_abs()).ok()?)
                };
                items.get(from_start.or_else(from_end)?)
            }
            _ => None,
        }
    }
}

fn steps(path: &str) -> Result<Vec<Step>, String> {
    if let Some(pointer) = path.strip_prefix('/') {
        let key = |part: &str| Step::Key(part.replace("~1", "/").replace("~0", "~"));
        return Ok(pointer.split('/').map(key).collect());
    }
    let mut steps = Vec::new();
    let mut rest = path;
    while !rest.is_empty() {
        let (step, after) = match rest.strip_prefix('[') {
            Some(inside) => bracket(inside)?,
            None => name(rest)?,
        };
        steps.push(step);
        rest = match after.strip_prefix('.') {
            Some("") => return Err("it ends in a point".to_owned()),
            Some(next) if next.starts_with('[') => {
                return Err("a bracket follows a point".to_owned());
            }
            Some(next) => next,
            None if after.is_empty() || after.starts_with('[') => after,
            None => return Err("a point or a bracket is missing after ]".to_owned()),
        };
    }
    Ok(steps)
}

fn name(path: &str) -> Result<(Step, &str), String> {
    let (name, after) = path.split_at(path.find(['.', '[']).unwrap_or(path.len()));
    if name.is_empty() {
        return Err("there is nothing before a point".to_owned());
    }
    Ok((Step::Key(name.to_owned()), after))
}

/// What stands in brackets: a number, or a key in quotation marks.
fn bracket(inside: &str) -> Result<(Step, &str), String> {
    let open = "a bracket is not closed";
    for quote in ['"', '\''] {
        if let Some(quoted) = inside.strip_prefix(quote) {
            let (key, after) = quoted
                .split_once(quote)
                .ok_or("a quotation mark is not closed")?;
            let after = after.strip_prefix(']').ok_or(open)?;
            return Ok((Step::Key(key.to_owned()), after));
        }
    }
    let (number, after) = inside.split_once(']').ok_or(open)?;
    let number = number
        .parse()
        .map_err(|_| "in brackets stands neither a whole number nor a text in quotation marks")?;
    Ok((Step::Item(number), after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(key: &str) -> Step {
        Step::Key(key.to_owned())
    }

    #[test]
    fn points_brackets_and_pointers() {
        for (path, expected) in [
            ("", vec![]),
            ("a", vec![key("a")]),
            ("a.b-c.0", vec![key("a"), key("b-c"), key("0")]),
            ("[0]", vec![Step::Item(0)]),
            (
                "a[0][-1].b",
                vec![key("a"), Step::Item(0), Step::Item(-1), key("b")],
            ),
            (r#"["a.b]"]['c"d']"#, vec![key("a.b]"), key("c\"d")]),
            ("/", vec![key("")]),
            (
                "/a/0/~01/m~1n",
                vec![key("a"), key("0"), key("~1"), key("m/n")],
            ),
        ] {
            assert_eq!(steps(path), Ok(expected), "{path}");
        }
        for path in [
            ".", "a.", ".a", "a..b", "a.[0]", "a[", "a[]", "a[x]", "a[0", "a[0]b", "a['b", "a['b'",
            "a[1.5]",
        ] {
            assert!(steps(path).is_err(), "{path}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_path_or_has_a_fault(path in r#"[a0.\[\]"'/~-]{0,12}"#) {
            if let Err(fault) = steps(&path) {
                prop_assert!(!fault.is_empty());
            }
        }

        #[test]
        fn a_pointer_finds_what_serde_json_finds(path in "(/[a01~]{0,2}){0,4}") {
            let value = serde_json::json!({"a": [{"0": 1, "": [2]}, [3, 4]], "": {"a": 5}, "~": {"1": 6}, "0": [7, [8]]});
            let found = JsonPath::parse(&path).unwrap();
            prop_assert_eq!(found.find(&value).ok(), value.pointer(&path));
        }
    }
}
