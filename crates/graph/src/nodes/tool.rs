//! `tool`: a function of the host that a model may call.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::catalogue::{
    DefaultValue, Kind, NodeSpec, PortSpec, SettingFault, SettingSpec, SettingType,
};
use crate::document::EdgeType;
use crate::nodes::Settings;
use crate::problem::quote;
use crate::setting::milliseconds;

/// Settings of `tool`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// The name that the model sees. Without one, the host's name.
    pub name: String,
    /// What the model reads about the tool; `None` is the host's description.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// JSON Schema of the arguments; `None` is the host's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Value>,
    /// What is called.
    pub run: ToolRun,
    /// A person must agree to each call.
    pub require_approval: bool,
    /// Time limit of one call in milliseconds.
    pub timeout_ms: u64,
}

/// What a tool calls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum ToolRun {
    /// `host:<name>`: the tool that the host registered under this name.
    Host(String),
}

impl TryFrom<String> for ToolRun {
    type Error = &'static str;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        match text.strip_prefix("host:") {
            Some(name) if !name.is_empty() => Ok(ToolRun::Host(name.to_owned())),
            _ => Err("not of the form host:<name>"),
        }
    }
}

impl From<ToolRun> for String {
    fn from(run: ToolRun) -> Self {
        let ToolRun::Host(name) = run;
        format!("host:{name}")
    }
}

/// Whether every provider takes the name.
fn is_tool_name(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

fn settle(map: &mut Map<String, Value>) -> Vec<SettingFault> {
    let mut faults = Vec::new();
    if let Some(Value::String(run)) = map.get("run").cloned() {
        match ToolRun::try_from(run.clone()) {
            Ok(ToolRun::Host(name)) => {
                map.entry("name").or_insert(Value::String(name));
            }
            Err(_) => faults.push(SettingFault {
                setting: "run",
                message: format!("A tool cannot run {}.", quote(&run)),
                hint: if run.starts_with("graph:") {
                    "This version has no sub-graphs. Register a tool on the page and write \"host:<its name>\"."
                } else {
                    "Write \"host:<name>\" with the name of a tool that the page registers."
                }
                .to_owned(),
            }),
        }
    }
    if let Some(Value::String(name)) = map.get("name")
        && !is_tool_name(name)
    {
        faults.push(SettingFault {
            setting: "name",
            message: format!("Models cannot call a tool {}.", quote(name)),
            hint: "Set \"name\" to 1 to 64 of the characters A-Z a-z 0-9 _ -.".to_owned(),
        });
    }
    faults
}

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "tool",
    version: 1,
    kind: Kind::Resource,
    group: "AI",
    title: "Tool",
    description: "Offers a function of the page to a model.",
    ports: &[PortSpec::link_out("tool", EdgeType::LinkTool, "The tool.")],
    settings: &[
        SettingSpec::new(
            "name",
            SettingType::Text,
            "The name that the model sees; that of the page's tool if empty.",
        ),
        SettingSpec::new(
            "description",
            SettingType::Text,
            "What the model reads about the tool; that of the page's tool if empty.",
        ),
        SettingSpec::new(
            "parameters",
            SettingType::Schema,
            "JSON Schema of the arguments; that of the page's tool if empty.",
        ),
        SettingSpec::new("run", SettingType::Text, "What is called: \"host:<name>\".").required(),
        SettingSpec::new(
            "require_approval",
            SettingType::Boolean,
            "A person must agree to each call.",
        )
        .or(DefaultValue::Boolean(false)),
        SettingSpec::new(
            "timeout_ms",
            milliseconds(1),
            "Time limit of one call in milliseconds.",
        )
        .or(DefaultValue::Integer(30_000)),
    ],
    keeps_state: false,
    settle,
    build: |map| Ok(Settings::Tool(serde_json::from_value(Value::Object(map))?)),
};
