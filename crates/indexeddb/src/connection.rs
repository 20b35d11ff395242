//! The one connection and its supervisor.
//!
//! Opening is a task of its own: it is never given up, only its waiters are. Otherwise an upgrade that was blocked could
//! run later with nobody there to create the tables, or a connection could stay open with nobody there to close it.

use std::cell::{Cell, OnceCell, RefCell};
use std::mem;
use std::rc::{Rc, Weak};

use futures_channel::oneshot;
use futures_util::future::{Either, select};
use gloo_timers::callback::Timeout;
use gloo_timers::future::TimeoutFuture;
use indexed_db_futures::database::Database;
use indexed_db_futures::error::OpenDbError;
use indexed_db_futures::internals::SystemRepr;
use indexed_db_futures::prelude::Build;
use indexed_db_futures::transaction::{
    Transaction, TransactionDurability, TransactionMode, TransactionOptions,
};
use js_sys::Array;
use mnemograph_compact::SortedSet;
use mnemograph_storage::{StoreError, Table};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{IdbOpenDbRequest, IdbTransaction};

use crate::IndexedDbOptions;
use crate::fault::{Fault, opening};
use crate::schema;

type Answer = Result<Rc<Connection>, StoreError>;

/// An open connection. It closes with its last holder; transactions that have begun still complete.
pub(crate) struct Connection {
    id: u32,
    db: Database,
    _on_close: Closure<dyn FnMut()>,
    _on_version_change: Closure<dyn FnMut()>,
}

impl Connection {
    fn new(db: Database, id: u32, supervisor: &Weak<Supervisor>) -> Self {
        let lost = || {
            let supervisor = Weak::clone(supervisor);
            move || {
                if let Some(supervisor) = supervisor.upgrade() {
                    supervisor.lost(id);
                }
            }
        };
        // The browser has closed it: storage was cleared, or the backend failed.
        let on_close = Closure::new(lost());
        // Another tab wants to upgrade or delete: make way at once, the next call opens again.
        let on_version_change = Closure::new({
            let (db, lost) = (db.clone(), lost());
            move || {
                db.as_sys().close();
                lost();
            }
        });
        let sys = db.as_sys();
        sys.set_onclose(Some(on_close.as_ref().unchecked_ref()));
        sys.set_onversionchange(Some(on_version_change.as_ref().unchecked_ref()));
        Self {
            id,
            db,
            _on_close: on_close,
            _on_version_change: on_version_change,
        }
    }

    pub(crate) fn id(&self) -> u32 {
        self.id
    }

    /// Begins a transaction that aborts unless it is committed.
    pub(crate) fn begin(
        &self,
        tables: Vec<&str>,
        mode: TransactionMode,
        durability: TransactionDurability,
    ) -> Result<Transaction<'_>, Fault> {
        let options = TransactionOptions::new().with_durability(durability);
        let transaction = self
            .db
            .transaction(tables)
            .with_mode(mode)
            .with_options(options);
        Ok(transaction.build()?)
    }

    /// A new transaction that only reads, and ends by itself.
    pub(crate) fn read(&self, tables: &SortedSet<Table>) -> Result<IdbTransaction, Fault> {
        let names: Array = tables
            .iter()
            .map(|table| JsValue::from_str(table.name()))
            .collect();
        Ok(self.db.as_sys().transaction_with_str_sequence(&names)?)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        let sys = self.db.as_sys();
        sys.set_onclose(None);
        sys.set_onversionchange(None);
        sys.close();
    }
}

enum State {
    /// No connection; the next call opens one.
    Idle,
    Opening(Vec<oneshot::Sender<Answer>>),
    Open(Rc<Connection>),
    /// Closed by its owner, for good.
    Closed,
}

/// Keeps one connection open for all who use it.
pub(crate) struct Supervisor {
    name: String,
    options: IndexedDbOptions,
    state: RefCell<State>,
    /// Whether the browser has said that another connection blocks the opening.
    blocked: Cell<bool>,
    /// How many connections there were.
    connections: Cell<u32>,
    /// Whether one of them has been open.
    was_open: Cell<bool>,
    /// How often the database was gone when it was opened again.
    losses: Cell<u32>,
}

enum Asked {
    Have(Rc<Connection>),
    Wait(oneshot::Receiver<Answer>),
}

impl Supervisor {
    pub(crate) fn new(name: &str, options: IndexedDbOptions) -> Rc<Self> {
        Rc::new(Self {
            name: name.to_owned(),
            options,
            state: RefCell::new(State::Idle),
            blocked: Cell::new(false),
            connections: Cell::new(0),
            was_open: Cell::new(false),
            losses: Cell::new(0),
        })
    }

    /// The connection, opened if need be. Calls that overlap wait for the same one.
    pub(crate) async fn connection(self: &Rc<Self>) -> Answer {
        let answer = match self.ask()? {
            Asked::Have(connection) => return Ok(connection),
            Asked::Wait(answer) => answer,
        };
        let limit = if self.blocked.get() {
            self.options.blocked_timeout_ms
        } else {
            self.options.open_timeout_ms
        };
        match select(answer, TimeoutFuture::new(limit)).await {
            Either::Left((Ok(answer), _)) => answer,
            Either::Left((Err(oneshot::Canceled), _)) => Err(self.closed()),
            Either::Right(((), _)) if self.blocked.get() => Err(blocked(&self.name)),
            Either::Right(((), _)) => Err(StoreError::Timeout(format!(
                "database {:?} did not open",
                self.name
            ))),
        }
    }

    fn ask(self: &Rc<Self>) -> Result<Asked, StoreError> {
        let mut state = self.state.borrow_mut();
        let (sender, receiver) = oneshot::channel();
        match &mut *state {
            State::Open(connection) => return Ok(Asked::Have(Rc::clone(connection))),
            State::Closed => return Err(self.closed()),
            State::Opening(waiters) => waiters.push(sender),
            State::Idle => {
                *state = State::Opening(vec![sender]);
                self.blocked.set(false);
                let id = self.connections.get() + 1;
                self.connections.set(id);
                spawn_local(open(Rc::downgrade(self), self.name.clone(), id));
            }
        }
        Ok(Asked::Wait(receiver))
    }

    fn settle(&self, answer: &Answer) {
        let mut state = self.state.borrow_mut();
        let State::Opening(waiters) = &mut *state else {
            // Closed meanwhile; the connection closes with its last handle.
            return;
        };
        let waiters = mem::take(waiters);
        self.blocked.set(false);
        *state = match answer {
            Ok(connection) => State::Open(Rc::clone(connection)),
            Err(_) => State::Idle,
        };
        drop(state);
        tell(waiters, answer);
    }

    /// Another connection keeps the upgrade waiting. All who wait now are told when the time is over; the opening goes on.
    fn on_blocked(self: &Rc<Self>) {
        self.blocked.set(true);
        let supervisor = Rc::downgrade(self);
        let tell_all = move || {
            // A later opening has a time of its own.
            if let Some(supervisor) = supervisor.upgrade().filter(|it| it.blocked.get()) {
                let waiters = match &mut *supervisor.state.borrow_mut() {
                    State::Opening(waiters) => mem::take(waiters),
                    State::Idle | State::Open(_) | State::Closed => Vec::new(),
                };
                tell(waiters, &Err(blocked(&supervisor.name)));
            }
        };
        Timeout::new(self.options.blocked_timeout_ms, tell_all).forget();
    }

    /// Forgets a connection that is dead; not a later one.
    pub(crate) fn lost(&self, id: u32) {
        let mut state = self.state.borrow_mut();
        if matches!(&*state, State::Open(connection) if connection.id == id) {
            let dead = mem::replace(&mut *state, State::Idle);
            drop(state);
            drop(dead);
        }
    }

    /// The database is open; `is_new` tells that it had to be made.
    fn opened(&self, is_new: bool) {
        if self.was_open.replace(true) && is_new {
            self.losses.update(|count| count.saturating_add(1));
        }
    }

    pub(crate) fn losses(&self) -> u32 {
        self.losses.get()
    }

    pub(crate) fn close(&self) {
        let before = mem::replace(&mut *self.state.borrow_mut(), State::Closed);
        if let State::Open(connection) = &before {
            // Transactions that are under way hold it too, and still complete.
            connection.db.as_sys().close();
        }
    }

    fn closed(&self) -> StoreError {
        StoreError::Closed(format!("database {:?}", self.name))
    }
}

fn blocked(name: &str) -> StoreError {
    StoreError::Blocked(format!("database {name:?}"))
}

fn tell(waiters: Vec<oneshot::Sender<Answer>>, answer: &Answer) {
    for waiter in waiters {
        // Who has given up waiting is gone.
        let _ = waiter.send(answer.clone());
    }
}

async fn open(supervisor: Weak<Supervisor>, name: String, id: u32) {
    let answer = connect(&supervisor, &name, id).await;
    if let Some(supervisor) = supervisor.upgrade() {
        supervisor.settle(&answer);
    }
}

async fn connect(supervisor: &Weak<Supervisor>, name: &str, id: u32) -> Answer {
    let opened = request(supervisor, name).await;
    let (db, upgraded) = opened.map_err(|error| opening(name, error))?;
    let connection = Connection::new(db, id, supervisor);
    if !upgraded {
        let verified = schema::verify(connection.db.as_sys()).await;
        verified.map_err(|fault| match fault {
            Fault::Final(StoreError::Version(reason)) => {
                StoreError::Version(format!("database {name:?}: {reason}"))
            }
            Fault::Final(error) => error,
            Fault::Lost(message) => StoreError::Backend(message),
        })?;
    }
    if let Some(supervisor) = supervisor.upgrade() {
        supervisor.opened(upgraded);
    }
    Ok(Rc::new(connection))
}

/// The database, and whether it was upgraded just now.
async fn request(
    supervisor: &Weak<Supervisor>,
    name: &str,
) -> Result<(Database, bool), OpenDbError> {
    let upgrade = Rc::new(OnceCell::<IdbTransaction>::new());
    let request = Rc::new(OnceCell::<IdbOpenDbRequest>::new());
    let on_blocked = {
        let supervisor = Weak::clone(supervisor);
        move |_| {
            if let Some(supervisor) = supervisor.upgrade() {
                supervisor.on_blocked();
            }
            Ok(())
        }
    };
    let on_upgrade = {
        let (upgrade, request) = (Rc::clone(&upgrade), Rc::clone(&request));
        move |event: indexed_db_futures::database::VersionChangeEvent, db: Database| match request
            .get()
            .and_then(|request| request.transaction())
        {
            Some(begun) => {
                let _ = upgrade.set(begun.clone());
                schema::migrate(&db, &begun, event.old_version())
            }
            None => Err(indexed_db_futures::error::UnexpectedDataError::NoEventTarget.into()),
        }
    };
    let opening = Database::open(name)
        .with_version(schema::version())
        .with_on_blocked(on_blocked)
        .with_on_upgrade_needed(on_upgrade)
        .build()?;
    // The events come later than this line.
    let _ = request.set(opening.as_sys().clone());
    match opening.await {
        Ok(db) => Ok((db, upgrade.get().is_some())),
        // Of an upgrade that was aborted the request says only that it was; its transaction knows why.
        Err(error) => Err(match upgrade.get().and_then(IdbTransaction::error) {
            Some(reason) => reason.into(),
            None => error,
        }),
    }
}

/// Deletes a database, and waits for it as long as for an opening that is blocked.
pub(crate) async fn delete_database(
    name: &str,
    options: IndexedDbOptions,
) -> Result<(), StoreError> {
    let failed = |error| opening(name, error);
    let request = Database::delete_by_name(name).map_err(failed)?;
    match select(request, TimeoutFuture::new(options.blocked_timeout_ms)).await {
        Either::Left((deleted, _)) => deleted.map_err(|error| failed(error.into())),
        Either::Right(((), _)) => Err(blocked(name)),
    }
}
