//! The memories of agents: which history they read, how much of it they are shown, who makes notes of it.

use super::Plan;
use crate::effect::MemoryRef;
use crate::model::Summariser;
use mnemograph_graph::{NodeIx, Settings, SummaryMemory, SummaryPlacement};
use mnemograph_memory::{MemoryType, Placement, ViewPolicy};

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
}
