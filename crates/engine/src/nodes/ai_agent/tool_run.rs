//! One tool call on its way: asked for, approved, made, answered.

use crate::{
    core::Core,
    effect::{Effect, RequestId},
    event::EventData,
    frame::FrameId,
    held::Held,
    interrupt::{Interrupt, InterruptKind, PendingCall},
    nodes::{Load, subgraph},
    plan::{DictionaryTool, PlannedRun, PlannedTool, dictionary_limits},
};
use mnemograph_compact::FromJson;
use mnemograph_graph::{NodeIx, Scope};
use mnemograph_memory::{Content, DictionaryOp};
use serde::Serialize;
use serde_json::{Map, Value};

/// The action that lets a call be made.
pub(super) const APPROVE: &str = "approve";

/// One call on its way.
#[derive(Debug, Serialize, FromJson)]
pub(super) struct ToolRun {
    pub(super) call_id: String,
    pub(super) name: String,
    pub(super) args: Held,
    pub(super) state: State,
}

#[derive(Debug, Serialize, FromJson)]
pub(super) enum State {
    Queued,
    Running {
        request: RequestId,
        started: u64,
        until: u64,
    },
    /// A dictionary is being changed in the storage.
    Changing {
        request: RequestId,
        started: u64,
        until: u64,
        node: NodeIx,
        op: DictionaryOp,
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
            State::Running { until, .. }
            | State::Changing { until, .. }
            | State::Graph { until, .. } => Some(until),
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
            State::Running { .. } | State::Changing { .. } => Some(Load::Leaf),
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
impl ToolRun {
    /// The dictionary that it waits for, and the change.
    pub(super) fn changing(&self, asked: RequestId) -> Option<(NodeIx, DictionaryOp)> {
        match &self.state {
            State::Changing {
                request, node, op, ..
            } if *request == asked => Some((*node, op.clone())),
            _ => None,
        }
    }

    pub(super) fn is_running(&self, asked: RequestId) -> bool {
        matches!(self.state, State::Running { request, .. } if request == asked)
    }

    /// Starts the call, or answers it at once where it cannot be made: the model reads why.
    pub(super) fn start(&mut self, core: &mut Core, agent: NodeIx) {
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
        self.run(core, agent, tool, args, is_agreed);
    }

    pub(super) fn run(
        &mut self,
        core: &mut Core,
        agent: NodeIx,
        tool: &PlannedTool,
        args: Value,
        agreed: bool,
    ) {
        let (started, until) = (core.now, core.now.saturating_add(tool.timeout_ms));
        match &tool.run {
            PlannedRun::Host(host_name) => {
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
                    agreed,
                });
            }
            PlannedRun::Dictionary(node, change) => {
                self.change(core, agent, (*node, *change), &args, until);
            }
            PlannedRun::Graph(key) => {
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

    /// Changes a dictionary: in the storage if it lives as long as the thread, else here.
    fn change(
        &mut self,
        core: &mut Core,
        agent: NodeIx,
        (node, change): (NodeIx, DictionaryTool),
        args: &Value,
        until: u64,
    ) {
        let plan = std::rc::Rc::clone(&core.plan);
        let Some(settings) = plan.dictionary(node) else {
            return;
        };
        let op = match change.read(args) {
            Ok(op) => op,
            Err(problem) => return self.done(core, agent, true, vec![Content::text(problem)]),
        };
        let limits = dictionary_limits(settings);
        if settings.scope == Scope::Thread && core.identity.has_thread {
            let request = core.request();
            self.state = State::Changing {
                request,
                started: core.now,
                until,
                node,
                op: op.clone(),
            };
            core.effects.push(Effect::ChangeDictionary {
                request,
                dictionary: core.state_id(node),
                op,
                initial: settings.initial.clone(),
                limits,
            });
            return;
        }
        let applied = op.apply(core.dictionary(node), limits);
        self.changed(core, agent, node, &op, applied);
    }

    /// A dictionary was changed, or could not be.
    pub(super) fn changed(
        &mut self,
        core: &mut Core,
        agent: NodeIx,
        node: NodeIx,
        op: &DictionaryOp,
        result: Result<Map<String, Value>, String>,
    ) {
        let (op, text) = match op {
            DictionaryOp::Set { .. } => ("set", "Kept."),
            DictionaryOp::Delete { .. } => ("delete", "Forgotten."),
            DictionaryOp::Clear {} | DictionaryOp::Replace { .. } => {
                ("clear", "All of it is forgotten.")
            }
        };
        let values = match result {
            Ok(values) => values,
            Err(problem) => return self.done(core, agent, true, vec![Content::text(problem)]),
        };
        let keys = values.len() as u64;
        core.dictionaries
            .insert(core.dictionary_id(node), Value::Object(values));
        core.pulled.clear();
        core.emit(
            Some(agent),
            EventData::AgentMemoryChanged {
                memory: core.state_id(node),
                op: op.to_owned(),
                keys,
            },
        );
        self.done(core, agent, false, vec![Content::text(text)]);
    }

    pub(super) fn question(&self, core: &mut Core, agent: NodeIx, args: Value) -> Interrupt {
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
    pub(super) fn stop(&self, core: &mut Core, reason: &str) {
        match self.state {
            State::Running { request, .. } => core.cancel_call(request, reason),
            // What was asked of the storage is done; nobody waits for its answer any more.
            State::Changing { request, .. } => core.forget_request(request),
            State::Graph { frame, .. } => core.ending_frames.push(frame),
            State::Queued | State::Approval(_) | State::Agreed | State::Done { .. } => {}
        }
    }

    pub(super) fn done(
        &mut self,
        core: &mut Core,
        agent: NodeIx,
        is_error: bool,
        content: Vec<Content>,
    ) {
        let started = match self.state {
            State::Running { started, .. }
            | State::Changing { started, .. }
            | State::Graph { started, .. } => started,
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
pub(super) fn read_output(value: Value) -> (bool, Vec<Content>) {
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
