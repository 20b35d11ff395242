//! What templates can read, and the evaluation of a node's settings.

use crate::held::Held;
use crate::{core::Core, error::RunError, frame::FrameKind, plan::Compiled};
use mnemograph_graph::{NodeIx, Scope, Settings};
use mnemograph_memory::Message;
use mnemograph_template::{
    ErrorKind, Expression, Found, Missing, Names, Options, RenderError, Template, Warning,
};
use serde_json::{Map, Value, json};
use std::borrow::Cow;
use std::rc::Rc;

impl Names for Core {
    fn lookup(&self, name: &str) -> Option<Value> {
        match self.find(&[name.to_owned()]) {
            Found::Value(value, _) => Some(value.into_owned()),
            Found::Missing(_) => None,
        }
    }

    fn find<'a>(&'a self, path: &[String]) -> Found<'a> {
        let key = |place: usize| path.get(place).map(String::as_str);
        let Some(root) = key(0) else {
            return Found::Missing(0);
        };
        if let Some(local) = self.locals.get(root) {
            return Found::Value(Cow::Borrowed(local), 1);
        }
        match (root, key(1)) {
            ("nodes", Some(id)) => self.find_port(id, key(2)),
            ("variables", Some(name)) => match self.visible_variable(name) {
                Some(value) => Found::Value(Cow::Owned(value), 2),
                None => Found::Missing(1),
            },
            ("loops", Some(id)) => match self.loop_index_of(id) {
                Some(index) => Found::Value(Cow::Owned(json!({"index": index})), 2),
                None => Found::Missing(1),
            },
            ("env", Some(name)) => match self.input.env.get(name) {
                Some(value) => Found::Value(Cow::Borrowed(value), 2),
                None => Found::Missing(1),
            },
            ("trigger", Some("data")) => Found::Value(Cow::Borrowed(&self.input.data), 2),
            ("inputs", Some(name)) => match self.graph_inputs().and_then(|inputs| inputs.get(name))
            {
                Some(value) => Found::Value(Cow::Borrowed(value), 2),
                None => Found::Missing(1),
            },
            _ => match self.root_value(root) {
                Some(value) => Found::Value(Cow::Owned(value), 1),
                None => Found::Missing(0),
            },
        }
    }
}

impl Core {
    fn find_port(&self, id: &str, port: Option<&str>) -> Found<'_> {
        let Some(node) = self.plan.graph.find(id) else {
            return Found::Missing(1);
        };
        match port {
            None => Found::Value(Cow::Owned(Value::Object(self.ports_of(node))), 2),
            Some(port) => match self.port_value(node, port) {
                Some(value) => Found::Value(value, 3),
                None => Found::Missing(2),
            },
        }
    }

    fn root_value(&self, root: &str) -> Option<Value> {
        match root {
            "nodes" => Some(Value::Object(
                self.plan
                    .graph
                    .nodes()
                    .map(|(ix, node)| (node.id.clone(), Value::Object(self.ports_of(ix))))
                    .collect(),
            )),
            "variables" => {
                let mut all: Map<String, Value> = self
                    .plan
                    .variables()
                    .filter_map(|name| Some((name.to_owned(), self.visible_variable(name)?)))
                    .collect();
                if let Some(index) = self.loop_index() {
                    all.insert("loop_index".to_owned(), Value::from(index));
                }
                Some(Value::Object(all))
            }
            "trigger" => Some(json!({
                "text": self.trigger_text(),
                "data": self.input.data,
                "name": self.input.event,
                "thread_id": self.identity.thread_id,
            })),
            "inputs" => Some(Value::Object(
                self.graph_inputs().cloned().unwrap_or_default(),
            )),
            "env" => Some(Value::Object(self.input.env.clone())),
            "run" => Some(json!({
                "id": self.identity.run_id,
                "thread_id": self.identity.thread_id,
                "thread": self.identity.has_thread,
                "started_at": self.started_at,
            })),
            "item" | "index" => self
                .frames_around()
                .find_map(|(_, frame)| match &frame.kind {
                    FrameKind::Pass {
                        item: Held(Some(item)),
                        ..
                    } if root == "item" => Some(item.clone()),
                    FrameKind::Pass {
                        item: Held(Some(_)),
                        index,
                        ..
                    } => Some(Value::from(*index)),
                    _ => None,
                }),
            _ => None,
        }
    }

    /// Session variables and the index of the innermost loop.
    fn visible_variable(&self, name: &str) -> Option<Value> {
        if name == "loop_index" {
            return self.loop_index().map(Value::from);
        }
        let node = self.plan.graph.var(name)?;
        match self.plan.graph.node(node).map(|node| &node.settings) {
            Some(Settings::Var(var)) if var.scope == Scope::Session => Some(self.variable(node)),
            _ => None,
        }
    }

    fn loop_index(&self) -> Option<u64> {
        if let Some(index) = self.locals.get("loop_index").and_then(Value::as_u64) {
            return Some(index);
        }
        self.frames_around()
            .find_map(|(_, frame)| match frame.kind {
                FrameKind::Pass { index, .. } => Some(index),
                FrameKind::Root | FrameKind::Graph { .. } => None,
            })
    }

    fn loop_index_of(&self, id: &str) -> Option<u64> {
        let wanted = self.plan.graph.find(id)?;
        self.frames_around()
            .find_map(|(_, frame)| match frame.kind {
                FrameKind::Pass {
                    container, index, ..
                } if container == wanted => Some(index),
                _ => None,
            })
    }

    fn graph_inputs(&self) -> Option<&Map<String, Value>> {
        let (_, outermost) = self.frames_around().last()?;
        match &outermost.kind {
            FrameKind::Graph { inputs, .. } => Some(inputs),
            FrameKind::Root | FrameKind::Pass { .. } => None,
        }
    }

    /// A setting as text; `None` if it is not set.
    ///
    /// # Errors
    /// `E_TEMPLATE` with setting, line and column.
    pub(crate) fn render_setting(
        &mut self,
        node: NodeIx,
        setting: &str,
    ) -> Result<Option<String>, RunError> {
        let plan = Rc::clone(&self.plan);
        let Some(planned) = plan.setting(node, setting) else {
            return Ok(None);
        };
        let Compiled::Template(template) = &planned.compiled else {
            let value = self.evaluate_setting(node, setting)?;
            return Ok(value.map(|value| text_of(&value)));
        };
        self.pull_all(&planned.pulls)?;
        let done = template.render(self, &self.template_options());
        let done = done.map_err(|error| self.template_error(node, setting, &error))?;
        self.tell_missing(node, setting, done.warnings);
        Ok(Some(done.text))
    }

    fn pull_all(&mut self, sources: &[NodeIx]) -> Result<(), RunError> {
        sources.iter().try_for_each(|source| self.pull(*source))
    }

    /// A setting as a value: what is exactly one expression keeps its type; `None` if it is not set.
    ///
    /// # Errors
    /// `E_TEMPLATE` or `E_EXPR` with setting, line and column.
    pub(crate) fn evaluate_setting(
        &mut self,
        node: NodeIx,
        setting: &str,
    ) -> Result<Option<Value>, RunError> {
        let plan = Rc::clone(&self.plan);
        let Some(planned) = plan.setting(node, setting) else {
            return Ok(None);
        };
        self.pull_all(&planned.pulls)?;
        self.evaluate(node, setting, &planned.compiled).map(Some)
    }

    /// Whether an expression holds; `false` if it is not set.
    ///
    /// # Errors
    /// `E_EXPR` with setting, line and column.
    pub(crate) fn test_setting(&mut self, node: NodeIx, setting: &str) -> Result<bool, RunError> {
        let plan = Rc::clone(&self.plan);
        let Some(planned) = plan.setting(node, setting) else {
            return Ok(false);
        };
        self.pull_all(&planned.pulls)?;
        let Compiled::Expression(expression) = &planned.compiled else {
            return Ok(false);
        };
        let tested = expression.test(self, &self.template_options());
        let tested = tested.map_err(|error| self.template_error(node, setting, &error))?;
        self.tell_missing(node, setting, tested.warnings);
        Ok(tested.holds)
    }

    fn evaluate(
        &mut self,
        node: NodeIx,
        setting: &str,
        compiled: &Compiled,
    ) -> Result<Value, RunError> {
        Ok(match compiled {
            Compiled::Literal(value) => value.clone(),
            Compiled::Template(template) => self.evaluate_template(node, setting, template)?,
            Compiled::Expression(expression) => {
                self.evaluate_expression(node, setting, expression)?
            }
            Compiled::List(items) => {
                let mut values = Vec::with_capacity(items.len());
                for item in items {
                    values.push(self.evaluate(node, setting, item)?);
                }
                Value::Array(values)
            }
            Compiled::Map(fields) => {
                let mut values = Map::new();
                for (name, field) in fields {
                    values.insert(name.clone(), self.evaluate(node, setting, field)?);
                }
                Value::Object(values)
            }
        })
    }

    fn evaluate_template(
        &mut self,
        node: NodeIx,
        setting: &str,
        template: &Template,
    ) -> Result<Value, RunError> {
        let done = template.evaluate(self, &self.template_options());
        let done = done.map_err(|error| self.template_error(node, setting, &error))?;
        self.tell_missing(node, setting, done.warnings);
        Ok(done.value)
    }

    fn evaluate_expression(
        &mut self,
        node: NodeIx,
        setting: &str,
        expression: &Expression,
    ) -> Result<Value, RunError> {
        let done = expression.evaluate(self, &self.template_options());
        let done = done.map_err(|error| self.template_error(node, setting, &error))?;
        self.tell_missing(node, setting, done.warnings);
        Ok(done.value)
    }

    /// Missing values that the graph lets pass as empty text.
    fn tell_missing(&mut self, node: NodeIx, setting: &str, warnings: Vec<Warning>) {
        for warning in warnings {
            let place = format!("line {}, column {}", warning.line, warning.column);
            self.warn(
                Some(node),
                "W_TEMPLATE_MISSING",
                &format!("'{setting}' ({place}): {}.", warning.message),
                "Give a fallback with default, or ask with {% if %}.",
            );
        }
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

    pub(crate) fn trigger_text(&self) -> String {
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
            missing: match self.plan.graph.document.missing {
                mnemograph_graph::Missing::Error => Missing::Error,
                mnemograph_graph::Missing::Empty => Missing::Empty,
            },
        }
    }

    fn template_error(&self, node: NodeIx, setting: &str, error: &RenderError) -> RunError {
        let what = if error.code == "E_EXPR" {
            "expression"
        } else {
            "template"
        };
        let message = format!("The {what} in '{setting}' could not be evaluated: {error}.");
        let mut failed = RunError::new(error.code, message).at(&self.node_id(node));
        failed.is_missing = error.kind == ErrorKind::Missing;
        match &error.hint {
            Some(hint) => failed.hint(hint.clone()),
            None => failed,
        }
    }
}

/// A value as text: text as it is, nothing as no text, anything else as compact JSON.
pub(crate) fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
