//! The tools of agents: the host's, sub-graphs, and those of their dictionaries.

use super::{Approval, DictionaryTool, HostCatalogue, Plan, inputs_of};
use crate::model::ToolSpec;
use mnemograph_compact::SortedMap;
use mnemograph_graph::{Graph, NodeIx, Settings, ToolRun};
use serde_json::{Value, json};
use std::rc::Rc;

/// A tool of an agent, ready to be called.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedTool {
    /// As the model is told of it.
    pub spec: ToolSpec,
    /// What is called.
    pub run: PlannedRun,
    /// Time limit of one call.
    pub timeout_ms: u64,
    /// A person must agree to each call.
    pub require_approval: bool,
    /// The host forbids it: the model is told so instead.
    pub is_denied: bool,
}

/// What a tool of an agent is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlannedRun {
    /// A tool of the host, by the name under which it is registered.
    Host(String),
    /// A sub-graph, by its key.
    Graph(String),
    /// A change of a dictionary.
    Dictionary(NodeIx, DictionaryTool),
}

impl Plan {
    /// The tools of an agent in the order of its links.
    pub(crate) fn tools(&self, agent: NodeIx) -> &[PlannedTool] {
        self.tools.get(&agent).map_or(&[], Vec::as_slice)
    }

    pub(super) fn resolve_tools(
        &mut self,
        graphs: &SortedMap<String, Rc<Graph>>,
        host: &HostCatalogue,
    ) {
        let agents: Vec<_> = self.agents().collect();
        for agent in agents {
            let tools = self
                .graph
                .links(agent, "tools")
                .iter()
                .filter_map(|ix| self.graph.node(*ix))
                .filter_map(|node| match &node.settings {
                    Settings::Tool(tool) => Some(planned_tool(tool, graphs, host)),
                    _ => None,
                })
                .chain(self.dictionary_tools(agent))
                .collect();
            self.tools.insert(agent, tools);
        }
    }
}

fn planned_tool(
    tool: &mnemograph_graph::Tool,
    graphs: &SortedMap<String, Rc<Graph>>,
    host: &HostCatalogue,
) -> PlannedTool {
    let (known, of_graph) = match &tool.run {
        ToolRun::Host(name) => (host.tools.get(name), None),
        ToolRun::Graph(key) => (None, graphs.get(key).and_then(|graph| inputs_of(graph))),
    };
    let approval = known.map(|known| known.approval).unwrap_or_default();
    let description = tool
        .description
        .clone()
        .or_else(|| known.map(|known| known.description.clone()))
        .unwrap_or_default();
    let own = tool.parameters.clone();
    let parameters = own
        .or_else(|| {
            known
                .map(|known| known.parameters.clone())
                .filter(Value::is_object)
        })
        .or_else(|| of_graph.map(mnemograph_graph::input_schema))
        .unwrap_or_else(|| json!({"type": "object", "properties": {}}));
    PlannedTool {
        spec: ToolSpec {
            name: tool.name.clone(),
            description,
            parameters,
        },
        run: match &tool.run {
            ToolRun::Host(name) => PlannedRun::Host(name.clone()),
            ToolRun::Graph(key) => PlannedRun::Graph(key.clone()),
        },
        timeout_ms: tool.timeout_ms,
        require_approval: tool.require_approval || approval == Approval::Ask,
        is_denied: approval == Approval::Deny,
    }
}
