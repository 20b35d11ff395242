//! `output`: a named result of the run or the sub-graph.

use crate::{core::Core, error::RunError, nodes::Progress};
use mnemograph_graph::{NodeIx, Output};

pub(crate) fn enter(
    core: &mut Core,
    node: NodeIx,
    settings: &Output,
) -> Result<Progress, RunError> {
    let value = core
        .input_or_setting(node, "value", "value")?
        .unwrap_or_default();
    core.set_output(settings.name.clone(), value);
    Ok(Progress::out([]))
}
