//! The types that data ports carry and the rules by which one fits another.

use mnemograph_compact::FromJson;
use serde::Serialize;
use serde_json::Value;

/// Type of the values of a data port.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ValueType {
    /// Text.
    String,
    /// A whole number.
    Integer,
    /// A number.
    Float,
    /// `true` or `false`.
    Boolean,
    /// Any JSON value, known to be data.
    Json,
    /// CSV text.
    Csv,
    /// Columns and rows.
    Dataframe,
    /// One message in the canonical form.
    Message,
    /// A list of messages in the canonical form.
    Messages,
    /// Not known before the run.
    Any,
}

impl ValueType {
    /// Every type.
    pub const ALL: &'static [ValueType] = &[
        ValueType::String,
        ValueType::Integer,
        ValueType::Float,
        ValueType::Boolean,
        ValueType::Json,
        ValueType::Csv,
        ValueType::Dataframe,
        ValueType::Message,
        ValueType::Messages,
        ValueType::Any,
    ];

    /// The types that a variable can have.
    pub const OF_VARIABLES: &'static [&'static str] = &[
        "string",
        "integer",
        "float",
        "boolean",
        "json",
        "csv",
        "dataframe",
    ];
    /// Every name.
    pub const NAMES: &'static [&'static str] = &[
        "string",
        "integer",
        "float",
        "boolean",
        "json",
        "csv",
        "dataframe",
        "message",
        "messages",
        "any",
    ];

    /// The type of this name.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = ValueType::ALL.iter().copied();
        all.find(|value_type| value_type.as_str() == name)
    }

    /// The name as it appears in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            ValueType::String => "string",
            ValueType::Integer => "integer",
            ValueType::Float => "float",
            ValueType::Boolean => "boolean",
            ValueType::Json => "json",
            ValueType::Csv => "csv",
            ValueType::Dataframe => "dataframe",
            ValueType::Message => "message",
            ValueType::Messages => "messages",
            ValueType::Any => "any",
        }
    }

    /// Whether a value is of this type.
    pub fn admits(self, value: &Value) -> bool {
        match self {
            ValueType::String | ValueType::Csv => value.is_string(),
            ValueType::Integer => {
                value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0)
            }
            ValueType::Float => value.is_number(),
            ValueType::Boolean => value.is_boolean(),
            ValueType::Dataframe => value.is_object() || value.is_array(),
            ValueType::Message => value.is_object(),
            ValueType::Messages => value.is_array(),
            ValueType::Json | ValueType::Any => true,
        }
    }

    /// Whether a value of this type may enter a port of type `target`: the same type, `any` on either side, or a
    /// widening (integer → float; integer, float, boolean → string; messages → json).
    pub fn fits(self, target: ValueType) -> bool {
        use ValueType::{Any, Boolean, Float, Integer, Json, Messages, String};
        self == target
            || matches!(
                (self, target),
                (Any, _)
                    | (_, Any)
                    | (Integer, Float)
                    | (Integer | Float | Boolean, String)
                    | (Messages, Json)
            )
    }
}
