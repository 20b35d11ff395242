//! Problems that show only when graph, templates and host are seen together.

use crate::plan::HostCatalogue;
use mnemograph_compact::SortedMap;
use mnemograph_graph::{Code, Graph, NodeIx, Problem, Settings};
use mnemograph_template::{Reference, SyntaxError, Template};

/// The names that a template may begin a path with.
pub(crate) const ROOTS: [&str; 6] = ["nodes", "trigger", "inputs", "variables", "env", "run"];

/// The settings of a node that are templates, with their text.
pub(crate) fn template_settings(settings: &Settings) -> Vec<(&'static str, &str)> {
    let given: Vec<(&'static str, Option<&str>)> = match settings {
        Settings::AiAgent(agent) => {
            vec![
                ("system_prompt", Some(&agent.system_prompt)),
                ("prompt", agent.prompt.as_deref()),
            ]
        }
        Settings::Reply(reply) => vec![("text", reply.text.as_deref())],
        Settings::Output(output) => {
            vec![(
                "value",
                output.value.as_ref().and_then(serde_json::Value::as_str),
            )]
        }
        _ => Vec::new(),
    };
    given
        .into_iter()
        .filter_map(|(name, text)| Some((name, text?)))
        .collect()
}

/// A template that cannot be read.
pub(crate) fn syntax_problem(node: &str, setting: &str, error: &SyntaxError) -> Problem {
    Problem::new(
        Code::TemplateSyntax,
        format!("The template in '{setting}' cannot be read: {error}."),
        error
            .hint
            .clone()
            .unwrap_or_else(|| "Mend the template at that place.".to_owned()),
    )
    .node(node)
    .port(setting)
}

/// Templates that read what cannot be there.
pub(crate) fn check_templates(
    graph: &Graph,
    templates: &SortedMap<NodeIx, Vec<(&'static str, Template)>>,
    problems: &mut Vec<Problem>,
) {
    let each = |(ix, of_node)| std::iter::repeat(ix).zip(of_node);
    for (ix, (setting, template)) in templates.iter().flat_map(each) {
        let Some(node) = graph.node(*ix) else {
            continue;
        };
        for reference in template.references() {
            if let Some((message, hint)) = reference_fault(graph, &reference) {
                let place = format!("line {}, column {}", reference.line, reference.column);
                problems.push(
                    Problem::new(
                        Code::TemplateRef,
                        format!("The template in '{setting}' ({place}) {message}."),
                        hint,
                    )
                    .node(&node.id)
                    .port(*setting),
                );
            }
        }
    }
}

fn reference_fault(graph: &Graph, reference: &Reference) -> Option<(String, String)> {
    let mut path = reference.path.iter().map(String::as_str);
    let root = path.next()?;
    if !ROOTS.contains(&root) {
        let hint = format!(
            "Templates know: {}. Text in quotation marks is a literal.",
            ROOTS.join(", ")
        );
        return Some((format!("reads '{root}', which does not exist"), hint));
    }
    if root == "variables" {
        let name = path.next().unwrap_or_default();
        return Some((
            format!("reads the variable '{name}', which the graph does not declare"),
            "Read a node's port with {{ nodes.<id>.<port> }} instead.".to_owned(),
        ));
    }
    if root != "nodes" {
        return None;
    }
    let id = path.next()?;
    let Some(node) = graph.find(id).and_then(|ix| graph.node(ix)) else {
        let ids: Vec<_> = graph.nodes().map(|(_, node)| node.id.as_str()).collect();
        let hint = match mnemograph_graph::nearest(id, ids.iter().copied()) {
            Some(near) => format!("Did you mean '{near}'?"),
            None => "Use the id of a node of this graph.".to_owned(),
        };
        return Some((format!("reads the node '{id}', which does not exist"), hint));
    };
    let port = path.next()?;
    let names: Vec<_> = node.outputs().map(|port| port.name.as_ref()).collect();
    if ["status", "error"].contains(&port) || names.contains(&port) {
        return None;
    }
    let hint = match mnemograph_graph::nearest(port, names.iter().copied()) {
        Some(near) => format!("Did you mean '{{{{ nodes.{id}.{near} }}}}'?"),
        None if names.is_empty() => "This node has no value to read.".to_owned(),
        None => format!("Its ports: {}.", names.join(", ")),
    };
    Some((
        format!("reads '{id}.{port}', but the node has no such port"),
        hint,
    ))
}

/// What the graph needs and the host does not offer.
pub(crate) fn check_requirements(graph: &Graph, host: &HostCatalogue, problems: &mut Vec<Problem>) {
    let needs = graph.needs();
    let mut missing = |kind: &str, option: &str, name: &str, offered: Vec<&str>| {
        let offered = if offered.is_empty() {
            "none".to_owned()
        } else {
            offered.join(", ")
        };
        problems.push(Problem::new(
            Code::Requires,
            format!("The graph needs the {kind} '{name}', which the host does not offer."),
            format!(
                "Register it in createRuntime({{ {option}: {{ … }} }}). Registered: {offered}."
            ),
        ));
    };
    for name in needs
        .models
        .iter()
        .filter(|name| !host.models.contains_key(*name))
    {
        missing(
            "model",
            "models",
            name,
            host.models.keys().map(String::as_str).collect(),
        );
    }
    for name in needs
        .tools
        .iter()
        .filter(|name| !host.tools.contains_key(*name))
    {
        missing(
            "tool",
            "tools",
            name,
            host.tools.keys().map(String::as_str).collect(),
        );
    }
}
