//! The table of node types. It drives validation; forms and schemas are made from the same table.
//!
//! A new node type is one entry in a file of `nodes/` (a settings struct and its [`NodeSpec`]), a variant of [`Settings`](crate::Settings) and one line in `SPECS`.

use std::borrow::Cow;

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::document::EdgeType;
use crate::getters::Get;
use crate::nodes;
use crate::problem::Code;
use crate::values::ValueType;

pub use crate::setting::{DefaultValue, SettingSpec, SettingType, TemplateKind};

/// When a node acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Starts a run.
    Trigger,
    /// Executes when control reaches it.
    Step,
    /// Is evaluated when a consumer reads it.
    Pull,
    /// Offers links and never acts by itself.
    Resource,
    /// Is for the reader of the canvas only.
    Note,
}

/// Which way a port faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// Edges end here.
    In,
    /// Edges begin here.
    Out,
}

/// What opens a port that is closed by default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OpenedBy {
    /// The setting of this name, when it is `true`.
    Setting(&'static str),
    /// `on_error.mode` = `branch`.
    ErrorBranch,
}

/// A port of a node type, or one that a node has by its settings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Port {
    /// Name, unique among the ports of one flow and direction.
    pub name: Cow<'static, str>,
    /// The edges that fit.
    pub flow: EdgeType,
    /// Which way the port faces.
    pub direction: Direction,
    /// Type of the values; data ports only.
    pub value_type: Option<ValueType>,
    /// The node cannot work while the port has neither an edge nor a setting in its place.
    pub required: bool,
    /// Most edges that the port takes.
    pub max: Option<u32>,
    /// What opens the port, if it is not always open.
    pub opened_by: Option<OpenedBy>,
    /// The setting that an edge into this port replaces.
    pub setting: Option<&'static str>,
    /// It replaces only the entry of its own name in that setting.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_entry: bool,
    /// One sentence for people.
    pub description: &'static str,
}

impl Port {
    const fn new(
        name: &'static str,
        flow: EdgeType,
        direction: Direction,
        description: &'static str,
    ) -> Self {
        Port {
            name: Cow::Borrowed(name),
            flow,
            direction,
            value_type: None,
            required: false,
            max: None,
            opened_by: None,
            setting: None,
            is_entry: false,
            description,
        }
    }

    /// The same port under a name that the author of the graph chose.
    pub(crate) fn named(self, name: &str) -> Self {
        Port {
            name: Cow::Owned(name.to_owned()),
            ..self
        }
    }

    /// Control enters.
    pub(crate) const fn run_in(name: &'static str, description: &'static str) -> Self {
        Port::new(name, EdgeType::Run, Direction::In, description)
    }

    /// Control leaves.
    pub(crate) const fn run_out(name: &'static str, description: &'static str) -> Self {
        Port::new(name, EdgeType::Run, Direction::Out, description)
    }

    /// A value enters; one edge at most.
    pub(crate) const fn data_in(
        name: &'static str,
        value_type: ValueType,
        description: &'static str,
    ) -> Self {
        let mut port = Port::new(name, EdgeType::Data, Direction::In, description);
        port.value_type = Some(value_type);
        port.max = Some(1);
        port
    }

    /// A value leaves.
    pub(crate) const fn data_out(
        name: &'static str,
        value_type: ValueType,
        description: &'static str,
    ) -> Self {
        let mut port = Port::new(name, EdgeType::Data, Direction::Out, description);
        port.value_type = Some(value_type);
        port
    }

    /// A resource is taken.
    pub(crate) const fn link_in(
        name: &'static str,
        flow: EdgeType,
        description: &'static str,
    ) -> Self {
        Port::new(name, flow, Direction::In, description)
    }

    /// A resource is offered.
    pub(crate) const fn link_out(
        name: &'static str,
        flow: EdgeType,
        description: &'static str,
    ) -> Self {
        Port::new(name, flow, Direction::Out, description)
    }

    /// Whether values leave here.
    pub fn is_data_out(&self) -> bool {
        self.flow == EdgeType::Data && self.direction == Direction::Out
    }

    pub(crate) const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    pub(crate) const fn max(mut self, max: u32) -> Self {
        self.max = Some(max);
        self
    }

    pub(crate) const fn opened_by(mut self, opener: OpenedBy) -> Self {
        self.opened_by = Some(opener);
        self
    }

    pub(crate) const fn or_setting(mut self, setting: &'static str) -> Self {
        self.setting = Some(setting);
        self
    }

    pub(crate) const fn or_entry(mut self, setting: &'static str) -> Self {
        self.setting = Some(setting);
        self.is_entry = true;
        self
    }

    /// Where the setting that an edge replaces stands: `text`, `inputs/question`.
    pub fn setting_path(&self) -> Option<String> {
        let setting = self.setting?;
        Some(if self.is_entry {
            format!("{setting}/{}", self.name)
        } else {
            setting.to_owned()
        })
    }

    /// Whether complete settings hold what an edge into this port would replace.
    pub(crate) fn is_set(&self, map: &Map<String, Value>) -> bool {
        let Some(value) = self.setting.and_then(|setting| map.get(setting)) else {
            return false;
        };
        !self.is_entry
            || value
                .get(self.name.as_ref())
                .is_some_and(|entry| !entry.is_null())
    }

    /// Whether the port is the one meant.
    pub(crate) fn is(&self, name: &str, flow: EdgeType, direction: Direction) -> bool {
        self.name == name && self.flow == flow && self.direction == direction
    }
}

/// What every step has beside its own ports.
const STEP_PORTS: &[Port] = &[
    Port::run_out("error", "Taken when the step fails.").opened_by(OpenedBy::ErrorBranch),
    Port::data_out(
        "error",
        ValueType::Json,
        "The error {code, message, node, attempt}, if the step failed.",
    ),
    Port::data_out("status", ValueType::String, "How the step ended."),
];

/// A fault that a node type finds in its own settings: where, what is wrong with it, how to mend it.
pub(crate) struct SettingFault {
    pub(crate) code: Code,
    /// Path in the settings: `name`, `cases/0/id`.
    pub(crate) setting: Cow<'static, str>,
    pub(crate) message: String,
    pub(crate) hint: String,
}

impl SettingFault {
    pub(crate) fn new(
        setting: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        SettingFault {
            code: Code::Setting,
            setting: setting.into(),
            message: message.into(),
            hint: hint.into(),
        }
    }
}

/// Ports by complete settings.
pub(crate) type DynamicPorts = fn(&Map<String, Value>) -> Vec<Port>;

/// A node type.
#[derive(Debug, Clone)]
pub struct NodeSpec {
    /// Name in documents.
    pub node_type: &'static str,
    /// Newest version of the type.
    pub version: u64,
    /// When nodes of the type act.
    pub kind: Kind,
    /// Heading under which an editor lists the type.
    pub group: &'static str,
    /// What people call the type.
    pub title: &'static str,
    /// One sentence for people.
    pub description: &'static str,
    /// The ports that each node of the type has, whatever its settings; [`NodeSpec::all_ports`] has those of every
    /// step as well.
    pub ports: &'static [Port],
    /// The settings.
    pub settings: &'static [SettingSpec],
    /// Takes over state by `renamed_from`.
    pub keeps_state: bool,
    /// Other nodes can stand inside.
    pub is_container: bool,
    /// The ports that a node has by its settings, as far as these are sound.
    pub(crate) dynamic: Option<DynamicPorts>,
    /// Judges settings that depend on each other and fills in what follows from others.
    pub(crate) settle: fn(&mut Map<String, Value>) -> Vec<SettingFault>,
    /// Makes the typed settings from a complete map.
    pub(crate) build: fn(Get<'_>) -> nodes::Settings,
}

/// What a type has unless it says otherwise.
pub(crate) const BLANK: NodeSpec = NodeSpec {
    node_type: "",
    version: 1,
    kind: Kind::Step,
    group: "",
    title: "",
    description: "",
    ports: &[],
    settings: &[],
    keeps_state: false,
    is_container: false,
    dynamic: None,
    settle: |_| Vec::new(),
    build: |_| nodes::Settings::Note,
};

impl NodeSpec {
    /// All ports of the type.
    pub fn all_ports(&self) -> impl Iterator<Item = &'static Port> {
        let common = match self.kind {
            Kind::Step => STEP_PORTS,
            Kind::Trigger | Kind::Pull | Kind::Resource | Kind::Note => &[],
        };
        self.ports.iter().chain(common)
    }

    /// All ports of the type and some more.
    pub(crate) fn ports_and<'a>(&self, dynamic: &'a [Port]) -> impl Iterator<Item = &'a Port> {
        let ports = self.all_ports().map(|port| -> &'a Port { port });
        ports.chain(dynamic)
    }

    /// The port of this name, flow and direction.
    pub fn port(&self, name: &str, flow: EdgeType, direction: Direction) -> Option<&'static Port> {
        self.all_ports().find(|port| port.is(name, flow, direction))
    }

    /// The link that nodes of this type offer, if they are resources.
    pub fn offers(&self) -> Option<&'static Port> {
        self.all_ports()
            .find(|port| port.direction == Direction::Out && port.flow.is_link())
    }
}

impl Serialize for NodeSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("NodeSpec", 11)?;
        out.serialize_field("node_type", self.node_type)?;
        out.serialize_field("version", &self.version)?;
        out.serialize_field("kind", &self.kind)?;
        out.serialize_field("group", self.group)?;
        out.serialize_field("title", self.title)?;
        out.serialize_field("description", self.description)?;
        out.serialize_field("ports", &self.all_ports().collect::<Vec<_>>())?;
        out.serialize_field("settings", self.settings)?;
        out.serialize_field("keeps_state", &self.keeps_state)?;
        out.serialize_field("is_container", &self.is_container)?;
        out.serialize_field("has_ports_by_settings", &self.dynamic.is_some())?;
        out.end()
    }
}

static SPECS: [&NodeSpec; 44] = [
    &nodes::trigger::CHAT,
    &nodes::trigger::MANUAL,
    &nodes::trigger::EVENT,
    &nodes::trigger::GRAPH_INPUT,
    &nodes::var::VAR,
    &nodes::var::VAR_SET,
    &nodes::memory::BUFFER,
    &nodes::memory::WINDOW,
    &nodes::memory::SUMMARY,
    &nodes::agent_memory::SPEC,
    &nodes::memory_manager::SPEC,
    &nodes::ai_agent::SPEC,
    &nodes::llm_response::SPEC,
    &nodes::chat_history::SPEC,
    &nodes::llm_model::SPEC,
    &nodes::tool::SPEC,
    &nodes::classifier::CLASSIFIER,
    &nodes::classifier::EXTRACT,
    &nodes::condition::SPEC,
    &nodes::switch::SPEC,
    &nodes::loops::WHILE,
    &nodes::loops::FOR_EACH,
    &nodes::loops::BREAK,
    &nodes::loops::CONTINUE,
    &nodes::control::MERGE,
    &nodes::control::COALESCE,
    &nodes::subgraph::SPEC,
    &nodes::people::APPROVAL,
    &nodes::people::ASK,
    &nodes::control::STOP,
    &nodes::control::FAIL,
    &nodes::control::DELAY,
    &nodes::text::TEXT,
    &nodes::text::SET,
    &nodes::json::SPEC,
    &nodes::list::SPEC,
    &nodes::regex::SPEC,
    &nodes::table::SPEC,
    &nodes::reply::SPEC,
    &nodes::output::SPEC,
    &nodes::http::SPEC,
    &nodes::call::CALL,
    &nodes::call::EMIT,
    &nodes::note::SPEC,
];

/// Every node type.
pub fn specs() -> &'static [&'static NodeSpec] {
    &SPECS
}

/// The node type of this name.
pub fn spec(node_type: &str) -> Option<&'static NodeSpec> {
    SPECS
        .iter()
        .find(|spec| spec.node_type == node_type)
        .copied()
}
