//! The host object of the package, as the runtime sees it.

use crate::convert::to_js;
use mnemograph_engine::{ChatRequest, EventBatch, Purpose, RequestId, RunEvent, RunResult};
use mnemograph_runtime::{Host, HostCall, HostPayload, LocalFuture, Notice};
use serde::Serialize;
use serde_json::Value;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Methods return at once and never run the page's code before they have returned.
    #[derive(Clone)]
    pub type JsHost;

    #[wasm_bindgen(method, structural, catch)]
    fn now(this: &JsHost) -> Result<f64, JsValue>;

    #[wasm_bindgen(method, structural, catch)]
    fn call(
        this: &JsHost,
        run_id: &str,
        call_id: f64,
        kind: &str,
        name: &str,
        payload: &str,
    ) -> Result<(), JsValue>;

    #[wasm_bindgen(method, structural, catch)]
    fn abort(this: &JsHost, run_id: &str, call_id: f64, reason: &str) -> Result<(), JsValue>;

    #[wasm_bindgen(method, structural, catch)]
    fn events(this: &JsHost, run_id: &str, batch: JsValue) -> Result<(), JsValue>;

    /// A batch has been committed, as JSON text.
    #[wasm_bindgen(method, structural, catch)]
    pub(crate) fn committed(this: &JsHost, batch: &str) -> Result<(), JsValue>;

    /// The database was gone when it was opened again.
    #[wasm_bindgen(method, structural, catch)]
    pub(crate) fn lost(this: &JsHost) -> Result<(), JsValue>;

    #[wasm_bindgen(method, structural, catch)]
    fn notice(this: &JsHost, notice: JsValue) -> Result<(), JsValue>;

    #[wasm_bindgen(method, structural, catch)]
    fn finished(this: &JsHost, run_id: &str, result: JsValue) -> Result<(), JsValue>;
}

/// A clock that JavaScript gives as a float; what is no time is the epoch.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, and NaN becomes 0"
)]
fn milliseconds(now: f64) -> u64 {
    now.max(0.0) as u64
}

/// Ids of calls are counted from 1 and never come near 2^53.
#[expect(clippy::cast_precision_loss, reason = "see above")]
fn number(id: RequestId) -> f64 {
    id as f64
}

/// What the package reads of a model call.
#[derive(Serialize)]
struct ModelCall<'a> {
    request: &'a ChatRequest,
    purpose: &'a Purpose,
    node: &'a str,
}

/// What the package reads of a tool call.
#[derive(Serialize)]
struct ToolCall<'a> {
    args: &'a Value,
    agreed: bool,
    call_id: &'a str,
    thread_id: &'a str,
    name: &'a str,
    node: &'a str,
}

/// What the package reads of other work.
#[derive(Serialize)]
struct WorkCall<'a> {
    payload: &'a Value,
    node: &'a str,
}

impl Host for JsHost {
    fn now(&self) -> u64 {
        milliseconds(JsHost::now(self).unwrap_or(0.0))
    }

    fn call(&self, call: HostCall) {
        let (kind, payload) = match &call.payload {
            HostPayload::Model { request, purpose } => {
                let call = ModelCall {
                    request,
                    purpose,
                    node: &call.node,
                };
                ("model", serde_json::to_string(&call))
            }
            HostPayload::Tool {
                call_id,
                thread_id,
                args,
                agreed,
            } => {
                let call = ToolCall {
                    args,
                    agreed: *agreed,
                    call_id,
                    thread_id,
                    name: &call.name,
                    node: &call.node,
                };
                ("tool", serde_json::to_string(&call))
            }
            HostPayload::Work { work, payload } => {
                let call = WorkCall {
                    payload,
                    node: &call.node,
                };
                (work.as_str(), serde_json::to_string(&call))
            }
        };
        // Neither fails: all keys are texts, and the package's host never throws. If one did, the call's time limit ends it.
        let _ = JsHost::call(
            self,
            &call.run_id,
            number(call.call_id),
            kind,
            &call.name,
            &payload.unwrap_or_default(),
        );
    }

    fn abort(&self, run_id: &str, call_id: RequestId, reason: &str) {
        let _ = JsHost::abort(self, run_id, number(call_id), reason);
    }

    fn events(&self, run_id: &str, batch: Vec<RunEvent>) {
        if let Ok(batch) = to_js(&EventBatch(&batch)) {
            let _ = JsHost::events(self, run_id, batch);
        }
    }

    fn finished(&self, run_id: &str, result: RunResult) {
        if let Ok(result) = to_js(&result) {
            let _ = JsHost::finished(self, run_id, result);
        }
    }

    fn notice(&self, notice: Notice) {
        if let Ok(notice) = to_js(&notice) {
            let _ = JsHost::notice(self, notice);
        }
    }

    fn spawn(&self, task: LocalFuture<()>) {
        wasm_bindgen_futures::spawn_local(crate::entry::counted(task));
    }

    fn sleep(&self, ms: u64) -> LocalFuture<()> {
        let ms = u32::try_from(ms)
            .unwrap_or(u32::MAX)
            .min(i32::MAX.unsigned_abs());
        Box::pin(gloo_timers::future::TimeoutFuture::new(ms))
    }
}
