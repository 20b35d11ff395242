//! `for_each`: its body once for each item, each in a fresh frame; results keep the order of the items.

use crate::{
    core::Core,
    error::RunError,
    frame::{FrameId, FrameKind, Outcome},
    held::Held,
    nodes::{Activity, Entered, Progress, Signal},
};
use mnemograph_compact::{FromJson, sort_by};
use mnemograph_graph::{NodeIx, OnItemError, Settings, ValueType};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::VecDeque;

/// A loop over a list in execution.
#[derive(Debug, Serialize, FromJson)]
pub(crate) struct ForEach {
    /// Items that have not begun.
    left: VecDeque<Value>,
    next: u64,
    running: Vec<(FrameId, u64)>,
    /// `None` for an item that is not over or was dropped.
    results: Vec<Held>,
    errors: Vec<(u64, Value)>,
    /// Why no further item begins.
    failed: Option<RunError>,
    aborted: bool,
    /// It has taken too long.
    late: bool,
}

impl ForEach {
    pub(crate) fn enter(
        core: &mut Core,
        node: NodeIx,
        settings: &mnemograph_graph::ForEach,
    ) -> Entered {
        let items = core.input_or_setting(node, "items", "items")?;
        let items = list(items.unwrap_or_default())?;
        let most = settings.max_items.min(core.root.graph.limits.items);
        let count = items.len() as u64;
        if count > most {
            return Err(RunError::new(
                "E_LOOP_LIMIT",
                format!("The list has {count} items; this loop takes {most}."),
            )
            .hint("Raise max_items and limits.items, or cut the list before."));
        }
        let mut state = Self {
            results: vec![Held::default(); items.len()],
            left: items.into(),
            next: 0,
            running: Vec::new(),
            errors: Vec::new(),
            failed: None,
            aborted: false,
            late: false,
        };
        let progress = state.go_on(core, node, settings);
        Ok((Some(Activity::Each(state)), progress))
    }

    pub(crate) fn resume(&mut self, core: &mut Core, node: NodeIx, signal: Signal) -> Progress {
        let Signal::Frame(frame, outcome) = signal else {
            return Progress::Waiting;
        };
        let plan = std::rc::Rc::clone(&core.plan);
        let Some(Settings::ForEach(settings)) = plan.graph.node(node).map(|node| &node.settings)
        else {
            return Progress::Failed(RunError::internal("A loop went on that is none."));
        };
        let Some(place) = self.running.iter().position(|(id, _)| *id == frame) else {
            return Progress::Waiting;
        };
        let (_, index) = self.running.swap_remove(place);
        let result = match outcome {
            Some(Outcome::Failed(error)) => Err(error),
            Some(Outcome::Aborted) => {
                self.aborted = true;
                Ok(None)
            }
            Some(Outcome::Broken) => {
                self.left.clear();
                core.within(frame, |core| core.evaluate_setting(node, "result"))
            }
            Some(Outcome::Continued) | None => {
                core.within(frame, |core| core.evaluate_setting(node, "result"))
            }
        };
        core.keep_pass(node, frame);
        match result {
            Ok(value) => self.set(index, Some(value.unwrap_or_default())),
            Err(error) => self.item_failed(core, index, error, settings.on_item_error),
        }
        self.go_on(core, node, settings)
    }

    pub(crate) fn expire(&mut self) {
        self.late = true;
        self.left.clear();
    }

    fn item_failed(&mut self, core: &mut Core, index: u64, error: RunError, how: OnItemError) {
        let told = serde_json::to_value(&error).unwrap_or_default();
        let told = json!({"index": index, "error": told});
        self.errors.push((index, told));
        match how {
            _ if self.late => {
                self.failed.get_or_insert(error);
                return;
            }
            OnItemError::Fail => {
                self.left.clear();
                core.ending_frames
                    .extend(self.running.iter().map(|(frame, _)| *frame));
                self.failed.get_or_insert(error);
                return;
            }
            OnItemError::Null => self.set(index, Some(Value::Null)),
            OnItemError::Drop => {}
        }
        core.handled = true;
    }

    fn set(&mut self, index: u64, value: Option<Value>) {
        let slot = usize::try_from(index)
            .ok()
            .and_then(|index| self.results.get_mut(index));
        if let Some(slot) = slot {
            *slot = Held(value);
        }
    }

    fn go_on(
        &mut self,
        core: &mut Core,
        node: NodeIx,
        settings: &mnemograph_graph::ForEach,
    ) -> Progress {
        while !self.aborted && self.running.len() < settings.concurrency.max(1) {
            let Some(item) = self.left.pop_front() else {
                break;
            };
            let index = self.next;
            self.next += 1;
            let kind = FrameKind::Pass {
                container: node,
                index,
                item: Held(Some(item)),
            };
            let name = format!("{}[{index}]", core.node_id(node));
            self.running.push((core.spawn(kind, None, name), index));
        }
        if !self.running.is_empty() {
            return Progress::Waiting;
        }
        if let Some(error) = self.failed.take() {
            return Progress::Failed(error);
        }
        if self.aborted {
            return Progress::Aborted;
        }
        let results = std::mem::take(&mut self.results);
        sort_by(&mut self.errors, |(a, _), (b, _)| a.cmp(b));
        let errors = std::mem::take(&mut self.errors).into_iter();
        Progress::left(
            "done",
            [
                (
                    "results",
                    results.into_iter().filter_map(|result| result.0).collect(),
                ),
                ("errors", errors.map(|(_, error)| error).collect()),
            ],
        )
    }
}

/// The items: a list, the rows of a data frame, nothing for none.
fn list(value: Value) -> Result<Vec<Value>, RunError> {
    match value {
        Value::Array(items) => Ok(items),
        Value::Null => Ok(Vec::new()),
        Value::Object(_) if is_frame(&value) => {
            let (_, _, rows) = crate::data::table::run(&value)?;
            list(rows)
        }
        _ => Err(RunError::new(
            "E_ITEMS_TYPE",
            "The items are neither a list nor a data frame.",
        )
        .hint(
            "Turn the value into a list first: a json node parses text, a table node reads CSV.",
        )),
    }
}

fn is_frame(value: &Value) -> bool {
    matches!(
        mnemograph_graph::coerce(value, ValueType::Dataframe),
        mnemograph_graph::Coerced::Fit(_)
    )
}
