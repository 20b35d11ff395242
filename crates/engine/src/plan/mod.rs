//! A graph made ready to run: templates compiled, tools resolved, streams traced, and the problems
//! that only show when graph, templates and host are seen together.

mod compile;
mod dictionaries;
mod host;
mod memory;
mod pulls;
mod tools;

use crate::{event::Channel, references};
pub(crate) use compile::{Compiled, Setting};
pub use dictionaries::DictionaryTool;
pub(crate) use dictionaries::{limits as dictionary_limits, shown as shown_dictionary};
pub use host::{Approval, HostCatalogue, HostTool};
pub use memory::memory_kind;
use mnemograph_compact::{SortedMap, sort_by};
use mnemograph_graph::{Graph, HostNodes, InputDecl, NodeIx, Problem, Scope, Settings};
use mnemograph_memory::ModelRef;
use pulls::Pulls;
use std::rc::Rc;
pub use tools::{PlannedRun, PlannedTool};

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
