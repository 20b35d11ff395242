//! MiniJinja, set up as the rulings say: SemiStrict, our way of printing, all text kept.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Rest, Serde, Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State, UndefinedBehavior};
use serde_json::{Map, Value as Json};

pub(crate) fn environment() -> Environment<'static> {
    let mut env = Environment::new();
    env.set_undefined_behavior(UndefinedBehavior::SemiStrict);
    let syntax = SyntaxConfig::builder().keep_trailing_newline(true).build();
    env.set_syntax(syntax.unwrap());
    env.set_formatter(|out, _, value| {
        if value.is_undefined() {
            return Ok(());
        }
        let json = serde_json::to_value(value)
            .map_err(|error| Error::new(ErrorKind::BadSerialization, error.to_string()))?;
        out.write_str(&print(&json)).map_err(Error::from)
    });
    env
}

/// With what MiniJinja lacks, and with our `slice` in place of its own.
pub(crate) fn extended() -> Environment<'static> {
    let mut env = environment();
    env.add_function("get", get);
    env.add_filter("slice", slice);
    env.add_filter("flat", flat);
    env
}

pub(crate) fn render(
    env: &Environment<'_>,
    source: &str,
    data: &Map<String, Json>,
) -> Result<String, String> {
    let context = Value::from(Serde(data));
    env.render_str(source, context)
        .map_err(|error| format!("{error:#}"))
}

/// The printing rule of the reference, written a second time.
fn print(value: &Json) -> String {
    match value {
        Json::Null => String::new(),
        Json::String(text) => text.clone(),
        other => compact(other),
    }
}

fn compact(value: &Json) -> String {
    match value {
        Json::Number(number) if number.is_f64() => float(number.as_f64().unwrap()),
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(compact).collect();
            format!("[{}]", items.join(","))
        }
        Json::Object(map) => {
            let pairs = map
                .iter()
                .map(|(key, value)| format!("{}:{}", Json::from(key.as_str()), compact(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(","))
        }
        other => other.to_string(),
    }
}

fn float(float: f64) -> String {
    let size = float.abs();
    if size == 0.0 {
        "0".to_owned()
    } else if !(1e-6..1e16).contains(&size) {
        let text = format!("{float:e}");
        if size >= 1e16 {
            text.replace('e', "e+")
        } else {
            text
        }
    } else {
        float.to_string()
    }
}

/// A list instead of a lazy iterable.
fn flat(value: Value) -> Result<Value, Error> {
    match value.kind() {
        ValueKind::Iterable => Ok(Value::from(value.try_iter()?.collect::<Vec<Value>>())),
        _ => Ok(value),
    }
}

/// `get("a.b", fallback)`, which MiniJinja has not.
fn get(state: &State<'_, '_>, path: String, fallback: Option<Value>) -> Value {
    let mut keys = path.split('.');
    let root = keys.next().and_then(|name| state.lookup(name));
    let found = keys.fold(root, |value, key| {
        value?
            .get_attr(key)
            .ok()
            .filter(|found| !found.is_undefined())
    });
    found.unwrap_or_else(|| fallback.unwrap_or(Value::from(())))
}

/// `slice(start, end)`: MiniJinja's own filter of that name cuts a list into columns.
fn slice(value: Value, args: Rest<Option<i64>>) -> Result<Value, Error> {
    let bound = |index: usize, length: usize, none: i64| {
        let length = length as i64;
        let bound = args.get(index).copied().flatten().unwrap_or(none);
        (if bound < 0 { bound + length } else { bound }).clamp(0, length) as usize
    };
    let range = |length: usize| {
        let start = bound(0, length, 0);
        start..bound(1, length, length as i64).max(start)
    };
    if let Some(text) = value.as_str() {
        let chars: Vec<char> = text.chars().collect();
        let part: String = chars[range(chars.len())].iter().collect();
        return Ok(Value::from(part));
    }
    if matches!(value.kind(), ValueKind::Map | ValueKind::Undefined) {
        return Err(Error::new(ErrorKind::InvalidOperation, "nothing to slice"));
    }
    let items: Vec<Value> = value.try_iter()?.collect();
    Ok(Value::from(items[range(items.len())].to_vec()))
}
