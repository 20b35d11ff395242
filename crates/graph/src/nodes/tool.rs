//! `tool`: a function of the host, or a sub-graph, that a model may call.

use serde_json::{Map, Value};

use crate::catalogue::{
    BLANK, DefaultValue, Kind, NodeSpec, Port, SettingFault, SettingSpec, SettingType,
};
use crate::document::EdgeType;
use crate::getters::Get;
use crate::nodes::Settings;
use crate::problem::quote;
use crate::setting::milliseconds;

/// Settings of `tool`.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// The name that the model sees. Without one, the host's name.
    pub name: String,
    /// What the model reads about the tool; `None` is the host's description.
    pub description: Option<String>,
    /// JSON Schema of the arguments; `None` is the host's, or that of the sub-graph's inputs.
    pub parameters: Option<Value>,
    /// What is called.
    pub run: ToolRun,
    /// A person must agree to each call.
    pub require_approval: bool,
    /// Time limit of one call in milliseconds.
    pub timeout_ms: u64,
}

/// What a tool calls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ToolRun {
    /// `host:<name>`: the tool that the host registered under this name.
    Host(String),
    /// `graph:<key>`: the sub-graph of this key; its inputs are the arguments, its outputs the result.
    Graph(String),
}

impl ToolRun {
    fn named(text: &str) -> Option<Self> {
        match text.split_once(':') {
            Some(("host", name)) if !name.is_empty() => Some(ToolRun::Host(name.to_owned())),
            Some(("graph", key)) if !key.is_empty() => Some(ToolRun::Graph(key.to_owned())),
            Some(_) | None => None,
        }
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
    if let Some(run) = Get(map).maybe_text("run") {
        match ToolRun::named(&run) {
            Some(ToolRun::Host(name) | ToolRun::Graph(name)) => {
                map.entry("name").or_insert(Value::String(name));
            }
            None => faults.push(SettingFault::new(
                "run",
                format!("A tool cannot run {}.", quote(&run)),
                "Write \"host:<name>\" with the name of a tool that the page registers, or \"graph:<key>\" with the key of a sub-graph.",
            )),
        }
    }
    if let Some(name) = Get(map).str("name")
        && !is_tool_name(name)
    {
        faults.push(SettingFault::new(
            "name",
            format!("Models cannot call a tool {}.", quote(name)),
            "Set \"name\" to 1 to 64 of the characters A-Z a-z 0-9 _ -.",
        ));
    }
    faults
}

pub(crate) static SPEC: NodeSpec = NodeSpec {
    node_type: "tool",
    kind: Kind::Resource,
    group: "AI",
    title: "Tool",
    description: "Offers a function of the page or a sub-graph to a model.",
    ports: &[Port::link_out("tool", EdgeType::LinkTool, "The tool.")],
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
        SettingSpec::new(
            "run",
            SettingType::Text,
            "What is called: \"host:<name>\" or \"graph:<key>\".",
        )
        .required(),
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
    settle,
    build: |get| {
        Settings::Tool(Tool {
            name: get.text("name"),
            description: get.maybe_text("description"),
            parameters: get.value("parameters"),
            run: ToolRun::named(get.str("run").unwrap_or_default())
                .unwrap_or(ToolRun::Host(String::new())),
            require_approval: get.boolean("require_approval"),
            timeout_ms: get.number("timeout_ms"),
        })
    },
    ..BLANK
};
