//! The table of node types. It drives validation; forms and schemas are made from the same table.
//!
//! A new node type is one file in `nodes/` (a settings struct and its [`NodeSpec`]), a variant of [`Settings`](crate::Settings) and one line in `SPECS`.

use serde::ser::SerializeStruct;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::document::EdgeType;
use crate::nodes;
use crate::values::ValueType;

pub use crate::setting::{DefaultValue, SettingSpec, SettingType};

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

/// A port of a node type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct PortSpec {
    /// Name, unique among the ports of one flow and direction.
    pub name: &'static str,
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
    /// One sentence for people.
    pub description: &'static str,
}

impl PortSpec {
    const fn new(
        name: &'static str,
        flow: EdgeType,
        direction: Direction,
        description: &'static str,
    ) -> Self {
        PortSpec {
            name,
            flow,
            direction,
            value_type: None,
            required: false,
            max: None,
            opened_by: None,
            setting: None,
            description,
        }
    }

    /// Control enters.
    pub(crate) const fn run_in(name: &'static str, description: &'static str) -> Self {
        PortSpec::new(name, EdgeType::Run, Direction::In, description)
    }

    /// Control leaves.
    pub(crate) const fn run_out(name: &'static str, description: &'static str) -> Self {
        PortSpec::new(name, EdgeType::Run, Direction::Out, description)
    }

    /// A value enters; one edge at most.
    pub(crate) const fn data_in(
        name: &'static str,
        value_type: ValueType,
        description: &'static str,
    ) -> Self {
        let mut port = PortSpec::new(name, EdgeType::Data, Direction::In, description);
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
        let mut port = PortSpec::new(name, EdgeType::Data, Direction::Out, description);
        port.value_type = Some(value_type);
        port
    }

    /// A resource is taken.
    pub(crate) const fn link_in(
        name: &'static str,
        flow: EdgeType,
        description: &'static str,
    ) -> Self {
        PortSpec::new(name, flow, Direction::In, description)
    }

    /// A resource is offered.
    pub(crate) const fn link_out(
        name: &'static str,
        flow: EdgeType,
        description: &'static str,
    ) -> Self {
        PortSpec::new(name, flow, Direction::Out, description)
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
}

/// What every step has beside its own ports.
const STEP_PORTS: &[PortSpec] = &[
    PortSpec::run_out("error", "Taken when the step fails.").opened_by(OpenedBy::ErrorBranch),
    PortSpec::data_out(
        "error",
        ValueType::Json,
        "The error {code, message, node, attempt}, if the step failed.",
    ),
    PortSpec::data_out("status", ValueType::String, "How the step ended."),
];

/// A fault that a node type finds in its own settings: the setting, what is wrong with it, how to mend it.
pub(crate) struct SettingFault {
    pub(crate) setting: &'static str,
    pub(crate) message: String,
    pub(crate) hint: String,
}

/// A node type.
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
    /// The ports of this type alone; [`NodeSpec::all_ports`] has those of every step as well.
    pub ports: &'static [PortSpec],
    /// The settings.
    pub settings: &'static [SettingSpec],
    /// Takes over state by `renamed_from`.
    pub keeps_state: bool,
    /// Judges settings that depend on each other and fills in what follows from others.
    pub(crate) settle: fn(&mut Map<String, Value>) -> Vec<SettingFault>,
    /// Makes the typed settings from a complete map.
    pub(crate) build: fn(Map<String, Value>) -> Result<nodes::Settings, serde_json::Error>,
}

/// For types whose settings are independent of each other.
pub(crate) fn settled(_: &mut Map<String, Value>) -> Vec<SettingFault> {
    Vec::new()
}

impl NodeSpec {
    /// All ports of the type.
    pub fn all_ports(&self) -> impl Iterator<Item = &'static PortSpec> {
        let common = match self.kind {
            Kind::Step => STEP_PORTS,
            Kind::Trigger | Kind::Pull | Kind::Resource | Kind::Note => &[],
        };
        self.ports.iter().chain(common)
    }

    /// The port of this name, flow and direction.
    pub fn port(
        &self,
        name: &str,
        flow: EdgeType,
        direction: Direction,
    ) -> Option<&'static PortSpec> {
        self.all_ports()
            .find(|port| port.name == name && port.flow == flow && port.direction == direction)
    }

    /// The link that nodes of this type offer, if they are resources.
    pub fn offers(&self) -> Option<&'static PortSpec> {
        self.all_ports().find(|port| {
            port.direction == Direction::Out && !matches!(port.flow, EdgeType::Run | EdgeType::Data)
        })
    }
}

impl Serialize for NodeSpec {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut out = serializer.serialize_struct("NodeSpec", 9)?;
        out.serialize_field("node_type", self.node_type)?;
        out.serialize_field("version", &self.version)?;
        out.serialize_field("kind", &self.kind)?;
        out.serialize_field("group", self.group)?;
        out.serialize_field("title", self.title)?;
        out.serialize_field("description", self.description)?;
        out.serialize_field("ports", &self.all_ports().collect::<Vec<_>>())?;
        out.serialize_field("settings", self.settings)?;
        out.serialize_field("keeps_state", &self.keeps_state)?;
        out.end()
    }
}

static SPECS: [&NodeSpec; 9] = [
    &nodes::trigger::CHAT,
    &nodes::trigger::MANUAL,
    &nodes::ai_agent::SPEC,
    &nodes::llm_model::SPEC,
    &nodes::tool::SPEC,
    &nodes::memory::BUFFER,
    &nodes::reply::SPEC,
    &nodes::output::SPEC,
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
