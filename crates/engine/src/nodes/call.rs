//! `call`, `http_request` and the node types of the host: something outside is asked, with retries and a time limit.

use crate::{
    core::Core,
    effect::{Effect, HostWork, Input, RequestId},
    error::{Failure, RunError},
    event::EventData,
    frame::NodeValues,
    nodes::{Activity, Entered, Progress, Signal},
    retry,
};
use mnemograph_compact::FromJson;
use mnemograph_graph::{BodyType, NodeIx, Settings};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// A call on its way.
#[derive(Debug, Serialize, FromJson)]
pub(crate) struct HostCall {
    name: String,
    work: HostWork,
    payload: Value,
    timeout_ms: u64,
    attempt: u32,
    state: State,
}

#[derive(Debug, Serialize, FromJson)]
enum State {
    Running { request: RequestId, until: u64 },
    Waiting { until: u64 },
    Over,
}

impl HostCall {
    pub(crate) fn enter(core: &mut Core, node: NodeIx) -> Entered {
        let plan = std::rc::Rc::clone(&core.plan);
        let of = plan.graph.node(node);
        let (work, name, payload, timeout_ms) = match of.map(|of| &of.settings) {
            Some(Settings::Call(call)) => {
                let args = core
                    .input_or_setting(node, "args", "args")?
                    .unwrap_or_default();
                (
                    HostWork::Function,
                    call.function.clone(),
                    args,
                    call.timeout_ms,
                )
            }
            Some(Settings::HttpRequest(http)) => {
                let payload = request(core, node, http)?;
                (HostWork::Http, "http".to_owned(), payload, http.timeout_ms)
            }
            Some(Settings::Host(host)) => {
                let payload = of_host(core, node, host)?;
                (
                    HostWork::Node,
                    host.node_type.clone(),
                    payload,
                    host.timeout_ms,
                )
            }
            _ => return Err(RunError::internal("A call was entered that is none.")),
        };
        let timeout_ms = of.and_then(|of| of.timeout_ms).unwrap_or(timeout_ms);
        let mut call = Self {
            name,
            work,
            payload,
            timeout_ms,
            attempt: 0,
            state: State::Over,
        };
        call.start(core, node);
        Ok((Some(Activity::Call(call)), Progress::Waiting))
    }

    fn start(&mut self, core: &mut Core, node: NodeIx) {
        self.attempt += 1;
        let request = core.request();
        self.state = State::Running {
            request,
            until: core.now.saturating_add(self.timeout_ms),
        };
        core.effects.push(Effect::CallHost {
            request,
            node: core.node_id(node),
            work: self.work,
            name: self.name.clone(),
            payload: self.payload.clone(),
        });
    }

    pub(crate) fn deadline(&self) -> Option<u64> {
        match self.state {
            State::Running { until, .. } | State::Waiting { until } => Some(until),
            State::Over => None,
        }
    }

    pub(crate) fn abort(&mut self, core: &mut Core, reason: &str) -> Progress {
        if let State::Running { request, .. } = self.state {
            core.cancel_call(request, reason);
        }
        Progress::Aborted
    }

    pub(crate) fn resume(&mut self, core: &mut Core, node: NodeIx, signal: Signal) -> Progress {
        match (signal, &self.state) {
            (
                Signal::Input(Input::HostDone { request, result }),
                State::Running { request: asked, .. },
            ) if request == *asked => {
                core.forget_request(request);
                match result.map_err(|failure| self.named(failure)) {
                    Ok(value) => self.answered(core, node, value),
                    Err(failure) => self.failed(core, node, failure),
                }
            }
            (Signal::Input(Input::Timer), State::Running { request, until })
                if core.now >= *until =>
            {
                let request = *request;
                core.cancel_call(request, "time limit");
                let message = format!(
                    "'{}' did not answer within {} ms.",
                    self.name, self.timeout_ms
                );
                let failure = Failure {
                    retryable: true,
                    ..Failure::new(self.code(), message)
                };
                self.failed(core, node, failure)
            }
            (Signal::Input(Input::Timer), State::Waiting { until }) if core.now >= *until => {
                self.start(core, node);
                Progress::Waiting
            }
            _ => Progress::Waiting,
        }
    }

    /// What fails without a code of this kind of call gets its code.
    fn named(&self, mut failure: Failure) -> Failure {
        failure.code.get_or_insert_with(|| self.code().to_owned());
        failure
    }

    fn code(&self) -> &'static str {
        match self.work {
            HostWork::Http => "E_HTTP_NETWORK",
            HostWork::Function | HostWork::Node | HostWork::Schema => "E_CALL",
        }
    }

    fn answered(&mut self, core: &mut Core, node: NodeIx, value: Value) -> Progress {
        match self.work {
            HostWork::Http => {}
            HostWork::Node => return self.left(core, node, value),
            HostWork::Function | HostWork::Schema => return Progress::out([("result", value)]),
        }
        let status = value.get("status").and_then(Value::as_u64).unwrap_or(0);
        let body = value.get("body").cloned().unwrap_or_default();
        if !(200..300).contains(&status) {
            let failure = Failure {
                retryable: matches!(status, 408 | 425 | 429 | 500 | 502..=504),
                status: u16::try_from(status).ok(),
                hint: Some("The port 'body' of the error branch is not kept; look at the address and at what is sent.".to_owned()),
                ..Failure::new("E_HTTP_STATUS", format!("The server answered with status {status}."))
            };
            return self.failed(core, node, failure);
        }
        let parsed = body
            .as_str()
            .and_then(|text| mnemograph_graph::json::parse(text).ok())
            .unwrap_or_default();
        Progress::out([
            ("http_status", Value::from(status)),
            ("headers", value.get("headers").cloned().unwrap_or_default()),
            ("body", body),
            ("json", parsed),
        ])
    }

    /// A node of the host gave its outputs, and perhaps the port by which control leaves.
    fn left(&mut self, core: &mut Core, node: NodeIx, mut value: Value) -> Progress {
        let plan = std::rc::Rc::clone(&core.plan);
        let Some(Settings::Host(host)) = plan.graph.node(node).map(|node| &node.settings) else {
            return Progress::Failed(RunError::internal("A host's node was left that is none."));
        };
        let mut values = NodeValues::of([]);
        if let Some(Value::Object(outputs)) = value.get_mut("outputs").map(Value::take) {
            values.ports = outputs;
        }
        let exit = match value.get("exit") {
            Some(Value::String(exit)) => exit.as_str(),
            _ => host.first_exit(),
        };
        match undeclared(host, exit, &values.ports) {
            Some(failure) => self.failed(core, node, failure),
            None => Progress::Left(exit.to_owned(), Box::new(values)),
        }
    }

    fn failed(&mut self, core: &mut Core, node: NodeIx, failure: Failure) -> Progress {
        let plan = std::rc::Rc::clone(&core.plan);
        let policy = plan.graph.node(node).map(|node| &node.on_error.retry);
        let Some(delay_ms) = retry::delay_ms(&failure, self.attempt, 0, policy) else {
            self.state = State::Over;
            return Progress::Failed(failure.into_error(self.code()).attempt(self.attempt));
        };
        self.state = State::Waiting {
            until: core.now.saturating_add(delay_ms),
        };
        core.emit(
            Some(node),
            EventData::NodeRetry {
                attempt: self.attempt + 1,
                delay_ms,
                code: failure.into_error(self.code()).code,
            },
        );
        Progress::Waiting
    }
}

/// What a node of the host is given: its settings, evaluated, and the inputs that have a value.
fn of_host(
    core: &mut Core,
    node: NodeIx,
    host: &mnemograph_graph::HostNode,
) -> Result<Value, RunError> {
    let plan = std::rc::Rc::clone(&core.plan);
    let mut settings = Map::new();
    for setting in plan.settings_of(node) {
        let value = core.evaluate_setting(node, &setting.path)?;
        settings.insert(setting.path.clone(), value.unwrap_or_default());
    }
    let mut inputs = Map::new();
    for port in &host.inputs {
        let value = if port.required {
            core.data_input(node, &port.name)?
        } else {
            core.optional_input(node, &port.name)?
        };
        if let Some(value) = value {
            inputs.insert(port.name.clone(), value);
        }
    }
    Ok(json!({"settings": settings, "inputs": inputs}))
}

/// What a node of the host gave and its type does not declare.
fn undeclared(
    host: &mnemograph_graph::HostNode,
    exit: &str,
    outputs: &Map<String, Value>,
) -> Option<Failure> {
    let fault = |what: String, known: &mut dyn Iterator<Item = &str>| {
        let known: Vec<_> = known.collect();
        let known = if known.is_empty() {
            "none".to_owned()
        } else {
            known.join(", ")
        };
        let message = format!("'{}' gave {what}.", host.node_type);
        Some(Failure {
            hint: Some(format!(
                "Declare it in \"ports\" of the node type. Declared: {known}."
            )),
            ..Failure::new("E_CALL", message)
        })
    };
    if !host.has_exit(exit) {
        let what = format!("the exit '{exit}', which its type does not have");
        return fault(what, &mut host.exits.iter().map(String::as_str));
    }
    outputs.iter().find_map(|(name, value)| {
        let Some(port) = host.outputs.iter().find(|port| port.name == *name) else {
            let what = format!("the output '{name}', which its type does not have");
            let known = host.outputs.iter();
            return fault(what, &mut known.map(|port| port.name.as_str()));
        };
        if value.is_null() || port.value_type.admits(value) {
            return None;
        }
        let (is, of) = (mnemograph_compact::kind_of(value), port.value_type.as_str());
        let what = format!("{is} as '{name}', whose type is {of}");
        fault(what, &mut std::iter::once(of))
    })
}

/// What the host is asked to fetch.
fn request(
    core: &mut Core,
    node: NodeIx,
    settings: &mnemograph_graph::HttpRequest,
) -> Result<Value, RunError> {
    let url = core.render_setting(node, "url")?.unwrap_or_default();
    let headers = core.evaluate_setting(node, "headers")?;
    let query = core.evaluate_setting(node, "query")?;
    let body = match settings.body_type {
        BodyType::None => Value::Null,
        BodyType::Json | BodyType::Text | BodyType::Form => core
            .input_or_setting(node, "body", "body")?
            .unwrap_or_default(),
    };
    Ok(json!({
        "method": settings.method.as_str(),
        "url": url,
        "headers": headers.unwrap_or_else(|| json!({})),
        "query": query.unwrap_or_else(|| json!({})),
        "body_type": settings.body_type.as_str(),
        "body": body,
        "max_bytes": settings.max_bytes,
    }))
}
