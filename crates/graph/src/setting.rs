//! The description of a setting: what it takes, what holds without it.

use serde::{Serialize, Serializer};
use serde_json::{Map, Number, Value};

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
    /// A list of objects of named settings.
    Records {
        /// The settings of each.
        fields: &'static [SettingSpec],
    },
    /// An object of which each entry stands for itself, under names that the author chose.
    Entries,
    /// A condition: the text of an expression, or `{all: […]}` or `{any: […]}` with a list of rules.
    When {
        /// The settings of each rule.
        rule: &'static [SettingSpec],
    },
}

/// How the texts in a setting are read when the node acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum TemplateKind {
    /// The setting is a text with `{{ … }}` in it.
    Text,
    /// Each text in the setting, which may be any JSON value, is a template; one that is a single `{{ … }}` gives
    /// a typed value.
    Value,
    /// The setting is an expression, without braces.
    Expression,
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
    /// This list of texts.
    Texts(&'static [&'static str]),
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
            DefaultValue::Texts(list) => serializer.collect_seq(*list),
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
    /// How its texts are read, if they are not plain.
    pub template: Option<TemplateKind>,
    /// One sentence for people.
    pub description: &'static str,
    /// Documents may say it, and nothing comes of it yet: who sets it is warned.
    #[serde(skip)]
    pub planned: bool,
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
            template: None,
            description,
            planned: false,
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

    /// Nothing comes of it yet.
    pub(crate) const fn planned(mut self) -> Self {
        self.planned = true;
        self
    }

    /// The text is a template.
    pub(crate) const fn template(mut self) -> Self {
        self.template = Some(TemplateKind::Text);
        self
    }

    /// The texts in the value are templates.
    pub(crate) const fn templates(mut self) -> Self {
        self.template = Some(TemplateKind::Value);
        self
    }

    /// The text is an expression.
    pub(crate) const fn expression(mut self) -> Self {
        self.template = Some(TemplateKind::Expression);
        self
    }

    /// `null`, and the empty text that a form leaves where there is no text to fall back to, say nothing.
    pub(crate) fn is_absent(&self, value: &Value) -> bool {
        value.is_null()
            || (matches!(self.value, SettingType::Text | SettingType::When { .. })
                && self.default == DefaultValue::Absent
                && value.as_str() == Some(""))
    }

    /// The value that stands for an absent one.
    pub(crate) fn absent(&self) -> Option<Value> {
        match self.default {
            DefaultValue::Absent => None,
            DefaultValue::Boolean(value) => Some(Value::Bool(value)),
            DefaultValue::Integer(value) => Some(Value::from(value)),
            DefaultValue::Number(value) => Number::from_f64(value).map(Value::Number),
            DefaultValue::Text(value) => Some(Value::from(value)),
            DefaultValue::Texts(list) => Some(Value::from(list)),
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

/// The complete map for an absent one.
fn defaults(fields: &[SettingSpec]) -> Map<String, Value> {
    fields
        .iter()
        .filter_map(|field| Some((field.name.to_owned(), field.absent()?)))
        .collect()
}
