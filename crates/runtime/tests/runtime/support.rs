//! A runtime with a scripted host, ready to be talked to.

use mnemograph_engine::{Plan, RunInput, RunResult};
use mnemograph_runtime::{Host, Runtime, StartOptions};
use mnemograph_storage::{MemoryStorage, Storage};
use mnemograph_testkit::{Answer, Pump, ScriptedHost, chat_graph, graph, node, plan};
use serde_json::{Value, json};
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

    pub fn now(&self) -> u64 {
        self.host.now()
    }

    pub fn options(&mut self, thread: Option<&str>, text: &str) -> StartOptions {
        self.runs += 1;
        StartOptions {
            run_id: format!("run{}", self.runs),
            thread: thread.map(str::to_owned),
            actor: None,
            is_locked: true,
            record: false,
            brief: false,
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

/// A graph that runs these steps one after another on a message, with other nodes and edges beside them.
pub fn steps(in_line: &[Value], beside: &[Value], edges: &[&str]) -> Value {
    let mut nodes = vec![node("chat", "chat_trigger", json!({}))];
    nodes.extend(in_line.iter().chain(beside).cloned());
    let mut all = Vec::new();
    let mut before = "chat.out".to_owned();
    for step in in_line {
        let id = step["id"].as_str().unwrap();
        all.push(format!("{before} > {id}.in"));
        let is_loop = matches!(step["type"].as_str(), Some("for_each" | "while_loop"));
        before = format!("{id}.{}", if is_loop { "done" } else { "out" });
    }
    let all: Vec<&str> = all
        .iter()
        .map(String::as_str)
        .chain(edges.iter().copied())
        .collect();
    graph(&nodes, &all)
}

/// A named result of the run.
pub fn output(name: &str, value: &str) -> Value {
    node(
        &format!("out_{name}"),
        "output",
        json!({"name": name, "value": value}),
    )
}

/// Runs a document on a message in thread `t`.
pub fn run(document: &Value, text: &str) -> RunResult {
    Bench::new().say(&plan(document), text)
}
