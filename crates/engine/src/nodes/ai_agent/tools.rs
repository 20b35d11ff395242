//! The tool calls of one model answer: at most `parallel_tools` at a time, results in call order.

use super::{Agent, Phase};
use crate::{
    core::Core,
    effect::{Effect, RequestId},
    error::{Failure, RunError},
    event::EventData,
    nodes::Progress,
};
use mnemograph_compact::FromJson;
use mnemograph_graph::{AiAgent, ToolErrors};
use mnemograph_memory::{Content, Part, Role};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One call on its way.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ToolRun {
    call_id: String,
    name: String,
    args: Option<Value>,
    state: State,
}

#[derive(Debug, Serialize, Deserialize)]
enum State {
    Queued,
    Running {
        request: RequestId,
        started: u64,
        until: u64,
    },
    Done {
        is_error: bool,
        content: Vec<Content>,
    },
}

impl ToolRun {
    pub(super) fn deadline(&self) -> Option<u64> {
        match self.state {
            State::Running { until, .. } => Some(until),
            State::Queued | State::Done { .. } => None,
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
                    args,
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
        for run in runs.iter_mut() {
            let State::Running {
                request,
                started,
                until,
            } = run.state
            else {
                continue;
            };
            if until > core.now {
                continue;
            }
            core.cancel_call(request, "time limit");
            let message = format!(
                "The tool '{}' did not answer within {} ms; it may or may not have done its work.",
                run.name,
                until.saturating_sub(started)
            );
            run.done(core, self.node, true, vec![Content::text(message.clone())]);
            failed = Some(message);
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
                State::Queued | State::Running { .. } => None,
            })
            .collect()
    }

    /// Ends the calls that still run outside.
    pub(super) fn cancel_tools(&mut self, core: &mut Core, reason: &str) {
        let Phase::Tools { runs } = &self.phase else {
            return;
        };
        for run in runs {
            if let State::Running { request, .. } = run.state {
                core.cancel_call(request, reason);
            }
        }
    }

    /// Starts what may start; when all have ended, asks the model again.
    fn go_on(&mut self, core: &mut Core, settings: &AiAgent) -> Progress {
        let Phase::Tools { runs } = &mut self.phase else {
            return Progress::Waiting;
        };
        let mut running = runs
            .iter()
            .filter(|run| matches!(run.state, State::Running { .. }))
            .count();
        for run in runs
            .iter_mut()
            .filter(|run| matches!(run.state, State::Queued))
        {
            if running >= settings.parallel_tools.max(1) {
                break;
            }
            run.start(core, self.node);
            running += usize::from(matches!(run.state, State::Running { .. }));
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
        let shown = self.args.clone().unwrap_or(Value::Null);
        core.emit(
            Some(agent),
            EventData::ToolCall {
                call_id: self.call_id.clone(),
                name: self.name.clone(),
                args: shown,
            },
        );
        self.state = State::Running {
            request: 0,
            started: core.now,
            until: core.now,
        };
        let tool = core
            .plan
            .tools(agent)
            .iter()
            .find(|tool| tool.spec.name == self.name)
            .cloned();
        let Some(tool) = tool else {
            let names: Vec<_> = core
                .plan
                .tools(agent)
                .iter()
                .map(|tool| tool.spec.name.clone())
                .collect();
            let text = format!(
                "There is no tool '{}'. Tools: {}.",
                self.name,
                names.join(", ")
            );
            return self.done(core, agent, true, vec![Content::text(text)]);
        };
        if tool.require_approval {
            let text =
                "The tool was not run: a person must approve it, and nobody can be asked here."
                    .to_owned();
            return self.done(core, agent, true, vec![Content::text(text)]);
        }
        let Some(args) = self.args.clone() else {
            let text =
                "The arguments are not valid JSON. Call the tool again with valid JSON.".to_owned();
            return self.done(core, agent, true, vec![Content::text(text)]);
        };
        let request = core.request(agent);
        self.state = State::Running {
            request,
            started: core.now,
            until: core.now.saturating_add(tool.timeout_ms),
        };
        core.effects.push(Effect::CallTool {
            request,
            node: core.node_id(agent),
            tool: tool.host_name,
            call_id: self.call_id.clone(),
            args,
        });
    }

    fn done(
        &mut self,
        core: &mut Core,
        agent: mnemograph_graph::NodeIx,
        is_error: bool,
        content: Vec<Content>,
    ) {
        let started = match self.state {
            State::Running { started, .. } => started,
            State::Queued | State::Done { .. } => core.now,
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
