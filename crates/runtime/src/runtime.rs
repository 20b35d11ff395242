//! The runtime: starts runs, brings answers to them, ends with `close`.

use crate::{
    driver::Driver,
    error::RuntimeError,
    host::{Host, LocalFuture},
    queue::InputQueue,
    read_ahead::ReadAhead,
    run_store::{Place, RunStore},
    summaries::Jobs,
};
use mnemograph_compact::{FromJson, SortedMap};
use mnemograph_engine::{
    ChatChunk, Failure, Input, Plan, Recording, RequestId, Run, RunIdentity, RunInput,
};
use mnemograph_memory::MAX_ID;
use mnemograph_storage::{MemoryStorage, Storage};
use serde_json::Value;
use std::cell::{Cell, RefCell};
use std::future::poll_fn;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// Where and for whom a run is started.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StartOptions {
    /// Id of the run, unique for all time.
    pub run_id: String,
    /// The conversation; absent: nothing outlives the run.
    pub thread: Option<String>,
    /// The person; absent: `default`.
    pub actor: Option<String>,
    /// True if nobody else, in this page or another, can be running this thread.
    pub is_locked: bool,
    /// Keep its inputs, for [`mnemograph_engine::replay`].
    pub record: bool,
    /// Nobody follows it step by step: see [`Run::be_brief`]. A recorded run is told whole.
    pub brief: bool,
    /// What the run begins with.
    pub input: RunInput,
}

/// A run that has been started. Its future must be polled by the caller.
pub struct Started {
    /// Id of the run.
    pub run_id: String,
    /// Its thread: the run's id where none was given.
    pub thread_id: String,
    /// Drives the run to its end.
    pub future: LocalFuture<()>,
}

/// An answer of the host.
#[derive(Debug, Clone, PartialEq)]
pub enum Delivery {
    /// A piece of a model's answer, as JSON text.
    Delta(String),
    /// The whole answer, as JSON text; `null` where the pieces were the answer.
    Done(String),
    /// It failed.
    Error(Failure),
    /// A tool is not called before a person has agreed.
    Ask,
}

/// All runs on one storage for one namespace. Clones share it.
pub struct Runtime<S, H> {
    pub(crate) inner: Rc<Inner<S, H>>,
}

pub(crate) struct Inner<S, H> {
    pub(crate) storage: Rc<S>,
    pub(crate) namespace: String,
    pub(crate) host: Rc<H>,
    runs: Runs,
    pub(crate) jobs: Jobs,
    closed: Cell<bool>,
}

/// The runs that go on.
#[derive(Default)]
struct Runs {
    live: Rc<RefCell<SortedMap<String, LiveRun>>>,
    idle: Rc<RefCell<Vec<Waker>>>,
    late: Cell<u64>,
}

struct LiveRun {
    queue: Rc<InputQueue>,
    session: MemoryStorage,
    graph: String,
}

impl<S, H> Clone for Runtime<S, H> {
    fn clone(&self) -> Self {
        Self {
            inner: Rc::clone(&self.inner),
        }
    }
}

impl<S: Storage + 'static, H: Host + 'static> Runtime<S, H> {
    /// A runtime on a storage.
    ///
    /// # Errors
    /// `E_BAD_ID` for a namespace that is no id.
    pub fn new(storage: S, host: H, namespace: &str) -> Result<Self, RuntimeError> {
        check_id("The namespace", namespace)?;
        Ok(Self {
            inner: Rc::new(Inner {
                storage: Rc::new(storage),
                namespace: namespace.to_owned(),
                host: Rc::new(host),
                runs: Runs::default(),
                jobs: Jobs::default(),
                closed: Cell::new(false),
            }),
        })
    }

    /// The storage.
    #[must_use]
    pub fn storage(&self) -> &S {
        &self.inner.storage
    }

    /// Starts a run. Nothing happens before the returned future is polled.
    ///
    /// # Errors
    /// `E_CLOSED`; `E_BAD_ID` for ids that cannot be used.
    pub fn start(&self, plan: Rc<Plan>, options: StartOptions) -> Result<Started, RuntimeError> {
        self.check_open()?;
        check_id("The run id", &options.run_id)?;
        let actor = options.actor.unwrap_or_else(|| "default".to_owned());
        check_id("The actor", &actor)?;
        if let Some(thread) = &options.thread {
            check_id("The thread", thread)?;
        }
        let run_id = options.run_id;
        let has_thread = options.thread.is_some();
        let thread_id = options.thread.unwrap_or_else(|| run_id.clone());
        let identity = RunIdentity {
            run_id: run_id.clone(),
            thread_id: thread_id.clone(),
            has_thread,
        };
        let place = Place {
            namespace: self.inner.namespace.clone(),
            graph: plan.graph.id.clone(),
            thread: thread_id,
            actor,
            run_id,
            is_locked: options.is_locked,
            only_history: plan.only_history(),
        };
        let (store, queue) = self.place_run(place)?;
        queue.push(Input::Start(Box::new(options.input)));
        let recording = options
            .record
            .then(|| Box::new(Recording::new(&plan, identity.clone())));
        let mut run = Run::new(plan, identity);
        if options.brief && recording.is_none() {
            run.be_brief();
        }
        Ok(self.drive(run, store, queue, recording))
    }

    /// Puts a run on the list of those that go on.
    ///
    /// # Errors
    /// `E_BAD_ID` for one that is on it.
    pub(crate) fn place_run(
        &self,
        place: Place,
    ) -> Result<(Rc<RunStore<S>>, Rc<InputQueue>), RuntimeError> {
        let run_id = place.run_id.clone();
        let mut runs = self.inner.runs.live.borrow_mut();
        if runs.contains_key(&run_id) {
            return Err(RuntimeError::DuplicateRun { run_id });
        }
        let queue = Rc::new(InputQueue::default());
        let session = MemoryStorage::new();
        let live = LiveRun {
            queue: Rc::clone(&queue),
            session: session.clone(),
            graph: place.graph.clone(),
        };
        runs.insert(run_id, live);
        drop(runs);
        let storage = Rc::clone(&self.inner.storage);
        let jobs = Rc::new(self.clone());
        let store = RunStore::new(storage, session, place, self.liveness(), self.clock(), jobs);
        Ok((Rc::new(store), queue))
    }

    /// Drives a run that is on the list to its end.
    pub(crate) fn drive(
        &self,
        run: Run,
        store: Rc<RunStore<S>>,
        queue: Rc<InputQueue>,
        recording: Option<Box<Recording>>,
    ) -> Started {
        let (run_id, thread_id) = (store.place.run_id.clone(), store.place.thread.clone());
        let driver = Driver {
            host: Rc::clone(&self.inner.host),
            run,
            run_id: run_id.clone(),
            thread_id: thread_id.clone(),
            queue,
            store,
            events: Vec::new(),
            recording,
        };
        let (host, id, runs) = (
            Rc::clone(&self.inner.host),
            run_id.clone(),
            self.inner.runs.guard(&run_id),
        );
        let future = Box::pin(async move {
            let result = driver.drive().await;
            drop(runs);
            host.finished(&id, result);
        });
        Started {
            run_id,
            thread_id,
            future,
        }
    }

    /// Brings an answer of the host to its run. An answer that nobody waits for (late, second, unknown) is
    /// counted and dropped.
    pub fn deliver(&self, run_id: &str, call_id: RequestId, delivery: Delivery) {
        let queue = self
            .inner
            .runs
            .live
            .borrow()
            .get(run_id)
            .map(|run| Rc::clone(&run.queue))
            .or_else(|| self.inner.jobs.queue(run_id));
        let is_last = !matches!(delivery, Delivery::Delta(_));
        let awaited = queue.and_then(|queue| Some((queue.answer_to(call_id, is_last)?, queue)));
        let Some((kind, queue)) = awaited else {
            return self.inner.runs.late.set(self.inner.runs.late.get() + 1);
        };
        let input = read_delivery(call_id, kind, delivery);
        if !is_last && matches!(input, Input::ModelDone { .. }) {
            queue.answer_to(call_id, true);
            self.inner
                .host
                .abort(run_id, call_id, "its stream cannot be read");
        }
        queue.push(input);
    }

    /// Asks a run to stop. A run that is over is left alone.
    pub fn cancel(&self, run_id: &str, reason: &str) {
        let queue = self
            .inner
            .runs
            .live
            .borrow()
            .get(run_id)
            .map(|run| Rc::clone(&run.queue));
        if let Some(queue) = queue {
            queue.push(Input::Cancel {
                reason: reason.to_owned(),
            });
        }
    }

    /// How many answers came that nobody waited for.
    #[must_use]
    pub fn late_answers(&self) -> u64 {
        self.inner.runs.late.get()
    }

    /// Cancels all runs and resolves when the last has ended, and the notes that were being made are made or given up.
    /// Safe to call twice.
    pub async fn close(&self) {
        self.inner.closed.set(true);
        self.tell_all(|| Input::Cancel {
            reason: "the runtime was closed".to_owned(),
        });
        let (live, idle) = (
            Rc::clone(&self.inner.runs.live),
            Rc::clone(&self.inner.runs.idle),
        );
        poll_fn(move |context| {
            if live.borrow().is_empty() {
                return Poll::Ready(());
            }
            idle.borrow_mut().push(context.waker().clone());
            Poll::Pending
        })
        .await;
        self.end_summaries().await;
    }

    /// Notes the open rounds of all runs as they are now: the page may be frozen, or gone, at any moment.
    pub fn suspend(&self) {
        self.tell_all(|| Input::Suspend);
    }

    fn tell_all(&self, input: impl Fn() -> Input) {
        let live = self.inner.runs.live.borrow();
        let queues: Vec<_> = live.values().map(|run| Rc::clone(&run.queue)).collect();
        drop(live);
        for queue in queues {
            queue.push(input());
        }
    }

    /// # Errors
    /// `E_CLOSED`.
    pub(crate) fn check_open(&self) -> Result<(), RuntimeError> {
        if self.inner.closed.get() {
            Err(RuntimeError::Closed)
        } else {
            Ok(())
        }
    }

    pub(crate) fn now(&self) -> u64 {
        self.inner.host.now()
    }

    /// The storage as this crate works on it.
    pub(crate) fn store(&self) -> ReadAhead<S> {
        ReadAhead::new(Rc::clone(&self.inner.storage))
    }

    /// The in-memory storage of a run of this graph that goes on.
    pub(crate) fn session_of(&self, run_id: &str, graph: &str) -> Option<ReadAhead<S>> {
        let live = self.inner.runs.live.borrow();
        live.get(run_id)
            .filter(|run| run.graph == graph)
            .map(|run| ReadAhead::session(run.session.clone()))
    }

    /// Tells whether a run goes on.
    pub(crate) fn liveness(&self) -> Rc<dyn Fn(&str) -> bool> {
        let live = Rc::clone(&self.inner.runs.live);
        Rc::new(move |run_id| live.borrow().contains_key(run_id))
    }

    fn clock(&self) -> Rc<dyn Fn() -> u64> {
        let host = Rc::clone(&self.inner.host);
        Rc::new(move || host.now())
    }
}

/// What kind of callback an answer belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallKind {
    Model,
    Tool,
    Work,
}

fn read_delivery(request: RequestId, kind: CallKind, delivery: Delivery) -> Input {
    match (kind, delivery) {
        (CallKind::Model, Delivery::Delta(text)) => match read_chunk(&text) {
            Ok(chunk) => Input::ModelDelta { request, chunk },
            Err(failure) => Input::ModelDone {
                request,
                result: Err(failure),
            },
        },
        (CallKind::Model, Delivery::Done(text)) => Input::ModelDone {
            request,
            result: read_json(&text, "E_LLM_RESPONSE"),
        },
        (CallKind::Model, Delivery::Error(failure)) => Input::ModelDone {
            request,
            result: Err(failure),
        },
        (CallKind::Tool, Delivery::Done(text) | Delivery::Delta(text)) => Input::ToolDone {
            request,
            result: read_json(&text, "E_TOOL"),
        },
        (CallKind::Tool, Delivery::Error(failure)) => Input::ToolDone {
            request,
            result: Err(failure),
        },
        (CallKind::Tool, Delivery::Ask) => Input::ToolAsks { request },
        // No more can come of it: nobody is asked about such calls.
        (CallKind::Model | CallKind::Work, Delivery::Ask) => {
            let failure = Failure::new("E_INTERNAL", "Only a tool can ask for a person's consent.");
            read_delivery(request, kind, Delivery::Error(failure))
        }
        (CallKind::Work, Delivery::Done(text) | Delivery::Delta(text)) => Input::HostDone {
            request,
            result: read_json(&text, "E_CALL"),
        },
        (CallKind::Work, Delivery::Error(failure)) => Input::HostDone {
            request,
            result: Err(failure),
        },
    }
}

fn read_chunk(text: &str) -> Result<ChatChunk, Failure> {
    let value = read_json(text, "E_LLM_RESPONSE")?;
    FromJson::from_json(value).map_err(|error| {
        Failure::new(
            "E_LLM_RESPONSE",
            format!("The model's stream held no chunk: {error}."),
        )
    })
}

fn read_json(text: &str, code: &str) -> Result<Value, Failure> {
    mnemograph_graph::json::parse(text).map_err(|error| {
        Failure::new(
            code,
            format!("The callback's answer is not usable JSON: {error}"),
        )
    })
}

/// # Errors
/// `E_BAD_ID` unless the text has 1 to 16384 UTF-16 units.
pub(crate) fn check_id(what: &'static str, id: &str) -> Result<(), RuntimeError> {
    let why = match id.encode_utf16().count() {
        0 => "empty".to_owned(),
        units if units > MAX_ID => format!("{units} characters long"),
        _ => return Ok(()),
    };
    Err(RuntimeError::BadId { what, why })
}

impl Runs {
    /// Takes the run off the list when dropped, also if its future is dropped before its end.
    fn guard(&self, run_id: &str) -> RunGuard {
        RunGuard {
            run_id: run_id.to_owned(),
            live: Rc::clone(&self.live),
            idle: Rc::clone(&self.idle),
        }
    }
}

struct RunGuard {
    run_id: String,
    live: Rc<RefCell<SortedMap<String, LiveRun>>>,
    idle: Rc<RefCell<Vec<Waker>>>,
}

impl Drop for RunGuard {
    fn drop(&mut self) {
        self.live.borrow_mut().remove(&self.run_id);
        if self.live.borrow().is_empty() {
            let wakers = std::mem::take(&mut *self.idle.borrow_mut());
            wakers.into_iter().for_each(Waker::wake);
        }
    }
}
