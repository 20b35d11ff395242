//! What a template reads, found without running it.

use crate::ast::{Expr, Node, Pipe, Step};
use crate::error::locate;

/// A place where a template reads from a top-level name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reference {
    /// The name and the constant text keys after it, up to the first computed step.
    pub path: Vec<String>,
    /// The template copes with the absence of the last step: it stands before `default` or a test
    /// such as `is defined`, in `get`, is only asked for its truth, or was asked for it before.
    pub guarded: bool,
    /// Line in the source, from 1.
    pub line: u32,
    /// Column in the line, from 1, in UTF-16 code units.
    pub column: u32,
}

/// The references of a template, in the order of the source.
pub(crate) fn of_nodes(nodes: &[Node], source: &str) -> Vec<Reference> {
    let mut walk = Walk::default();
    walk.block(nodes);
    walk.finish(source)
}

/// The references of an expression, which is asked for its value or only for its truth.
pub(crate) fn of_expr(expr: &Expr, source: &str, truth: bool) -> Vec<Reference> {
    let mut walk = Walk::default();
    walk.expr(expr, truth);
    walk.finish(source)
}

#[derive(Default)]
struct Walk<'t> {
    /// Variables that the template sets itself.
    locals: Vec<&'t str>,
    /// Paths known to be there.
    proven: Vec<&'t [String]>,
    found: Vec<(usize, &'t [String], bool)>,
}

impl<'t> Walk<'t> {
    fn finish(self, source: &str) -> Vec<Reference> {
        let reference = |(at, path, guarded): (usize, &[String], bool)| {
            let (line, column) = locate(source, at);
            Reference {
                path: path.to_vec(),
                guarded,
                line,
                column,
            }
        };
        self.found.into_iter().map(reference).collect()
    }

    fn block(&mut self, nodes: &'t [Node]) {
        for node in nodes {
            match node {
                Node::Text(_) => {}
                Node::Print(expr, _) => self.expr(expr, false),
                Node::If { arms, otherwise } => {
                    let before = self.proven.len();
                    for (condition, body) in arms {
                        self.expr(condition, true);
                        let outside = self.proven.len();
                        prove(condition, true, &mut self.proven);
                        self.block(body);
                        self.proven.truncate(outside);
                        // What follows is reached only where the condition failed.
                        prove(condition, false, &mut self.proven);
                    }
                    self.block(otherwise);
                    self.proven.truncate(before);
                }
                Node::For(each) => {
                    self.expr(&each.list, false);
                    let before = (self.locals.len(), self.proven.len());
                    self.locals.extend(each.targets.iter().map(String::as_str));
                    if let Some(condition) = &each.condition {
                        self.expr(condition, true);
                        prove(condition, true, &mut self.proven);
                    }
                    self.locals.push("loop");
                    self.block(&each.body);
                    self.locals.truncate(before.0);
                    self.proven.truncate(before.1);
                    self.block(&each.otherwise);
                }
                Node::Set(name, expr) => {
                    self.expr(expr, false);
                    self.locals.push(name);
                }
                Node::Capture(name, body) => {
                    self.block(body);
                    self.locals.push(name);
                }
            }
        }
    }

    /// `guarded`: a missing value is no error where the expression stands.
    fn expr(&mut self, expr: &'t Expr, guarded: bool) {
        match expr {
            Expr::Literal(_) => {}
            Expr::Path(path) => self.path(&path.keys, path.at, guarded),
            Expr::Steps(base, steps) => self.steps(base, steps, false),
            Expr::List(items, _) | Expr::Range(items, _) => {
                for item in items {
                    self.expr(item, false);
                }
            }
            Expr::Map(pairs, _) => {
                for (key, value) in pairs {
                    self.expr(key, false);
                    self.expr(value, false);
                }
            }
            Expr::Not(inner) => self.expr(inner, true),
            Expr::Negative(inner, _) => self.expr(inner, false),
            Expr::Math(first, rest) => {
                self.expr(first, false);
                for (_, right, _) in rest {
                    self.expr(right, false);
                }
            }
            Expr::Compare(first, rest) => {
                self.expr(first, false);
                for (_, right, _) in rest {
                    self.expr(right, false);
                }
            }
            Expr::And(parts) => self.decide(parts, true, guarded),
            Expr::Or(parts) => self.decide(parts, false, guarded),
            Expr::Pipe(base, pipes) => self.pipe(base, pipes),
            Expr::If(parts) => {
                let (then, condition, otherwise) = parts.as_ref();
                self.expr(condition, true);
                let before = self.proven.len();
                prove(condition, true, &mut self.proven);
                self.expr(then, guarded);
                self.proven.truncate(before);
                if let Some(otherwise) = otherwise {
                    prove(condition, false, &mut self.proven);
                    self.expr(otherwise, guarded);
                    self.proven.truncate(before);
                }
            }
            Expr::Get(parts) => {
                let (target, fallback) = parts.as_ref();
                match target {
                    Expr::Steps(base, steps) => self.steps(base, steps, true),
                    _ => self.expr(target, true),
                }
                if let Some(fallback) = fallback {
                    self.expr(fallback, guarded);
                }
            }
        }
    }

    fn steps(&mut self, base: &'t Expr, steps: &'t [Step], guarded: bool) {
        self.expr(base, guarded);
        for step in steps {
            match step {
                Step::Key(..) => {}
                Step::Index(index, _) => self.expr(index, false),
                Step::Slice(start, end, _) => {
                    for bound in [start, end].into_iter().flatten() {
                        self.expr(bound, false);
                    }
                }
            }
        }
    }

    /// Each operand but the last is asked for its truth, and proves the next one's ground.
    fn decide(&mut self, parts: &'t [Expr], when: bool, guarded: bool) {
        let before = self.proven.len();
        for (index, part) in parts.iter().enumerate() {
            let last = index + 1 == parts.len();
            self.expr(part, guarded || !last);
            prove(part, when, &mut self.proven);
        }
        self.proven.truncate(before);
    }

    fn pipe(&mut self, base: &'t Expr, pipes: &'t [Pipe]) {
        let first = match pipes.first() {
            Some(Pipe::Filter(call)) => call.what.takes_missing,
            Some(Pipe::Test(call, _)) => call.what.takes_missing,
            None => false,
        };
        self.expr(base, first);
        for pipe in pipes {
            let (args, rest) = match pipe {
                Pipe::Filter(call) => (&call.args, &call.rest),
                Pipe::Test(call, _) => (&call.args, &call.rest),
            };
            for arg in args.iter().flatten().chain(rest) {
                self.expr(arg, false);
            }
        }
    }

    fn path(&mut self, path: &'t [String], at: usize, guarded: bool) {
        let root = path.first().map_or("", String::as_str);
        if self.locals.contains(&root) {
            return;
        }
        let proven = self.proven.iter().any(|known| known.starts_with(path));
        // Conditions are walked before what they choose from, which may stand to the left.
        let place = self.found.partition_point(|(known, ..)| *known <= at);
        self.found.insert(place, (at, path, guarded || proven));
    }
}

/// Collects the paths that must be there if the condition came out as `when`.
fn prove<'t>(condition: &'t Expr, when: bool, proven: &mut Vec<&'t [String]>) {
    match condition {
        Expr::Path(path) if when => proven.push(&path.keys),
        Expr::Not(inner) => prove(inner, !when, proven),
        Expr::And(parts) if when => parts.iter().for_each(|part| prove(part, true, proven)),
        Expr::Or(parts) if !when => parts.iter().for_each(|part| prove(part, false, proven)),
        Expr::Pipe(base, pipes) => {
            if let (Expr::Path(path), [Pipe::Test(call, negated)]) =
                (base.as_ref(), pipes.as_slice())
            {
                // All tests but `undefined` fail for what is missing.
                let holds = when != *negated;
                if holds != (call.what.name == "undefined") {
                    proven.push(&path.keys);
                }
            }
        }
        // Comparing a missing value is an error, so a comparison that came out proves its operands,
        // but that is a guard against nothing: it would have failed before.
        _ => {}
    }
}
