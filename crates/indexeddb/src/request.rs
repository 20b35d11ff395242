//! Waiting for one request.

use futures_channel::oneshot;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::IdbRequest;

use crate::fault::Fault;

/// Takes the listeners away again, also when the wait is given up.
struct Listening<'a> {
    request: &'a IdbRequest,
    _listener: Closure<dyn FnMut()>,
}

impl Drop for Listening<'_> {
    fn drop(&mut self) {
        self.request.set_onsuccess(None);
        self.request.set_onerror(None);
    }
}

/// Waits for the next event of a request. The caller goes on in a microtask of the event, while the transaction is still
/// active. Requests of a transaction are answered in order, so the last one stands for all before it.
pub(crate) async fn settled(request: &IdbRequest) -> Result<(), Fault> {
    let (sender, receiver) = oneshot::channel::<()>();
    let listener = Closure::once(move || {
        // The receiver is gone when nobody waits any more.
        let _ = sender.send(());
    });
    request.set_onsuccess(Some(listener.as_ref().unchecked_ref()));
    request.set_onerror(Some(listener.as_ref().unchecked_ref()));
    let _listening = Listening {
        request,
        _listener: listener,
    };
    if receiver.await.is_err() {
        return Err(Fault::Lost("a request was forgotten".to_owned()));
    }
    match request.error()? {
        None => Ok(()),
        Some(error) => Err(error.into()),
    }
}
