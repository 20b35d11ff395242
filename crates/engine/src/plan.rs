//! A graph made ready to run: templates compiled, tools resolved, streams traced, and the problems
//! that only show when graph, templates and host are seen together.

use crate::{effect::MemoryRef, event::Channel, model::ToolSpec, references};
use mnemograph_compact::{SortedMap, json_struct, sort_by};
use mnemograph_graph::{Graph, NodeIx, Problem, Settings, ToolRun};
use mnemograph_memory::{MemoryType, ModelRef, Scope};
use mnemograph_template::Template;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// A tool that the host registered.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct HostTool {
    /// What it does, for the model.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of the arguments.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub parameters: Value,
}

json_struct!(HostTool {
    description: default,
    parameters: default
});

/// What the host offers: the names that graphs may use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct HostCatalogue {
    /// Models by name, with their provider and id where the host knows them.
    #[serde(default)]
    #[cfg_attr(
        feature = "ts",
        ts(as = "std::collections::BTreeMap<String, Option<ModelRef>>")
    )]
    pub models: SortedMap<String, Option<ModelRef>>,
    /// Tools by name.
    #[serde(default)]
    #[cfg_attr(
        feature = "ts",
        ts(as = "std::collections::BTreeMap<String, HostTool>")
    )]
    pub tools: SortedMap<String, HostTool>,
}

/// A tool of an agent, ready to be called.
#[derive(Debug, Clone, PartialEq)]
pub struct PlannedTool {
    /// As the model is told of it.
    pub spec: ToolSpec,
    /// Name under which the host registered it.
    pub host_name: String,
    /// Time limit of one call.
    pub timeout_ms: u64,
    /// A person would have to agree to each call, and nobody can be asked yet: the tool is not run.
    pub require_approval: bool,
}

/// What [`load`] found.
#[derive(Debug)]
pub struct Loaded {
    /// The plan; absent if there is an error among the problems.
    pub plan: Option<Plan>,
    /// All problems, errors first.
    pub problems: Vec<Problem>,
    /// Semantic hash of the document, where it could be read.
    pub hash: Option<String>,
}

/// A graph that can run.
#[derive(Debug, Default)]
pub struct Plan {
    /// The graph.
    pub graph: Graph,
    templates: SortedMap<NodeIx, Vec<(&'static str, Template)>>,
    tools: SortedMap<NodeIx, Vec<PlannedTool>>,
    channels: SortedMap<NodeIx, Channel>,
    last_before_reply: SortedMap<NodeIx, bool>,
    model_refs: SortedMap<NodeIx, ModelRef>,
}

/// Reads a document and plans it. With `host` absent, what the host offers is not checked.
#[must_use]
pub fn load(text: &str, host: Option<&HostCatalogue>) -> Loaded {
    let parsed = mnemograph_graph::parse(text);
    let mut problems = parsed.problems;
    let mut plan = None;
    if let Some(graph) = parsed.graph {
        let planned = Plan::new(
            graph,
            host.unwrap_or(&HostCatalogue::default()),
            &mut problems,
        );
        if let Some(host) = host {
            references::check_requirements(&planned.graph, host, &mut problems);
        }
        let failed = problems.iter().any(Problem::is_error);
        plan = (!failed).then_some(planned);
    }
    sort_by(&mut problems, |a, b| b.is_error().cmp(&a.is_error()));
    Loaded {
        plan,
        problems,
        hash: parsed.hash,
    }
}

impl Plan {
    fn new(graph: Graph, host: &HostCatalogue, problems: &mut Vec<Problem>) -> Self {
        let mut plan = Self {
            graph,
            ..Self::default()
        };
        plan.compile_templates(problems);
        references::check_templates(&plan.graph, &plan.templates, problems);
        plan.resolve_tools(host);
        plan.trace_replies();
        let agents: Vec<_> = plan.agents().collect();
        for agent in agents {
            let model = plan
                .graph
                .links(agent, "llm")
                .first()
                .and_then(|ix| plan.graph.node(*ix));
            if let Some(Settings::LlmModel(model)) = model.map(|node| &node.settings)
                && let Some(Some(known)) = host.models.get(&model.model)
            {
                plan.model_refs.insert(agent, known.clone());
            }
        }
        plan
    }

    /// The tools of an agent in the order of its links.
    pub(crate) fn tools(&self, agent: NodeIx) -> &[PlannedTool] {
        self.tools.get(&agent).map_or(&[], Vec::as_slice)
    }

    /// Where the text of a node streams to.
    pub(crate) fn channel(&self, node: NodeIx) -> Channel {
        self.channels
            .get(&node)
            .copied()
            .unwrap_or(Channel::Internal)
    }

    /// True if all that follows the node is the reply of its text.
    pub(crate) fn ends_with_reply(&self, node: NodeIx) -> bool {
        self.last_before_reply.get(&node).copied().unwrap_or(false)
    }

    /// The provider and model that an agent asks, where the host told it.
    pub(crate) fn model_ref(&self, agent: NodeIx) -> Option<&ModelRef> {
        self.model_refs.get(&agent)
    }

    /// When a model call that began and was last heard of at these times has taken too long.
    pub(crate) fn model_deadline(&self, agent: NodeIx, started: u64, heard: u64) -> u64 {
        let limits = &self.graph.limits;
        let own = self.graph.node(agent).and_then(|node| node.timeout_ms);
        let total = started.saturating_add(own.unwrap_or(limits.llm_timeout_ms));
        total.min(heard.saturating_add(limits.llm_idle_ms))
    }

    /// The compiled template of a setting.
    pub(crate) fn template(&self, node: NodeIx, setting: &str) -> Option<&Template> {
        let of_node = self.templates.get(&node)?.iter();
        let mut found = of_node.filter(|(name, _)| *name == setting);
        found.next().map(|(_, template)| template)
    }

    /// The memory on an agent's port. Scope `call` is neither read nor written; without a chat, `thread` lives as long as
    /// the run (3-memory.md D24, D25).
    pub(crate) fn memory(&self, agent: NodeIx, has_thread: bool) -> Option<MemoryRef> {
        let linked = self.graph.links(agent, "memory").first();
        let node = self.graph.node(*linked?)?;
        let Settings::BufferMemory(settings) = &node.settings else {
            return None;
        };
        let scope = match settings.scope {
            mnemograph_graph::Scope::Call => return None,
            mnemograph_graph::Scope::Thread if has_thread => Scope::Thread,
            mnemograph_graph::Scope::Thread | mnemograph_graph::Scope::Session => Scope::Session,
        };
        Some(MemoryRef {
            node: node.id.clone(),
            memory_type: MemoryType::Buffer,
            scope,
        })
    }

    /// The stored history that the agents of a run with a thread read, if it is one for all of them: it can be read
    /// before any of them asks.
    #[must_use]
    pub fn only_history(&self) -> Option<MemoryRef> {
        let mut read = self
            .agents()
            .filter_map(|agent| self.memory(agent, true))
            .filter(|memory| memory.scope == Scope::Thread);
        let first = read.next()?;
        read.all(|other| other == first).then_some(first)
    }

    fn agents(&self) -> impl Iterator<Item = NodeIx> {
        self.graph
            .nodes()
            .filter(|(_, node)| matches!(node.settings, Settings::AiAgent(_)))
            .map(|(ix, _)| ix)
    }

    fn compile_templates(&mut self, problems: &mut Vec<Problem>) {
        for (ix, node) in self.graph.nodes() {
            let mut templates = Vec::new();
            for (setting, source) in references::template_settings(&node.settings) {
                match Template::parse(source) {
                    Ok(template) => templates.push((setting, template)),
                    Err(error) => {
                        problems.push(references::syntax_problem(&node.id, setting, &error))
                    }
                }
            }
            sort_by(&mut templates, |a, b| a.0.cmp(b.0));
            self.templates.insert(ix, templates);
        }
    }

    fn resolve_tools(&mut self, host: &HostCatalogue) {
        let agents: Vec<_> = self.agents().collect();
        for agent in agents {
            let tools = self
                .graph
                .links(agent, "tools")
                .iter()
                .filter_map(|ix| self.graph.node(*ix))
                .filter_map(|node| match &node.settings {
                    Settings::Tool(tool) => planned_tool(tool, host),
                    _ => None,
                })
                .collect();
            self.tools.insert(agent, tools);
        }
    }

    /// Finds the agents whose text a `reply` shows as it is.
    fn trace_replies(&mut self) {
        let replies: Vec<_> = self
            .graph
            .nodes()
            .filter(|(_, node)| matches!(node.settings, Settings::Reply(_)))
            .map(|(ix, _)| ix)
            .collect();
        for reply in replies {
            let Some((source, port)) = self.reply_source(reply) else {
                continue;
            };
            if port != "output" {
                continue;
            }
            self.channels.insert(source, Channel::Reply);
            let follows = self.graph.runs_from(source, "out");
            let last = follows == [reply] && self.graph.runs_from(reply, "out").is_empty();
            self.last_before_reply.insert(source, last);
        }
    }

    /// The one value that a reply's text is, by edge or by a template that is one reference.
    pub(crate) fn reply_source(&self, reply: NodeIx) -> Option<(NodeIx, String)> {
        if let Some((source, port)) = self.graph.data_into(reply, "text") {
            return Some((source, port.to_owned()));
        }
        match self.template(reply, "text")?.single_reference()? {
            [root, node, port] if root == "nodes" => Some((self.graph.find(node)?, port.clone())),
            _ => None,
        }
    }
}

/// `None`: the tool is a sub-graph, which is not run yet.
fn planned_tool(tool: &mnemograph_graph::Tool, host: &HostCatalogue) -> Option<PlannedTool> {
    let ToolRun::Host(host_name) = &tool.run else {
        return None;
    };
    let known = host.tools.get(host_name);
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
        .unwrap_or_else(|| json!({"type": "object", "properties": {}}));
    Some(PlannedTool {
        spec: ToolSpec {
            name: tool.name.clone(),
            description,
            parameters,
        },
        host_name: host_name.clone(),
        timeout_ms: tool.timeout_ms,
        require_approval: tool.require_approval,
    })
}
