//! What a node can read: ports of steps, pull nodes and variables, as seen from the present frame.

use crate::{
    core::Core,
    error::RunError,
    event::NodeStatus,
    frame::{Finished, Frame, FrameId, FrameKind, NodeValues},
};
use mnemograph_compact::SortedMap;
use mnemograph_graph::{NodeIx, Scope, Settings, catalogue::Kind};
use mnemograph_memory::Message;
use serde_json::{Map, Value};
use std::borrow::Cow;

impl Frame {
    /// The container whose pass it is.
    pub(crate) fn container(&self) -> Option<NodeIx> {
        match self.kind {
            FrameKind::Pass { container, .. } => Some(container),
            FrameKind::Root | FrameKind::Graph { .. } => None,
        }
    }
}

impl Core {
    /// The frames from the present one outwards, within its graph.
    pub(crate) fn frames_around(&self) -> impl Iterator<Item = (FrameId, &Frame)> {
        let mut next = Some(self.frame);
        std::iter::from_fn(move || {
            let id = next?;
            let frame = self.frames.get(&id)?;
            next = match frame.kind {
                FrameKind::Pass { .. } => frame.parent,
                FrameKind::Root | FrameKind::Graph { .. } => None,
            };
            Some((id, frame))
        })
    }

    pub(crate) fn set_values(&mut self, node: NodeIx, values: NodeValues) {
        self.pulled.clear();
        if let Some(frame) = self.frames.get_mut(&self.frame) {
            frame.values.insert(node, Box::new(values));
        }
    }

    /// What a step left behind: in the innermost frame that has it, else in the last finished pass.
    pub(crate) fn values_of(&self, node: NodeIx) -> Option<&NodeValues> {
        let graph = &self.plan.graph;
        let home = graph.container_of(node);
        for (_, frame) in self.frames_around() {
            if frame.container() == home {
                if let Some(values) = frame.values.get(&node) {
                    return Some(values);
                }
                continue;
            }
            // The containers between this frame and the node, from the outside.
            let mut inner = Vec::new();
            let mut at = home;
            while at != frame.container() {
                let Some(container) = at else { break };
                inner.push(container);
                at = graph.container_of(container);
            }
            if at != frame.container() {
                continue;
            }
            if let Some(values) = last_pass(&frame.passes, &inner, node) {
                return Some(values);
            }
        }
        // Inside a pass: what the pass before it left.
        let (_, frame) = self
            .frames_around()
            .find(|(_, frame)| home.is_some() && frame.container() == home)?;
        let around = self.frames.get(&frame.parent?)?;
        around
            .passes
            .get(&home?)?
            .values
            .get(&node)
            .map(|values| &**values)
    }

    /// The value of a port, if there is one by now. Pull nodes must have been pulled.
    pub(crate) fn port_value(&self, node: NodeIx, port: &str) -> Option<Cow<'_, Value>> {
        let of = self.plan.graph.node(node)?;
        match (&of.settings, of.kind) {
            (Settings::Var(_), _) if port == "output" => Some(Cow::Owned(self.variable(node))),
            (Settings::AgentMemory(_), _) if port == "state" => {
                Some(Cow::Owned(Value::Object(self.dictionary(node))))
            }
            (settings, Kind::Resource) if settings.memory().is_some() && port == "messages" => {
                let held = self.snapshots.get(&self.state_id(node))?;
                Some(Cow::Borrowed(held))
            }
            (_, Kind::Pull) => {
                let home = self.home_of(node)?;
                let ports = self.pulled.get(home, node)?.as_ref().ok()?;
                ports.get(port).map(Cow::Borrowed)
            }
            _ if port == "status" => {
                let status = self.values_of(node).and_then(|values| values.status);
                let status = status.unwrap_or(NodeStatus::Pending);
                Some(Cow::Owned(Value::from(status.as_str())))
            }
            _ => self.values_of(node)?.ports.get(port).map(Cow::Borrowed),
        }
    }

    /// The frame in which a pull node is evaluated.
    pub(crate) fn home_of(&self, node: NodeIx) -> Option<FrameId> {
        let home = self.plan.graph.container_of(node);
        self.frames_around()
            .find(|(_, frame)| frame.container() == home)
            .map(|(id, _)| id)
    }

    /// The value on a data input: of the edge, `None` if nothing is wired.
    ///
    /// # Errors
    /// `E_INPUT_ABSENT` if what it is wired to was skipped or has no such value; what a pull node gives.
    pub(crate) fn data_input(
        &mut self,
        node: NodeIx,
        port: &str,
    ) -> Result<Option<Value>, RunError> {
        let Some((source, source_port)) = self.wired(node, port) else {
            return Ok(None);
        };
        self.pull(source)?;
        match self.port_value(source, &source_port) {
            Some(value) => Ok(Some(value.into_owned())),
            None => {
                let source = self.node_id(source);
                Err(RunError::new(
                    "E_INPUT_ABSENT",
                    format!("The input '{port}' is wired to '{source}.{source_port}', which has no value in this run."),
                )
                .hint(format!("Let control pass through '{source}' before this node, or wire another value."))
                .at(&self.node_id(node)))
            }
        }
    }

    /// As [`Core::data_input`], with an absent value for `None`.
    ///
    /// # Errors
    /// What a pull node gives.
    pub(crate) fn optional_input(
        &mut self,
        node: NodeIx,
        port: &str,
    ) -> Result<Option<Value>, RunError> {
        match self.data_input(node, port) {
            Err(error) if error.code == "E_INPUT_ABSENT" => Ok(None),
            other => other,
        }
    }

    /// The value of an input that is a port or, where that is unwired, a setting.
    ///
    /// # Errors
    /// As [`Core::data_input`] and [`Core::evaluate_setting`].
    pub(crate) fn input_or_setting(
        &mut self,
        node: NodeIx,
        port: &str,
        setting: &str,
    ) -> Result<Option<Value>, RunError> {
        match self.data_input(node, port)? {
            Some(value) => Ok(Some(value)),
            None => self.evaluate_setting(node, setting),
        }
    }

    fn wired(&self, node: NodeIx, port: &str) -> Option<(NodeIx, String)> {
        let (source, source_port) = self.plan.graph.data_into(node, port)?;
        Some((source, source_port.to_owned()))
    }

    /// The values of a node by port, for templates that read the whole of it.
    pub(crate) fn ports_of(&self, node: NodeIx) -> Map<String, Value> {
        let of = self.plan.graph.node(node);
        let Some(of) = of else { return Map::new() };
        if of.kind == Kind::Pull {
            let names: Vec<_> = of.outputs().map(|port| port.name.to_string()).collect();
            return names
                .into_iter()
                .filter_map(|name| {
                    let value = self.port_value(node, &name)?.into_owned();
                    Some((name, value))
                })
                .collect();
        }
        let mut ports = self
            .values_of(node)
            .map(|values| values.ports.clone())
            .unwrap_or_default();
        if let Some(status) = self.port_value(node, "status") {
            ports.insert("status".to_owned(), status.into_owned());
        }
        ports
    }

    /// The message that a reply's text comes from.
    pub(crate) fn reply_message(&self, reply: NodeIx) -> Option<Message> {
        let (source, _) = self.plan.reply_source(reply)?;
        self.values_of(source)?.message.clone()
    }

    /// What is in a dictionary: what was written last, else what it begins with. One that lives for one access is that of
    /// the agent that has it.
    pub(crate) fn dictionary(&self, node: NodeIx) -> Map<String, Value> {
        let Some(settings) = self.plan.dictionary(node) else {
            return Map::new();
        };
        match self.dictionaries.get(&self.dictionary_id(node)) {
            Some(Value::Object(values)) => values.clone(),
            _ => settings.initial.clone(),
        }
    }

    /// Where a dictionary is kept while the run goes on.
    pub(crate) fn dictionary_id(&self, node: NodeIx) -> String {
        let id = self.state_id(node);
        match self.plan.dictionary(node).map(|settings| settings.scope) {
            Some(Scope::Call) => format!("{id}#{}", self.task),
            _ => id,
        }
    }

    /// The present value of a variable: what was written last, else its default.
    pub(crate) fn variable(&self, node: NodeIx) -> Value {
        let Some(Settings::Var(var)) = self.plan.graph.node(node).map(|node| &node.settings) else {
            return Value::Null;
        };
        let written = match var.scope {
            Scope::Call => None,
            Scope::Thread if self.identity.has_thread => {
                self.thread_variables.get(&self.state_id(node))
            }
            Scope::Thread | Scope::Session => self.session_variables.get(&self.state_id(node)),
        };
        written.unwrap_or(&var.default).clone()
    }
}

fn last_pass<'a>(
    passes: &'a SortedMap<NodeIx, Finished>,
    inner_first: &[NodeIx],
    node: NodeIx,
) -> Option<&'a NodeValues> {
    let mut passes = passes;
    let mut found = None;
    for container in inner_first.iter().rev() {
        found = Some(passes.get(container)?);
        passes = &found?.passes;
    }
    found?.values.get(&node).map(|values| &**values)
}
