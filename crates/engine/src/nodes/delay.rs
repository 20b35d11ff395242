//! `delay`: waits.

use crate::{
    core::Core,
    effect::Input,
    error::RunError,
    nodes::{Activity, Entered, Progress, Signal},
};
use mnemograph_compact::FromJson;
use mnemograph_graph::NodeIx;
use serde::Serialize;

/// The longest wait in milliseconds.
const MAX_MS: u64 = 60_000;

/// A wait.
#[derive(Debug, Serialize, FromJson)]
pub(crate) struct Delay {
    pub(crate) until: u64,
}

impl Delay {
    pub(crate) fn enter(core: &mut Core, node: NodeIx) -> Entered {
        let ms = core.evaluate_setting(node, "ms")?.unwrap_or_default();
        let ms = ms
            .as_u64()
            .or_else(|| ms.as_str().and_then(|text| text.trim().parse().ok()))
            .filter(|ms| *ms <= MAX_MS)
            .ok_or_else(|| {
                RunError::new(
                    "E_COERCE",
                    format!("A delay is a whole number of milliseconds from 0 to {MAX_MS}."),
                )
                .hint("Correct the setting \"ms\".")
            })?;
        let until = core.now.saturating_add(ms);
        Ok((Some(Activity::Delay(Self { until })), Progress::Waiting))
    }

    pub(crate) fn resume(&mut self, core: &Core, signal: Signal) -> Progress {
        match signal {
            Signal::Input(Input::Timer) if core.now >= self.until => Progress::out([]),
            _ => Progress::Waiting,
        }
    }
}
