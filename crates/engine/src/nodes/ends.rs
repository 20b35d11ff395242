//! `stop`, `fail` and `emit`.

use crate::{core::Core, error::RunError, event::EventData, nodes::Progress};
use mnemograph_graph::{Emit, Fail, NodeIx, Stop, StopStatus};

/// Ends the run well.
pub(crate) fn stop(settings: &Stop) -> Result<Progress, RunError> {
    Ok(Progress::Stop(settings.status == StopStatus::Partial))
}

/// Fails on purpose, with the author's code and words.
pub(crate) fn fail(core: &mut Core, node: NodeIx, settings: &Fail) -> Result<Progress, RunError> {
    let message = core.render_setting(node, "message")?.unwrap_or_default();
    Err(RunError::new(&settings.code, message))
}

/// Tells the page.
pub(crate) fn emit(core: &mut Core, node: NodeIx, settings: &Emit) -> Result<Progress, RunError> {
    let data = core
        .input_or_setting(node, "data", "data")?
        .unwrap_or_default();
    core.emit(
        Some(node),
        EventData::Custom {
            name: settings.event.clone(),
            value: data,
        },
    );
    Ok(Progress::out([]))
}
