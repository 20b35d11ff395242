//! Drives one run: feeds it inputs, performs its effects, until it is over.
//!
//! Storage effects run one after another in the order in which the engine gave them, while callbacks
//! and timers go on; so a slow disk never holds up a cancellation. Nothing is borrowed while the
//! driver waits or calls the host.

use crate::{
    host::{Host, HostCall, HostPayload, LocalFuture},
    queue::InputQueue,
    run_store::RunStore,
    runtime::CallKind,
};
use mnemograph_engine::{Effect, Input, Recording, RequestId, Run, RunEvent, RunResult};
use mnemograph_storage::Storage;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Context, Poll};

pub(crate) struct Driver<S, H> {
    pub(crate) host: Rc<H>,
    pub(crate) run: Run,
    pub(crate) run_id: String,
    pub(crate) thread_id: String,
    pub(crate) queue: Rc<InputQueue>,
    pub(crate) store: Rc<RunStore<S>>,
    /// Those that the host has not been told of.
    pub(crate) events: Vec<RunEvent>,
    /// What is recorded of the run, if it is.
    pub(crate) recording: Option<Box<Recording>>,
}

/// What waits for its turn.
enum Operation {
    /// An effect on the storage, or a call behind one.
    Effect(Box<Effect>),
    /// The turn's beginning is to be written now, if it has not been.
    WriteTurn,
}

/// What the driver waits for beside the queue.
#[derive(Default)]
struct Pending {
    operations: VecDeque<Operation>,
    operation: Option<LocalFuture<Option<Input>>>,
    timer: Option<LocalFuture<()>>,
}

impl<S: Storage + 'static, H: Host> Driver<S, H> {
    /// Runs to the end and gives the result, after the last events have been handed to the host.
    pub(crate) async fn drive(mut self) -> RunResult {
        let mut pending = Pending::default();
        loop {
            let result = self.take_inputs(&mut pending);
            if let Some(mut result) = result {
                self.tell();
                result.recording = self.recording;
                return result;
            }
            if !self.store.is_opening() {
                self.tell();
            }
            let (queue, store) = (Rc::clone(&self.queue), Rc::clone(&self.store));
            match poll_fn(|context| pending.poll(&queue, &store, context)).await {
                Ready::Queue => {}
                Ready::Input(input) => self.queue.push(input),
                Ready::Call(effect) => {
                    self.tell();
                    self.call(*effect);
                }
            }
        }
    }

    /// Steps through everything that is there.
    fn take_inputs(&mut self, pending: &mut Pending) -> Option<RunResult> {
        let mut result = None;
        while let Some(input) = self.queue.pop() {
            let now = self.host.now();
            if let Some(recording) = &mut self.recording {
                recording.inputs.push((now, input.clone()));
            }
            for effect in self.run.step(now, input) {
                result = self.perform(effect, pending).or(result);
            }
        }
        result
    }

    /// Hands the events over in one batch. A run that has been told of is one that others can see: until the turn's
    /// beginning is stored, they wait.
    fn tell(&mut self) {
        if !self.events.is_empty() {
            let events = std::mem::take(&mut self.events);
            self.host.events(&self.run_id, events);
        }
    }

    fn perform(&mut self, effect: Effect, pending: &mut Pending) -> Option<RunResult> {
        match effect {
            Effect::Emit(event) => self.events.push(*event),
            Effect::Finish(result) => return Some(*result),
            Effect::WakeAt { at } => {
                let ms = at.saturating_sub(self.host.now());
                pending.timer = Some(self.host.sleep(ms));
            }
            Effect::CancelCall { request, reason } => {
                pending.drop_call(request);
                self.queue.answer_to(request, true);
                self.host.abort(&self.run_id, request, &reason);
            }
            // A call begins when what was to be stored before it is stored: a crash then finds it in the journal.
            Effect::CallModel { .. } | Effect::CallTool { .. } | Effect::CallHost { .. } => {
                self.finish_opening(pending);
                if pending.is_storing() {
                    pending
                        .operations
                        .push_back(Operation::Effect(Box::new(effect)));
                } else {
                    self.call(effect);
                }
            }
            Effect::CommitRound { .. }
            | Effect::WriteTranscript { .. }
            | Effect::WriteVariable { .. }
            | Effect::ChangeDictionary { .. }
            | Effect::ManageMemory { .. }
            | Effect::SaveCheckpoint { .. }
            | Effect::DropCheckpoint {} => {
                self.finish_opening(pending);
                pending
                    .operations
                    .push_back(Operation::Effect(Box::new(effect)));
            }
            Effect::OpenTurn { .. }
            | Effect::ReadThread { .. }
            | Effect::LoadHistory { .. }
            | Effect::WriteJournal { .. } => {
                pending
                    .operations
                    .push_back(Operation::Effect(Box::new(effect)));
            }
        }
        None
    }

    /// The turn's beginning, if no journal row that is on its way takes it along.
    fn finish_opening(&self, pending: &mut Pending) {
        if self.store.is_opening() {
            pending.operations.push_back(Operation::WriteTurn);
        }
    }

    /// Calls the host.
    fn call(&self, effect: Effect) {
        let (kind, call_id, node, name, payload) = match effect {
            Effect::CallModel {
                request,
                node,
                purpose,
                model,
                chat,
            } => {
                let request_payload = HostPayload::Model {
                    request: Box::new(chat),
                    purpose,
                };
                (CallKind::Model, request, node, model, request_payload)
            }
            Effect::CallTool {
                request,
                node,
                tool,
                call_id,
                args,
                agreed,
            } => {
                let payload = HostPayload::Tool {
                    call_id,
                    thread_id: self.thread_id.clone(),
                    args,
                    agreed,
                };
                (CallKind::Tool, request, node, tool, payload)
            }
            Effect::CallHost {
                request,
                node,
                work,
                name,
                payload,
            } => {
                let payload = HostPayload::Work { work, payload };
                (CallKind::Work, request, node, name, payload)
            }
            _ => return,
        };
        self.queue.expect_answer(call_id, kind);
        self.host.call(HostCall {
            run_id: self.run_id.clone(),
            call_id,
            node,
            name,
            payload,
        });
    }
}

/// What the driver has to do next.
enum Ready {
    /// Something is in the queue.
    Queue,
    /// The storage or the timer has an input.
    Input(Input),
    /// What stood before this call is stored.
    Call(Box<Effect>),
}

impl Pending {
    /// True while something is to be stored or read before what comes now.
    fn is_storing(&self) -> bool {
        self.operation.is_some() || !self.operations.is_empty()
    }

    /// Forgets a call that has not begun.
    fn drop_call(&mut self, call: RequestId) {
        self.operations.retain(|operation| match operation {
            Operation::Effect(effect) => match &**effect {
                Effect::CallModel { request, .. }
                | Effect::CallTool { request, .. }
                | Effect::CallHost { request, .. } => *request != call,
                _ => true,
            },
            Operation::WriteTurn => true,
        });
    }

    fn poll<S: Storage + 'static>(
        &mut self,
        queue: &InputQueue,
        store: &Rc<RunStore<S>>,
        context: &mut Context<'_>,
    ) -> Poll<Ready> {
        loop {
            if self.operation.is_none() {
                self.operation = match self.operations.pop_front() {
                    Some(Operation::Effect(effect)) => match *effect {
                        Effect::CallModel { .. }
                        | Effect::CallTool { .. }
                        | Effect::CallHost { .. } => {
                            return Poll::Ready(Ready::Call(effect));
                        }
                        effect => Some(Box::pin(Rc::clone(store).perform(effect))),
                    },
                    Some(Operation::WriteTurn) => Some(Box::pin(Rc::clone(store).write_turn())),
                    None => None,
                };
            }
            let Some(operation) = &mut self.operation else {
                break;
            };
            match operation.as_mut().poll(context) {
                Poll::Pending => break,
                Poll::Ready(input) => {
                    self.operation = None;
                    if let Some(input) = input {
                        return Poll::Ready(Ready::Input(input));
                    }
                }
            }
        }
        if let Some(timer) = &mut self.timer
            && timer.as_mut().poll(context).is_ready()
        {
            self.timer = None;
            return Poll::Ready(Ready::Input(Input::Timer));
        }
        if queue.is_ready(context) {
            Poll::Ready(Ready::Queue)
        } else {
            Poll::Pending
        }
    }
}
