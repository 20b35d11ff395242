//! The pull nodes: pure functions of what they read.

use crate::{
    core::Core,
    data::{cast, json, regex, table},
    error::RunError,
    names::text_of,
};
use mnemograph_compact::sort_by;
use mnemograph_graph::{ChatHistory, List, NodeIx, Settings};
use mnemograph_memory::{Message, Role};
use serde_json::{Map, Value};
use std::cmp::Ordering;

/// The values of a pull node's ports.
///
/// # Errors
/// What its inputs, templates and conversion give.
pub(crate) fn evaluate(core: &mut Core, node: NodeIx) -> Result<Map<String, Value>, RunError> {
    let plan = std::rc::Rc::clone(&core.plan);
    let Some(of) = plan.graph.node(node) else {
        return Ok(Map::new());
    };
    let done = match &of.settings {
        Settings::Text(text) => {
            named_inputs(core, node, &text.inputs)?;
            let text = core.render_setting(node, "template")?.unwrap_or_default();
            ports([("output", Value::String(text))])
        }
        Settings::Set(set) => {
            named_inputs(core, node, &set.inputs)?;
            let mut fields = Map::new();
            for (place, field) in set.fields.iter().enumerate() {
                let value = core.evaluate_setting(node, &format!("fields/{place}/value"))?;
                let value = cast::set_field(value.unwrap_or_default(), field.value_type)?;
                fields.insert(field.name.clone(), value);
            }
            ports([("output", Value::Object(fields))])
        }
        Settings::Json(settings) => {
            let input = core
                .input_or_setting(node, "input", "input")?
                .unwrap_or_default();
            let other = core.input_or_setting(node, "other", "other")?;
            let path = settings.path.as_deref();
            let (output, ok) = json::run(settings.op, settings.lenient, path, input, other)?;
            ports([("output", output), ("ok", Value::Bool(ok))])
        }
        Settings::List(settings) => list(core, node, settings)?,
        Settings::Regex(settings) => {
            let text = core
                .input_or_setting(node, "text", "text")?
                .unwrap_or_default();
            let replace = core.render_setting(node, "replace")?;
            let found = regex::run(
                &settings.pattern,
                &settings.flags,
                settings.group,
                &text_of(&text),
                replace.as_deref(),
            )?;
            ports([
                ("matches", found.matches),
                ("first", found.first),
                ("output", Value::String(found.output)),
                ("ok", Value::Bool(found.ok)),
            ])
        }
        Settings::Table => {
            let input = core
                .input_or_setting(node, "input", "input")?
                .unwrap_or_default();
            let (csv, dataframe, rows) = table::run(&input)?;
            ports([
                ("csv", Value::String(csv)),
                ("dataframe", dataframe),
                ("rows", rows),
            ])
        }
        Settings::Coalesce(settings) => {
            let mut ports = Map::new();
            for input in &settings.inputs {
                let value = core.optional_input(node, input)?;
                if let Some(value) = value.filter(|value| !value.is_null()) {
                    ports.insert("output".to_owned(), value);
                    break;
                }
            }
            ports
        }
        Settings::ChatHistory(settings) => chat_history(core, node, settings),
        _ => {
            return Err(RunError::internal(
                "A node was pulled that is none to pull.",
            ));
        }
    };
    core.locals.clear();
    Ok(done)
}

fn ports<const N: usize>(values: [(&str, Value); N]) -> Map<String, Value> {
    crate::frame::NodeValues::of(values).ports
}

/// What is wired to the node's own ports stands under `inputs` in its templates.
fn named_inputs(core: &mut Core, node: NodeIx, names: &[String]) -> Result<(), RunError> {
    if names.is_empty() {
        return Ok(());
    }
    let mut inputs = Map::new();
    for name in names {
        if let Some(value) = core.optional_input(node, name)? {
            inputs.insert(name.clone(), value);
        }
    }
    core.locals
        .insert("inputs".to_owned(), Value::Object(inputs));
    Ok(())
}

/// Filters, sorts, makes unique, slices and maps, in this order.
fn list(core: &mut Core, node: NodeIx, settings: &List) -> Result<Map<String, Value>, RunError> {
    let items = core
        .input_or_setting(node, "items", "items")?
        .unwrap_or_default();
    let mut items = match items {
        Value::Array(items) => items,
        Value::Null => Vec::new(),
        _ => {
            return Err(RunError::new("E_ITEMS_TYPE", "The items are not a list.")
                .hint("Turn the value into a list first: a json node parses text."));
        }
    };
    let has = |name: &str| core.plan.setting(node, name).is_some();
    let (filter, sort, unique_by, map) =
        (has("filter"), has("sort_by"), has("unique_by"), has("map"));
    if filter {
        let mut kept = Vec::new();
        for (index, item) in items.into_iter().enumerate() {
            at_item(core, &item, index);
            if core.test_setting(node, "filter")? {
                kept.push(item);
            }
        }
        items = kept;
    }
    if sort {
        let mut keyed = keyed(core, node, "sort_by", items)?;
        if !have_one_order(&keyed) {
            return Err(RunError::new(
                "E_EXPR",
                "The keys of 'sort_by' have different types and no order.",
            )
            .hint("Let sort_by give numbers only, or texts only."));
        }
        sort_by(&mut keyed, |(a, _), (b, _)| {
            let order = order(a, b).unwrap_or(Ordering::Equal);
            if settings.descending {
                order.reverse()
            } else {
                order
            }
        });
        items = keyed.into_iter().map(|(_, item)| item).collect();
    }
    if settings.unique || unique_by {
        let keyed = if unique_by {
            keyed(core, node, "unique_by", items)?
        } else {
            items.into_iter().map(|item| (item.clone(), item)).collect()
        };
        let mut seen: Vec<Value> = Vec::new();
        items = Vec::new();
        for (key, item) in keyed {
            if !seen.contains(&key) {
                seen.push(key);
                items.push(item);
            }
        }
    }
    if settings.start.is_some() || settings.end.is_some() {
        let place = |at: Option<i64>, absent: usize| match at {
            None => absent,
            Some(at) if at < 0 => items
                .len()
                .saturating_sub(usize::try_from(-at).unwrap_or(usize::MAX)),
            Some(at) => usize::try_from(at).unwrap_or(usize::MAX).min(items.len()),
        };
        let (start, end) = (place(settings.start, 0), place(settings.end, items.len()));
        items = items
            .get(start..end.max(start))
            .unwrap_or_default()
            .to_vec();
    }
    if map {
        items = keyed(core, node, "map", items)?
            .into_iter()
            .map(|(value, _)| value)
            .collect();
    }
    Ok(ports([
        ("count", Value::from(items.len())),
        ("output", Value::Array(items)),
    ]))
}

fn at_item(core: &mut Core, item: &Value, index: usize) {
    core.locals.insert("item".to_owned(), item.clone());
    core.locals.insert("index".to_owned(), Value::from(index));
}

/// Each item with what an expression makes of it.
fn keyed(
    core: &mut Core,
    node: NodeIx,
    setting: &str,
    items: Vec<Value>,
) -> Result<Vec<(Value, Value)>, RunError> {
    let mut keyed = Vec::with_capacity(items.len());
    for (index, item) in items.into_iter().enumerate() {
        at_item(core, &item, index);
        let key = core.evaluate_setting(node, setting)?.unwrap_or_default();
        keyed.push((key, item));
    }
    Ok(keyed)
}

/// Whether all keys that are something are numbers, or all texts, or all booleans.
fn have_one_order(keyed: &[(Value, Value)]) -> bool {
    let mut keys = keyed
        .iter()
        .map(|(key, _)| key)
        .filter(|key| !key.is_null());
    let Some(first) = keys.next() else {
        return true;
    };
    order(first, first).is_some() && keys.all(|key| order(first, key).is_some())
}

/// Numbers by size, texts by letters, `false` before `true`, nothing first. `None` between different types.
fn order(a: &Value, b: &Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Null, Value::Null) => Some(Ordering::Equal),
        (Value::Null, _) => Some(Ordering::Less),
        (_, Value::Null) => Some(Ordering::Greater),
        (Value::Number(a), Value::Number(b)) => a.as_f64()?.partial_cmp(&b.as_f64()?),
        (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
        (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
        _ => None,
    }
}

/// What the channel showed in this conversation, newest last.
fn chat_history(core: &mut Core, node: NodeIx, settings: &ChatHistory) -> Map<String, Value> {
    if !core.identity.has_thread {
        core.warn(
            Some(node),
            "W_THREAD_WITHOUT_CHAT",
            "This run has no thread, so there is no conversation to read.",
            "Give run() a thread.",
        );
    }
    let messages = core.transcript(settings.limit, &settings.roles, settings.include_current);
    let text: Vec<_> = messages
        .iter()
        .map(|message| format!("{}: {}", message.role.as_str(), message.text()))
        .collect();
    ports([
        ("count", Value::from(messages.len())),
        ("text", Value::String(text.join("\n"))),
        (
            "messages",
            serde_json::to_value(&messages).unwrap_or_default(),
        ),
    ])
}

impl Core {
    /// The newest messages of the conversation, as it was shown.
    pub(crate) fn transcript(&self, limit: u32, roles: &[String], current: bool) -> Vec<Message> {
        let shown = self.shown.entry(mnemograph_memory::ShownStatus::Running);
        let of_run = shown
            .user
            .into_iter()
            .chain(shown.replies)
            .filter(|_| current);
        let mut messages: Vec<Message> = self.earlier.iter().cloned().chain(of_run).collect();
        let is_wanted =
            |role: Role| roles.is_empty() || roles.iter().any(|name| name == role.as_str());
        messages.retain(|message| is_wanted(message.role));
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        messages.split_off(messages.len().saturating_sub(limit))
    }
}
