//! The tool calls of one model answer: at most `parallel_tools` at a time, results in call order.

use super::{
    Agent, Phase,
    tool_run::{APPROVE, State, ToolRun, read_output},
};
use crate::{
    core::Core,
    effect::RequestId,
    error::{Failure, RunError},
    frame::{FrameId, Outcome},
    held::Held,
    nodes::{Progress, ask::TIMEOUT, subgraph},
};
use mnemograph_graph::{AiAgent, ToolErrors};
use mnemograph_memory::{Content, Part, Role};
use serde_json::{Map, Value};

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

    /// The storage has changed a dictionary, or could not.
    pub(super) fn dictionary_changed(
        &mut self,
        core: &mut Core,
        settings: &AiAgent,
        request: RequestId,
        result: Result<Map<String, Value>, Failure>,
    ) -> Progress {
        let Phase::Tools { runs } = &mut self.phase else {
            return Progress::Waiting;
        };
        let found = runs
            .iter_mut()
            .find_map(|run| Some((run.changing(request)?, run)));
        if let Some(((node, op), run)) = found {
            let result = result.map_err(|failure| failure.message);
            run.changed(core, self.node, node, &op, result);
            self.note_results(core);
        }
        self.go_on(core, settings)
    }

    /// The host looked at the arguments and wants a person to agree first.
    pub(super) fn tool_asks(
        &mut self,
        core: &mut Core,
        settings: &AiAgent,
        request: RequestId,
    ) -> Progress {
        let Phase::Tools { runs } = &mut self.phase else {
            return Progress::Waiting;
        };
        if let Some(run) = runs.iter_mut().find(|run| run.is_running(request)) {
            let args = run.args.0.clone().unwrap_or_default();
            run.state = State::Approval(Box::new(run.question(core, self.node, args)));
        }
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
