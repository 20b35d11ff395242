//! A runtime with a scripted host, ready to be talked to.

use mnemograph_engine::{Plan, RunInput, RunResult};
use mnemograph_runtime::{Runtime, StartOptions};
use mnemograph_storage::{MemoryStorage, Storage};
use mnemograph_testkit::{Answer, Pump, ScriptedHost, chat_graph, plan};
use serde_json::Value;
use std::rc::Rc;

pub struct Bench<S = MemoryStorage> {
    pub host: ScriptedHost,
    pub runtime: Runtime<S, ScriptedHost>,
    pub pump: Pump<S>,
    runs: u32,
}

impl Bench {
    pub fn new() -> Self {
        Self::on(MemoryStorage::new(), "default")
    }
}

impl<S: Storage + 'static> Bench<S> {
    pub fn on(storage: S, namespace: &str) -> Self {
        let host = ScriptedHost::new();
        let runtime = Runtime::new(storage, host.clone(), namespace).unwrap();
        Self {
            pump: Pump::new(runtime.clone(), host.clone()),
            host,
            runtime,
            runs: 0,
        }
    }

    /// The same storage in a page that is opened later: its runs have other ids.
    pub fn later(storage: S, answers: impl IntoIterator<Item = Answer>) -> Self {
        let mut bench = Self::on(storage, "default");
        bench.host.answers("default", answers);
        bench.runs = 1_000;
        bench
    }

    pub fn options(&mut self, thread: Option<&str>, text: &str) -> StartOptions {
        self.runs += 1;
        StartOptions {
            run_id: format!("run{}", self.runs),
            thread: thread.map(str::to_owned),
            actor: None,
            is_locked: true,
            record: false,
            input: RunInput {
                text: Some(text.to_owned()),
                ..RunInput::default()
            },
        }
    }

    /// One message in thread `t`.
    pub fn say(&mut self, plan: &Rc<Plan>, text: &str) -> RunResult {
        self.say_in(plan, Some("t"), text)
    }

    /// A message in thread `t` whose run is still going on when nothing more happens by itself. Gives the run's id.
    pub fn begin(&mut self, plan: &Rc<Plan>, text: &str) -> String {
        let options = self.options(Some("t"), text);
        let run = self.pump.start(plan, options);
        self.pump.settle();
        run
    }

    /// How the last run ended.
    pub fn last_result(&self) -> RunResult {
        self.host.0.results.borrow().last().unwrap().clone()
    }

    pub fn say_in(&mut self, plan: &Rc<Plan>, thread: Option<&str>, text: &str) -> RunResult {
        let options = self.options(thread, text);
        self.pump.run(plan, options)
    }

    /// What the last model call was sent, one line for each message.
    pub fn last_prompt(&self) -> Vec<String> {
        let requests = self.host.requests();
        requests.last().unwrap().messages.iter().map(line).collect()
    }
}

/// A bench whose model answers so, and the usual graph.
pub fn chat(answers: impl IntoIterator<Item = Answer>) -> (Bench, Rc<Plan>) {
    chat_with(|_| {}, answers)
}

/// The same with a changed graph.
pub fn chat_with(
    change: impl FnOnce(&mut Value),
    answers: impl IntoIterator<Item = Answer>,
) -> (Bench, Rc<Plan>) {
    let bench = Bench::new();
    bench.host.answers("default", answers);
    (bench, plan(&chat_graph("g", change)))
}

pub fn code(result: &RunResult) -> &str {
    result
        .error
        .as_ref()
        .map_or("", |error| error.code.as_str())
}

/// A message in short: role, text, `[calls]`, `{results}`.
pub fn line(message: &mnemograph_memory::Message) -> String {
    use mnemograph_memory::{Content, Part, Role};
    let mut line = match message.role {
        Role::User => "user:",
        Role::Assistant => "assistant:",
        Role::Tool => "tool:",
        Role::System => "system:",
    }
    .to_owned();
    for part in &message.parts {
        match part {
            Part::Text { text, .. } => line.push_str(&format!(" {text}")),
            Part::ToolCall { call_id, name, .. } => line.push_str(&format!(" [{call_id} {name}]")),
            Part::ToolResult {
                call_id,
                is_error,
                content,
                ..
            } => {
                let text: String = content
                    .iter()
                    .map(|content| match content {
                        Content::Text { text } => text.clone(),
                        Content::Json { json } => json.to_string(),
                        other => format!("{other:?}"),
                    })
                    .collect();
                let mark = if *is_error { "!" } else { "" };
                line.push_str(&format!(" {{{call_id}{mark} {text}}}"));
            }
            other => line.push_str(&format!(" {other:?}")),
        }
    }
    line
}
