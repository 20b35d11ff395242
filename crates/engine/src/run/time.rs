//! Time that passes for the steps in execution.

use super::Run;
use crate::{
    effect::Input,
    error::RunError,
    frame::{FrameId, Outcome, TaskId},
    nodes::Signal,
};

impl Run {
    /// The run was put away for this long: its time limits go on where they were.
    pub(super) fn postpone(&mut self, ms: u64) {
        for (_, task) in self.tasks.iter_mut() {
            task.until = task.until.map(|at| at.saturating_add(ms));
            task.activity.postpone(ms);
        }
    }

    /// The next time at which a step wants to know that time has passed.
    pub(super) fn next_deadline(&self) -> Option<u64> {
        let tasks = self.tasks.iter();
        tasks
            .filter_map(|(_, task)| {
                let own = task.activity.deadline(&self.core);
                own.into_iter().chain(task.until).min()
            })
            .min()
    }

    /// Tells the steps whose time has come.
    pub(super) fn time_passed(&mut self) {
        let now = self.core.now;
        let due: Vec<TaskId> = self
            .tasks
            .iter()
            .filter(|(_, task)| {
                task.activity
                    .deadline(&self.core)
                    .is_some_and(|at| at <= now)
            })
            .map(|(id, _)| *id)
            .collect();
        for id in due {
            self.tell(id, Signal::Input(Input::Timer));
        }
        let late: Vec<TaskId> = self
            .tasks
            .iter()
            .filter(|(_, task)| task.until.is_some_and(|at| at <= now))
            .map(|(id, _)| *id)
            .collect();
        for id in late {
            self.container_late(id);
        }
    }

    /// A container has taken longer than its `timeout_ms`: its frames end, and it fails.
    fn container_late(&mut self, id: TaskId) {
        let Some(task) = self.tasks.get_mut(&id) else {
            return;
        };
        task.activity.expire();
        let allowed = task.until.take().map(|at| at.saturating_sub(task.started));
        let error = RunError::new(
            "E_STEP_TIMEOUT",
            format!(
                "The step took longer than {} ms.",
                allowed.unwrap_or_default()
            ),
        )
        .hint("Raise timeout_ms of the node.");
        let owned: Vec<FrameId> = self
            .core
            .frames
            .iter()
            .filter(|(_, frame)| frame.owner == Some(id))
            .map(|(frame, _)| *frame)
            .collect();
        for frame in owned {
            self.wind_down(frame, Outcome::Failed(error.clone()), "time limit");
        }
    }
}
