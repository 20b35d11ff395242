//! `human_approval` and `ask_user`: the run waits for a person.

use crate::{
    core::Core,
    frame::NodeValues,
    interrupt::{Interrupt, InterruptKind},
    names::text_of,
    nodes::{Activity, Entered, Progress, Signal},
};
use mnemograph_compact::FromJson;
use mnemograph_graph::{NodeIx, Settings};
use mnemograph_memory::{Part, Role};
use serde::Serialize;
use serde_json::Value;

/// The answer to a question that came too late, and the port that it goes to.
pub(crate) const TIMEOUT: &str = "timeout";

/// A question that is open.
#[derive(Debug, Serialize, FromJson)]
pub(crate) struct Ask {
    pub(crate) interrupt: Interrupt,
}

impl Ask {
    pub(crate) fn enter(core: &mut Core, node: NodeIx) -> Entered {
        let prompt = core.render_setting(node, "prompt")?.unwrap_or_default();
        let plan = std::rc::Rc::clone(&core.plan);
        let settings = plan.graph.node(node).map(|node| &node.settings);
        let (kind, actions, schema, timeout_ms) = match settings {
            Some(Settings::HumanApproval(approval)) => (
                InterruptKind::Approval,
                approval.actions.clone(),
                approval.form.clone(),
                approval.timeout_ms,
            ),
            Some(Settings::AskUser(ask)) => (
                InterruptKind::Question,
                vec!["answer".to_owned()],
                ask.schema.clone(),
                ask.timeout_ms,
            ),
            _ => {
                return Err(crate::error::RunError::internal(
                    "A question was entered that is none.",
                ));
            }
        };
        if kind == InterruptKind::Question && !prompt.is_empty() {
            core.show(Role::Assistant, prompt.clone());
        }
        let interrupt = Interrupt {
            id: core.interrupt_id(),
            node: core.node_id(node),
            path: core.path().to_vec(),
            kind,
            prompt,
            actions,
            schema,
            expires_at: timeout_ms.map(|ms| core.now.saturating_add(ms)),
            call: None,
        };
        Ok((Some(Activity::Ask(Self { interrupt })), Progress::Waiting))
    }

    pub(crate) fn resume(&mut self, core: &mut Core, _node: NodeIx, signal: Signal) -> Progress {
        let Signal::Decision {
            interrupt,
            action,
            data,
        } = signal
        else {
            return Progress::Waiting;
        };
        if interrupt != self.interrupt.id {
            return Progress::Waiting;
        }
        let is_late = action == TIMEOUT || self.interrupt.is_expired(core.now);
        if self.interrupt.kind == InterruptKind::Question {
            if is_late {
                return Progress::left(TIMEOUT, [("text", Value::Null), ("message", Value::Null)]);
            }
            let text = text_of(&data);
            let message = core.message(Role::User, vec![Part::text(text.clone())]);
            let shown = serde_json::to_value(&message).unwrap_or_default();
            return Progress::out([("text", Value::String(text)), ("message", shown)]);
        }
        let (port, action) = if is_late {
            (TIMEOUT, TIMEOUT.to_owned())
        } else {
            ("", action)
        };
        let comment = data.get("comment").cloned().unwrap_or_default();
        let values = NodeValues::of([
            ("action", Value::String(action.clone())),
            ("data", data),
            ("comment", comment),
        ]);
        let port = if port.is_empty() {
            action
        } else {
            port.to_owned()
        };
        Progress::Left(port, Box::new(values))
    }
}
