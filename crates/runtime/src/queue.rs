//! The inputs of one run: pushed from anywhere, taken by its driver.

use crate::runtime::CallKind;
use mnemograph_compact::SortedMap;
use mnemograph_engine::{Input, RequestId};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::task::{Context, Waker};

/// A queue with one reader. Pushing never runs the reader: it only wakes it.
#[derive(Debug, Default)]
pub(crate) struct InputQueue {
    inputs: RefCell<VecDeque<Input>>,
    waker: RefCell<Option<Waker>>,
    calls: RefCell<SortedMap<RequestId, CallKind>>,
}

impl InputQueue {
    pub(crate) fn push(&self, input: Input) {
        self.inputs.borrow_mut().push_back(input);
        let waker = self.waker.borrow_mut().take();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// An answer to this call is awaited.
    pub(crate) fn expect_answer(&self, call: RequestId, kind: CallKind) {
        self.calls.borrow_mut().insert(call, kind);
    }

    /// What kind of call is awaited under this id; `is_last` says that nothing more will come.
    pub(crate) fn answer_to(&self, call: RequestId, is_last: bool) -> Option<CallKind> {
        let mut calls = self.calls.borrow_mut();
        if is_last {
            calls.remove(&call)
        } else {
            calls.get(&call).copied()
        }
    }

    /// The calls whose answers are awaited.
    pub(crate) fn open_calls(&self) -> Vec<RequestId> {
        self.calls.borrow().keys().copied().collect()
    }

    pub(crate) fn pop(&self) -> Option<Input> {
        self.inputs.borrow_mut().pop_front()
    }

    /// True if something is there; otherwise the reader is woken by the next push.
    pub(crate) fn is_ready(&self, context: &mut Context<'_>) -> bool {
        if !self.inputs.borrow().is_empty() {
            return true;
        }
        *self.waker.borrow_mut() = Some(context.waker().clone());
        false
    }
}
