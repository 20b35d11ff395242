//! Making notes of what a history has become too long for: a job beside the runs, one at a time for each history, that
//! never holds up an answer (3-memory.md D13 to D18).

use crate::{
    host::{Host, HostCall, HostPayload, LocalFuture},
    queue::InputQueue,
    read_ahead::ReadAhead,
    runtime::{CallKind, Runtime},
};
use mnemograph_compact::SortedMap;
use mnemograph_engine::{Failure, Input, MemoryRef, Purpose, Summariser, SummaryCall};
use mnemograph_memory::{
    FailedSummary, HistoryKey, Loaded, MemoryError, Read, Summary, ViewPolicy, history, repair,
    summary,
};
use mnemograph_storage::{MemoryStorage, Storage};
use serde::Serialize;
use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::{Poll, Waker};

/// Longest time for the notes of one history, in milliseconds.
const JOB_MS: u64 = 30_000;

/// Longest time that a read or the runtime's end waits for them, in milliseconds.
pub(crate) const WAIT_MS: u64 = 10_000;

/// Bytes of conversation that are given to the model at once.
const PIECE: usize = 48_000;

/// Something that happened beside the runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(tag = "type", content = "data", rename_all = "snake_case")]
pub enum Notice {
    /// A memory made notes of its older part.
    MemoryCompacted {
        /// Id of the graph.
        graph: String,
        /// The memory node.
        node: String,
        /// The thread; with scope `session`, the run.
        thread: String,
        /// Stored messages that the notes cover by now.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        covers_count: u64,
        /// Stored messages that they do not cover.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        left: u64,
        /// How long it took, in milliseconds.
        #[cfg_attr(feature = "ts", ts(type = "number"))]
        ms: u64,
    },
    /// It could not. Nothing is changed; it is tried again after the next rounds.
    SummaryFailed {
        /// Id of the graph.
        graph: String,
        /// The memory node.
        node: String,
        /// The thread; with scope `session`, the run.
        thread: String,
        /// What it failed with.
        code: String,
        /// Why.
        message: String,
        /// Attempts since the last notes that were made.
        fails: u32,
    },
}

/// A history to be looked at.
#[derive(Clone)]
pub(crate) struct Task {
    pub(crate) key: HistoryKey,
    pub(crate) memory: MemoryRef,
    /// Where it is, if not in the database.
    pub(crate) session: Option<MemoryStorage>,
}

/// The jobs that go on, by history.
#[derive(Default)]
pub(crate) struct Jobs {
    open: RefCell<SortedMap<HistoryKey, Job>>,
    next: Cell<u64>,
}

struct Job {
    id: String,
    queue: Rc<InputQueue>,
    waiters: Vec<Waker>,
}

/// What a run needs of the jobs; it knows nothing of the host.
pub(crate) trait Summaries {
    /// Looks at a history, unless that is being done.
    fn begin(&self, task: Task);

    /// Resolves with true when nobody works on a history, with false if somebody still does after [`WAIT_MS`].
    fn settled(&self, key: &HistoryKey) -> LocalFuture<bool>;
}

impl Jobs {
    /// The queue of a job, for the answers of its model.
    pub(crate) fn queue(&self, id: &str) -> Option<Rc<InputQueue>> {
        let open = self.open.borrow();
        let job = open.values().find(|job| job.id == id);
        job.map(|job| Rc::clone(&job.queue))
    }

    fn is_open(&self, key: &HistoryKey) -> bool {
        self.open.borrow().contains_key(key)
    }

    fn remove(&self, key: &HistoryKey) {
        let job = self.open.borrow_mut().remove(key);
        for waker in job.into_iter().flat_map(|job| job.waiters) {
            waker.wake();
        }
    }

    /// True if nobody works on it; otherwise the asker is woken when the job is over.
    fn poll(&self, key: &HistoryKey, waker: &Waker) -> bool {
        match self.open.borrow_mut().get_mut(key) {
            None => true,
            Some(job) => {
                job.waiters.push(waker.clone());
                false
            }
        }
    }

    fn cancel(&self, key: &HistoryKey, reason: &str) {
        if let Some(job) = self.open.borrow().get(key) {
            job.queue.push(Input::Cancel {
                reason: reason.to_owned(),
            });
        }
    }

    fn keys(&self) -> Vec<HistoryKey> {
        self.open.borrow().keys().cloned().collect()
    }
}

impl<S: Storage + 'static, H: Host + 'static> Summaries for Runtime<S, H> {
    fn begin(&self, task: Task) {
        let jobs = &self.inner.jobs;
        if jobs.is_open(&task.key) {
            return;
        }
        let number = jobs.next.get() + 1;
        jobs.next.set(number);
        let queue = Rc::new(InputQueue::default());
        let job = Job {
            id: format!("summary_{number}"),
            queue: Rc::clone(&queue),
            waiters: Vec::new(),
        };
        let id = job.id.clone();
        jobs.open.borrow_mut().insert(task.key.clone(), job);
        let runtime = self.clone();
        self.inner.host.spawn(Box::pin(async move {
            runtime.summarise(&task, &id, &queue).await;
            runtime.inner.jobs.remove(&task.key);
        }));
    }

    fn settled(&self, key: &HistoryKey) -> LocalFuture<bool> {
        if !self.inner.jobs.is_open(key) {
            return Box::pin(std::future::ready(true));
        }
        let (runtime, key) = (self.clone(), key.clone());
        let mut time = self.inner.host.sleep(WAIT_MS);
        Box::pin(poll_fn(move |context| {
            if runtime.inner.jobs.poll(&key, context.waker()) {
                return Poll::Ready(true);
            }
            time.as_mut().poll(context).map(|()| false)
        }))
    }
}

impl<S: Storage + 'static, H: Host + 'static> Runtime<S, H> {
    /// Waits for the jobs, and ends those that take too long.
    pub(crate) async fn end_summaries(&self) {
        for key in self.inner.jobs.keys() {
            self.settled(&key).await;
        }
        for key in self.inner.jobs.keys() {
            self.inner.jobs.cancel(&key, "the runtime was closed");
            self.settled(&key).await;
        }
    }

    async fn summarise(&self, task: &Task, id: &str, queue: &InputQueue) {
        let store = match &task.session {
            Some(session) => ReadAhead::session(session.clone()),
            None => self.store(),
        };
        let started = self.now();
        let Some((policy, by)) = policy_of(&task.memory) else {
            return;
        };
        let read = Read::Uncovered(usize::MAX);
        let Ok(loaded) = history::load(&store, &task.key, read).await else {
            // The next load finds the history as long as it is.
            return;
        };
        let Some(due) = Due::of(&loaded, policy) else {
            return;
        };
        let made = self.make(id, queue, task, &by, &due).await;
        let epoch = due.epoch;
        match made {
            Ok(text) => {
                let new = Summary {
                    text,
                    covers_seq: due.covers_seq,
                    covers_count: due.covers_count,
                    model: by.model.clone(),
                    prompt_version: by.prompt_version(),
                    created_at: self.now(),
                };
                let replaced =
                    history::replace_summary(&store, &task.key, epoch, &loaded.notes, &new).await;
                match replaced {
                    Ok(true) => self.inner.host.notice(Notice::MemoryCompacted {
                        graph: task.key.graph().to_owned(),
                        node: task.key.node().to_owned(),
                        thread: task.key.thread().to_owned(),
                        covers_count: new.covers_count,
                        left: due.left,
                        ms: self.now().saturating_sub(started),
                    }),
                    // Others were faster, or the history is another one by now.
                    Ok(false) => {}
                    Err(error) => self.failed(&store, task, &loaded, &due, of(&error)).await,
                }
            }
            Err(failure) if failure.code.as_deref() == Some("E_CANCELLED") => {}
            Err(failure) => self.failed(&store, task, &loaded, &due, failure).await,
        }
    }

    /// Notes for everything that is due, piece after piece, within the time of a job.
    async fn make(
        &self,
        id: &str,
        queue: &InputQueue,
        task: &Task,
        by: &Summariser,
        due: &Due,
    ) -> Result<String, Failure> {
        let mut work = pin!(async {
            let mut notes = due.notes.clone();
            for (place, piece) in summary::transcript(&due.messages, PIECE).iter().enumerate() {
                let call = place as u64 + 1;
                let request = by.request(notes.as_deref(), piece, self.now());
                queue.expect_answer(call, CallKind::Model);
                self.inner.host.call(HostCall {
                    run_id: id.to_owned(),
                    call_id: call,
                    node: task.key.node().to_owned(),
                    name: by.model.clone(),
                    payload: HostPayload::Model {
                        request: Box::new(request),
                        purpose: Purpose::MemorySummary,
                    },
                });
                let answer = answered(queue).await;
                if answer.is_err() && queue.answer_to(call, true).is_some() {
                    self.inner.host.abort(id, call, "it is not wanted any more");
                }
                let text = summary::accept(&answer?, by.max_words).map_err(|why| {
                    Failure::new("E_SUMMARY", format!("There are no new notes: {why}."))
                })?;
                notes = Some(text);
            }
            notes.ok_or_else(|| Failure::new("E_SUMMARY", "There was nothing to make notes of."))
        });
        let mut time = self.inner.host.sleep(JOB_MS);
        let done = poll_fn(|context| match work.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending => time.as_mut().poll(context).map(|()| None),
        })
        .await;
        if let Some(done) = done {
            return done;
        }
        for call in queue.open_calls() {
            queue.answer_to(call, true);
            self.inner.host.abort(id, call, "time limit");
        }
        Err(Failure::new(
            "E_LLM_TIMEOUT",
            format!("The model did not write the notes within {JOB_MS} ms."),
        ))
    }

    async fn failed(
        &self,
        store: &ReadAhead<S>,
        task: &Task,
        loaded: &Loaded,
        due: &Due,
        failure: Failure,
    ) {
        let before = loaded.notes.failed.as_ref();
        let error = failure.into_error("E_SUMMARY");
        let failed = FailedSummary {
            fails: before.map_or(0, |failed| failed.fails).saturating_add(1),
            at_seq: loaded.last_seq(),
            code: error.code.clone(),
        };
        // Where that cannot be stored either, the next load tries again at once.
        let noted =
            history::note_failed_summary(store, &task.key, due.epoch, &loaded.notes, &failed).await;
        if matches!(noted, Ok(false)) {
            return;
        }
        self.inner.host.notice(Notice::SummaryFailed {
            graph: task.key.graph().to_owned(),
            node: task.key.node().to_owned(),
            thread: task.key.thread().to_owned(),
            code: error.code,
            message: error.message,
            fails: failed.fails,
        });
    }
}

/// The trigger and what is kept of a memory that makes notes, and who makes them.
fn policy_of(memory: &MemoryRef) -> Option<((usize, usize), Summariser)> {
    let ViewPolicy::Summary { trigger, keep, .. } = memory.policy else {
        return None;
    };
    let by = memory.summariser.as_deref()?;
    Some(((trigger, keep), by.clone()))
}

/// True if notes of a history are due, as far as it was read.
pub(crate) fn is_due(memory: &MemoryRef, loaded: &Loaded) -> bool {
    policy_of(memory).is_some_and(|(policy, _)| Due::of(loaded, policy).is_some())
}

/// What is to be made notes of.
struct Due {
    epoch: u64,
    covers_seq: u64,
    covers_count: u64,
    left: u64,
    /// The notes so far.
    notes: Option<String>,
    messages: Vec<mnemograph_memory::Message>,
}

impl Due {
    fn of(loaded: &Loaded, (trigger, keep): (usize, usize)) -> Option<Self> {
        let notes = loaded.notes.summary.as_ref();
        let messages = summary::uncovered(&loaded.messages, loaded.notes.covers_seq());
        let cut = summary::cut(messages, trigger, keep)?;
        if !summary::may_try(messages, loaded.notes.failed.as_ref()) {
            return None;
        }
        let (old, new) = messages.split_at_checked(cut.count)?;
        Some(Self {
            epoch: loaded.base?.epoch,
            covers_seq: cut.covers_seq,
            covers_count: notes.map_or(0, |notes| notes.covers_count) + old.len() as u64,
            left: new.len() as u64,
            notes: notes.map(|notes| notes.text.clone()),
            // As a model would be shown them: an answer that was withheld is not told here either.
            messages: repair(old, None).messages,
        })
    }
}

/// The next whole answer in a queue.
async fn answered(queue: &InputQueue) -> Result<summary::Answer, Failure> {
    let mut call = SummaryCall::default();
    loop {
        poll_fn(|context| match queue.is_ready(context) {
            true => Poll::Ready(()),
            false => Poll::Pending,
        })
        .await;
        while let Some(input) = queue.pop() {
            if let Some(answer) = call.take(input)? {
                return Ok(answer);
            }
        }
    }
}

fn of(error: &MemoryError) -> Failure {
    Failure::new(error.code(), error.to_string())
}
