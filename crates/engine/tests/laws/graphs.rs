//! The graphs that are walked: the playground's examples, and some beside this file that press all of the rest together.

use mnemograph_engine::Plan;
use std::path::PathBuf;
use std::rc::Rc;

/// Node types that stand in sub-graphs alone.
pub(crate) const NOT_WALKED: [&str; 1] = ["graph_input"];

pub(crate) fn plans() -> Vec<Rc<Plan>> {
    let examples = folder("../../www/examples");
    let dense = folder("tests/laws/graphs");
    // The dense ones come up as often as the examples.
    [&examples, &dense, &dense, &dense]
        .into_iter()
        .flatten()
        .map(|text| plan(text))
        .collect()
}

/// The texts of a folder's files, in the order of their names.
fn folder(path: &str) -> Vec<String> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path);
    let mut files: Vec<PathBuf> = std::fs::read_dir(path)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let texts = files.iter().map(std::fs::read_to_string);
    texts.map(Result::unwrap).collect()
}

fn plan(text: &str) -> Rc<Plan> {
    let loaded = mnemograph_engine::load(text, None);
    let problems: Vec<String> = loaded
        .problems
        .iter()
        .map(|problem| format!("{:?} {:?} {}", problem.node, problem.path, problem.message))
        .collect();
    Rc::new(loaded.plan.unwrap_or_else(|| panic!("{problems:#?}")))
}
