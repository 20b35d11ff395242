//! The settings of nodes that are evaluated at run time, compiled once.

use mnemograph_graph::{Graph, Node, NodeIx, Problem, TemplateKind, catalogue::Kind};
use mnemograph_template::{Expression, Reference, SyntaxError, Template};
use serde_json::Value;

use crate::references;

/// A setting made ready.
#[derive(Debug)]
pub(crate) struct Setting {
    /// `system_prompt`, `cases/0/when`.
    pub(crate) path: String,
    pub(crate) compiled: Compiled,
    /// The pull nodes that it reads.
    pub(crate) pulls: Vec<NodeIx>,
}

/// What a setting became.
#[derive(Debug)]
pub(crate) enum Compiled {
    Literal(Value),
    Template(Template),
    Expression(Expression),
    List(Vec<Compiled>),
    Map(Vec<(String, Compiled)>),
}

impl Compiled {
    /// All that is read from top-level names.
    pub(crate) fn references(&self, found: &mut Vec<Reference>) {
        match self {
            Self::Literal(_) => {}
            Self::Template(template) => found.extend(template.references()),
            Self::Expression(expression) => found.extend(expression.test_references()),
            Self::List(items) => items.iter().for_each(|item| item.references(found)),
            Self::Map(fields) => fields.iter().for_each(|(_, field)| field.references(found)),
        }
    }
}

/// Compiles the settings of a node; what cannot be read becomes a problem.
pub(crate) fn settings(graph: &Graph, node: &Node, problems: &mut Vec<Problem>) -> Vec<Setting> {
    let mut settings = Vec::new();
    for template in mnemograph_graph::templates(node) {
        let compiled = match (template.kind, template.source) {
            (TemplateKind::Expression, Value::String(source)) => {
                Expression::parse(source).map(Compiled::Expression)
            }
            (TemplateKind::Expression, other) => Ok(Compiled::Literal(other.clone())),
            (TemplateKind::Text | TemplateKind::Value, value) => compile(value),
        };
        match compiled {
            Ok(compiled) => {
                let pulls = pulls(graph, &compiled);
                settings.push(Setting {
                    path: template.path,
                    compiled,
                    pulls,
                });
            }
            Err(error) => {
                problems.push(references::syntax_problem(node, &template.path, &error));
            }
        }
    }
    settings
}

/// Each text in the value is a template; the depth is that of a document, which is bounded.
fn compile(value: &Value) -> Result<Compiled, SyntaxError> {
    Ok(match value {
        Value::String(source) => Compiled::Template(Template::parse(source)?),
        Value::Array(items) => Compiled::List(items.iter().map(compile).collect::<Result<_, _>>()?),
        Value::Object(fields) => Compiled::Map(
            fields
                .iter()
                .map(|(name, field)| Ok((name.clone(), compile(field)?)))
                .collect::<Result<_, _>>()?,
        ),
        other => Compiled::Literal(other.clone()),
    })
}

fn pulls(graph: &Graph, compiled: &Compiled) -> Vec<NodeIx> {
    let mut references = Vec::new();
    compiled.references(&mut references);
    let mut found = Vec::new();
    for reference in &references {
        let path: Vec<_> = reference.path.iter().map(String::as_str).collect();
        match path.as_slice() {
            ["nodes", id, ..] => {
                if let Some(ix) = graph.find(id)
                    && graph.node(ix).is_some_and(|node| node.kind == Kind::Pull)
                    && !found.contains(&ix)
                {
                    found.push(ix);
                }
            }
            // The whole map is read: whatever could be in it.
            ["nodes"] => found.extend(
                graph
                    .nodes()
                    .filter(|(_, node)| node.kind == Kind::Pull)
                    .map(|(ix, _)| ix),
            ),
            _ => {}
        }
    }
    found
}
