//! What every node of a run may use: identity, clock of this step, ids, events, warnings, frames.

use crate::{
    effect::{Effect, RequestId, RunIdentity, RunInput},
    error::RunError,
    event::{Channel, EventData, Origin, RunEvent},
    frame::{Finished, Frame, FrameId, FrameKind, ROOT, TaskId},
    plan::Plan,
    pull::Pulled,
    result::RunWarning,
    shown::ShownState,
};
use mnemograph_compact::{FromJson, SortedMap};
use mnemograph_graph::NodeIx;
use mnemograph_memory::{Message, Part, Role, Usage};
use serde::Serialize;
use serde_json::{Map, Value};
use std::rc::Rc;

/// The state of a run that its nodes share. Everything but the plans and the step's effects is kept.
#[derive(Debug, Serialize, FromJson)]
pub(crate) struct Core {
    /// The plan of the graph itself.
    #[serde(skip)]
    pub(crate) root: Rc<Plan>,
    /// The plan of the graph or sub-graph that the present frame is in.
    #[serde(skip)]
    pub(crate) plan: Rc<Plan>,
    #[serde(skip)]
    pub(crate) effects: Vec<Effect>,
    /// Values of pull nodes, as long as nothing changes.
    #[serde(skip)]
    pub(crate) pulled: Pulled,
    /// Names that hold while one setting is evaluated: `item`, `index`, `inputs`, `loop_index`.
    #[serde(skip)]
    pub(crate) locals: Map<String, Value>,
    /// Frames that were made in this step and have not begun.
    #[serde(skip)]
    pub(crate) spawned: Vec<FrameId>,
    /// Frames that a step wants to end.
    #[serde(skip)]
    pub(crate) ending_frames: Vec<FrameId>,
    /// Nobody follows the run: events of steps are counted, not told.
    #[serde(skip)]
    pub(crate) brief: bool,
    /// What all events have in common.
    #[serde(skip)]
    origin: Rc<Origin>,
    /// Told once the checkpoint is stored.
    #[serde(skip)]
    pub(crate) waiting_events: Vec<RunEvent>,
    /// The frame of what is being executed.
    #[serde(skip)]
    pub(crate) frame: FrameId,
    /// What is being executed.
    #[serde(skip)]
    pub(crate) task: TaskId,
    /// Nothing that began earlier can still show or store something.
    #[serde(skip)]
    pub(crate) may_commit: bool,
    /// Time of the present input, milliseconds since the epoch.
    pub(crate) now: u64,
    pub(crate) identity: RunIdentity,
    pub(crate) input: RunInput,
    pub(crate) started_at: u64,
    pub(crate) shown: ShownState,
    pub(crate) outputs: Map<String, Value>,
    pub(crate) messages: Vec<Message>,
    pub(crate) usage: Usage,
    pub(crate) warnings: Vec<RunWarning>,
    pub(crate) trigger_message: Option<Message>,
    pub(crate) frames: SortedMap<FrameId, Frame>,
    /// Variables that were written in this run, by state id.
    pub(crate) session_variables: Map<String, Value>,
    /// Thread variables as stored, by state id.
    pub(crate) thread_variables: Map<String, Value>,
    /// Dictionaries of agents as they are now, by state id; absent ones are as they begin.
    #[serde(default)]
    pub(crate) dictionaries: Map<String, Value>,
    /// What memories held when they were last read whole, by state id.
    #[serde(default)]
    pub(crate) snapshots: Map<String, Value>,
    /// What memories were overwritten with, by state id: the same value is applied once (3-memory.md D28).
    #[serde(default)]
    pub(crate) overwritten: Map<String, Value>,
    /// What the channel showed before this run, newest last.
    pub(crate) earlier: Vec<Message>,
    /// An error was handled.
    pub(crate) handled: bool,
    /// Passes of loops so far.
    passes: u64,
    next_interrupt: u64,
    /// Who waits for which answer.
    requests: SortedMap<RequestId, TaskId>,
    seq: u64,
    next_request: RequestId,
    next_message: u64,
    next_frame: FrameId,
}

fn origin(plan: &Plan, identity: &RunIdentity) -> Rc<Origin> {
    Rc::new(Origin {
        run_id: identity.run_id.clone(),
        thread_id: identity.thread_id.clone(),
        graph_id: plan.graph.id.clone(),
    })
}

impl Core {
    pub(crate) fn new(plan: Rc<Plan>, identity: RunIdentity) -> Self {
        let mut frames = SortedMap::new();
        frames.insert(ROOT, Frame::new(FrameKind::Root));
        Self {
            root: Rc::clone(&plan),
            origin: origin(&plan, &identity),
            brief: false,
            plan,
            effects: Vec::new(),
            pulled: Pulled::default(),
            locals: Map::new(),
            spawned: Vec::new(),
            ending_frames: Vec::new(),
            waiting_events: Vec::new(),
            frame: ROOT,
            task: 0,
            may_commit: true,
            now: 0,
            identity,
            input: RunInput::default(),
            started_at: 0,
            shown: ShownState::default(),
            outputs: Map::new(),
            messages: Vec::new(),
            usage: Usage::default(),
            warnings: Vec::new(),
            trigger_message: None,
            frames,
            session_variables: Map::new(),
            thread_variables: Map::new(),
            dictionaries: Map::new(),
            snapshots: Map::new(),
            overwritten: Map::new(),
            earlier: Vec::new(),
            handled: false,
            passes: 0,
            next_interrupt: 1,
            requests: SortedMap::new(),
            seq: 0,
            next_request: 1,
            next_message: 1,
            next_frame: ROOT + 1,
        }
    }

    /// From now on this is being executed: names, ids and events are those of its frame.
    pub(crate) fn focus(&mut self, frame: FrameId, task: TaskId) {
        self.task = task;
        self.move_to(frame);
    }

    fn move_to(&mut self, frame: FrameId) {
        self.frame = frame;
        let graph = self
            .frames
            .get(&frame)
            .and_then(|frame| frame.graph.as_ref());
        let plan = match graph {
            None => Some(&self.root),
            Some(key) => self.root.graphs.get(key),
        };
        if let Some(plan) = plan
            && !Rc::ptr_eq(plan, &self.plan)
        {
            self.plan = Rc::clone(plan);
        }
    }

    /// Does something as if it happened in another frame.
    pub(crate) fn within<T>(&mut self, frame: FrameId, work: impl FnOnce(&mut Self) -> T) -> T {
        let here = self.frame;
        self.move_to(frame);
        let done = work(self);
        self.move_to(here);
        done
    }

    /// The plans of a run that was put away.
    pub(crate) fn set_plan(&mut self, plan: Rc<Plan>) {
        self.origin = origin(&plan, &self.identity);
        self.root = Rc::clone(&plan);
        self.plan = plan;
        self.may_commit = true;
    }

    /// A new frame inside the present one, which belongs to what is being executed. It begins after this step.
    pub(crate) fn spawn(
        &mut self,
        kind: FrameKind,
        graph: Option<String>,
        name: String,
    ) -> FrameId {
        let id = self.next_frame;
        self.next_frame += 1;
        let mut frame = Frame::new(kind);
        let around = self.frames.get(&self.frame);
        frame.path = around
            .map(|around| around.path.with(name))
            .unwrap_or_default();
        frame.graph = graph.or_else(|| around.and_then(|around| around.graph.clone()));
        frame.parent = Some(self.frame);
        frame.owner = Some(self.task);
        self.frames.insert(id, frame);
        self.spawned.push(id);
        id
    }

    /// Counts a pass of a loop.
    ///
    /// # Errors
    /// `E_LOOP_LIMIT` beyond what the graph allows in all.
    pub(crate) fn count_pass(&mut self) -> Result<(), RunError> {
        self.passes += 1;
        let most = self.root.graph.limits.loop_passes;
        if self.passes <= most {
            return Ok(());
        }
        Err(RunError::new(
            "E_LOOP_LIMIT",
            format!("The loops of the run made more than {most} passes."),
        )
        .hint("Raise limits.loop_passes of the graph."))
    }

    /// A pass is over: what its steps left can still be read as that of the last finished pass.
    pub(crate) fn keep_pass(&mut self, container: NodeIx, frame: FrameId) {
        self.pulled.clear();
        let Some(over) = self.frames.remove(&frame) else {
            return;
        };
        let kept = Finished {
            values: over.values,
            passes: over.passes,
        };
        if let Some(around) = self.frames.get_mut(&self.frame) {
            around.passes.insert(container, kept);
        }
    }

    /// An id for a question to a person.
    pub(crate) fn interrupt_id(&mut self) -> String {
        let id = format!("int_{}_{}", self.identity.run_id, self.next_interrupt);
        self.next_interrupt += 1;
        id
    }

    /// Id of a node for people.
    pub(crate) fn node_id(&self, node: NodeIx) -> String {
        self.plan
            .graph
            .node(node)
            .map(|node| node.id.clone())
            .unwrap_or_default()
    }

    /// Id under which a node's state is kept.
    pub(crate) fn state_id(&self, node: NodeIx) -> String {
        self.state_key(&self.node_id(node))
    }

    /// The state id of a node of the present graph: with the sub-graph's key before it (0-rulings.md 0.2).
    pub(crate) fn state_key(&self, id: &str) -> String {
        let graph = self.frames.get(&self.frame);
        match graph.and_then(|frame| frame.graph.as_ref()) {
            Some(graph) => format!("{graph}.{id}"),
            None => id.to_owned(),
        }
    }

    /// Containers and sub-graphs around what is being executed.
    pub(crate) fn path(&self) -> Rc<[String]> {
        let frame = self.frames.get(&self.frame);
        frame
            .map(|frame| Rc::clone(&frame.path.0))
            .unwrap_or_default()
    }

    /// An event with its number. It must be pushed in the order of the numbers.
    pub(crate) fn event(&mut self, node: Option<NodeIx>, data: EventData) -> RunEvent {
        self.seq += 1;
        RunEvent {
            seq: self.seq,
            t: self.now,
            origin: Rc::clone(&self.origin),
            path: self.path(),
            node: node.map(|node| self.node_id(node)),
            data,
        }
    }

    /// As [`Core::emit`] for what happens at every step, which is made only if somebody follows the run.
    pub(crate) fn emit_step(&mut self, make: impl FnOnce(&Self) -> EventData) {
        if self.brief {
            self.seq += 1;
        } else {
            let data = make(self);
            self.emit(None, data);
        }
    }

    pub(crate) fn emit(&mut self, node: Option<NodeIx>, data: EventData) {
        if self.brief && data.is_step() {
            self.seq += 1;
            return;
        }
        let event = self.event(node, data);
        self.effects.push(Effect::Emit(Box::new(event)));
    }

    pub(crate) fn warn(&mut self, node: Option<NodeIx>, code: &str, message: &str, hint: &str) {
        self.warnings.push(RunWarning {
            code: code.to_owned(),
            node: node.map(|node| self.node_id(node)),
            message: message.to_owned(),
            hint: hint.to_owned(),
        });
        self.emit(
            node,
            EventData::Warning {
                code: code.to_owned(),
                message: message.to_owned(),
                hint: hint.to_owned(),
            },
        );
    }

    /// Tells a piece of text.
    pub(crate) fn emit_text(&mut self, node: NodeIx, channel: Channel, text: String) {
        if !text.is_empty() {
            self.emit(Some(node), EventData::Token { channel, text });
        }
    }

    /// A new request whose answer goes to what is being executed.
    pub(crate) fn request(&mut self) -> RequestId {
        let request = self.own_request();
        self.requests.insert(request, self.task);
        request
    }

    /// A request whose answer goes to the run itself.
    pub(crate) fn own_request(&mut self) -> RequestId {
        let request = self.next_request;
        self.next_request += 1;
        request
    }

    /// Who waits for this answer. The answer to a stream's piece leaves the request open.
    pub(crate) fn waiter(&self, request: RequestId) -> Option<TaskId> {
        self.requests.get(&request).copied()
    }

    /// The request is answered, or nobody wants the answer any more.
    pub(crate) fn forget_request(&mut self, request: RequestId) {
        self.requests.remove(&request);
    }

    /// Ends a call that runs outside.
    pub(crate) fn cancel_call(&mut self, request: RequestId, reason: &str) {
        self.forget_request(request);
        self.effects.push(Effect::CancelCall {
            request,
            reason: reason.to_owned(),
        });
    }

    /// A new message of this run. Ids are made of the run's id, so the same inputs give the same ids.
    pub(crate) fn message(&mut self, role: Role, parts: Vec<Part>) -> Message {
        let id = format!("msg_{}_{}", self.identity.run_id, self.next_message);
        self.next_message += 1;
        Message::new(id, role, parts, self.now)
    }

    /// A question to the person, or their answer, as the channel shows it.
    pub(crate) fn show(&mut self, role: Role, text: String) {
        let message = self.message(role, vec![Part::text(text)]);
        self.shown.add_reply(message);
    }

    /// The named results of the innermost sub-graph, or of the run.
    pub(crate) fn set_output(&mut self, name: String, value: Value) {
        let mut at = Some(self.frame);
        while let Some(id) = at {
            match self.frames.get_mut(&id) {
                Some(Frame {
                    kind: FrameKind::Graph { outputs, .. },
                    ..
                }) => {
                    outputs.insert(name, value);
                    return;
                }
                Some(frame) => at = frame.parent,
                None => break,
            }
        }
        self.outputs.insert(name, value);
    }
}
