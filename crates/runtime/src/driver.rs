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
use mnemograph_engine::{Effect, Input, Run, RunEvent, RunResult};
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
}

/// What the driver waits for beside the queue.
#[derive(Default)]
struct Pending {
    operations: VecDeque<Effect>,
    operation: Option<LocalFuture<Option<Input>>>,
    timer: Option<LocalFuture<()>>,
}

impl<S: Storage + 'static, H: Host> Driver<S, H> {
    /// Runs to the end and gives the result, after the last events have been handed to the host.
    pub(crate) async fn drive(mut self) -> RunResult {
        let mut pending = Pending::default();
        loop {
            let result = self.take_inputs(&mut pending);
            if let Some(result) = result {
                return result;
            }
            let (queue, store) = (Rc::clone(&self.queue), Rc::clone(&self.store));
            let input = poll_fn(|context| pending.poll(&queue, &store, context)).await;
            if let Some(input) = input {
                self.queue.push(input);
            }
        }
    }

    /// Steps through everything that is there, then hands the events over in one batch.
    fn take_inputs(&mut self, pending: &mut Pending) -> Option<RunResult> {
        let mut events = Vec::new();
        let mut result = None;
        while let Some(input) = self.queue.pop() {
            for effect in self.run.step(self.host.now(), input) {
                result = self.perform(effect, pending, &mut events).or(result);
            }
        }
        if !events.is_empty() {
            self.host.events(&self.run_id, events);
        }
        result
    }

    fn perform(
        &self,
        effect: Effect,
        pending: &mut Pending,
        events: &mut Vec<RunEvent>,
    ) -> Option<RunResult> {
        match effect {
            Effect::Emit(event) => events.push(*event),
            Effect::Finish(result) => return Some(*result),
            Effect::WakeAt { at } => {
                let ms = at.saturating_sub(self.host.now());
                pending.timer = Some(self.host.sleep(ms));
            }
            Effect::CancelCall { request, reason } => {
                self.queue.answer_to(request, true);
                self.host.abort(&self.run_id, request, &reason);
            }
            Effect::CallModel {
                request,
                node,
                purpose,
                model,
                chat,
            } => self.call(
                CallKind::Model,
                HostCall {
                    run_id: self.run_id.clone(),
                    call_id: request,
                    node,
                    name: model,
                    payload: HostPayload::Model {
                        request: Box::new(chat),
                        purpose,
                    },
                },
            ),
            Effect::CallTool {
                request,
                node,
                tool,
                call_id,
                args,
            } => self.call(
                CallKind::Tool,
                HostCall {
                    run_id: self.run_id.clone(),
                    call_id: request,
                    node,
                    name: tool,
                    payload: HostPayload::Tool {
                        call_id,
                        thread_id: self.thread_id.clone(),
                        args,
                    },
                },
            ),
            Effect::OpenTurn { .. }
            | Effect::LoadHistory { .. }
            | Effect::WriteJournal { .. }
            | Effect::CommitRound { .. }
            | Effect::WriteTranscript { .. } => pending.operations.push_back(effect),
        }
        None
    }

    fn call(&self, kind: CallKind, call: HostCall) {
        self.queue.expect_answer(call.call_id, kind);
        self.host.call(call);
    }
}

impl Pending {
    /// Ready when an input is at hand: from the queue (`None`), the storage, or the timer.
    fn poll<S: Storage + 'static>(
        &mut self,
        queue: &InputQueue,
        store: &Rc<RunStore<S>>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Input>> {
        loop {
            if self.operation.is_none() {
                let next = self.operations.pop_front();
                self.operation = next
                    .map(|effect| -> LocalFuture<_> { Box::pin(Rc::clone(store).perform(effect)) });
            }
            let Some(operation) = &mut self.operation else {
                break;
            };
            match operation.as_mut().poll(context) {
                Poll::Pending => break,
                Poll::Ready(input) => {
                    self.operation = None;
                    if input.is_some() {
                        return Poll::Ready(input);
                    }
                }
            }
        }
        if let Some(timer) = &mut self.timer
            && timer.as_mut().poll(context).is_ready()
        {
            self.timer = None;
            return Poll::Ready(Some(Input::Timer));
        }
        if queue.is_ready(context) {
            Poll::Ready(None)
        } else {
            Poll::Pending
        }
    }
}
