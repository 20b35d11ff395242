//! Settings: their description, and the one function that checks a map of them against it.
//!
//! The same description serves node settings, `on_error` and `limits`, so that a number written as text or a
//! misspelt name is treated alike everywhere.

use serde::{Serialize, Serializer};
use serde_json::{Map, Number, Value};

use crate::problem::{Code, Pointer, Problem, Problems, quote};
use crate::suggest::Suggest;

/// Type of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum SettingType {
    /// Text.
    Text,
    /// A list of texts.
    Texts,
    /// `true` or `false`.
    Boolean,
    /// A whole number. Decimal text is accepted.
    Integer {
        /// Least value.
        min: i64,
        /// Greatest value.
        max: i64,
    },
    /// A number. Decimal text is accepted.
    Number {
        /// Least value.
        min: f64,
        /// Greatest value.
        max: f64,
    },
    /// One of a few words.
    Choice {
        /// The words.
        options: &'static [&'static str],
    },
    /// Any JSON object.
    Object,
    /// A JSON Schema, which is an object here.
    Schema,
    /// Any JSON value.
    Json,
    /// An object of named settings.
    Record {
        /// They.
        fields: &'static [SettingSpec],
    },
}

/// What holds when a setting is absent or `null`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum DefaultValue {
    /// Nothing.
    Absent,
    /// This truth value.
    Boolean(bool),
    /// This whole number.
    Integer(i64),
    /// This number.
    Number(f64),
    /// This text.
    Text(&'static str),
    /// An empty list.
    EmptyList,
    /// An empty object.
    EmptyObject,
    /// A record with the defaults of its fields.
    Fields,
}

impl Serialize for DefaultValue {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            DefaultValue::Absent => serializer.serialize_unit(),
            DefaultValue::Boolean(value) => serializer.serialize_bool(*value),
            DefaultValue::Integer(value) => serializer.serialize_i64(*value),
            DefaultValue::Number(value) => serializer.serialize_f64(*value),
            DefaultValue::Text(value) => serializer.serialize_str(value),
            DefaultValue::EmptyList => serializer.collect_seq::<[(); 0]>([]),
            DefaultValue::EmptyObject | DefaultValue::Fields => {
                serializer.collect_map::<(), (), [((), ()); 0]>([])
            }
        }
    }
}

/// A setting.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct SettingSpec {
    /// Name in documents.
    pub name: &'static str,
    /// Type.
    #[serde(rename = "type")]
    pub value: SettingType,
    /// What holds when it is absent or `null`.
    pub default: DefaultValue,
    /// It must be given.
    pub required: bool,
    /// Texts in it are templates.
    pub template: bool,
    /// One sentence for people.
    pub description: &'static str,
}

impl SettingSpec {
    /// A setting that is absent by default.
    pub(crate) const fn new(
        name: &'static str,
        value: SettingType,
        description: &'static str,
    ) -> Self {
        SettingSpec {
            name,
            value,
            default: DefaultValue::Absent,
            required: false,
            template: false,
            description,
        }
    }

    pub(crate) const fn or(mut self, default: DefaultValue) -> Self {
        self.default = default;
        self
    }

    pub(crate) const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    pub(crate) const fn template(mut self) -> Self {
        self.template = true;
        self
    }

    /// `null`, and the empty text that a form leaves where there is no text to fall back to, say nothing.
    fn is_absent(&self, value: &Value) -> bool {
        value.is_null()
            || (self.value == SettingType::Text
                && self.default == DefaultValue::Absent
                && value.as_str() == Some(""))
    }

    /// The value that stands for an absent one.
    fn absent(&self) -> Option<Value> {
        match self.default {
            DefaultValue::Absent => None,
            DefaultValue::Boolean(value) => Some(Value::Bool(value)),
            DefaultValue::Integer(value) => Some(Value::from(value)),
            DefaultValue::Number(value) => Number::from_f64(value).map(Value::Number),
            DefaultValue::Text(value) => Some(Value::from(value)),
            DefaultValue::EmptyList => Some(Value::Array(Vec::new())),
            DefaultValue::EmptyObject => Some(Value::Object(Map::new())),
            DefaultValue::Fields => match self.value {
                SettingType::Record { fields } => Some(Value::Object(defaults(fields))),
                _ => None,
            },
        }
    }
}

/// The greatest time in milliseconds: timers of browsers fire at once beyond it.
pub(crate) const MAX_MS: i64 = 2_147_483_647;
/// The greatest whole number that JavaScript holds exactly.
pub(crate) const MAX_SAFE: i64 = 9_007_199_254_740_991;

/// A time of at least `min` milliseconds.
pub(crate) const fn milliseconds(min: i64) -> SettingType {
    SettingType::Integer { min, max: MAX_MS }
}

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
        let problem = Problem::new(code, message, hint).at(&self.path.key(key));
        match self.node {
            Some(id) => problem.node(id),
            None => problem,
        }
    }
}

/// The complete map for an absent one.
pub(crate) fn defaults(fields: &[SettingSpec]) -> Map<String, Value> {
    fields
        .iter()
        .filter_map(|field| Some((field.name.to_owned(), field.absent()?)))
        .collect()
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
        SettingType::Integer { min, max } if max >= MAX_MS => {
            format!("a whole number of at least {min}")
        }
        SettingType::Integer { min, max } => format!("a whole number from {min} to {max}"),
        SettingType::Number { min, max } => format!("a number from {min} to {max}"),
        SettingType::Choice { options } => format!("one of: {}", names(options.iter().copied())),
        SettingType::Object => "an object".to_owned(),
        SettingType::Schema => "a JSON Schema (an object)".to_owned(),
        SettingType::Json => "a JSON value".to_owned(),
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
            let inner = Place {
                node: place.node,
                owner: field.name,
                path: &path,
            };
            let record = complete(fields, map, unknown, inner, suggest, problems);
            return (!record.is_empty()).then_some(Value::Object(record));
        }
        (SettingType::Text, Value::String(_))
        | (SettingType::Boolean, Value::Bool(_))
        | (SettingType::Object | SettingType::Schema, Value::Object(_))
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
            (_, Some(value)) if field.absent().as_ref() != Some(value) => {
                changed.insert(field.name.to_owned(), value.clone());
            }
            _ => {}
        }
    }
    changed
}
