//! Containers: what stands in which loop, and which edges may cross its border.

use super::{DraftGraph, DraftNode, Wire, index_of_ids};
use crate::catalogue::Kind;
use crate::document::EdgeType;
use crate::problem::{Code, Problem, Problems, quote};
use crate::suggest::Suggest;

/// The port through which control enters a container.
const BODY: &str = "body";

/// Finds the container of each node.
pub(super) fn resolve(nodes: &mut [DraftNode], suggest: &mut Suggest, problems: &mut Problems) {
    let ids = index_of_ids(nodes);
    let mut parents = Vec::with_capacity(nodes.len());
    for node in nodes.iter() {
        let Some(wanted) = &node.document.parent else {
            parents.push(None);
            continue;
        };
        let found = ids.get(wanted.as_str()).copied();
        let container = found.and_then(|index| nodes.get(index));
        let fault = match container {
            None => {
                let hint = match suggest.nearest(wanted, ids.keys().copied()) {
                    Some(near) => format!("Did you mean \"{near}\"?"),
                    None => "Name a loop of this graph, or remove \"parent\".".to_owned(),
                };
                let message = format!(
                    "{} stands in {}, a node that does not exist.",
                    quote(node.id()),
                    quote(wanted)
                );
                Some((Code::Setting, message, hint))
            }
            Some(container) if container.spec.is_none() => {
                parents.push(None);
                continue;
            }
            Some(container) if !container.is_container() => Some((
                Code::ContainerCrossing,
                format!(
                    "{} stands in {}, which is no loop.",
                    quote(node.id()),
                    quote(wanted)
                ),
                "Only a while_loop or for_each has a body; remove \"parent\", or name such a node."
                    .to_owned(),
            )),
            Some(_) if node.kind() == Some(Kind::Trigger) => Some((
                Code::ContainerCrossing,
                format!(
                    "{} starts the graph and cannot stand in a loop.",
                    quote(node.id())
                ),
                "Remove its \"parent\".".to_owned(),
            )),
            Some(_) => None,
        };
        parents.push(found.filter(|_| fault.is_none()));
        if let Some((code, message, hint)) = fault {
            problems.add(
                node.problem(code, message, hint)
                    .at(&node.path.key("parent")),
            );
        }
    }
    cut_circles(nodes, &mut parents, problems);
    for (node, parent) in nodes.iter_mut().zip(parents) {
        node.has_unsure_parent = parent.is_none() && node.document.parent.is_some();
        node.parent = parent;
    }
}

/// A container that stands in itself stands nowhere.
fn cut_circles(nodes: &[DraftNode], parents: &mut [Option<usize>], problems: &mut Problems) {
    // 0: not seen, otherwise the walk that saw it first.
    let mut seen = vec![0_usize; nodes.len()];
    for start in 0..nodes.len() {
        let mut at = Some(start);
        while let Some(index) = at {
            match seen.get_mut(index) {
                Some(mark) if *mark == 0 => *mark = start + 1,
                Some(mark) if *mark == start + 1 => {
                    if let (Some(slot), Some(node)) = (parents.get_mut(index), nodes.get(index)) {
                        *slot = None;
                        let message = format!("{} stands in itself.", quote(node.id()));
                        let hint = "Remove \"parent\" of one of the loops.";
                        problems.add(
                            node.problem(Code::ContainerCrossing, message, hint)
                                .at(&node.path.key("parent")),
                        );
                    }
                    break;
                }
                Some(_) | None => break,
            }
            at = parents.get(index).copied().flatten();
        }
    }
}

/// Judges the edges that cross a border, and the steps that need one around them.
pub(super) fn judge(draft: &DraftGraph, problems: &mut Problems) {
    for wire in &draft.wires {
        let (Some(from), Some(to)) = (draft.nodes.get(wire.from), draft.nodes.get(wire.to)) else {
            continue;
        };
        let is_sure = [from, to]
            .iter()
            .all(|node| node.spec.is_some() && !node.has_unsure_parent);
        let fault = match wire.edge_type {
            _ if !is_sure => None,
            EdgeType::Run => run_fault(wire, from, to),
            EdgeType::Data
            | EdgeType::LinkMemory
            | EdgeType::LinkLlm
            | EdgeType::LinkExtension
            | EdgeType::LinkTool
            | EdgeType::LinkVar => inward_fault(draft, wire, from, to),
        };
        if let Some((message, hint)) = fault {
            problems.add(
                Problem::new(Code::ContainerCrossing, message, hint)
                    .node(to.id())
                    .port(&wire.to_port)
                    .at(&draft.edge_path(wire)),
            );
        }
    }
    for node in &draft.nodes {
        let needs_loop = node.is_type("break") || node.is_type("continue");
        if needs_loop && node.parent.is_none() && !node.has_unsure_parent {
            problems.add(node.problem(
                Code::ContainerCrossing,
                format!("{} stands in no loop.", quote(node.id())),
                "Set \"parent\" to the id of the loop that it is for, or remove it.",
            ));
        }
    }
}

/// Control stays in one container, and enters it through its port `body` alone.
fn run_fault(wire: &Wire, from: &DraftNode, to: &DraftNode) -> Option<(String, String)> {
    let enters = from.is_container() && wire.from_port == BODY;
    if enters {
        return (to.parent != Some(wire.from)).then(|| {
            (
                format!(
                    "{} leads into the loop, and {} does not stand in it.",
                    quote(&format!("{}.{BODY}", from.id())),
                    quote(to.id())
                ),
                format!(
                    "Set \"parent\" of {} to \"{}\", or draw the edge from the port done.",
                    quote(to.id()),
                    from.id()
                ),
            )
        });
    }
    (from.parent != to.parent).then(|| {
        let hint = if to.parent == Some(wire.from) {
            format!("Draw it from the port {BODY}.")
        } else if to.parent.is_some() && from.parent.is_none() {
            format!("Control enters a loop through its port {BODY}: draw the edge to the loop itself.")
        } else {
            "Control leaves a loop through its port done, when the body has ended; draw the edge from there.".to_owned()
        };
        (
            format!(
                "Control cannot go from {} to {}: they do not stand in the same loop.",
                quote(from.id()),
                quote(to.id())
            ),
            hint,
        )
    })
}

/// Values and links go inward only.
fn inward_fault(
    draft: &DraftGraph,
    wire: &Wire,
    from: &DraftNode,
    to: &DraftNode,
) -> Option<(String, String)> {
    let mut around = Some(to.parent);
    while let Some(level) = around {
        if level == from.parent {
            return None;
        }
        around = level
            .and_then(|index| draft.nodes.get(index))
            .map(|node| node.parent);
    }
    let container = from.parent.and_then(|index| draft.nodes.get(index))?;
    let message = format!(
        "{} stands in the loop {}, and {} does not.",
        quote(from.id()),
        quote(container.id()),
        quote(to.id())
    );
    let hint = if wire.edge_type == EdgeType::Data {
        "A value leaves a loop through a variable, or through the loop's setting \"result\"."
            .to_owned()
    } else {
        format!(
            "Remove \"parent\" of {}: a resource may stand outside of the loops that use it.",
            quote(from.id())
        )
    };
    Some((message, hint))
}
