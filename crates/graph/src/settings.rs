//! The one function that checks a map of settings against its description.
//!
//! It serves the settings of nodes, `on_error`, `limits` and `requires`, so that a number written as text or a
//! misspelt name is treated alike everywhere.

use serde_json::{Map, Number, Value};

use crate::problem::{Code, Pointer, Problem, Problems, quote};
use crate::setting::{MAX_SAFE, SettingSpec, SettingType};
use crate::suggest::Suggest;

/// Whether a key is kept and ignored.
pub(crate) fn is_extension(key: &str) -> bool {
    key.starts_with("x-")
}

/// What to make of a name that is not in the table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unknown {
    /// `W_UNKNOWN_SETTING`: in the settings of nodes.
    Warn,
    /// `E_JSON`: in the structure of the document.
    Refuse,
}

/// Where a map of settings stands in the document.
#[derive(Clone, Copy)]
pub(crate) struct Place<'a> {
    pub(crate) node: Option<&'a str>,
    /// What the map belongs to, for messages.
    pub(crate) owner: &'a str,
    pub(crate) path: &'a Pointer,
}

impl Place<'_> {
    pub(crate) fn problem(&self, code: Code, key: &str, message: String, hint: String) -> Problem {
        self.problem_at(code, &self.path.key(key), message, hint)
    }

    pub(crate) fn problem_at(
        &self,
        code: Code,
        path: &Pointer,
        message: String,
        hint: String,
    ) -> Problem {
        let problem = Problem::new(code, message, hint).at(path);
        match self.node {
            Some(id) => problem.node(id),
            None => problem,
        }
    }
}

/// Checks a map and completes it: values in their declared types, defaults filled in, unknown names left out.
/// Settings that are wrong are reported and take their default.
pub(crate) fn complete(
    fields: &'static [SettingSpec],
    given: &Map<String, Value>,
    unknown: Unknown,
    place: Place<'_>,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> Map<String, Value> {
    let mut full = Map::new();
    for field in fields {
        let value = match given
            .get(field.name)
            .filter(|value| !field.is_absent(value))
        {
            None if field.required => {
                problems.add(place.problem(
                    Code::Setting,
                    field.name,
                    format!("{} has no \"{}\".", place.owner, field.name),
                    format!("Give it {}. {}", expected(field.value), field.description),
                ));
                None
            }
            None => field.absent(),
            Some(value) => {
                read(field, value, unknown, place, suggest, problems).or_else(|| field.absent())
            }
        };
        if let Some(value) = value {
            full.insert(field.name.to_owned(), value);
        }
    }
    for key in given.keys() {
        if !is_extension(key) && !fields.iter().any(|field| field.name == key) {
            problems.add(unknown_name(fields, key, unknown, place, suggest));
        }
    }
    full
}

fn unknown_name(
    fields: &[SettingSpec],
    key: &str,
    unknown: Unknown,
    place: Place<'_>,
    suggest: &mut Suggest,
) -> Problem {
    let hint = match suggest.nearest(key, fields.iter().map(|field| field.name)) {
        Some(name) => format!("Did you mean \"{name}\"?"),
        None if fields.is_empty() => "Remove it: there is nothing to set here.".to_owned(),
        None => format!(
            "Remove it, or begin its name with \"x-\" to keep it as your own data. Known here: {}.",
            names(fields.iter().map(|field| field.name))
        ),
    };
    let hint = if fields.iter().any(|field| field.name == "params") {
        format!("{hint} Options of the model go into \"params\".")
    } else {
        hint
    };
    match unknown {
        Unknown::Warn => place.problem(
            Code::UnknownSetting,
            key,
            format!(
                "{} has no setting {}; it is ignored.",
                place.owner,
                quote(key)
            ),
            hint,
        ),
        Unknown::Refuse => place.problem(
            Code::Json,
            key,
            format!("{} has no key {}.", place.owner, quote(key)),
            hint,
        ),
    }
}

/// Joins names for a hint.
pub(crate) fn names<'a>(list: impl Iterator<Item = &'a str>) -> String {
    list.collect::<Vec<_>>().join(", ")
}

/// Says what a setting takes.
fn expected(value: SettingType) -> String {
    match value {
        SettingType::Text => "text".to_owned(),
        SettingType::Texts => "a list of texts".to_owned(),
        SettingType::Boolean => "true or false".to_owned(),
        SettingType::Integer { min, max } if max >= MAX_SAFE => {
            format!("a whole number of at least {min}")
        }
        SettingType::Integer { min, max } => format!("a whole number from {min} to {max}"),
        SettingType::Number { min, max } => format!("a number from {min} to {max}"),
        SettingType::Choice { options } => format!("one of: {}", names(options.iter().copied())),
        SettingType::Object => "an object".to_owned(),
        SettingType::Schema => "a JSON Schema (an object)".to_owned(),
        SettingType::Json => "a JSON value".to_owned(),
        SettingType::Entries => "an object".to_owned(),
        SettingType::When { .. } => {
            "the text of an expression, or {\"all\": [rules]}, or {\"any\": [rules]}".to_owned()
        }
        SettingType::Records { fields } => format!(
            "a list of objects of: {}",
            names(fields.iter().map(|field| field.name))
        ),
        SettingType::Record { fields } => {
            format!(
                "an object of: {}",
                names(fields.iter().map(|field| field.name))
            )
        }
    }
}

fn read(
    field: &SettingSpec,
    value: &Value,
    unknown: Unknown,
    place: Place<'_>,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> Option<Value> {
    let good = match (field.value, value) {
        (SettingType::Record { fields }, Value::Object(map)) => {
            let path = place.path.key(field.name);
            let owner = format!("\"{}\"", field.name);
            let inner = Place {
                node: place.node,
                owner: &owner,
                path: &path,
            };
            let record = complete(fields, map, unknown, inner, suggest, problems);
            return (!record.is_empty()).then_some(Value::Object(record));
        }
        (SettingType::Records { fields }, Value::Array(list)) => {
            let path = place.path.key(field.name);
            let place = Place {
                path: &path,
                ..place
            };
            let records = records(fields, field.name, list, unknown, place, suggest, problems);
            return Some(records);
        }
        (SettingType::When { .. }, Value::String(_)) => Some(value.clone()),
        (SettingType::When { rule }, Value::Object(map)) => {
            let entries = map.iter().filter(|(key, _)| !is_extension(key));
            let entries: Vec<_> = entries.map(|(key, value)| (key.as_str(), value)).collect();
            match entries.as_slice() {
                [(key @ ("all" | "any"), Value::Array(list))] => {
                    let path = place.path.key(field.name).key(key);
                    let place = Place {
                        path: &path,
                        ..place
                    };
                    let rules = records(rule, key, list, unknown, place, suggest, problems);
                    let group = [((*key).to_owned(), rules)];
                    return Some(Value::Object(group.into_iter().collect()));
                }
                _ => None,
            }
        }
        (SettingType::Text, Value::String(_))
        | (SettingType::Boolean, Value::Bool(_))
        | (SettingType::Object | SettingType::Schema | SettingType::Entries, Value::Object(_))
        | (SettingType::Json, _) => Some(value.clone()),
        (SettingType::Texts, Value::Array(list)) if list.iter().all(Value::is_string) => {
            Some(value.clone())
        }
        (SettingType::Choice { options }, Value::String(text)) => {
            options.contains(&text.as_str()).then(|| value.clone())
        }
        (SettingType::Integer { min, max }, _) => integer(value)
            .filter(|number| (min..=max).contains(number))
            .map(Value::from),
        (SettingType::Number { min, max }, _) => number(value)
            .filter(|number| (min..=max).contains(number))
            .and_then(Number::from_f64)
            .map(Value::Number),
        _ => None,
    };
    if good.is_none() {
        let mut hint = format!("Give it {}.", expected(field.value));
        if let (SettingType::Choice { options }, Value::String(text)) = (field.value, value)
            && let Some(word) = suggest.nearest(text, options.iter().copied())
        {
            hint = format!("Did you mean \"{word}\"? {hint}");
        }
        problems.add(place.problem(
            Code::Setting,
            field.name,
            format!(
                "\"{}\" of {} cannot be {}.",
                field.name,
                place.owner,
                describe(value)
            ),
            hint,
        ));
    }
    good
}

/// Checks each record of a list. One that is wrong is reported and stays as it is, so that the others keep their
/// places.
fn records(
    fields: &'static [SettingSpec],
    name: &str,
    list: &[Value],
    unknown: Unknown,
    place: Place<'_>,
    suggest: &mut Suggest,
    problems: &mut Problems,
) -> Value {
    let mut records = Vec::with_capacity(list.len());
    for (index, element) in list.iter().enumerate() {
        let path = place.path.index(index);
        records.push(match element {
            Value::Object(map) => {
                let owner = format!("\"{name}\" {index}");
                let inner = Place {
                    node: place.node,
                    owner: &owner,
                    path: &path,
                };
                Value::Object(complete(fields, map, unknown, inner, suggest, problems))
            }
            other => {
                let hint = format!(
                    "Give it an object of: {}.",
                    names(fields.iter().map(|field| field.name))
                );
                let message = format!(
                    "An entry of \"{name}\" of {} cannot be {}.",
                    place.owner,
                    describe(other)
                );
                problems.add(place.problem_at(Code::Setting, &path, message, hint));
                Value::Null
            }
        });
    }
    Value::Array(records)
}

/// Names a wrong value: scalars in full, the rest by type.
pub(crate) fn describe(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::String(text) => format!("the text {}", quote(text)),
        Value::Array(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
    }
}

/// A whole number, also where it is written with a fraction of zero or as decimal text.
pub(crate) fn integer(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| whole(number.as_f64()?)),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The whole number that a float stands for, within what a float holds exactly.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "the range is checked first"
)]
pub(crate) fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() <= MAX_SAFE as f64).then_some(number as i64)
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text
            .trim()
            .parse()
            .ok()
            .filter(|number: &f64| number.is_finite()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The complete map without what equals its default: a new setting in a later version changes no hash.
pub(crate) fn without_defaults(
    fields: &[SettingSpec],
    full: &Map<String, Value>,
) -> Map<String, Value> {
    let mut changed = Map::new();
    for field in fields {
        match (field.value, full.get(field.name)) {
            (SettingType::Record { fields }, Some(Value::Object(record))) => {
                let inner = without_defaults(fields, record);
                if !inner.is_empty() {
                    changed.insert(field.name.to_owned(), Value::Object(inner));
                }
            }
            (SettingType::Records { fields }, Some(Value::Array(list))) if !list.is_empty() => {
                changed.insert(field.name.to_owned(), changed_records(fields, list));
            }
            (SettingType::When { rule }, Some(Value::Object(group))) => {
                let rules = |(key, list): (&String, &Value)| {
                    let list = list.as_array().map_or(&[][..], Vec::as_slice);
                    (key.clone(), changed_records(rule, list))
                };
                let group = group.iter().map(rules).collect();
                changed.insert(field.name.to_owned(), Value::Object(group));
            }
            (_, Some(value)) if field.absent().as_ref() != Some(value) => {
                changed.insert(field.name.to_owned(), value.clone());
            }
            _ => {}
        }
    }
    changed
}

fn changed_records(fields: &[SettingSpec], list: &[Value]) -> Value {
    let of = |record: &Value| match record {
        Value::Object(record) => Value::Object(without_defaults(fields, record)),
        other => other.clone(),
    };
    list.iter().map(of).collect()
}
