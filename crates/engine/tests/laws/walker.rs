//! A host that knows what it was asked, and answers as the moves say.

use mnemograph_engine::{
    ChatChunk, Committed, Effect, Failure, FinishReason, HostWork, Input, Interrupt, LoadedHistory,
    Plan, RequestId, Run, RunEvent, RunIdentity, RunInput, RunStatus, ThreadState,
};
use mnemograph_memory::{Message, Part, Role};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::rc::Rc;

pub(crate) fn identity() -> RunIdentity {
    RunIdentity {
        run_id: "r".to_owned(),
        thread_id: "t".to_owned(),
        has_thread: true,
    }
}

/// What happens next, some milliseconds later.
#[derive(Debug, Clone)]
pub(crate) struct Move {
    later: u64,
    what: What,
}

#[derive(Debug, Clone)]
enum What {
    /// One of the open requests is answered; `keep` leaves it open, so that it may be answered again.
    Answer {
        which: prop::sample::Index,
        value: Value,
        fails: Option<bool>,
        keep: bool,
    },
    /// A piece of a model's answer.
    Piece {
        which: prop::sample::Index,
        chunk: ChatChunk,
    },
    /// A person decides about one of the open questions.
    Decide {
        which: prop::sample::Index,
        action: prop::sample::Index,
        data: Value,
    },
    /// An answer to a request that may be of another kind, over, or unknown.
    Foreign {
        request: RequestId,
        value: Value,
    },
    Timer,
    Suspend,
    JournalFailed,
    TurnFailed,
    Cancel,
}

fn value() -> impl Strategy<Value = Value> {
    let call = |name: &str| json!({"tool_calls": [{"call_id": "c", "name": name, "args": {}}]});
    prop_oneof![
        3 => Just(json!("text {{ x }} $& __proto__")),
        1 => Just(json!("")),
        1 => Just(json!(7)),
        1 => Just(Value::Null),
        2 => Just(call("tool")),
        2 => Just(call("pay")),
        2 => Just(call("helper")),
        1 => Just(call("notes_clear")),
        2 => Just(json!({"tool_calls": [
            {"call_id": "c", "name": "notes_set", "args": {"key": "k", "value": 1}},
            {"call_id": "d", "name": "passing_set", "args": {"key": "k", "value": [1]}},
            {"call_id": "e", "name": "passing_delete", "args": {"key": "none"}},
        ]})),
        1 => Just(json!({"text": "so", "tool_calls": [{"name": "tool", "args": {}}, {"call_id": "d", "name": "nope", "args_raw": "{"}, {"call_id": "e", "name": "helper", "args": {}}]})),
        1 => Just(json!("a")),
        1 => Just(json!("{\"n\": 1}")),
        1 => Just(json!("{\"class\": \"b\"}")),
        1 => Just(json!({"text": "half", "finish_reason": "length"})),
        1 => Just(json!({"status": 404, "headers": {}, "body": "no"})),
        1 => Just(json!({"errors": ["n: no integer"]})),
        1 => Just(json!({"content": [{"type": "text", "text": "x"}], "is_error": true})),
        1 => Just(json!({"parts": 3, "__proto__": [[[]]]})),
        1 => Just(Value::String("long ".repeat(2_000))),
    ]
}

fn chunk() -> impl Strategy<Value = ChatChunk> {
    prop_oneof![
        "[a-z{%]{0,3}".prop_map(|text| ChatChunk::Text { text }),
        (0..2_u32).prop_map(|index| ChatChunk::ToolCall {
            index,
            call_id: None,
            name: Some("tool".to_owned()),
            args: Some("{}".to_owned())
        }),
        Just(ChatChunk::Finish {
            reason: FinishReason::Stop,
            usage: None,
            model: None
        }),
    ]
}

fn what() -> impl Strategy<Value = What> {
    let index = any::<prop::sample::Index>;
    let fails = prop_oneof![5 => Just(None), 1 => any::<bool>().prop_map(Some)];
    prop_oneof![
        30 => (index(), value(), fails, prop::bool::weighted(0.1))
            .prop_map(|(which, value, fails, keep)| What::Answer { which, value, fails, keep }),
        4 => (index(), chunk()).prop_map(|(which, chunk)| What::Piece { which, chunk }),
        4 => (index(), index(), value()).prop_map(|(which, action, data)| What::Decide { which, action, data }),
        2 => (0..60_u64, value()).prop_map(|(request, value)| What::Foreign { request, value }),
        3 => Just(What::Timer),
        1 => Just(What::Suspend),
        1 => prop_oneof![8 => Just(What::JournalFailed), 1 => Just(What::TurnFailed), 1 => Just(What::Cancel)],
    ]
}

pub(crate) fn moves() -> impl Strategy<Value = Vec<Move>> {
    let step = (0..200_u64, what()).prop_map(|(later, what)| Move { later, what });
    prop::collection::vec(step, 0..70)
}

/// What one driver saw of a run: from its beginning or from the answer of a person to its end, or to the next question.
pub(crate) struct Leg {
    /// The state that it began from; `None` is a new run.
    pub(crate) state: Option<Value>,
    pub(crate) inputs: Vec<(u64, Input)>,
    pub(crate) effects: Vec<Effect>,
}

impl Leg {
    fn from(state: Option<Value>) -> Self {
        Self {
            state,
            inputs: Vec::new(),
            effects: Vec::new(),
        }
    }

    /// The run as it was when the leg began.
    pub(crate) fn run(&self, plan: &Rc<Plan>) -> Run {
        match &self.state {
            None => Run::new(Rc::clone(plan), identity()),
            Some(state) => Run::restore(Rc::clone(plan), state.clone()).unwrap(),
        }
    }

    pub(crate) fn events(&self) -> impl Iterator<Item = &RunEvent> {
        self.effects.iter().filter_map(|effect| match effect {
            Effect::Emit(event) => Some(&**event),
            _ => None,
        })
    }
}

/// A run, what went in and what came out.
pub(crate) struct Walker {
    plan: Rc<Plan>,
    run: Run,
    now: u64,
    /// Effects that want an answer, also those of earlier legs.
    open: Vec<Effect>,
    /// The state in which the run waits, and what it asks.
    waiting: Option<(Value, Vec<Interrupt>)>,
    pub(crate) legs: Vec<Leg>,
}

impl Walker {
    pub(crate) fn new(plan: &Rc<Plan>) -> Self {
        let mut walker = Self {
            plan: Rc::clone(plan),
            run: Run::new(Rc::clone(plan), identity()),
            now: 1_000,
            open: Vec::new(),
            waiting: None,
            legs: vec![Leg::from(None)],
        };
        walker.step(Input::Start(Box::new(RunInput {
            text: Some("hello".to_owned()),
            ..RunInput::default()
        })));
        walker
    }

    pub(crate) fn events(&self) -> impl Iterator<Item = &RunEvent> {
        self.legs.iter().flat_map(Leg::events)
    }

    pub(crate) fn effects(&self) -> impl Iterator<Item = &Effect> {
        self.legs.iter().flat_map(|leg| &leg.effects)
    }

    pub(crate) fn take(&mut self, step: &Move) {
        self.now += step.later;
        match &step.what {
            What::Answer {
                which,
                value,
                fails,
                keep,
            } => {
                if self.open.is_empty() {
                    return;
                }
                let place = which.index(self.open.len());
                let asked = self.open[place].clone();
                if !keep {
                    self.open.remove(place);
                }
                let result = match fails {
                    None => Ok(value.clone()),
                    Some(retryable) => Err(Failure {
                        retryable: *retryable,
                        ..Failure::new("", "failed")
                    }),
                };
                if let Some(input) = answer(&asked, result) {
                    self.step(input);
                }
            }
            What::Piece { which, chunk } => {
                let calls: Vec<RequestId> = self.open.iter().filter_map(model_call).collect();
                if !calls.is_empty() {
                    let request = *which.get(&calls);
                    self.step(Input::ModelDelta {
                        request,
                        chunk: chunk.clone(),
                    });
                }
            }
            What::Decide {
                which,
                action,
                data,
            } => self.decide(which, action, data),
            What::Foreign { request, value } => {
                let (request, result) = (*request, Ok(value.clone()));
                self.step(match request % 5 {
                    0 => Input::HostDone { request, result },
                    1 => Input::ToolDone { request, result },
                    2 => Input::ModelDone { request, result },
                    3 => Input::Resume {
                        interrupt: "int_r_1".to_owned(),
                        action: "answer".to_owned(),
                        data: Value::Null,
                    },
                    _ => Input::VariableWritten {
                        request,
                        result: Ok(()),
                    },
                });
            }
            What::Timer => self.step(Input::Timer),
            What::Suspend => self.step(Input::Suspend),
            What::JournalFailed => self.step(Input::JournalFailed {
                failure: Failure::new("E_STORE_QUOTA", "full"),
            }),
            What::TurnFailed => self.step(Input::TurnFailed {
                failure: Failure::new("E_STORE_UNAVAILABLE", "gone"),
            }),
            What::Cancel => self.step(Input::Cancel {
                reason: "stop".to_owned(),
            }),
        }
    }

    /// The run is cancelled and the storage answers: then it must be over, whatever was before.
    pub(crate) fn come_to_an_end(&mut self) {
        self.step(Input::Cancel {
            reason: "the end".to_owned(),
        });
        for _ in 0..200 {
            if self.run.is_over() {
                return;
            }
            let Some(asked) = self.open.pop() else { break };
            if let Some(input) = answer(&asked, Ok(Value::Null)) {
                self.step(input);
            }
        }
        assert!(self.run.is_over(), "the run hangs");
    }

    /// A person answers: another driver goes on from the stored state.
    fn decide(&mut self, which: &prop::sample::Index, action: &prop::sample::Index, data: &Value) {
        if !self.run.is_over() {
            return;
        }
        let Some((state, interrupts)) = self.waiting.clone() else {
            return;
        };
        let question = which.get(&interrupts);
        let wrong = "perhaps".to_owned();
        let action = action
            .get(&[question.actions.clone(), vec![wrong]].concat())
            .clone();
        let run = Run::restore(Rc::clone(&self.plan), state.clone()).unwrap();
        if run.check_answer(&question.id, &action).is_err() {
            return;
        }
        self.run = run;
        self.waiting = None;
        self.legs.push(Leg::from(Some(state)));
        self.step(Input::Resume {
            interrupt: question.id.clone(),
            action,
            data: data.clone(),
        });
    }

    fn step(&mut self, input: Input) {
        let effects = self.run.step(self.now, input.clone());
        assert!(effects.len() < 20_000, "a step goes on and on");
        for effect in &effects {
            if let Effect::SaveCheckpoint { checkpoint, .. } = effect {
                self.waiting = Some((checkpoint.state.clone(), checkpoint.interrupts.clone()));
            }
            if let Effect::Finish(result) = effect
                && result.status != RunStatus::Waiting
            {
                self.waiting = None;
            }
            self.open
                .extend(answer(effect, Ok(Value::Null)).map(|_| effect.clone()));
        }
        let leg = self.legs.last_mut().unwrap();
        leg.inputs.push((self.now, input));
        leg.effects.extend(effects);
    }
}

fn model_call(effect: &Effect) -> Option<RequestId> {
    match effect {
        Effect::CallModel { request, .. } => Some(*request),
        _ => None,
    }
}

/// The answer to what was asked, made of a value where it can be anything.
fn answer(asked: &Effect, result: Result<Value, Failure>) -> Option<Input> {
    let done = result.clone().map(|_| ());
    Some(match asked {
        Effect::OpenTurn { request, .. } => Input::TurnOpened {
            request: *request,
            result: done,
        },
        Effect::LoadHistory { request, .. } => Input::HistoryLoaded {
            request: *request,
            result: done.map(|()| LoadedHistory {
                summary: None,
                summary_failed: None,
                messages: vec![Message::new("m", Role::User, vec![Part::text("before")], 1)],
                count: 1,
                last_seq: 1,
                quarantined: 0,
            }),
        },
        Effect::CommitRound { request, .. } => Input::RoundCommitted {
            request: *request,
            result: result.map(|value| match value {
                Value::Number(_) => Committed::Stale,
                _ => Committed::Stored {
                    count: 2,
                    bytes: 10,
                    hash: "h".to_owned(),
                },
            }),
        },
        Effect::WriteTranscript { request, .. } => Input::TranscriptWritten {
            request: *request,
            result: done,
        },
        Effect::WriteVariable { request, .. } => Input::VariableWritten {
            request: *request,
            result: done,
        },
        Effect::ManageMemory { request, .. } => Input::MemoryManaged {
            request: *request,
            result: result.map(|value| vec![value]),
        },
        Effect::ChangeDictionary {
            request,
            op,
            initial,
            limits,
            ..
        } => Input::DictionaryChanged {
            request: *request,
            result: done.and_then(|()| {
                let changed = op.apply(initial.clone(), *limits);
                changed.map_err(|problem| Failure::new("E_MEMORY_WRITE", problem))
            }),
        },
        Effect::SaveCheckpoint { request, .. } => Input::CheckpointSaved {
            request: *request,
            result: done,
        },
        Effect::ReadThread {
            request, variables, ..
        } => Input::ThreadRead {
            request: *request,
            result: result.map(|value| ThreadState {
                variables: variables
                    .iter()
                    .map(|id| (id.clone(), value.clone()))
                    .collect(),
                dictionaries: serde_json::Map::new(),
                transcript: Vec::new(),
            }),
        },
        Effect::CallModel { request, .. } => Input::ModelDone {
            request: *request,
            result,
        },
        // A tool that asks for consent where its answer would be a number.
        Effect::CallTool {
            request, agreed, ..
        } => match result {
            Ok(Value::Number(_)) if !agreed => Input::ToolAsks { request: *request },
            result => Input::ToolDone {
                request: *request,
                result,
            },
        },
        Effect::CallHost { request, work, .. } => Input::HostDone {
            request: *request,
            // A host that mostly does what it is for.
            result: result.map(|value| match (work, &value) {
                (HostWork::Schema, Value::String(_)) => json!({"errors": []}),
                (HostWork::Http, Value::String(_)) => {
                    json!({"status": 200, "headers": {}, "body": "{}"})
                }
                (HostWork::Node, Value::Number(_)) => json!({"exit": "missing"}),
                (HostWork::Node, Value::String(_)) => json!({"outputs": {"seen": value}}),
                _ => value,
            }),
        },
        _ => return None,
    })
}
