//! Node types of the host: checked, executed, retried and recorded as the built-in ones are.

use crate::support::{Bench, code, output, steps};
use mnemograph_engine::{Failure, HostCatalogue, HostNode, HostPort, Plan, RunResult, load};
use mnemograph_graph::ValueType;
use mnemograph_runtime::HostPayload;
use mnemograph_testkit::{Answer, inner, node};
use serde_json::{Value, json};
use std::rc::Rc;

fn port(name: &str, value_type: ValueType) -> HostPort {
    HostPort {
        name: name.to_owned(),
        value_type,
        required: false,
    }
}

/// `look` takes `place`, gives `heat` and `words`, and leaves by `found` or `missing`; `ring` has nothing of its own.
fn host() -> HostCatalogue {
    let look = HostNode {
        node_type: "look".to_owned(),
        inputs: vec![HostPort {
            required: true,
            ..port("place", ValueType::String)
        }],
        outputs: vec![
            port("heat", ValueType::Integer),
            port("words", ValueType::Any),
        ],
        exits: vec!["found".to_owned(), "missing".to_owned()],
        timeout_ms: 50,
    };
    let ring = HostNode {
        node_type: "ring".to_owned(),
        timeout_ms: 50,
        ..HostNode::default()
    };
    HostCatalogue {
        nodes: vec![look, ring],
        ..HostCatalogue::default()
    }
}

fn plan(document: &Value) -> Rc<Plan> {
    let loaded = load(&document.to_string(), Some(&host()));
    Rc::new(
        loaded
            .plan
            .unwrap_or_else(|| panic!("{:#?}", loaded.problems)),
    )
}

/// chat → look → (found) all · (missing) none.
fn document(settings: Value, on_error: Value) -> Value {
    let mut look = node("look", "look", settings);
    look["on_error"] = on_error;
    let all = output("all", "{{ nodes.look }}");
    let none = output("none", "{{ nodes.look.heat | default('nothing') }}");
    let mut document = steps(&[], &[look, all, none], &[]);
    let edges = document["edges"].as_array_mut().unwrap();
    for (kind, from, to) in [
        ("run", "chat.out", "look.in"),
        ("data", "chat.text", "look.place"),
        ("run", "look.found", "out_all.in"),
        ("run", "look.missing", "out_none.in"),
    ] {
        edges.push(mnemograph_testkit::edge(kind, from, to));
    }
    document
}

fn look(settings: Value, on_error: Value, answers: Vec<Answer>) -> (Bench, RunResult) {
    let plan = plan(&document(settings, on_error));
    let mut bench = Bench::new();
    bench.host.answers("look", answers);
    let result = bench.say(&plan, "Rome");
    (bench, result)
}

#[test]
fn it_is_given_its_settings_evaluated_and_its_inputs() {
    let settings = json!({
        "unit": "C", "days": "{{ 1 + 2 }}", "deep": {"list": ["{{ trigger.text }}", 5]}, "a/b": "{{ env.none | default(1) }}",
        "x-note": "not for the host",
    });
    let answer = Answer::Value(json!({"outputs": {"heat": 31, "words": {"it": "caldo"}}}));
    let (bench, result) = look(settings, json!({}), vec![answer]);
    let expected = json!({"status": "succeeded", "heat": 31, "words": {"it": "caldo"}});
    assert_eq!(result.outputs["all"], expected, "{:?}", result.error);
    let calls = bench.host.0.calls.borrow();
    let HostPayload::Work { payload, .. } = &calls[0].payload else {
        panic!("{:?}", calls[0]);
    };
    let expected = json!({
        "settings": {"unit": "C", "days": 3, "deep": {"list": ["Rome", 5]}, "a/b": 1},
        "inputs": {"place": "Rome"},
    });
    assert_eq!(*payload, expected);
}

#[test]
fn control_leaves_by_the_exit_that_it_names() {
    let answer = Answer::Value(json!({"exit": "missing"}));
    let (_, result) = look(json!({}), json!({}), vec![answer]);
    assert_eq!(result.outputs["none"], "nothing", "{:?}", result.error);
    assert!(!result.outputs.contains_key("all"));
}

#[test]
fn what_its_type_does_not_declare_is_an_error_with_the_names_that_are() {
    for (answer, message, hint) in [
        (json!({"exit": "lost"}), "'lost'", "found, missing"),
        (json!({"outputs": {"cold": 1}}), "'cold'", "heat, words"),
        (json!({"outputs": {"heat": "31"}}), "integer", "integer"),
        (json!({"outputs": {"heat": 1.5}}), "integer", "integer"),
    ] {
        let (_, result) = look(json!({}), json!({}), vec![Answer::Value(answer.clone())]);
        let error = result.error.unwrap_or_else(|| panic!("{answer}"));
        assert_eq!(error.code, "E_CALL");
        assert_eq!(error.node.as_deref(), Some("look"));
        assert!(error.message.contains(message), "{}", error.message);
        let given = error.hint.unwrap_or_default();
        assert!(given.contains(hint), "{given}");
    }
    // Nothing in a declared place is no fault.
    let nothing = Answer::Value(json!({"outputs": {"heat": null}}));
    assert_eq!(look(json!({}), json!({}), vec![nothing]).1.error, None);
}

#[test]
fn it_is_retried_timed_and_branched_as_any_step() {
    let passing = || {
        Answer::Fail(Failure {
            retryable: true,
            ..Failure::new("E_CALL", "busy")
        })
    };
    let good = || Answer::Value(json!({"outputs": {"heat": 1}}));
    let retry = json!({"retry": {"max": 1, "delay_ms": 5}});
    let (bench, result) = look(json!({}), retry.clone(), vec![passing(), good()]);
    assert_eq!(result.outputs["all"]["heat"], 1, "{:?}", result.error);
    assert_eq!(bench.host.0.calls.borrow().len(), 2);

    let (bench, result) = look(json!({}), json!({}), vec![Answer::Hang]);
    assert_eq!(code(&result), "E_CALL");
    assert!(result.error.unwrap().message.contains("50 ms"));
    assert_eq!(bench.host.0.aborts.borrow().len(), 1);

    let continued = json!({"mode": "continue", "default": {"heat": 7}});
    let (_, result) = look(
        json!({}),
        continued,
        vec![Answer::Fail(Failure::new("E_CALL", "no"))],
    );
    // By the last exit: the one for what nothing else fits, as with `else` and `other`.
    assert_eq!(result.outputs["none"], 7, "{:?}", result.error);
}

#[test]
fn it_stands_in_loops_like_any_step() {
    let each = node(
        "each",
        "for_each",
        json!({"items": [1, 2, 3], "result": "{{ nodes.ring.status }}"}),
    );
    let document = steps(
        &[each, output("all", "{{ nodes.each.results }}")],
        &[inner(
            "each",
            "ring",
            "ring",
            json!({"number": "{{ item }}"}),
        )],
        &["each.body > ring.in"],
    );
    let mut bench = Bench::new();
    bench
        .host
        .answers("ring", vec![Answer::Value(Value::Null); 3]);
    let result = bench.say(&plan(&document), "x");
    assert_eq!(
        result.outputs["all"],
        json!(["succeeded", "succeeded", "succeeded"]),
        "{:?}",
        result.error
    );
    let calls = bench.host.0.calls.borrow();
    let numbers: Vec<_> = calls
        .iter()
        .map(|call| match &call.payload {
            HostPayload::Work { payload, .. } => payload["settings"]["number"].clone(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(numbers, [1, 2, 3]);
}

#[test]
fn mistakes_around_it_are_found_at_load() {
    let problems = |change: &dyn Fn(&mut Value)| -> Vec<String> {
        let mut document = document(json!({}), json!({}));
        change(&mut document);
        let loaded = load(&document.to_string(), Some(&host()));
        let problems = loaded.problems.iter().filter(|problem| problem.is_error());
        problems
            .map(|problem| {
                format!(
                    "{} {:?} {}",
                    problem.code.as_str(),
                    problem.node,
                    problem.hint
                )
            })
            .collect()
    };
    assert_eq!(problems(&|_| {}), Vec::<String>::new());
    for (change, code, hint) in [
        (
            &(|document: &mut Value| document["nodes"][1]["type"] = json!("lok"))
                as &dyn Fn(&mut Value),
            "E_UNKNOWN_TYPE",
            "\"look\"",
        ),
        (
            &|document| document["edges"][1]["to"] = json!("look.plaec"),
            "E_PORT_UNKNOWN",
            "place",
        ),
        (
            &|document| {
                document["edges"].as_array_mut().unwrap().remove(1);
            },
            "E_REQUIRED_PORT",
            "",
        ),
        (
            &|document| document["nodes"][1]["settings"] = json!({"a": "{{ nodes.lok.heat }}"}),
            "E_TEMPLATE_REF",
            "look",
        ),
        (
            &|document| document["nodes"][1]["settings"] = json!({"a": {"b": "{{ 1 + }}"}}),
            "E_TEMPLATE_SYNTAX",
            "",
        ),
        (
            &|document| document["nodes"][2]["settings"]["value"] = json!("{{ nodes.look.cold }}"),
            "E_TEMPLATE_REF",
            "heat",
        ),
        (
            &|document| {
                document["nodes"][1]["on_error"] =
                    json!({"mode": "continue", "default": {"hat": 1}})
            },
            "E_SETTING",
            "heat",
        ),
        (
            &|document| document["nodes"][1]["type_version"] = json!(2),
            "E_VERSION",
            "",
        ),
        (
            &|document| document["requires"] = json!({"nodes": ["sing"]}),
            "E_REQUIRES",
            "look, ring",
        ),
    ] {
        let found = problems(change);
        assert!(
            found
                .iter()
                .any(|problem| problem.starts_with(code) && problem.contains(hint)),
            "{code} {hint}: {found:#?}"
        );
    }
}

#[test]
fn a_document_is_checked_without_its_host_by_name_alone() {
    let text = document(json!({}), json!({})).to_string();
    let loaded = load(&text, None);
    assert_eq!(loaded.problems[0].code.as_str(), "E_UNKNOWN_TYPE");
    let a = load(&text, Some(&host())).hash;
    let b = load(
        &document(json!({"unit": "C"}), json!({})).to_string(),
        Some(&host()),
    )
    .hash;
    assert!(a.is_some() && a != b, "settings of the host's nodes count");
    let c = load(
        &document(json!({"x-note": 1}), json!({})).to_string(),
        Some(&host()),
    )
    .hash;
    assert_eq!(a, c, "notes of editors do not");
}
