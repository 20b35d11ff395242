//! The tool calls of one model answer: at most `parallel_tools` at a time, results in call order.

use super::{Agent, Phase};
use crate::{
    core::Core,
    effect::{Effect, RequestId},
    error::{Failure, RunError},
    event::EventData,
    frame::{FrameId, Outcome},
    held::Held,
    interrupt::{Interrupt, InterruptKind, PendingCall},
    nodes::{Load, Progress, ask::TIMEOUT, subgraph},
    plan::PlannedTool,
};
use mnemograph_compact::FromJson;
use mnemograph_graph::{AiAgent, ToolErrors, ToolRun as Runs};
use mnemograph_memory::{Content, Part, Role};
use serde::Serialize;
use serde_json::{Map, Value};

/// The action that lets a call be made.
const APPROVE: &str = "approve";

/// One call on its way.
#[derive(Debug, Serialize, FromJson)]
pub(super) struct ToolRun {
    call_id: String,
    name: String,
    args: Held,
    state: State,
}

#[derive(Debug, Serialize, FromJson)]
enum State {
    Queued,
    Running {
        request: RequestId,
        started: u64,
        until: u64,
    },
    /// A sub-graph does the work.
    Graph {
        frame: FrameId,
        started: u64,
        until: u64,
    },
    /// A person has to agree first.
    Approval(Box<Interrupt>),
    /// A person has agreed.
    Agreed,
    Done {
        is_error: bool,
        content: Vec<Content>,
    },
}

impl ToolRun {
    pub(super) fn deadline(&self) -> Option<u64> {
        match self.state {
            State::Running { until, .. } | State::Graph { until, .. } => Some(until),
            State::Queued | State::Approval(_) | State::Agreed | State::Done { .. } => None,
        }
    }

    /// A sub-graph's time does not pass while the run waits for people.
    pub(super) fn postpone(&mut self, ms: u64) {
        if let State::Graph { until, .. } = &mut self.state {
            *until = until.saturating_add(ms);
        }
    }

    /// What it waits for; `None` if it does not run.
    pub(super) fn load(&self) -> Option<Load> {
        match self.state {
            State::Running { .. } => Some(Load::Leaf),
            State::Graph { .. } => Some(Load::Container),
            State::Approval(_) => Some(Load::Person),
            State::Queued | State::Agreed | State::Done { .. } => None,
        }
    }

    pub(super) fn interrupt(&self) -> Option<Interrupt> {
        match &self.state {
            State::Approval(interrupt) => Some((**interrupt).clone()),
            _ => None,
        }
    }
}

impl Agent {
    pub(super) fn start_tools(
        &mut self,
        core: &mut Core,
        settings: &AiAgent,
        calls: Vec<Part>,
    ) -> Progress {
        let runs = calls
            .into_iter()
            .filter_map(|call| match call {
                Part::ToolCall {
                    call_id,
                    name,
                    args,
                    ..
                } => Some(ToolRun {
                    call_id,
                    name,
                    args: Held(args),
                    state: State::Queued,
                }),
                _ => None,
            })
            .collect();
        self.phase = Phase::Tools { runs };
        self.journal(core);
        self.go_on(core, settings)
    }

    pub(super) fn tool_done(
        &mut self,
        core: &mut Core,
        settings: &AiAgent,
        request: RequestId,
        result: Result<Value, Failure>,
    ) -> Progress {
        let Phase::Tools { runs } = &mut self.phase else {
            return Progress::Waiting;
        };
        let Some(run) = runs.iter_mut().find(|run| run.is_running(request)) else {
            return Progress::Waiting;
        };
        match result {
            Ok(value) => {
                let (is_error, content) = read_output(value);
                run.done(core, self.node, is_error, content);
            }
            Err(failure) if settings.tool_errors == ToolErrors::Fail => {
                run.done(
                    core,
                    self.node,
                    true,
                    vec![Content::text(failure.message.clone())],
                );
                let error = failure.into_error("E_TOOL");
                return self.fail(core, error);
            }
            Err(failure) => run.done(core, self.node, true, vec![Content::text(failure.message)]),
        }
        self.note_results(core);
        self.go_on(core, settings)
    }

    pub(super) fn tools_timed_out(&mut self, core: &mut Core, settings: &AiAgent) -> Progress {
        let Phase::Tools { runs } = &mut self.phase else {
            return Progress::Waiting;
        };
        let mut failed = None;
        let mut is_late = false;
        for run in runs.iter_mut() {
            let (State::Running { started, until, .. } | State::Graph { started, until, .. }) =
                run.state
            else {
                continue;
            };
            if until > core.now {
                continue;
            }
            is_late = true;
            run.stop(core, "time limit");
            let message = format!(
                "The tool '{}' did not answer within {} ms; it may or may not have done its work.",
                run.name,
                until.saturating_sub(started)
            );
            run.done(core, self.node, true, vec![Content::text(message.clone())]);
            failed = Some(message);
        }
        if !is_late {
            return Progress::Waiting;
        }
        match failed {
            Some(message) if settings.tool_errors == ToolErrors::Fail => {
                let error = RunError::new("E_TOOL", message).hint("Raise the tool's timeout_ms.");
                self.fail(core, error)
            }
            _ => {
                self.note_results(core);
                self.go_on(core, settings)
            }
        }
    }

    /// Notes a result while others are still to come. With the last one the model is asked again, and that notes them all.
    fn note_results(&mut self, core: &mut Core) {
        let Phase::Tools { runs } = &self.phase else {
            return;
        };
        let is_open = |run: &ToolRun| !matches!(run.state, State::Done { .. });
        if runs.iter().any(is_open) {
            self.journal(core);
        }
    }

    /// The results so far, in call order, as messages of the round.
    pub(super) fn finished_results(&self) -> Vec<Part> {
        let Phase::Tools { runs } = &self.phase else {
            return Vec::new();
        };
        runs.iter()
            .filter_map(|run| match &run.state {
                State::Done { is_error, content } => Some(Part::ToolResult {
                    call_id: run.call_id.clone(),
                    name: run.name.clone(),
                    is_error: *is_error,
                    content: content.clone(),
                    preliminary: None,
                    ext: Map::new(),
                }),
                _ => None,
            })
            .collect()
    }

    /// Ends the calls that still run outside.
    pub(super) fn cancel_tools(&mut self, core: &mut Core, reason: &str) {
        let Phase::Tools { runs } = &self.phase else {
            return;
        };
        for run in runs {
            run.stop(core, reason);
        }
    }

    /// A sub-graph that is a tool is over.
    pub(super) fn graph_done(
        &mut self,
        core: &mut Core,
        settings: &AiAgent,
        frame: FrameId,
        outcome: Option<Outcome>,
    ) -> Progress {
        let result = subgraph::take(core, frame, outcome);
        let Phase::Tools { runs } = &mut self.phase else {
            return Progress::Waiting;
        };
        let run = runs
            .iter_mut()
            .find(|run| matches!(run.state, State::Graph { frame: other, .. } if other == frame));
        let Some(run) = run else {
            return Progress::Waiting;
        };
        match result {
            Ok(outputs) => {
                let only = (outputs.len() == 1).then(|| outputs.values().next().cloned());
                let value = only.flatten().unwrap_or(Value::Object(outputs));
                let (is_error, content) = read_output(value);
                run.done(core, self.node, is_error, content);
            }
            Err(error) => {
                let message = error
                    .as_ref()
                    .map_or("The tool was stopped.", |error| error.message.as_str());
                run.done(core, self.node, true, vec![Content::text(message)]);
                if let Some(error) = error
                    && settings.tool_errors == ToolErrors::Fail
                {
                    return self.fail(core, error);
                }
            }
        }
        self.journal(core);
        self.go_on(core, settings)
    }

    /// A person has decided on a call.
    pub(super) fn decided(
        &mut self,
        core: &mut Core,
        settings: &AiAgent,
        interrupt: &str,
        action: &str,
        data: &Value,
    ) -> Progress {
        let Phase::Tools { runs } = &mut self.phase else {
            return Progress::Waiting;
        };
        let run = runs
            .iter_mut()
            .find(|run| matches!(&run.state, State::Approval(open) if open.id == interrupt));
        let Some(run) = run else {
            return Progress::Waiting;
        };
        if action == APPROVE {
            run.state = State::Agreed;
        } else {
            let comment = data
                .get("comment")
                .and_then(Value::as_str)
                .unwrap_or_default();
            let text = match action {
                TIMEOUT => "Nobody agreed to this call in time; it was not made.".to_owned(),
                _ if comment.is_empty() => {
                    "The person declined this call; it was not made.".to_owned()
                }
                _ => {
                    format!("The person declined this call; it was not made. They said: {comment}")
                }
            };
            run.done(core, self.node, true, vec![Content::text(text)]);
        }
        self.go_on(core, settings)
    }

    /// Starts what may start; when all have ended, asks the model again.
    fn go_on(&mut self, core: &mut Core, settings: &AiAgent) -> Progress {
        let Phase::Tools { runs } = &mut self.phase else {
            return Progress::Waiting;
        };
        let mut running = runs.iter().filter(|run| run.load().is_some()).count();
        for run in runs
            .iter_mut()
            .filter(|run| matches!(run.state, State::Queued | State::Agreed))
        {
            if running >= settings.parallel_tools.max(1) {
                break;
            }
            run.start(core, self.node);
            running += usize::from(run.load().is_some());
        }
        if running > 0 {
            return Progress::Waiting;
        }
        let results = self.finished_results();
        self.phase = Phase::Done;
        for result in results {
            let message = core.message(Role::Tool, vec![result]);
            self.push(core, message);
        }
        self.call_model(core, settings)
    }
}

impl ToolRun {
    fn is_running(&self, asked: RequestId) -> bool {
        matches!(self.state, State::Running { request, .. } if request == asked)
    }

    /// Starts the call, or answers it at once where it cannot be made: the model reads why.
    fn start(&mut self, core: &mut Core, agent: mnemograph_graph::NodeIx) {
        let is_agreed = matches!(self.state, State::Agreed);
        if !is_agreed {
            core.emit(
                Some(agent),
                EventData::ToolCall {
                    call_id: self.call_id.clone(),
                    name: self.name.clone(),
                    args: self.args.0.clone().unwrap_or(Value::Null),
                },
            );
        }
        let plan = std::rc::Rc::clone(&core.plan);
        let tools = plan.tools(agent);
        let tool = tools.iter().find(|tool| tool.spec.name == self.name);
        let refused = match (tool, &self.args.0) {
            (None, _) => {
                let names: Vec<_> = tools.iter().map(|tool| tool.spec.name.as_str()).collect();
                Some(format!(
                    "There is no tool '{}'. Tools: {}.",
                    self.name,
                    names.join(", ")
                ))
            }
            (Some(_), None) => Some(
                "The arguments are not valid JSON. Call the tool again with valid JSON.".to_owned(),
            ),
            (Some(tool), Some(_)) if tool.is_denied => {
                Some("This tool may not be used here; the call was not made.".to_owned())
            }
            (Some(_), Some(_)) => None,
        };
        let (Some(tool), Some(args), None) = (tool, self.args.0.clone(), &refused) else {
            return self.done(
                core,
                agent,
                true,
                vec![Content::text(refused.unwrap_or_default())],
            );
        };
        if tool.require_approval && !is_agreed {
            let interrupt = self.question(core, agent, args);
            self.state = State::Approval(Box::new(interrupt));
            return;
        }
        self.run(core, agent, tool, args);
    }

    fn run(
        &mut self,
        core: &mut Core,
        agent: mnemograph_graph::NodeIx,
        tool: &PlannedTool,
        args: Value,
    ) {
        let (started, until) = (core.now, core.now.saturating_add(tool.timeout_ms));
        match &tool.run {
            Runs::Host(host_name) => {
                let request = core.request();
                self.state = State::Running {
                    request,
                    started,
                    until,
                };
                core.effects.push(Effect::CallTool {
                    request,
                    node: core.node_id(agent),
                    tool: host_name.clone(),
                    call_id: self.call_id.clone(),
                    args,
                });
            }
            Runs::Graph(key) => {
                let inputs = match args {
                    Value::Object(inputs) => inputs,
                    _ => Map::new(),
                };
                let name = format!("{}:{}", core.node_id(agent), self.name);
                match subgraph::start(core, key, inputs, name) {
                    Ok(frame) => {
                        self.state = State::Graph {
                            frame,
                            started,
                            until,
                        };
                    }
                    Err(error) => {
                        self.done(core, agent, true, vec![Content::text(error.message)]);
                    }
                }
            }
        }
    }

    fn question(&self, core: &mut Core, agent: mnemograph_graph::NodeIx, args: Value) -> Interrupt {
        Interrupt {
            id: core.interrupt_id(),
            node: core.node_id(agent),
            path: core.path().to_vec(),
            kind: InterruptKind::Tool,
            prompt: format!("May the tool '{}' be called?", self.name),
            actions: vec![APPROVE.to_owned(), "reject".to_owned()],
            schema: None,
            expires_at: None,
            call: Some(PendingCall {
                call_id: self.call_id.clone(),
                name: self.name.clone(),
                args,
            }),
        }
    }

    /// Ends what runs outside of the agent.
    fn stop(&self, core: &mut Core, reason: &str) {
        match self.state {
            State::Running { request, .. } => core.cancel_call(request, reason),
            State::Graph { frame, .. } => core.ending_frames.push(frame),
            State::Queued | State::Approval(_) | State::Agreed | State::Done { .. } => {}
        }
    }

    fn done(
        &mut self,
        core: &mut Core,
        agent: mnemograph_graph::NodeIx,
        is_error: bool,
        content: Vec<Content>,
    ) {
        let started = match self.state {
            State::Running { started, .. } | State::Graph { started, .. } => started,
            State::Queued | State::Approval(_) | State::Agreed | State::Done { .. } => core.now,
        };
        core.emit(
            Some(agent),
            EventData::ToolResult {
                call_id: self.call_id.clone(),
                name: self.name.clone(),
                is_error,
                content: content.clone(),
                ms: core.now.saturating_sub(started),
            },
        );
        self.state = State::Done { is_error, content };
    }
}

/// What a tool answered: canonical content where it has exactly that shape, else text or JSON.
fn read_output(value: Value) -> (bool, Vec<Content>) {
    if let Value::Object(object) = &value
        && object
            .keys()
            .all(|key| key == "content" || key == "is_error")
        && let Some(content) = object.get("content")
        && let Ok(content) = Vec::<Content>::from_json(content.clone())
    {
        let is_error = object
            .get("is_error")
            .and_then(Value::as_bool)
            .unwrap_or(false);
        return (is_error, content);
    }
    match value {
        Value::String(text) => (false, vec![Content::text(text)]),
        other => (false, vec![Content::Json { json: other }]),
    }
}
