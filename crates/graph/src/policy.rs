//! What holds for a node or a run whatever the node type: failures, limits, needs.

use mnemograph_compact::{FromJson, sort_by};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::setting::{DefaultValue, MAX_SAFE, SettingSpec, SettingType, milliseconds};

/// What happens when a step fails: first its retries, then `mode`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct OnError {
    /// What happens after the last attempt.
    pub mode: ErrorMode,
    /// Values of the output ports with `mode` = `continue`.
    pub default: Map<String, Value>,
    /// Further attempts.
    pub retry: Retry,
}

/// What happens after the last attempt of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ErrorMode {
    /// The run fails.
    #[default]
    Fail,
    /// The run goes on with `default` and ends partial.
    Continue,
    /// The run goes on at the port `error`.
    Branch,
}

/// Further attempts after a failure.
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Retry {
    /// Attempts after the first.
    pub max: u32,
    /// Wait before the first of them, in milliseconds.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub delay_ms: u64,
    /// By which each further wait grows.
    pub factor: f64,
    /// Longest wait, in milliseconds.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub max_delay_ms: u64,
    /// The codes that are tried again; empty means every retryable one.
    pub on: Vec<String>,
}

impl Default for Retry {
    fn default() -> Self {
        Retry {
            max: 0,
            delay_ms: 1_000,
            factor: 2.0,
            max_delay_ms: 30_000,
            on: Vec::new(),
        }
    }
}

/// `on_error` as a document gives it.
#[cfg(feature = "ts")]
#[derive(ts_rs::TS)]
#[expect(dead_code, reason = "declares the TypeScript type")]
pub(crate) struct OnErrorDocument {
    /// What happens after the last attempt.
    #[ts(optional)]
    mode: Option<ErrorMode>,
    /// Values of the output ports with `mode` = `continue`.
    #[ts(optional)]
    default: Option<Map<String, Value>>,
    /// Further attempts.
    #[ts(optional)]
    retry: Option<RetryDocument>,
}

/// `on_error.retry` as a document gives it.
#[cfg(feature = "ts")]
#[derive(ts_rs::TS)]
#[expect(dead_code, reason = "declares the TypeScript type")]
pub(crate) struct RetryDocument {
    /// Attempts after the first.
    #[ts(optional)]
    max: Option<u32>,
    /// Wait before the first of them, in milliseconds.
    #[ts(optional, type = "number")]
    delay_ms: Option<u64>,
    /// By which each further wait grows.
    #[ts(optional)]
    factor: Option<f64>,
    /// Longest wait, in milliseconds.
    #[ts(optional, type = "number")]
    max_delay_ms: Option<u64>,
    /// The codes that are tried again; empty means every retryable one.
    #[ts(optional)]
    on: Option<Vec<String>>,
}

const RETRY: &[SettingSpec] = &[
    SettingSpec::new(
        "max",
        SettingType::Integer { min: 0, max: 100 },
        "Attempts after the first.",
    )
    .or(DefaultValue::Integer(0)),
    SettingSpec::new(
        "delay_ms",
        milliseconds(0),
        "Wait before the first retry, in milliseconds.",
    )
    .or(DefaultValue::Integer(1_000)),
    SettingSpec::new(
        "factor",
        SettingType::Number {
            min: 1.0,
            max: 100.0,
        },
        "By which each further wait grows.",
    )
    .or(DefaultValue::Number(2.0)),
    SettingSpec::new(
        "max_delay_ms",
        milliseconds(0),
        "Longest wait, in milliseconds.",
    )
    .or(DefaultValue::Integer(30_000)),
    SettingSpec::new(
        "on",
        SettingType::Texts,
        "The error codes that are tried again; empty means every retryable one.",
    )
    .or(DefaultValue::EmptyList),
];

/// The keys of `on_error`.
pub const ON_ERROR: &[SettingSpec] = &[
    SettingSpec::new(
        "mode",
        SettingType::Choice {
            options: &["fail", "continue", "branch"],
        },
        "What happens after the last attempt.",
    )
    .or(DefaultValue::Text("fail")),
    SettingSpec::new(
        "default",
        SettingType::Object,
        "Values of the output ports with mode \"continue\".",
    )
    .or(DefaultValue::EmptyObject),
    SettingSpec::new(
        "retry",
        SettingType::Record { fields: RETRY },
        "Further attempts.",
    )
    .or(DefaultValue::Fields),
];

macro_rules! limits {
    ($($(#[doc = $doc:literal])+ $name:ident: $held:ty = $kind:expr, $default:literal;)+) => {
        /// What a run may use. One counter per run.
        ///
        /// The model calls of one agent and the characters of one tool result are settings of `ai_agent`.
        #[derive(Debug, Clone, PartialEq, Eq, Serialize, FromJson)]
        #[cfg_attr(feature = "ts", derive(ts_rs::TS))]
        pub struct Limits {
            $($(#[doc = $doc])+ #[cfg_attr(feature = "ts", ts(type = "number"))] pub $name: $held,)+
        }

        /// `limits` as a document gives it: only what differs from the defaults.
        #[cfg(feature = "ts")]
        #[derive(ts_rs::TS)]
        #[expect(dead_code, reason = "declares the TypeScript type")]
        pub(crate) struct LimitsDocument {
            $($(#[doc = $doc])+ #[ts(optional, type = "number")] $name: Option<$held>,)+
        }

        impl Default for Limits {
            fn default() -> Self {
                Limits { $($name: $default),+ }
            }
        }

        /// The keys of `limits`.
        pub const LIMITS: &[SettingSpec] = &[
            $(SettingSpec::new(stringify!($name), $kind, concat!($($doc),+))
                .or(DefaultValue::Integer($default)),)+
        ];
    };
}

const COUNT: SettingType = SettingType::Integer {
    min: 1,
    max: MAX_SAFE,
};

/// One gibibyte at most, which is a `usize` everywhere.
const BYTES: SettingType = SettingType::Integer {
    min: 1,
    max: 1_073_741_824,
};

limits! {
    /// Steps that a run may execute.
    steps: u64 = COUNT, 500;
    /// Steps that may wait for the host at the same time.
    max_parallel: usize = SettingType::Integer { min: 1, max: 64 }, 1;
    /// Time of a run in milliseconds, without waiting for people.
    run_ms: u64 = milliseconds(1), 300_000;
    /// Time of one model call in milliseconds.
    llm_timeout_ms: u64 = milliseconds(1), 120_000;
    /// Longest silence of a streaming model in milliseconds.
    llm_idle_ms: u64 = milliseconds(1), 60_000;
    /// Passes of all loops.
    loop_passes: u64 = COUNT, 100;
    /// Items of one loop over a list.
    items: u64 = COUNT, 1_000;
    /// Sub-graphs inside each other.
    depth: u64 = SettingType::Integer { min: 1, max: 64 }, 8;
    /// Work that one template may do.
    template_fuel: u64 = COUNT, 50_000;
    /// Bytes that one template may give.
    template_output: usize = BYTES, 1_048_576;
    /// Bytes that are kept of one output of a node.
    node_output: usize = BYTES, 4_194_304;
}

/// What the host must offer, by the names it registers them under. Sorted, without repetition.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Requires {
    /// Models.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(as = "Option<Vec<String>>", optional))]
    #[serde(default)]
    pub models: Vec<String>,
    /// Tools.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(as = "Option<Vec<String>>", optional))]
    #[serde(default)]
    pub tools: Vec<String>,
    /// Functions for `call` nodes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(as = "Option<Vec<String>>", optional))]
    #[serde(default)]
    pub functions: Vec<String>,
    /// Node types.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(as = "Option<Vec<String>>", optional))]
    #[serde(default)]
    pub nodes: Vec<String>,
}

impl Requires {
    /// Sorts the lists and removes repetitions.
    pub(crate) fn normalise(&mut self) {
        for list in [
            &mut self.models,
            &mut self.tools,
            &mut self.functions,
            &mut self.nodes,
        ] {
            sort_by(list, String::cmp);
            list.dedup();
        }
    }

    /// Whether nothing is needed.
    pub fn is_empty(&self) -> bool {
        self.models.is_empty()
            && self.tools.is_empty()
            && self.functions.is_empty()
            && self.nodes.is_empty()
    }
}

/// What becomes of a value that a template prints and that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// The step fails.
    #[default]
    Error,
    /// It is empty text, and the run warns of it.
    Empty,
}

impl Missing {
    /// The names in documents.
    pub(crate) const NAMES: [&str; 2] = ["error", "empty"];

    pub(crate) fn is_error(&self) -> bool {
        *self == Missing::Error
    }
}

/// Whether a text has the form of an error code.
pub(crate) fn is_code(code: &str) -> bool {
    let name = code.strip_prefix("E_").unwrap_or_default();
    !name.is_empty()
        && name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte == b'_')
}

/// The keys of `requires`.
pub(crate) const REQUIRES: &[SettingSpec] = &[
    SettingSpec::new("models", SettingType::Texts, "Names of models.").or(DefaultValue::EmptyList),
    SettingSpec::new("tools", SettingType::Texts, "Names of tools.").or(DefaultValue::EmptyList),
    SettingSpec::new("functions", SettingType::Texts, "Names of functions.")
        .or(DefaultValue::EmptyList),
    SettingSpec::new(
        "nodes",
        SettingType::Texts,
        "Names of node types of the host.",
    )
    .or(DefaultValue::EmptyList),
];
