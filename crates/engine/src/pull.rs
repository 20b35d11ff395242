//! Pull nodes: evaluated when somebody reads them, in the frame that they stand in.

use crate::{core::Core, error::RunError, frame::FrameId, nodes::data};
use mnemograph_compact::SortedMap;
use mnemograph_graph::{NodeIx, Settings, catalogue::Kind};
use serde_json::{Map, Value};

/// What pull nodes gave since something last changed.
#[derive(Debug, Default)]
pub(crate) struct Pulled(SortedMap<(FrameId, NodeIx), Result<Map<String, Value>, RunError>>);

impl Pulled {
    pub(crate) fn clear(&mut self) {
        if !self.0.is_empty() {
            *self = Self::default();
        }
    }

    pub(crate) fn get(
        &self,
        frame: FrameId,
        node: NodeIx,
    ) -> Option<&Result<Map<String, Value>, RunError>> {
        self.0.get(&(frame, node))
    }
}

impl Core {
    /// Evaluates a pull node and those that it reads; any other node is left alone. The order is that of the
    /// plan, so that a long chain does not use up the stack.
    ///
    /// # Errors
    /// What the node itself gives.
    pub(crate) fn pull(&mut self, node: NodeIx) -> Result<(), RunError> {
        if !self.is_pulled(node) {
            return Ok(());
        }
        let plan = std::rc::Rc::clone(&self.plan);
        for each in plan.pulls.order(node) {
            if !self.is_pulled(each) {
                continue;
            }
            let Some(home) = self.home_of(each) else {
                continue;
            };
            if self.pulled.get(home, each).is_some() {
                continue;
            }
            let outer = std::mem::take(&mut self.locals);
            let ports = self.within(home, |core| data::evaluate(core, each));
            self.locals = outer;
            let ports = ports.map_err(|error| error.at(&self.node_id(each)));
            self.pulled.0.insert((home, each), ports);
        }
        match self
            .home_of(node)
            .and_then(|home| self.pulled.get(home, node))
        {
            Some(Err(error)) => Err(error.clone()),
            Some(Ok(_)) | None => Ok(()),
        }
    }

    /// Variables are read where they are, every time.
    fn is_pulled(&self, node: NodeIx) -> bool {
        let node = self.plan.graph.node(node);
        node.is_some_and(|node| {
            node.kind == Kind::Pull
                && !matches!(node.settings, Settings::Var(_) | Settings::AgentMemory(_))
        })
    }
}
