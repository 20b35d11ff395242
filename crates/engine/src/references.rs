//! Problems that show only when graph, templates and host are seen together.

use crate::plan::{HostCatalogue, Plan};
use mnemograph_graph::{Code, Graph, Node, NodeIx, Problem, Scope, Settings, catalogue::Kind};
use mnemograph_template::{Reference, SyntaxError};

/// The names that a template may begin a path with.
pub(crate) const ROOTS: [&str; 9] = [
    "nodes",
    "trigger",
    "inputs",
    "variables",
    "item",
    "index",
    "loops",
    "env",
    "run",
];

/// A setting that cannot be read.
pub(crate) fn syntax_problem(node: &Node, setting: &str, error: &SyntaxError) -> Problem {
    let hint = error.hint.clone();
    Problem::new(
        Code::TemplateSyntax,
        format!("The template in '{setting}' cannot be read: {error}."),
        hint.unwrap_or_else(|| "Mend the template at that place.".to_owned()),
    )
    .node(&node.id)
    .port(setting)
}

/// Templates that read what cannot be there.
pub(crate) fn check_templates(plan: &Plan, problems: &mut Vec<Problem>) {
    for (ix, node) in plan.graph.nodes() {
        for setting in plan.settings_of(ix) {
            let mut references = Vec::new();
            setting.compiled.references(&mut references);
            for reference in references {
                let reader = Reader {
                    graph: &plan.graph,
                    ix,
                    node,
                    setting: &setting.path,
                };
                let fault = reader.fault(&reference);
                if let Some(fault) = fault.or_else(|| reader.doubt(&reference)) {
                    let place = format!("line {}, column {}", reference.line, reference.column);
                    let message = format!(
                        "The template in '{}' ({place}) {}.",
                        setting.path, fault.message
                    );
                    problems.push(
                        Problem::new(fault.code, message, fault.hint)
                            .node(&node.id)
                            .port(setting.path.as_str()),
                    );
                }
            }
        }
    }
}

/// Who reads.
struct Reader<'a> {
    graph: &'a Graph,
    ix: NodeIx,
    node: &'a Node,
    setting: &'a str,
}

struct Fault {
    code: Code,
    message: String,
    hint: String,
}

impl Fault {
    fn new(code: Code, message: String, hint: impl Into<String>) -> Option<Self> {
        let hint = hint.into();
        Some(Self {
            code,
            message,
            hint,
        })
    }
}

impl Reader<'_> {
    fn fault(&self, reference: &Reference) -> Option<Fault> {
        let path: Vec<&str> = reference.path.iter().map(String::as_str).collect();
        let (root, rest) = path.split_first()?;
        match (*root, rest) {
            ("variables", [name, ..]) => self.variable(name),
            ("nodes", [id, rest @ ..]) => self.port(id, rest.first().copied()),
            ("item" | "index", _) if !self.has_items() => Fault::new(
                Code::TemplateScope,
                format!("reads '{root}', which exists inside a for_each only"),
                "Put the node into the body of a for_each (\"parent\"), or read another value.",
            ),
            ("loops", [id, ..]) => self.loop_index(id),
            ("inputs", [name, ..]) => self.input(name),
            (root, _) if ROOTS.contains(&root) => None,
            (root, _) => Fault::new(
                Code::TemplateRef,
                format!("reads '{root}', which does not exist"),
                format!(
                    "Templates know: {}. Text in quotation marks is a literal.",
                    ROOTS.join(", ")
                ),
            ),
        }
    }

    /// A node that may not have run when its value is read.
    fn doubt(&self, reference: &Reference) -> Option<Fault> {
        let [root, id, port, ..] = reference.path.as_slice() else {
            return None;
        };
        let source = self.graph.find(id).filter(|_| root == "nodes")?;
        let kind = self.graph.node(source)?.kind;
        let acts = matches!(kind, Kind::Step | Kind::Trigger);
        // Of its own last pass, a container's result is read when that is over.
        let is_own_pass = self.setting == "result" && self.is_inside(source);
        if !acts || reference.guarded || port == "status" || source == self.ix || is_own_pass {
            return None;
        }
        if self.graph.is_sure(self.ix, source) {
            return None;
        }
        Fault::new(
            Code::RefMaybeSkipped,
            format!("reads '{id}.{port}', and '{id}' may not have run by then"),
            format!(
                "Let control always pass through '{id}' first, or give a fallback: {{{{ nodes.{id}.{port} | default(\"…\") }}}}."
            ),
        )
    }

    fn is_inside(&self, source: NodeIx) -> bool {
        let mut at = self.graph.container_of(source);
        while let Some(container) = at {
            if container == self.ix {
                return true;
            }
            at = self.graph.container_of(container);
        }
        false
    }

    /// The containers around the reader; a container's own condition and result are read inside of it.
    fn containers(&self) -> Vec<NodeIx> {
        let mut around = Vec::new();
        if self.setting == "result" || self.setting == "condition" {
            around.push(self.ix);
        }
        let mut at = self.graph.container_of(self.ix);
        while let Some(container) = at {
            around.push(container);
            at = self.graph.container_of(container);
        }
        around
    }

    fn has_items(&self) -> bool {
        let of_list = matches!(self.node.settings, Settings::List(_))
            && ["filter", "sort_by", "unique_by", "map"].contains(&self.setting);
        let is_each = |ix: &NodeIx| {
            let node = self.graph.node(*ix);
            matches!(node.map(|node| &node.settings), Some(Settings::ForEach(_)))
        };
        of_list || self.containers().iter().any(is_each)
    }

    fn variable(&self, name: &str) -> Option<Fault> {
        if name == "loop_index" {
            let is_loop = |ix: &NodeIx| {
                let node = self.graph.node(*ix);
                matches!(
                    node.map(|node| &node.settings),
                    Some(Settings::WhileLoop(_) | Settings::ForEach(_))
                )
            };
            if self.containers().iter().any(is_loop) {
                return None;
            }
            return Fault::new(
                Code::TemplateScope,
                "reads 'variables.loop_index' outside of a loop".to_owned(),
                "Put the node into the body of a loop (\"parent\"), or read another value.",
            );
        }
        let found = self.graph.var(name).and_then(|ix| self.graph.node(ix));
        let Some(node) = found else {
            let names = self
                .graph
                .nodes()
                .filter_map(|(_, node)| match &node.settings {
                    Settings::Var(var) => Some(var.name.as_str()),
                    _ => None,
                });
            let hint = match mnemograph_graph::nearest(name, names) {
                Some(near) => format!("Did you mean '{near}'?"),
                None => "Add a var node with this name, or read a node's port with {{ nodes.<id>.<port> }}.".to_owned(),
            };
            let message = format!("reads the variable '{name}', which the graph does not declare");
            return Fault::new(Code::TemplateRef, message, hint);
        };
        match &node.settings {
            Settings::Var(var) if var.scope != Scope::Session => Fault::new(
                Code::TemplateScope,
                format!(
                    "reads 'variables.{name}', but its scope is {} and 'variables' holds session variables only",
                    var.scope.as_str()
                ),
                format!("Write {{{{ nodes.{}.output }}}} instead.", node.id),
            ),
            _ => None,
        }
    }

    fn loop_index(&self, id: &str) -> Option<Fault> {
        let found = self.graph.find(id);
        if found.is_some_and(|ix| self.containers().contains(&ix)) {
            return None;
        }
        Fault::new(
            Code::TemplateScope,
            format!("reads 'loops.{id}', but the node is not in a loop of this id"),
            "Name a loop that the node is inside of.",
        )
    }

    fn input(&self, name: &str) -> Option<Fault> {
        let own: &[String] = match &self.node.settings {
            Settings::Text(text) => &text.inputs,
            Settings::Set(set) => &set.inputs,
            _ => &[],
        };
        let declared = self.graph.graph_input().and_then(|ix| self.graph.node(ix));
        let declared = match declared.map(|node| &node.settings) {
            Some(Settings::GraphInput(input)) => input.inputs.as_slice(),
            _ => &[],
        };
        // A node's own ports hide those of its sub-graph.
        let is_known = if own.is_empty() {
            declared.iter().any(|input| input.name == name)
        } else {
            own.iter().any(|input| input == name)
        };
        if is_known {
            return None;
        }
        Fault::new(
            Code::TemplateRef,
            format!("reads the input '{name}', which is not declared"),
            "Declare it in \"inputs\" of this node, or of the sub-graph's graph_input.",
        )
    }

    fn port(&self, id: &str, port: Option<&str>) -> Option<Fault> {
        let Some(node) = self.graph.find(id).and_then(|ix| self.graph.node(ix)) else {
            let ids = self.graph.nodes().map(|(_, node)| node.id.as_str());
            let hint = match mnemograph_graph::nearest(id, ids) {
                Some(near) => format!("Did you mean '{near}'?"),
                None => "Use the id of a node of this graph.".to_owned(),
            };
            let message = format!("reads the node '{id}', which does not exist");
            return Fault::new(Code::TemplateRef, message, hint);
        };
        let port = port?;
        let ports: Vec<_> = node.outputs().collect();
        let names: Vec<&str> = ports.iter().map(|port| port.name.as_ref()).collect();
        if ["status", "error"].contains(&port) || names.contains(&port) {
            return None;
        }
        let hint = match mnemograph_graph::nearest(port, names.iter().copied()) {
            Some(near) => format!("Did you mean '{{{{ nodes.{id}.{near} }}}}'?"),
            None if names.is_empty() => "This node has no value to read.".to_owned(),
            None => format!("Its ports: {}.", names.join(", ")),
        };
        let message = format!("reads '{id}.{port}', but the node has no such port");
        Fault::new(Code::TemplateRef, message, hint)
    }
}

/// What the graph needs and the host does not offer.
pub(crate) fn check_requirements(graph: &Graph, host: &HostCatalogue, problems: &mut Vec<Problem>) {
    let needs = graph.needs();
    let mut check = |kind: &str, option: &str, needed: &[String], offered: Vec<&str>| {
        for name in needed {
            if offered.contains(&name.as_str()) {
                continue;
            }
            let registered = if offered.is_empty() {
                "none".to_owned()
            } else {
                offered.join(", ")
            };
            problems.push(Problem::new(
                Code::Requires,
                format!("The graph needs the {kind} '{name}', which the host does not offer."),
                format!(
                    "Register it in createRuntime({{ {option}: {{ … }} }}). Registered: {registered}."
                ),
            ));
        }
    };
    let models = host.models.keys().map(String::as_str).collect();
    check("model", "models", &needs.models, models);
    let tools = host.tools.keys().map(String::as_str).collect();
    check("tool", "tools", &needs.tools, tools);
    let functions = host.functions.iter().map(String::as_str).collect();
    check("function", "functions", &needs.functions, functions);
    let nodes = host.nodes.iter().map(|node| node.node_type.as_str());
    check("node type", "nodes", &needs.nodes, nodes.collect());
}
