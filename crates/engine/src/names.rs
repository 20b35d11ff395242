//! What templates can read, and the rendering of a node's settings.

use crate::{core::Core, error::RunError};
use mnemograph_graph::NodeIx;
use mnemograph_memory::Message;
use mnemograph_template::{Missing, Names, Options, RenderError};
use serde_json::{Map, Value, json};

impl Names for Core {
    fn lookup(&self, name: &str) -> Option<Value> {
        match name {
            "nodes" => Some(Value::Object(self.all_values())),
            "trigger" => Some(json!({
                "text": self.trigger_text(),
                "data": self.input.data,
                "thread_id": self.identity.thread_id,
            })),
            "inputs" | "variables" => Some(Value::Object(Map::new())),
            "env" => Some(Value::Object(self.input.env.clone())),
            "run" => Some(json!({
                "id": self.identity.run_id,
                "thread_id": self.identity.thread_id,
                "started_at": self.started_at,
            })),
            _ => None,
        }
    }
}

impl Core {
    /// A template setting as text; `None` if it is not set.
    ///
    /// # Errors
    /// `E_TEMPLATE` with setting, line and column.
    pub(crate) fn render_setting(
        &mut self,
        node: NodeIx,
        setting: &str,
    ) -> Result<Option<String>, RunError> {
        let plan = std::rc::Rc::clone(&self.plan);
        let Some(template) = plan.template(node, setting) else {
            return Ok(None);
        };
        let rendered = template.render(self, &self.template_options());
        rendered
            .map(|rendered| Some(rendered.text))
            .map_err(|error| self.template_error(node, setting, &error))
    }

    /// A template setting as a value: what is exactly one expression keeps its type.
    ///
    /// # Errors
    /// `E_TEMPLATE` with setting, line and column.
    pub(crate) fn evaluate_setting(
        &mut self,
        node: NodeIx,
        setting: &str,
    ) -> Result<Option<Value>, RunError> {
        let plan = std::rc::Rc::clone(&self.plan);
        let Some(template) = plan.template(node, setting) else {
            return Ok(None);
        };
        let value = template.evaluate(self, &self.template_options());
        value
            .map(|evaluated| Some(evaluated.value))
            .map_err(|error| self.template_error(node, setting, &error))
    }

    /// The person's message of this run.
    pub(crate) fn trigger_message(&self) -> Message {
        self.trigger_message.clone().unwrap_or_else(|| {
            Message::new(
                format!("msg_{}_0", self.identity.run_id),
                mnemograph_memory::Role::User,
                Vec::new(),
                self.now,
            )
        })
    }

    pub(crate) fn set_trigger_message(&mut self, message: Message) {
        self.trigger_message = Some(message);
    }

    fn trigger_text(&self) -> String {
        self.trigger_message
            .as_ref()
            .map(Message::text)
            .unwrap_or_default()
    }

    fn template_options(&self) -> Options {
        let limits = &self.plan.graph.limits;
        Options {
            fuel: limits.template_fuel,
            max_output: limits.template_output,
            missing: Missing::Error,
        }
    }

    fn template_error(&self, node: NodeIx, setting: &str, error: &RenderError) -> RunError {
        let message = format!("The template in '{setting}' could not be rendered: {error}.");
        let failed = RunError::new("E_TEMPLATE", message).at(&self.node_id(node));
        match &error.hint {
            Some(hint) => failed.hint(hint.clone()),
            None => failed,
        }
    }
}
