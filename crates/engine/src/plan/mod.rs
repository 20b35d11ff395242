//! A graph made ready to run: templates compiled, tools resolved, streams traced, and the problems
//! that only show when graph, templates and host are seen together.

mod compile;
mod dictionaries;
mod pulls;

use crate::{
    effect::MemoryRef,
    event::Channel,
    model::{Summariser, ToolSpec},
    references,
};
pub(crate) use compile::{Compiled, Setting};
pub use dictionaries::DictionaryTool;
pub(crate) use dictionaries::{limits as dictionary_limits, shown as shown_dictionary};
use mnemograph_compact::{FromJson, SortedMap, sort_by};
use mnemograph_graph::{
    Graph, HostNode, HostNodes, InputDecl, NodeIx, Problem, Scope, Settings, SummaryMemory,
    SummaryPlacement, ToolRun,
};
use mnemograph_memory::{MemoryType, ModelRef, Placement, ViewPolicy};
use pulls::Pulls;
use serde::Serialize;
use serde_json::{Value, json};
use std::rc::Rc;

/// A tool that the host registered.
#[derive(Debug, Clone, Default, PartialEq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct HostTool {
    /// What it does, for the model.
    #[serde(default)]
    pub description: String,
    /// JSON Schema of the arguments.
    #[serde(default)]
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub parameters: Value,
    /// Whether a person is asked before each call. A `tool` node can only tighten it.
    #[serde(default)]
    pub approval: Approval,
}

/// Whether a person is asked before a tool is called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Approval {
    /// It is called at once.
    #[default]
    Auto,
    /// A person must agree to each call.
    Ask,
    /// It is never called.
    Deny,
}

/// What the host offers: the names that graphs may use.
#[derive(Debug, Clone, Default, PartialEq, Serialize, FromJson)]
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
    /// Names of the functions for `call` nodes.
    #[serde(default)]
    pub functions: Vec<String>,
    /// Node types.
    #[serde(default)]
    pub nodes: Vec<HostNode>,
}

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
    pub graph: Rc<Graph>,
    /// Plans of the sub-graphs by key; the graph itself has them all.
    pub(crate) graphs: SortedMap<String, Rc<Plan>>,
    settings: Vec<Vec<Setting>>,
    pub(crate) pulls: Pulls,
    tools: SortedMap<NodeIx, Vec<PlannedTool>>,
    channels: SortedMap<NodeIx, Channel>,
    last_before_reply: SortedMap<NodeIx, bool>,
    model_refs: SortedMap<NodeIx, ModelRef>,
}

/// Reads a document and plans it. With `host` absent, what the host offers is not checked.
#[must_use]
pub fn load(text: &str, host: Option<&HostCatalogue>) -> Loaded {
    let nodes = host.map_or(&[][..], |host| &host.nodes);
    let nodes = nodes.iter().cloned().map(Rc::new);
    let nodes: HostNodes = nodes.map(|node| (node.node_type.clone(), node)).collect();
    let parsed = mnemograph_graph::parse_for(text, &nodes);
    let mut problems = parsed.problems;
    let mut plan = None;
    if let Some(graph) = parsed.graph {
        let known = host.cloned().unwrap_or_default();
        let graphs = graph.graphs.clone();
        let mut planned = Plan::new(Rc::new(graph), &graphs, &known, &mut problems);
        for (key, graph) in graphs.iter() {
            let mut inner = Vec::new();
            let sub = Plan::new(Rc::clone(graph), &graphs, &known, &mut inner);
            problems.extend(inner.into_iter().map(|problem| problem.graph(key)));
            planned.graphs.insert(key.clone(), Rc::new(sub));
        }
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

/// Which sort of history a memory node keeps, and how much of it a model is shown; `None` for a node that is no memory.
#[must_use]
pub fn memory_kind(settings: &Settings) -> Option<(MemoryType, ViewPolicy)> {
    match settings {
        Settings::BufferMemory(_) => Some((MemoryType::Buffer, ViewPolicy::Buffer)),
        Settings::WindowMemory(window) => {
            let size = window.window_size;
            Some((MemoryType::Window, ViewPolicy::Window { size }))
        }
        Settings::SummaryMemory(summary) => {
            let policy = ViewPolicy::Summary {
                trigger: summary.summary_trigger,
                keep: summary.keep_recent,
                placement: match summary.summary_placement {
                    SummaryPlacement::User => Placement::User,
                    SummaryPlacement::System => Placement::System,
                },
            };
            Some((MemoryType::Summary, policy))
        }
        _ => None,
    }
}

impl Plan {
    fn new(
        graph: Rc<Graph>,
        graphs: &SortedMap<String, Rc<Graph>>,
        host: &HostCatalogue,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let settings = graph
            .nodes()
            .map(|(_, node)| compile::settings(&graph, node, problems))
            .collect();
        let mut plan = Self {
            graph,
            settings,
            ..Self::default()
        };
        plan.pulls = Pulls::new(&plan, problems);
        references::check_templates(&plan, problems);
        plan.resolve_tools(graphs, host);
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

    /// The memory on an agent's port. Scope `call` is neither read nor written; without a chat, `thread` lives as long as
    /// the run (3-memory.md D24, D25).
    pub(crate) fn memory(&self, agent: NodeIx, has_thread: bool) -> Option<MemoryRef> {
        let linked = self.graph.links(agent, "memory").first();
        let linked = *linked?;
        let node = self.graph.node(linked)?;
        let (memory_type, policy) = memory_kind(&node.settings)?;
        let scope = match node.settings.memory()?.scope {
            mnemograph_graph::Scope::Call => return None,
            mnemograph_graph::Scope::Thread if has_thread => mnemograph_memory::Scope::Thread,
            mnemograph_graph::Scope::Thread | mnemograph_graph::Scope::Session => {
                mnemograph_memory::Scope::Session
            }
        };
        Some(MemoryRef {
            node: node.id.clone(),
            memory_type,
            policy,
            scope,
            summariser: match &node.settings {
                Settings::SummaryMemory(summary) => self.summariser(agent, linked, summary),
                _ => None,
            },
        })
    }

    /// How much of its memory an agent is shown.
    pub(crate) fn policy(&self, agent: NodeIx) -> ViewPolicy {
        let linked = self.graph.links(agent, "memory").first();
        let node = linked.and_then(|ix| self.graph.node(*ix));
        let kind = node.and_then(|node| memory_kind(&node.settings));
        kind.map(|(_, policy)| policy).unwrap_or_default()
    }

    /// Who makes a memory's notes: its own model, else that of the agent that remembers by it (D9).
    fn summariser(
        &self,
        agent: NodeIx,
        memory: NodeIx,
        summary: &SummaryMemory,
    ) -> Option<Box<Summariser>> {
        let linked = [memory, agent]
            .into_iter()
            .find_map(|ix| self.graph.links(ix, "llm").first().copied());
        let Settings::LlmModel(model) = &self.graph.node(linked?)?.settings else {
            return None;
        };
        Some(Box::new(Summariser {
            model: model.model.clone(),
            params: model.params.clone(),
            prompt: summary.summary_prompt.clone(),
            max_words: summary.summary_max_words,
        }))
    }

    /// The stored history that the agents of a run with a thread read, if it is one for all of them: it can be read
    /// before any of them asks.
    #[must_use]
    pub fn only_history(&self) -> Option<MemoryRef> {
        let mut read = self.all().flat_map(|(key, plan)| {
            plan.agents().filter_map(move |agent| {
                let mut memory = plan.memory(agent, true)?;
                if let Some(key) = key {
                    memory.node = format!("{key}.{}", memory.node);
                }
                (memory.scope == mnemograph_memory::Scope::Thread).then_some(memory)
            })
        });
        let first = read.next()?;
        read.all(|other| other == first).then_some(first)
    }

    /// A setting that is evaluated at run time.
    pub(crate) fn setting(&self, node: NodeIx, path: &str) -> Option<&Setting> {
        let settings = self.settings_of(node).iter();
        settings.into_iter().find(|setting| setting.path == path)
    }

    /// All settings of a node that are evaluated at run time.
    pub(crate) fn settings_of(&self, node: NodeIx) -> &[Setting] {
        self.settings.get(node.get()).map_or(&[], Vec::as_slice)
    }

    /// The names of the session variables.
    pub(crate) fn variables(&self) -> impl Iterator<Item = &str> {
        self.graph
            .nodes()
            .filter_map(|(_, node)| match &node.settings {
                Settings::Var(var) if var.scope == Scope::Session => Some(var.name.as_str()),
                _ => None,
            })
    }

    /// The plan itself and those of its sub-graphs, with their keys.
    pub(crate) fn all(&self) -> impl Iterator<Item = (Option<&str>, &Plan)> {
        let subs = self.graphs.iter();
        std::iter::once((None, self))
            .chain(subs.map(|(key, plan)| (Some(key.as_str()), plan.as_ref())))
    }

    /// The state ids of the variables that live as long as the thread.
    pub(crate) fn thread_variables(&self) -> Vec<String> {
        let mut ids = Vec::new();
        for (key, plan) in self.all() {
            for (_, node) in plan.graph.nodes() {
                if let Settings::Var(var) = &node.settings
                    && var.scope == Scope::Thread
                {
                    ids.push(match key {
                        Some(key) => format!("{key}.{}", node.id),
                        None => node.id.clone(),
                    });
                }
            }
        }
        ids
    }

    /// The state ids of the dictionaries that live as long as the thread.
    pub(crate) fn thread_dictionaries(&self) -> Vec<String> {
        let mut ids = Vec::new();
        for (key, plan) in self.all() {
            for (ix, node) in plan.graph.nodes() {
                let settings = plan.dictionary(ix);
                if settings.is_some_and(|settings| settings.scope == Scope::Thread) {
                    ids.push(match key {
                        Some(key) => format!("{key}.{}", node.id),
                        None => node.id.clone(),
                    });
                }
            }
        }
        ids
    }

    /// How many entries of the conversation's transcript its nodes read, 0 for none.
    pub(crate) fn transcript_limit(&self) -> u32 {
        let limits = self.all().flat_map(|(_, plan)| {
            plan.graph.nodes().map(|(_, node)| match &node.settings {
                Settings::ChatHistory(history) => history.limit,
                Settings::LlmResponse(answer) if answer.use_chat_history => answer.history_limit,
                _ => 0,
            })
        });
        limits.max().unwrap_or(0)
    }

    fn agents(&self) -> impl Iterator<Item = NodeIx> {
        self.graph
            .nodes()
            .filter(|(_, node)| matches!(node.settings, Settings::AiAgent(_)))
            .map(|(ix, _)| ix)
    }

    fn resolve_tools(&mut self, graphs: &SortedMap<String, Rc<Graph>>, host: &HostCatalogue) {
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
        let Compiled::Template(template) = &self.setting(reply, "text")?.compiled else {
            return None;
        };
        match template.single_reference()? {
            [root, node, port] if root == "nodes" => Some((self.graph.find(node)?, port.clone())),
            _ => None,
        }
    }
}

/// The inputs that a sub-graph declares.
pub(crate) fn inputs_of(graph: &Graph) -> Option<&[InputDecl]> {
    let input = graph.graph_input().and_then(|ix| graph.node(ix))?;
    match &input.settings {
        Settings::GraphInput(input) => Some(&input.inputs),
        _ => None,
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
