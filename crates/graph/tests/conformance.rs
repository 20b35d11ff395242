//! The vectors of `tests/conformance/graph`: one document per case and the exact list of its problems.
#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use mnemograph_graph::{Code, Problem, parse};
use serde_json::{Map, Value};

struct Case {
    name: String,
    text: String,
    problems: Vec<Map<String, Value>>,
    hash: Option<String>,
}

fn cases() -> Vec<Case> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/conformance/graph");
    let mut files: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .collect();
    files.sort();
    let mut cases = Vec::new();
    for file in files {
        let list: Vec<Value> = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
        let stem = file.file_stem().unwrap().to_string_lossy().into_owned();
        cases.extend(list.into_iter().map(|case| {
            Case {
                name: format!("{stem}: {}", case["name"].as_str().unwrap()),
                text: case["text"]
                    .as_str()
                    .map_or_else(|| case["graph"].to_string(), str::to_owned),
                problems: case["problems"]
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|problem| problem.as_object().unwrap().clone())
                    .collect(),
                hash: case["hash"].as_str().map(str::to_owned),
            }
        }));
    }
    cases
}

/// The problem as a vector states it: `path` only where the vector has one.
fn stated(problem: &Problem, expected: Option<&Map<String, Value>>) -> Map<String, Value> {
    let mut map = Map::new();
    map.insert("code".to_owned(), Value::from(problem.code.as_str()));
    if let Some(graph) = &problem.graph {
        map.insert("graph".to_owned(), Value::from(graph.as_str()));
    }
    if let Some(node) = &problem.node {
        map.insert("node".to_owned(), Value::from(node.as_str()));
    }
    if let Some(port) = &problem.port {
        map.insert("port".to_owned(), Value::from(port.as_str()));
    }
    if let Some(path) = &problem.path
        && expected.is_none_or(|expected| expected.contains_key("path"))
    {
        map.insert("path".to_owned(), Value::from(path.as_str()));
    }
    map
}

#[test]
fn every_vector_has_exactly_its_problems() {
    let mut wrong = Vec::new();
    for case in cases() {
        let parsed = parse(&case.text);
        let found: Vec<_> = parsed
            .problems
            .iter()
            .enumerate()
            .map(|(index, problem)| stated(problem, case.problems.get(index)))
            .collect();
        if found != case.problems {
            let lines = |list: &[Map<String, Value>]| -> String {
                list.iter()
                    .map(|map| format!("\n    {}", Value::Object(map.clone())))
                    .collect()
            };
            wrong.push(format!(
                "{}\n  expected:{}\n  found:{}",
                case.name,
                lines(&case.problems),
                lines(&found)
            ));
        }
        let has_error = parsed
            .problems
            .iter()
            .any(|problem| problem.code.as_str().starts_with('E'));
        assert_eq!(parsed.graph.is_none(), has_error, "{}", case.name);
        assert_eq!(parsed.hash.is_none(), has_error, "{}", case.name);
        if let Some(hash) = case.hash {
            assert_eq!(parsed.hash.as_deref(), Some(hash.as_str()), "{}", case.name);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn names_of_vectors_are_unique() {
    let mut names = BTreeSet::new();
    for case in cases() {
        assert!(
            names.insert(case.name.clone()),
            "{} stands twice",
            case.name
        );
    }
}

#[test]
fn every_code_that_this_crate_reports_has_a_vector() {
    // Templates and the host are judged by the engine and the runtime; `E_INTERNAL` has no cause.
    let elsewhere = [
        Code::TemplateSyntax,
        Code::TemplateRef,
        Code::TemplateScope,
        Code::Requires,
        Code::Internal,
    ];
    let covered: BTreeSet<String> = cases()
        .iter()
        .flat_map(|case| &case.problems)
        .map(|problem| problem["code"].as_str().unwrap().to_owned())
        .collect();
    for code in Code::ALL {
        assert_eq!(
            covered.contains(code.as_str()),
            !elsewhere.contains(code),
            "{code}"
        );
    }
}

#[test]
fn every_problem_says_what_and_how() {
    for case in cases() {
        for problem in parse(&case.text).problems {
            assert!(
                problem.message.ends_with('.'),
                "{}: {}",
                case.name,
                problem.message
            );
            assert!(
                !problem.hint.is_empty(),
                "{}: {}",
                case.name,
                problem.message
            );
        }
    }
}
