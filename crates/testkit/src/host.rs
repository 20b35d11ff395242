//! A host without a browser: a fake clock, scripted callbacks, everything recorded.

use mnemograph_engine::{ChatRequest, Failure, RequestId, RunEvent, RunResult};
use mnemograph_runtime::{Delivery, Host, HostCall, HostPayload, LocalFuture, Notice};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

/// What a scripted callback does.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// Answers this value.
    Value(Value),
    /// Streams these pieces, then ends.
    Stream(Vec<Value>),
    /// Streams these pieces, then never ends.
    StreamThenHang(Vec<Value>),
    /// Fails.
    Fail(Failure),
    /// Asks for a person's consent; if that is there, answers this value.
    Ask(Value),
    /// Never answers.
    Hang,
    /// Answers text that may be no JSON at all.
    Raw(String),
    /// Answers twice.
    Twice(Value, Value),
}

impl Answer {
    /// A plain text.
    #[must_use]
    pub fn text(text: &str) -> Self {
        Self::Value(Value::from(text))
    }

    /// One call of a tool.
    #[must_use]
    pub fn tool_call(call_id: &str, name: &str, args: Value) -> Self {
        Self::Value(
            serde_json::json!({"tool_calls": [{"call_id": call_id, "name": name, "args": args}]}),
        )
    }
}

type Script = Box<dyn FnMut(&HostCall) -> Answer>;

/// The state of the host, shared between the runtime and the test.
#[derive(Default)]
pub struct HostState {
    now: Cell<u64>,
    scripts: RefCell<BTreeMap<String, Script>>,
    outbox: RefCell<VecDeque<(String, RequestId, Delivery)>>,
    sleeps: RefCell<Vec<u64>>,
    /// Every call that was made.
    pub calls: RefCell<Vec<HostCall>>,
    /// What happened beside the runs.
    pub notices: RefCell<Vec<Notice>>,
    tasks: RefCell<Vec<LocalFuture<()>>>,
    /// Every call that was aborted, with the reason.
    pub aborts: RefCell<Vec<(RequestId, String)>>,
    /// Every event, in order.
    pub events: RefCell<Vec<RunEvent>>,
    /// Every result.
    pub results: RefCell<Vec<RunResult>>,
}

/// A handle on [`HostState`].
#[derive(Clone, Default)]
pub struct ScriptedHost(pub Rc<HostState>);

impl ScriptedHost {
    /// A host whose clock stands at one second.
    #[must_use]
    pub fn new() -> Self {
        let host = Self::default();
        host.0.now.set(1_000);
        host
    }

    /// Scripts a model or a tool by name: called with each call, in order.
    pub fn script(&self, name: &str, script: impl FnMut(&HostCall) -> Answer + 'static) {
        self.0
            .scripts
            .borrow_mut()
            .insert(name.to_owned(), Box::new(script));
    }

    /// Scripts the answers of a model or a tool in order; the last one is repeated.
    pub fn answers(&self, name: &str, answers: impl IntoIterator<Item = Answer>) {
        let mut answers: VecDeque<_> = answers.into_iter().collect();
        self.script(name, move |_| {
            if answers.len() > 1 {
                answers.pop_front()
            } else {
                answers.front().cloned()
            }
            .unwrap_or(Answer::Hang)
        });
    }

    /// The requests that models were sent.
    #[must_use]
    pub fn requests(&self) -> Vec<ChatRequest> {
        let calls = self.0.calls.borrow();
        calls
            .iter()
            .filter_map(|call| match &call.payload {
                HostPayload::Model { request, .. } => Some((**request).clone()),
                HostPayload::Tool { .. } | HostPayload::Work { .. } => None,
            })
            .collect()
    }

    /// The types of all events so far, in order.
    #[must_use]
    pub fn event_types(&self) -> Vec<&'static str> {
        self.0
            .events
            .borrow()
            .iter()
            .map(|event| event.data.type_name())
            .collect()
    }

    /// The next answer to bring to the runtime.
    #[must_use]
    pub fn next_delivery(&self) -> Option<(String, RequestId, Delivery)> {
        self.0.outbox.borrow_mut().pop_front()
    }

    /// The work beside the runs that was begun since the last call.
    #[must_use]
    pub fn take_tasks(&self) -> Vec<LocalFuture<()>> {
        std::mem::take(&mut *self.0.tasks.borrow_mut())
    }

    /// Adds an answer, as a callback that answers late or twice does.
    pub fn push_delivery(&self, run_id: &str, call_id: RequestId, delivery: Delivery) {
        self.0
            .outbox
            .borrow_mut()
            .push_back((run_id.to_owned(), call_id, delivery));
    }

    /// Moves the clock to the next time that somebody sleeps for. False if nobody does.
    #[must_use]
    pub fn advance(&self) -> bool {
        let now = self.0.now.get();
        let mut sleeps = self.0.sleeps.borrow_mut();
        sleeps.retain(|at| *at > now);
        let next = sleeps.iter().min().copied();
        if let Some(at) = next {
            self.0.now.set(at);
        }
        next.is_some()
    }

    /// Moves the clock.
    pub fn advance_by(&self, ms: u64) {
        self.0.now.set(self.0.now.get() + ms);
    }
}

impl Host for ScriptedHost {
    fn now(&self) -> u64 {
        self.0.now.get()
    }

    fn call(&self, call: HostCall) {
        self.0.calls.borrow_mut().push(call.clone());
        let script = self.0.scripts.borrow_mut().remove(&call.name);
        let Some(mut script) = script else {
            let failure =
                Failure::new("E_TEST", format!("nothing is scripted for '{}'", call.name));
            return self.push_delivery(&call.run_id, call.call_id, Delivery::Error(failure));
        };
        let answer = script(&call);
        self.0
            .scripts
            .borrow_mut()
            .insert(call.name.clone(), script);
        let push = |delivery| self.push_delivery(&call.run_id, call.call_id, delivery);
        match answer {
            Answer::Value(value) => push(Delivery::Done(value.to_string())),
            Answer::Raw(text) => push(Delivery::Done(text)),
            Answer::Ask(value) => match call.payload {
                HostPayload::Tool { agreed: true, .. } => push(Delivery::Done(value.to_string())),
                _ => push(Delivery::Ask),
            },
            Answer::Fail(failure) => push(Delivery::Error(failure)),
            Answer::Hang => {}
            Answer::Twice(first, second) => {
                push(Delivery::Done(first.to_string()));
                push(Delivery::Done(second.to_string()));
            }
            Answer::Stream(pieces) => {
                pieces
                    .iter()
                    .for_each(|piece| push(Delivery::Delta(piece.to_string())));
                push(Delivery::Done("null".to_owned()));
            }
            Answer::StreamThenHang(pieces) => {
                pieces
                    .iter()
                    .for_each(|piece| push(Delivery::Delta(piece.to_string())));
            }
        }
    }

    fn abort(&self, _run_id: &str, call_id: RequestId, reason: &str) {
        self.0
            .aborts
            .borrow_mut()
            .push((call_id, reason.to_owned()));
    }

    fn events(&self, _run_id: &str, batch: Vec<RunEvent>) {
        self.0.events.borrow_mut().extend(batch);
    }

    fn finished(&self, _run_id: &str, result: RunResult) {
        self.0.results.borrow_mut().push(result);
    }

    fn notice(&self, notice: Notice) {
        self.0.notices.borrow_mut().push(notice);
    }

    fn spawn(&self, task: LocalFuture<()>) {
        self.0.tasks.borrow_mut().push(task);
    }

    fn sleep(&self, ms: u64) -> LocalFuture<()> {
        let state = Rc::clone(&self.0);
        let until = state.now.get().saturating_add(ms);
        state.sleeps.borrow_mut().push(until);
        Box::pin(poll_fn(move |_| {
            if state.now.get() >= until {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        }))
    }
}
