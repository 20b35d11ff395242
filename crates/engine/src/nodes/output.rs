//! `output`: a named result of the run.

use crate::{
    core::{Core, NodeValues},
    error::RunError,
    event::NodeStatus,
    nodes::Progress,
};
use mnemograph_graph::{NodeIx, Settings};
use serde_json::{Map, Value};

pub(crate) fn enter(core: &mut Core, node: NodeIx) -> Result<Progress, RunError> {
    let name = match core.plan.graph.node(node).map(|node| &node.settings) {
        Some(Settings::Output(output)) => output.name.clone(),
        _ => return Err(RunError::internal("An output was entered that is none.")),
    };
    let value = match core.data_input(node, "value")? {
        Some(value) => value,
        None => core.evaluate_setting(node, "value")?.unwrap_or(Value::Null),
    };
    core.outputs.insert(name, value);
    Ok(Progress::Succeeded(Box::new(NodeValues {
        status: Some(NodeStatus::Succeeded),
        ports: Map::new(),
        message: None,
    })))
}
