//! `RuntimeHandle`: what the package calls. Each method converts, calls the runtime, converts back.

use crate::{
    AnyStorage, JsStorage,
    convert::{from_js, to_js},
    entry::{counted, entering},
    error::{plain_error, runtime_error, store_error},
    host::JsHost,
    options::{Answer, Create, HandleConfig, StartInput, StorageKind, delivery},
};
use js_sys::Promise;
use mnemograph_engine::{EventBatch, HostCatalogue, Plan, Recording, RunInput};
use mnemograph_indexeddb::IndexedDbStorage;
use mnemograph_memory::Edit;
use mnemograph_memory::thread::{ThreadListOptions, TranscriptPage};
use mnemograph_runtime::{
    BrowserStorage, Row, RowsUnder, Runtime, RuntimeError, StartOptions, StorageHealth,
};
use mnemograph_storage::MemoryStorage;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{future_to_promise, spawn_local};

/// A runtime inside the module.
#[wasm_bindgen]
pub struct RuntimeHandle {
    runtime: Runtime<AnyStorage, JsHost>,
    catalogue: HostCatalogue,
    env: Map<String, Value>,
    /// By number; `None` is unloaded.
    graphs: RefCell<Vec<Option<Rc<Plan>>>>,
}

#[wasm_bindgen]
impl RuntimeHandle {
    /// Opens a runtime. Rejects with `E_COERCE`, `E_BAD_ID` or `E_STORE_…`.
    pub fn open(config: JsValue, host: JsHost, adapter: JsValue) -> Promise {
        promise(async move {
            let config: HandleConfig = from_js(&config, "The runtime's configuration")?;
            config.check()?;
            let storage = match config.storage {
                StorageKind::Memory => AnyStorage::from(MemoryStorage::new()),
                StorageKind::Custom => {
                    AnyStorage::from(JsStorage::new(adapter).map_err(store_error)?)
                }
                StorageKind::Indexeddb => {
                    let opened = IndexedDbStorage::open(&config.database, Default::default()).await;
                    AnyStorage::from(opened.map_err(store_error)?)
                }
            };
            let storage = if config.watch {
                storage.watched_by(host.clone())
            } else {
                storage
            };
            let runtime = Runtime::new(storage, host, &config.namespace)
                .map_err(|error| runtime_error(&error))?;
            let handle = Self {
                runtime,
                catalogue: config.catalogue(),
                env: config.env,
                graphs: RefCell::default(),
            };
            Ok(handle.into())
        })
    }

    /// The problems of a document, as `{ok, problems, hash}`.
    pub fn check(&self, text: &str) -> Result<JsValue, JsValue> {
        entering(|| {
            let loaded = mnemograph_engine::load(text, Some(&self.catalogue));
            to_js(
                &json!({"ok": loaded.plan.is_some(), "problems": loaded.problems, "hash": loaded.hash}),
            )
        })
    }

    /// Loads a document: as `check`, with `{graph, id, name}` if it has no error.
    pub fn load(&self, text: &str) -> Result<JsValue, JsValue> {
        entering(|| {
            let loaded = mnemograph_engine::load(text, Some(&self.catalogue));
            let mut answer = json!({"ok": loaded.plan.is_some(), "problems": loaded.problems, "hash": loaded.hash});
            if let (Some(plan), Some(answer)) = (loaded.plan, answer.as_object_mut()) {
                answer.insert("id".to_owned(), plan.graph.id.clone().into());
                answer.insert("name".to_owned(), plan.graph.name.clone().into());
                let mut graphs = self.graphs.borrow_mut();
                answer.insert("graph".to_owned(), graphs.len().into());
                graphs.push(Some(Rc::new(plan)));
            }
            to_js(&answer)
        })
    }

    /// Lets go of a graph; its runs go on. A number is not used again.
    pub fn unload(&self, graph: usize) {
        entering(|| {
            if let Some(plan) = self.graphs.borrow_mut().get_mut(graph) {
                *plan = None;
            }
        });
    }

    /// Starts a run and returns at once, as `{run_id, thread}`.
    pub fn start(&self, graph: usize, input: JsValue) -> Result<JsValue, JsValue> {
        entering(|| {
            let plan = self.plan(graph)?;
            let input: StartInput = from_js(&input, "The run's input")?;
            let options = self.start_options(input)?;
            let started = self
                .runtime
                .start(plan, options)
                .map_err(|error| runtime_error(&error))?;
            spawn_local(counted(started.future));
            to_js(&json!({"run_id": started.run_id, "thread": started.thread_id}))
        })
    }

    /// The events of a recorded run, as they were.
    pub fn replay(&self, graph: usize, recording: &str) -> Result<JsValue, JsValue> {
        entering(|| {
            let plan = self.plan(graph)?;
            let recording: Recording = serde_json::from_str(recording).map_err(|error| {
                plain_error(
                    "E_COERCE",
                    &format!("The recording cannot be read: {error}."),
                )
            })?;
            let events = mnemograph_engine::replay(&plan, recording);
            let events = events.map_err(|error| runtime_error(&RuntimeError::Run(error)))?;
            to_js(&EventBatch(&events))
        })
    }

    /// The thread that an event belongs to, or `undefined`; takes what `start` takes.
    pub fn event_thread(&self, graph: usize, input: JsValue) -> Result<JsValue, JsValue> {
        entering(|| {
            let plan = self.plan(graph)?;
            let input: StartInput = from_js(&input, "The run's input")?;
            let options = self.start_options(input)?;
            let thread = mnemograph_engine::event_thread(&plan, &options.input);
            let thread = thread.map_err(|error| runtime_error(&RuntimeError::Run(error)))?;
            Ok(thread.map_or(JsValue::UNDEFINED, JsValue::from))
        })
    }

    /// Answers a question of a run that waits; `{run_id, interrupt, action, data, allow_changed_graph, is_locked}`.
    /// Resolves as `start` answers.
    pub fn resume(&self, graph: usize, answer: JsValue) -> Promise {
        let (runtime, plan) = (self.runtime.clone(), self.plan(graph));
        promise(async move {
            let answer: Answer = from_js(&answer, "The answer")?;
            let resumed = runtime.resume(plan?, answer.into()).await;
            let started = resumed.map_err(|error| runtime_error(&error))?;
            spawn_local(counted(started.future));
            to_js(&json!({"run_id": started.run_id, "thread": started.thread_id}))
        })
    }

    /// The runs that wait for people, of a thread or of all.
    pub fn waiting(&self, thread: Option<String>) -> Promise {
        let runtime = self.runtime.clone();
        promise(async move { answer(runtime.waiting(thread.as_deref()).await) })
    }

    /// Gives a waiting run up. True if it was one.
    pub fn drop_waiting(&self, run_id: String) -> Promise {
        let runtime = self.runtime.clone();
        promise(async move { answer(runtime.drop_waiting(&run_id).await) })
    }

    /// Brings an answer of the host. One that nobody waits for is counted and dropped.
    pub fn deliver(&self, run_id: &str, call_id: f64, kind: &str, payload: &str) {
        entering(|| {
            self.runtime
                .deliver(run_id, request_id(call_id), delivery(kind, payload))
        });
    }

    /// Asks a run to stop.
    pub fn cancel(&self, run_id: &str, reason: &str) {
        entering(|| self.runtime.cancel(run_id, reason));
    }

    /// Notes the open rounds: the page is hidden, and may not be heard of again.
    pub fn suspend(&self) {
        entering(|| self.runtime.suspend());
    }

    /// The nodes of a graph that keep state.
    pub fn state_nodes(&self, graph: usize) -> Result<JsValue, JsValue> {
        entering(|| {
            to_js(&Runtime::<AnyStorage, JsHost>::state_nodes(
                &*self.plan(graph)?,
            ))
        })
    }

    /// What a memory node holds for a thread.
    pub fn state_inspect(&self, graph: usize, node: String, thread: String) -> Promise {
        let (runtime, plan) = (self.runtime.clone(), self.plan(graph));
        promise(async move { answer(runtime.state_inspect(&*plan?, &node, &thread).await) })
    }

    /// Clears what a memory node holds for a thread.
    pub fn state_clear(&self, graph: usize, node: String, thread: String) -> Promise {
        let (runtime, plan) = (self.runtime.clone(), self.plan(graph));
        promise(async move { answer(runtime.state_clear(&*plan?, &node, &thread).await) })
    }

    /// Puts a value into a variable or a dictionary of a thread; the value is JSON text.
    pub fn state_set(&self, graph: usize, node: String, thread: String, value: String) -> Promise {
        let (runtime, plan) = (self.runtime.clone(), self.plan(graph));
        promise(async move {
            let value = serde_json::from_str(&value);
            let value = value.map_err(|error| plain_error("E_COERCE", &error.to_string()))?;
            answer(runtime.state_set(&*plan?, &node, &thread, value).await)
        })
    }

    /// Takes rounds away from what a memory node holds for a thread; `{type: truncate_after | delete_round, round}`.
    pub fn state_edit(&self, graph: usize, node: String, thread: String, edit: JsValue) -> Promise {
        let (runtime, plan) = (self.runtime.clone(), self.plan(graph));
        promise(async move {
            let edit: Edit = from_js(&edit, "The edit")?;
            answer(runtime.state_edit(&*plan?, &node, &thread, &edit).await)
        })
    }

    /// The threads, newest first; `{actor?, limit?, after?}`.
    pub fn threads_list(&self, options: JsValue) -> Promise {
        let runtime = self.runtime.clone();
        promise(async move {
            let options: ThreadListOptions = from_js(&options, "The list's options")?;
            answer(runtime.threads_list(&options).await)
        })
    }

    /// A thread, or `undefined`.
    pub fn threads_get(&self, id: String) -> Promise {
        let runtime = self.runtime.clone();
        promise(async move {
            match runtime.threads_get(&id).await {
                Ok(None) => Ok(JsValue::UNDEFINED),
                found => answer(found),
            }
        })
    }

    /// Makes a thread known; `{id, actor?, title?}`.
    pub fn threads_create(&self, create: JsValue) -> Promise {
        let runtime = self.runtime.clone();
        promise(async move {
            let Create { id, actor, title } = from_js(&create, "The thread")?;
            let actor = actor.as_deref().unwrap_or("default");
            answer(runtime.threads_create(&id, actor, title.as_deref()).await)
        })
    }

    /// Gives a thread a title.
    pub fn threads_rename(&self, id: String, title: Option<String>) -> Promise {
        let runtime = self.runtime.clone();
        promise(async move { answer(runtime.threads_rename(&id, title.as_deref()).await) })
    }

    /// Removes a thread and all that belongs to it. True if there was something to remove.
    pub fn threads_delete(&self, id: String) -> Promise {
        let runtime = self.runtime.clone();
        promise(async move { answer(runtime.threads_delete(&id).await) })
    }

    /// Forgets a thread, or all that the namespace holds.
    pub fn forget(&self, thread: Option<String>) -> Promise {
        let runtime = self.runtime.clone();
        promise(async move { answer(runtime.forget(thread.as_deref()).await) })
    }

    /// The last turns of a thread, in order; `{limit?, before?}`.
    pub fn threads_transcript(&self, id: String, page: JsValue) -> Promise {
        let runtime = self.runtime.clone();
        promise(async move {
            let page: TranscriptPage = from_js(&page, "The page")?;
            answer(runtime.threads_transcript(&id, page).await)
        })
    }

    /// How safe what is stored is. `facts` are the browser's, `fresh` is an id for a database that has none yet.
    pub fn storage_health(&self, facts: JsValue, fresh: String) -> Promise {
        let runtime = self.runtime.clone();
        promise(async move {
            let facts: BrowserStorage = from_js(&facts, "The browser's facts")?;
            let generation = runtime.store_generation(&fresh).await;
            let storage = runtime.storage();
            answer(generation.map(|generation| {
                StorageHealth::judge(storage.kind(), facts, storage.quota_errors(), generation)
            }))
        })
    }

    /// Rows as they lie in the storage, for a copy of it: `[{table, prefix?}]`.
    pub fn storage_rows(&self, places: JsValue) -> Promise {
        let runtime = self.runtime.clone();
        promise(async move {
            let places: Vec<RowsUnder> = from_js(&places, "The places")?;
            answer(runtime.storage_rows(&places).await)
        })
    }

    /// Puts rows back where there are none: `[{table, key, value}]`. Resolves to how many were put.
    pub fn storage_restore(&self, rows: JsValue) -> Promise {
        let runtime = self.runtime.clone();
        promise(async move {
            let rows: Vec<Row> = from_js(&rows, "The rows")?;
            answer(runtime.storage_restore(&rows).await)
        })
    }

    /// Cancels all runs, waits for their last commits, closes the database. Safe twice.
    pub fn close(&self) -> Promise {
        let runtime = self.runtime.clone();
        promise(async move {
            runtime.close().await;
            runtime.storage().close();
            Ok(JsValue::UNDEFINED)
        })
    }
}

impl RuntimeHandle {
    fn plan(&self, graph: usize) -> Result<Rc<Plan>, JsValue> {
        let plan = self.graphs.borrow().get(graph).cloned().flatten();
        plan.ok_or_else(|| plain_error("E_INTERNAL", "There is no graph of this number."))
    }

    fn start_options(&self, input: StartInput) -> Result<StartOptions, JsValue> {
        Ok(StartOptions {
            run_id: input.run_id,
            thread: input.thread,
            actor: input.actor,
            is_locked: input.locked,
            record: input.record,
            brief: input.brief,
            input: RunInput {
                text: input.text,
                message: input.message,
                attachments: input.attachments,
                trigger: input.trigger,
                event: input.event,
                data: input.data,
                env: self.env.clone(),
            },
        })
    }
}

/// Ids of calls come back as they went out; anything else belongs to no call.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates"
)]
fn request_id(id: f64) -> u64 {
    id as u64
}

fn answer<T: Serialize>(result: Result<T, RuntimeError>) -> Result<JsValue, JsValue> {
    to_js(&result.map_err(|error| runtime_error(&error))?)
}

fn promise(future: impl Future<Output = Result<JsValue, JsValue>> + 'static) -> Promise {
    // One type for all: what a promise does with its future is compiled once.
    let future: Pin<Box<dyn Future<Output = Result<JsValue, JsValue>>>> = Box::pin(future);
    entering(|| future_to_promise(counted(future)))
}
