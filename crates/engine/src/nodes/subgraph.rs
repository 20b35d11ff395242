//! `subgraph`, and tools that are sub-graphs: a graph inside the graph, in a frame of its own.

use crate::{
    core::Core,
    error::RunError,
    event::NodeStatus,
    frame::{FrameId, FrameKind, NodeValues, Outcome},
    nodes::{Activity, Entered, Progress, Signal},
    plan::inputs_of,
};
use mnemograph_compact::FromJson;
use mnemograph_graph::{Coerced, InputDecl, NodeIx, coerce};
use serde::Serialize;
use serde_json::{Map, Value};

/// A sub-graph in execution.
#[derive(Debug, Serialize, FromJson)]
pub(crate) struct GraphCall {
    frame: FrameId,
}

pub(crate) fn enter(
    core: &mut Core,
    node: NodeIx,
    settings: &mnemograph_graph::Subgraph,
) -> Entered {
    let mut inputs = Map::new();
    for declared in declared_inputs(core, &settings.graph) {
        let setting = format!("inputs/{}", declared.name);
        if let Some(value) = core.input_or_setting(node, &declared.name, &setting)? {
            inputs.insert(declared.name, value);
        }
    }
    let frame = start(core, &settings.graph, inputs, core.node_id(node))?;
    Ok((
        Some(Activity::Graph(GraphCall { frame })),
        Progress::Waiting,
    ))
}

impl GraphCall {
    pub(crate) fn resume(&mut self, core: &mut Core, _node: NodeIx, signal: Signal) -> Progress {
        let Signal::Frame(frame, outcome) = signal else {
            return Progress::Waiting;
        };
        if frame != self.frame {
            return Progress::Waiting;
        }
        match take(core, frame, outcome) {
            Ok(outputs) => {
                let mut ports = outputs.clone();
                ports.insert("outputs".to_owned(), Value::Object(outputs));
                Progress::Succeeded(Box::new(NodeValues {
                    status: Some(NodeStatus::Succeeded),
                    ports,
                    message: None,
                }))
            }
            Err(Some(error)) => Progress::Failed(error),
            Err(None) => Progress::Aborted,
        }
    }
}

/// Begins a sub-graph with inputs that its `graph_input` declares.
///
/// # Errors
/// `E_INPUT_ABSENT` for a required input without a value.
pub(crate) fn start(
    core: &mut Core,
    key: &str,
    mut given: Map<String, Value>,
    name: String,
) -> Result<FrameId, RunError> {
    let mut inputs = Map::new();
    for declared in declared_inputs(core, key) {
        let value = given
            .remove(&declared.name)
            .filter(|value| !value.is_null())
            .or(declared.default);
        let value = match value {
            Some(value) => value,
            None if declared.required => {
                return Err(RunError::new(
                    "E_INPUT_ABSENT",
                    format!("The sub-graph '{key}' needs the input '{}'.", declared.name),
                )
                .hint("Wire it, or set it in \"inputs\"."));
            }
            None => Value::Null,
        };
        let value = match coerce(&value, declared.value_type) {
            Coerced::Fit(value) | Coerced::FitWith(value, _) => value,
            Coerced::Misfit => value,
        };
        inputs.insert(declared.name, value);
    }
    let kind = FrameKind::Graph {
        inputs,
        outputs: Map::new(),
    };
    Ok(core.spawn(kind, Some(key.to_owned()), name))
}

/// The outputs of a sub-graph that is over.
///
/// # Errors
/// Its error; `None` if it was ended from outside.
pub(crate) fn take(
    core: &mut Core,
    frame: FrameId,
    outcome: Option<Outcome>,
) -> Result<Map<String, Value>, Option<RunError>> {
    let frame = core.frames.remove(&frame);
    match outcome {
        Some(Outcome::Failed(error)) => Err(Some(error)),
        Some(Outcome::Aborted) => Err(None),
        Some(Outcome::Broken | Outcome::Continued) | None => match frame.map(|frame| frame.kind) {
            Some(FrameKind::Graph { outputs, .. }) => Ok(outputs),
            _ => Ok(Map::new()),
        },
    }
}

fn declared_inputs(core: &Core, key: &str) -> Vec<InputDecl> {
    let plan = core.root.graphs.get(key);
    let inputs = plan.and_then(|plan| inputs_of(&plan.graph));
    inputs.unwrap_or_default().to_vec()
}
