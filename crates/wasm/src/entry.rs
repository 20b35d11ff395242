//! Counts the calls that are on the stack, and tells of panics: a trap leaves the counter raised, so the
//! page can tell a dead instance from a fault of its own.

use js_sys::Function;
use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::pin;
use wasm_bindgen::prelude::*;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    static LISTENER: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Lowers the counter when the call leaves; a trap never gets here.
struct Entered;

impl Drop for Entered {
    fn drop(&mut self) {
        DEPTH.set(DEPTH.get().saturating_sub(1));
    }
}

/// Runs an exported call.
pub(crate) fn entering<T>(call: impl FnOnce() -> T) -> T {
    DEPTH.set(DEPTH.get() + 1);
    let _entered = Entered;
    call()
}

/// A future each of whose steps counts as a call.
pub(crate) async fn counted<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    poll_fn(move |context| entering(|| future.as_mut().poll(context))).await
}

/// True while a call into the module is on the stack, or was when it trapped.
#[wasm_bindgen]
#[must_use]
pub fn entered() -> bool {
    DEPTH.get() > 0
}

/// Says who is told of a panic. Once for each instance.
#[wasm_bindgen]
pub fn on_panic(listener: Function) {
    LISTENER.set(Some(listener));
    std::panic::set_hook(Box::new(|panic| {
        let listener = LISTENER.with_borrow(Clone::clone);
        if let Some(listener) = listener {
            // The listener is ours and does not throw; if it did, the trap follows all the same.
            let _ = listener.call1(&JsValue::NULL, &JsValue::from_str(&panic.to_string()));
        }
    }));
}

/// For the tests of crash recovery: ends the instance in the way that is named.
#[wasm_bindgen]
#[doc(hidden)]
pub fn __crash(how: &str) {
    entering(|| match how {
        "overflow" => {
            overflow(&[0; 1024], 1);
        }
        "memory" => {
            let mut kept: Vec<Vec<u8>> = Vec::new();
            loop {
                kept.push(Vec::with_capacity(64 << 20));
                if kept.len() > 1 << 20 {
                    break;
                }
            }
        }
        _ => {
            #[expect(clippy::panic, reason = "this is what the export is for")]
            {
                panic!("a crash on request");
            }
        }
    });
}

#[inline(never)]
fn overflow(above: &[u8; 1024], depth: u64) -> u64 {
    let mut own = *above;
    if let Some(first) = own.first_mut() {
        *first = first.wrapping_add(1);
    }
    let own = std::hint::black_box(own);
    if depth == u64::MAX {
        0
    } else {
        overflow(&own, depth + 1) + u64::from(own.first().copied().unwrap_or(0))
    }
}
