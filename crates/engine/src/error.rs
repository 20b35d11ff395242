//! What can go wrong in a run, as data: stable codes, the place, a hint.

use mnemograph_compact::FromJson;
use serde::Serialize;

/// Every error code that a run can end with (2-engine.md 2.5), sorted.
pub const CODES: &[&str] = &[
    "E_AGENT_LIMIT",
    "E_BAD_ID",
    "E_BUSY",
    "E_CALL",
    "E_CANCELLED",
    "E_COERCE",
    "E_EXPR",
    "E_GRAPH_CHANGED",
    "E_HTTP_BLOCKED",
    "E_HTTP_NETWORK",
    "E_HTTP_STATUS",
    "E_INPUT_ABSENT",
    "E_INTERNAL",
    "E_ITEMS_TYPE",
    "E_JSON",
    "E_LLM",
    "E_LLM_RESPONSE",
    "E_LLM_TIMEOUT",
    "E_LOOP_LIMIT",
    "E_MEMORY_WRITE",
    "E_NO_MODEL",
    "E_OUTPUT_LIMIT",
    "E_REGEX",
    "E_REQUIRES",
    "E_RESUME_INVALID",
    "E_RESUME_STALE",
    "E_RUN_TIMEOUT",
    "E_SCHEMA",
    "E_STEP_LIMIT",
    "E_STEP_TIMEOUT",
    "E_STORE_UNAVAILABLE",
    "E_TEMPLATE",
    "E_TEMPLATE_REF",
    "E_TEMPLATE_SCOPE",
    "E_TEMPLATE_SYNTAX",
    "E_TOOL",
    "E_TRIGGER",
];

/// Every warning code that a run can report, sorted.
pub const WARNINGS: &[&str] = &[
    "W_CLASS_UNCLEAR",
    "W_JOURNAL",
    "W_ROUND_QUARANTINED",
    "W_STALE_EPOCH",
    "W_SUMMARY_FAILED",
    "W_TEMPLATE_MISSING",
    "W_THREAD_WITHOUT_CHAT",
    "W_VAR_UNCOERCED",
];

/// The error of a node or of a whole run. Holds no conversation text.
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct RunError {
    /// Stable code, `E_…`.
    pub code: String,
    /// What was attempted and what came of it.
    pub message: String,
    /// How to mend it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub hint: Option<String>,
    /// Id of the node where it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub node: Option<String>,
    /// Ids of the containers and sub-graphs around the node, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "ts", ts(as = "Option<Vec<String>>", optional))]
    pub path: Vec<String>,
    /// How many attempts were made, from 1; 0 where nothing is attempted twice.
    #[serde(default)]
    pub attempt: u32,
    /// True if the same message may succeed later.
    #[serde(default)]
    pub retryable: bool,
    /// Status of the provider's answer, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub status: Option<u16>,
    /// Something that was read was not there.
    #[serde(skip)]
    pub(crate) is_missing: bool,
}

impl RunError {
    /// An error with a code and a message; the other fields are set by the builders below.
    #[must_use]
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
            hint: None,
            node: None,
            path: Vec::new(),
            attempt: 0,
            retryable: false,
            status: None,
            is_missing: false,
        }
    }

    /// Says how to mend it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Names the node, unless one is named already.
    #[must_use]
    pub fn at(mut self, node: &str) -> Self {
        self.node.get_or_insert_with(|| node.to_owned());
        self
    }

    /// Marks that the same message may succeed later.
    #[must_use]
    pub fn retryable(mut self, retryable: bool) -> Self {
        self.retryable = retryable;
        self
    }

    /// Counts the attempts made.
    #[must_use]
    pub fn attempt(mut self, attempt: u32) -> Self {
        self.attempt = attempt;
        self
    }

    /// A broken invariant of the engine itself: reported, never a panic.
    #[must_use]
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new("E_INTERNAL", message)
            .hint("This is a fault of the runtime: please report it with the graph.")
    }
}

/// The answer of the host or the storage that failed, as it reaches the engine.
#[derive(Debug, Clone, PartialEq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Failure {
    /// Stable code; absent means the code of the kind of call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub code: Option<String>,
    /// What went wrong, in words.
    pub message: String,
    /// True if a repetition may succeed.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(as = "Option<bool>", optional))]
    pub retryable: bool,
    /// HTTP status, where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub status: Option<u16>,
    /// How long the provider asks to wait, in milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub retry_after_ms: Option<u64>,
    /// How to mend it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub hint: Option<String>,
}

impl Failure {
    /// A failure with a code.
    #[must_use]
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: Some(code.to_owned()),
            message: message.into(),
            retryable: false,
            status: None,
            retry_after_ms: None,
            hint: None,
        }
    }

    /// The same failure as the error of a run, with `default_code` where it names none that is known.
    #[must_use]
    pub fn into_error(self, default_code: &str) -> RunError {
        let code = self.code.filter(|code| code.starts_with("E_"));
        let mut error = RunError::new(code.as_deref().unwrap_or(default_code), self.message)
            .retryable(self.retryable);
        error.hint = self.hint;
        error.status = self.status;
        error
    }
}
