//! Steps in execution: begun in order, told what happens, ended.

use super::{Ending, Phase, Run};
use crate::{
    core::Core,
    effect::Input,
    error::RunError,
    event::{EventData, NodeStatus},
    frame::{FrameId, FrameKind, NodeValues, Outcome, ROOT, TaskId},
    nodes::{self, Activity, Load, Progress, Signal, ai_agent::Agent},
};
use mnemograph_compact::FromJson;
use mnemograph_graph::{
    EdgeType, ErrorMode, NodeIx, Settings,
    catalogue::{Direction, Port},
};
use serde::Serialize;

/// A step in execution.
#[derive(Debug, Serialize, FromJson)]
pub(super) struct Task {
    pub(super) frame: FrameId,
    pub(super) node: NodeIx,
    pub(super) started: u64,
    /// When a container has taken too long.
    pub(super) until: Option<u64>,
    pub(super) activity: Activity,
}

impl Run {
    /// An answer from outside goes to the step that asked.
    pub(super) fn answer(&mut self, input: Input) {
        let Some(task) = input
            .request()
            .and_then(|request| self.core.waiter(request))
        else {
            return;
        };
        self.tell(task, Signal::Input(input));
        self.go_on();
    }

    /// Does what can be done now, in order, until something waits or all is done.
    pub(super) fn go_on(&mut self) {
        while matches!(self.phase, Phase::Running) {
            for frame in std::mem::take(&mut self.core.ending_frames) {
                self.wind_down(frame, Outcome::Aborted, "its container ended");
            }
            if self.ending.is_none() {
                self.start_spawned();
            }
            if let Some(frame) = self.drained.pop_front() {
                if frame == ROOT {
                    return self.finish();
                }
                self.frame_drained(frame);
            } else if let Some(task) = self.next_turn() {
                self.tell(task, Signal::Turn);
            } else if let Some((frame, node)) = self.next_ready() {
                self.enter(frame, node);
            } else {
                if self.is_waiting_for_people() {
                    self.suspend();
                }
                return;
            }
        }
    }

    /// The next step that may begin.
    fn next_ready(&mut self) -> Option<(FrameId, NodeIx)> {
        if self.ending.is_some() || self.ready.is_empty() {
            return None;
        }
        let busy = self.count(Load::Leaf);
        let own = self.core.root.graph.limits.max_parallel;
        let loops = self
            .tasks
            .iter()
            .filter_map(|(_, task)| self.concurrency(task));
        if busy < loops.fold(own, usize::max) {
            self.ready.pop_front()
        } else {
            None
        }
    }

    /// How many things at once a `for_each` in execution asks for.
    fn concurrency(&self, task: &Task) -> Option<usize> {
        if !matches!(task.activity, Activity::Each(_)) {
            return None;
        }
        let key = self.core.frames.get(&task.frame)?.graph.as_ref();
        let plan = match key {
            None => &self.core.root,
            Some(key) => self.core.root.graphs.get(key)?,
        };
        match &plan.graph.node(task.node)?.settings {
            Settings::ForEach(each) => Some(each.concurrency),
            _ => None,
        }
    }

    fn count(&self, load: Load) -> usize {
        let tasks = self.tasks.iter();
        tasks
            .filter(|(_, task)| task.activity.load() == load)
            .count()
    }

    /// The step whose turn to show or store something has come.
    fn next_turn(&self) -> Option<TaskId> {
        let mut leaves = self
            .tasks
            .iter()
            .filter(|(_, task)| task.activity.load() == Load::Leaf);
        let (id, task) = leaves.next()?;
        task.activity.wants_turn().then_some(*id)
    }

    pub(super) fn is_waiting_for_people(&self) -> bool {
        self.ending.is_none() && self.count(Load::Leaf) == 0 && self.count(Load::Person) > 0
    }

    fn enter(&mut self, frame: FrameId, node: NodeIx) {
        self.steps += 1;
        let max_steps = self.core.root.graph.limits.steps;
        let id = self.next_task;
        self.next_task += 1;
        self.core.focus(frame, id);
        if self.steps > max_steps {
            let error = RunError::new(
                "E_STEP_LIMIT",
                format!("The run executed more than {max_steps} steps."),
            )
            .hint("Raise limits.steps of the graph.")
            .at(&self.core.node_id(node));
            self.close_one(frame);
            return self.end_with(Ending::Limit(error));
        }
        self.core.emit(Some(node), EventData::NodeStarted {});
        self.core.may_commit = self.count(Load::Leaf) == 0;
        let started = self.core.now;
        let (activity, progress) = match nodes::enter(&mut self.core, node) {
            Ok(entered) => entered,
            Err(error) => (None, Progress::Failed(error)),
        };
        let of = self.core.plan.graph.node(node);
        let is_container = activity
            .as_ref()
            .is_some_and(|activity| activity.load() == Load::Container);
        let until = of
            .and_then(|of| of.timeout_ms)
            .filter(|_| is_container)
            .map(|ms| started.saturating_add(ms));
        match (activity, progress) {
            (Some(activity), Progress::Waiting) => {
                let task = Task {
                    frame,
                    node,
                    started,
                    until,
                    activity,
                };
                self.tasks.insert(id, task);
            }
            (_, progress) => self.ended(frame, node, started, progress),
        }
    }

    /// Tells a step something.
    pub(super) fn tell(&mut self, id: TaskId, signal: Signal) {
        self.with_task(id, |activity, core, node| {
            activity.resume(core, node, signal)
        });
    }

    /// Tells a step to stop.
    pub(super) fn abort(&mut self, id: TaskId, reason: &str) {
        self.with_task(id, |activity, core, _| activity.abort(core, reason));
    }

    fn with_task(
        &mut self,
        id: TaskId,
        work: impl FnOnce(&mut Activity, &mut Core, NodeIx) -> Progress,
    ) {
        let earlier = self.tasks.iter().take_while(|(other, _)| **other < id);
        let may_commit = !{ earlier }.any(|(_, task)| task.activity.load() == Load::Leaf);
        let Some(mut task) = self.tasks.remove(&id) else {
            return;
        };
        self.core.focus(task.frame, id);
        self.core.may_commit = may_commit;
        match work(&mut task.activity, &mut self.core, task.node) {
            Progress::Waiting => {
                self.tasks.insert(id, task);
            }
            progress => self.ended(task.frame, task.node, task.started, progress),
        }
    }

    fn ended(&mut self, frame: FrameId, node: NodeIx, started: u64, progress: Progress) {
        self.core.locals.clear();
        let ms = self.core.now.saturating_sub(started);
        match progress {
            Progress::Waiting => return,
            Progress::Succeeded(values) => self.succeeded(frame, node, ms, "out", *values),
            Progress::Left(port, values) => self.succeeded(frame, node, ms, &port, *values),
            Progress::Failed(error) => self.failed(frame, node, ms, error),
            Progress::Aborted => {
                self.core
                    .set_values(node, NodeValues::with_status(NodeStatus::Cancelled));
                self.finished_event(node, NodeStatus::Cancelled, ms);
            }
            Progress::Break | Progress::Continue => {
                self.core
                    .set_values(node, NodeValues::with_status(NodeStatus::Succeeded));
                self.finished_event(node, NodeStatus::Succeeded, ms);
                let outcome = match progress {
                    Progress::Break => Outcome::Broken,
                    _ => Outcome::Continued,
                };
                self.wind_down(frame, outcome, "the pass ended");
            }
            Progress::Stop(partial) => {
                self.core
                    .set_values(node, NodeValues::with_status(NodeStatus::Succeeded));
                self.finished_event(node, NodeStatus::Succeeded, ms);
                self.close_one(frame);
                return self.end_with(Ending::Stopped(partial));
            }
        }
        self.close_one(frame);
    }

    fn finished_event(&mut self, node: NodeIx, status: NodeStatus, ms: u64) {
        self.core
            .emit(Some(node), EventData::NodeFinished { status, ms });
    }

    fn succeeded(&mut self, frame: FrameId, node: NodeIx, ms: u64, port: &str, values: NodeValues) {
        if let Some(error) = self.too_large(&values) {
            return self.failed(frame, node, ms, error);
        }
        self.core.set_values(node, values);
        self.finished_event(node, NodeStatus::Succeeded, ms);
        self.leave_live(frame, node, port);
    }

    /// Control leaves, unless the frame is being ended.
    fn leave_live(&mut self, frame: FrameId, node: NodeIx, port: &str) {
        let is_live = self
            .core
            .frames
            .get(&frame)
            .is_some_and(|frame| frame.outcome.is_none());
        if is_live && self.ending.is_none() {
            self.leave(frame, node, port);
        }
    }

    fn too_large(&self, values: &NodeValues) -> Option<RunError> {
        let most = self.core.root.graph.limits.node_output;
        let mut left = most;
        let fits = values.ports.values().all(|value| measure(value, &mut left));
        (!fits).then(|| {
            RunError::new(
                "E_OUTPUT_LIMIT",
                format!("The outputs of the step have more than {most} bytes."),
            )
            .hint("Raise limits.node_output, or let the step give less.")
        })
    }

    fn failed(&mut self, frame: FrameId, node: NodeIx, ms: u64, error: RunError) {
        let mut error = error.at(&self.core.node_id(node));
        if error.path.is_empty() {
            error.path = self.core.path().to_vec();
        }
        self.core.emit(
            Some(node),
            EventData::NodeFailed {
                error: error.clone(),
            },
        );
        let on_error = self
            .core
            .plan
            .graph
            .node(node)
            .map(|node| node.on_error.clone())
            .unwrap_or_default();
        let (port, mut ports) = match on_error.mode {
            ErrorMode::Fail => {
                self.core
                    .set_values(node, NodeValues::with_status(NodeStatus::Failed));
                return self.frame_failed(frame, error);
            }
            // Control goes on where a success would have gone: by the first port that is not the error's.
            ErrorMode::Continue => (self.usual_port(node), on_error.default),
            ErrorMode::Branch => ("error".to_owned(), serde_json::Map::new()),
        };
        self.core.handled = true;
        let told = serde_json::to_value(&error).unwrap_or_default();
        ports.insert("error".to_owned(), told);
        let values = NodeValues {
            ports,
            ..NodeValues::with_status(NodeStatus::Handled)
        };
        self.core.set_values(node, values);
        self.finished_event(node, NodeStatus::Handled, ms);
        self.leave_live(frame, node, &port);
    }

    /// The port by which control leaves a step that has only failed in the author's eyes: `out` or `done`, else the
    /// last of its ports, which is the one for what nothing else fits (`else`, `default`, `other`, `timeout`).
    fn usual_port(&self, node: NodeIx) -> String {
        let Some(of) = self.core.plan.graph.node(node) else {
            return String::new();
        };
        let is_exit = |port: &&Port| {
            port.flow == EdgeType::Run
                && port.direction == Direction::Out
                && port.name != "error"
                && port.name != "body"
        };
        let exits = of.ports().filter(is_exit);
        let names: Vec<String> = exits.map(|port| port.name.to_string()).collect();
        let usual = names.iter().find(|name| *name == "out" || *name == "done");
        usual.or(names.last()).cloned().unwrap_or_default()
    }

    /// What fails in a loop or a sub-graph fails its container; in the graph itself, the run.
    fn frame_failed(&mut self, frame: FrameId, error: RunError) {
        let is_root = self
            .core
            .frames
            .get(&frame)
            .is_some_and(|frame| matches!(frame.kind, FrameKind::Root));
        if is_root {
            self.end_with(Ending::Failed(error));
        } else {
            self.wind_down(frame, Outcome::Failed(error), "a step failed");
        }
    }

    /// Notes what only this page knows.
    pub(super) fn note_open_rounds(&mut self) {
        self.each_agent(&mut |agent, core| agent.suspend(core));
    }

    /// From now on nothing of what executes is to be stored.
    pub(super) fn leave_memory(&mut self) {
        self.each_agent(&mut |agent, _| agent.leave_memory());
    }

    fn each_agent(&mut self, work: &mut dyn FnMut(&mut Agent, &mut Core)) {
        let tasks: Vec<TaskId> = self.tasks.iter().map(|(id, _)| *id).collect();
        for id in tasks {
            self.with_task(id, |activity, core, _| {
                if let Activity::Agent(agent) = activity {
                    work(agent, core);
                }
                Progress::Waiting
            });
        }
    }
}

/// Takes the size of a value from what is left; false if it is more. Strings and structure count, roughly as JSON.
fn measure(value: &serde_json::Value, left: &mut usize) -> bool {
    use serde_json::Value;
    let own = match value {
        Value::String(text) => text.len() + 2,
        Value::Array(items) => {
            if !items.iter().all(|item| measure(item, left)) {
                return false;
            }
            items.len() + 2
        }
        Value::Object(fields) => {
            for (name, field) in fields {
                if name.len() > *left || !measure(field, left) {
                    return false;
                }
                *left -= name.len();
            }
            fields.len() * 4 + 2
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
    };
    match left.checked_sub(own) {
        Some(rest) => {
            *left = rest;
            true
        }
        None => false,
    }
}
