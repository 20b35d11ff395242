//! Polls runs by hand, so that a test decides what happens when.

use crate::host::ScriptedHost;
use mnemograph_engine::{Plan, RunResult};
use mnemograph_runtime::{LocalFuture, ResumeOptions, Runtime, RuntimeError, StartOptions};
use mnemograph_storage::Storage;
use std::future::Future;
use std::rc::Rc;
use std::task::{Context, Waker};

/// A run that is polled by hand.
pub struct Pump<S> {
    runtime: Runtime<S, ScriptedHost>,
    host: ScriptedHost,
    futures: Vec<LocalFuture<()>>,
    /// What goes on beside the runs.
    tasks: Vec<LocalFuture<()>>,
}

impl<S: Storage + 'static> Pump<S> {
    /// A pump for a runtime and its host.
    #[must_use]
    pub fn new(runtime: Runtime<S, ScriptedHost>, host: ScriptedHost) -> Self {
        Self {
            runtime,
            host,
            futures: Vec::new(),
            tasks: Vec::new(),
        }
    }

    /// Starts a run; its id.
    ///
    /// # Panics
    /// If the runtime refuses it.
    pub fn start(&mut self, plan: &Rc<Plan>, options: StartOptions) -> String {
        let started = self
            .runtime
            .start(Rc::clone(plan), options)
            .expect("the run starts");
        self.futures.push(started.future);
        started.run_id
    }

    /// Answers a run that waits and brings it on.
    ///
    /// # Errors
    /// What the runtime refuses.
    pub fn resume(
        &mut self,
        plan: &Rc<Plan>,
        options: ResumeOptions,
    ) -> Result<RunResult, RuntimeError> {
        let run_id = options.run_id.clone();
        let mut resuming = Box::pin(self.runtime.resume(Rc::clone(plan), options));
        let mut context = Context::from_waker(Waker::noop());
        let started = loop {
            if let std::task::Poll::Ready(started) = resuming.as_mut().poll(&mut context) {
                break started?;
            }
        };
        drop(resuming);
        self.futures.push(started.future);
        self.finish();
        Ok(self.result_of(&run_id))
    }

    /// Polls and delivers until nothing moves any more at the present time.
    pub fn settle(&mut self) {
        loop {
            let mut context = Context::from_waker(Waker::noop());
            self.futures
                .retain_mut(|future| future.as_mut().poll(&mut context).is_pending());
            let begun = self.host.take_tasks();
            let has_begun = !begun.is_empty();
            self.tasks.extend(begun);
            let open = self.tasks.len();
            self.tasks
                .retain_mut(|task| task.as_mut().poll(&mut context).is_pending());
            match self.host.next_delivery() {
                Some((run, call, delivery)) => self.runtime.deliver(&run, call, delivery),
                None if has_begun || self.tasks.len() < open => {}
                None => return,
            }
        }
    }

    /// Settles, and moves the clock on while runs are left.
    ///
    /// # Panics
    /// If a run is left that waits for nothing.
    pub fn finish(&mut self) {
        self.settle();
        while !self.futures.is_empty() {
            assert!(self.host.advance(), "a run waits for nothing");
            self.settle();
        }
    }

    /// Settles, and moves the clock on while there is work beside the runs.
    ///
    /// # Panics
    /// If some of it waits for nothing.
    pub fn finish_tasks(&mut self) {
        self.settle();
        while !self.tasks.is_empty() {
            assert!(self.host.advance(), "work waits for nothing");
            self.settle();
        }
    }

    /// Closes the runtime, moving the clock on while it waits.
    ///
    /// # Panics
    /// If it waits for nothing.
    pub fn close(&mut self) {
        let runtime = self.runtime.clone();
        self.futures
            .push(Box::pin(async move { runtime.close().await }));
        self.finish();
    }

    /// Starts a run and brings it to its end.
    ///
    /// # Panics
    /// If the run does not end.
    pub fn run(&mut self, plan: &Rc<Plan>, options: StartOptions) -> RunResult {
        let run_id = self.start(plan, options);
        self.finish();
        self.result_of(&run_id)
    }

    fn result_of(&self, run_id: &str) -> RunResult {
        let results = self.host.0.results.borrow();
        results
            .iter()
            .rfind(|result| result.run_id == run_id)
            .expect("the run has a result")
            .clone()
    }
}
