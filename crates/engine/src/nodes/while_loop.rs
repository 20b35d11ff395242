//! `while_loop`: its body again and again, each pass in a fresh frame, while a condition holds.

use crate::{
    core::Core,
    error::RunError,
    frame::{FrameKind, Outcome},
    held::Held,
    nodes::{Activity, Entered, Progress, Signal},
};
use mnemograph_compact::FromJson;
use mnemograph_graph::{LoopTest, NodeIx, OnLimit, Settings};
use serde::Serialize;
use serde_json::Value;

/// A loop in execution.
#[derive(Debug, Serialize, FromJson)]
pub(crate) struct WhileLoop {
    /// Passes that are over.
    passes: u64,
    result: Value,
}

impl WhileLoop {
    pub(crate) fn enter(
        core: &mut Core,
        node: NodeIx,
        settings: &mnemograph_graph::WhileLoop,
    ) -> Entered {
        let mut state = Self {
            passes: 0,
            result: Value::Null,
        };
        let progress = if settings.test == LoopTest::After {
            state.next(core, node)?
        } else {
            state.test(core, node, settings)?
        };
        Ok((Some(Activity::While(state)), progress))
    }

    pub(crate) fn resume(&mut self, core: &mut Core, node: NodeIx, signal: Signal) -> Progress {
        let Signal::Frame(frame, outcome) = signal else {
            return Progress::Waiting;
        };
        let plan = std::rc::Rc::clone(&core.plan);
        let Some(Settings::WhileLoop(settings)) = plan.graph.node(node).map(|node| &node.settings)
        else {
            return Progress::Failed(RunError::internal("A loop went on that is none."));
        };
        match outcome {
            Some(Outcome::Failed(error)) => return Progress::Failed(error),
            Some(Outcome::Aborted) => return Progress::Aborted,
            Some(Outcome::Broken | Outcome::Continued) | None => {}
        }
        self.passes += 1;
        let result = core.within(frame, |core| core.evaluate_setting(node, "result"));
        core.keep_pass(node, frame);
        let next = result.and_then(|result| {
            self.result = result.unwrap_or_default();
            if matches!(outcome, Some(Outcome::Broken)) {
                return Ok(self.done());
            }
            self.test(core, node, settings)
        });
        next.unwrap_or_else(Progress::Failed)
    }

    fn test(
        &mut self,
        core: &mut Core,
        node: NodeIx,
        settings: &mnemograph_graph::WhileLoop,
    ) -> Result<Progress, RunError> {
        core.locals
            .insert("loop_index".to_owned(), Value::from(self.passes));
        let holds = holds(core, node);
        core.locals.clear();
        if !holds? {
            return Ok(self.done());
        }
        if self.passes >= settings.max_iterations {
            return match settings.on_limit {
                OnLimit::Done => Ok(self.done()),
                OnLimit::Error => Err(RunError::new(
                    "E_LOOP_LIMIT",
                    format!(
                        "The loop made {} passes and its condition still holds.",
                        self.passes
                    ),
                )
                .hint("Raise max_iterations, or set on_limit to \"done\".")),
            };
        }
        self.next(core, node)
    }

    fn next(&mut self, core: &mut Core, node: NodeIx) -> Result<Progress, RunError> {
        core.count_pass()?;
        let kind = FrameKind::Pass {
            container: node,
            index: self.passes,
            item: Held(None),
        };
        let name = format!("{}[{}]", core.node_id(node), self.passes);
        core.spawn(kind, None, name);
        Ok(Progress::Waiting)
    }

    fn done(&mut self) -> Progress {
        Progress::left(
            "done",
            [
                ("iterations", Value::from(self.passes)),
                ("result", std::mem::take(&mut self.result)),
            ],
        )
    }
}

/// Whether the condition holds: the wired value, else the expression.
fn holds(core: &mut Core, node: NodeIx) -> Result<bool, RunError> {
    match core.data_input(node, "condition")? {
        Some(Value::Bool(holds)) => Ok(holds),
        Some(_) => Err(RunError::new(
            "E_EXPR",
            "The value on the port 'condition' is neither true nor false.",
        )
        .hint("Wire a boolean, or write the comparison into the setting \"condition\".")),
        None => core.test_setting(node, "condition"),
    }
}
