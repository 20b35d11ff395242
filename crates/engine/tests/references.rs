//! What templates may read, judged at load: the usual mistakes give exactly their diagnostics.
#![allow(clippy::allow_attributes, reason = "tests may panic")]
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use serde_json::{Value, json};

/// The codes that a template gets as the text of the last reply, after a condition with a branch `a`.
fn codes(template: &str) -> Vec<(String, String)> {
    let node = |id: &str, kind: &str, settings: Value| json!({"id": id, "type": kind, "settings": settings});
    let edge = |kind: &str, from: &str, to: &str| json!({"type": kind, "from": from, "to": to});
    let mut inside = node(
        "inside",
        "output",
        json!({"name": "n", "value": "{{ item }} {{ loops.each.index }} {{ variables.loop_index }}"}),
    );
    inside["parent"] = json!("each");
    let document = json!({
        "format": "mnemograph", "format_version": 1, "id": "g",
        "nodes": [
            node("chat", "chat_trigger", json!({})),
            node("kept", "var", json!({"name": "kept", "scope": "thread"})),
            node("short", "var", json!({"name": "short"})),
            node("w1", "var_set", json!({"input": 1})),
            node("w2", "var_set", json!({"input": 1})),
            node("which", "condition", json!({"cases": [{"id": "a", "when": "trigger.text == \"a\""}]})),
            node("only_a", "call", json!({"function": "f"})),
            node("each", "for_each", json!({"items": [1], "result": "{{ nodes.inside.status }}"})),
            inside,
            node("say", "reply", json!({"text": template})),
        ],
        "edges": [
            edge("run", "chat.out", "w1.in"), edge("run", "w1.out", "w2.in"), edge("run", "w2.out", "which.in"),
            edge("run", "which.a", "only_a.in"), edge("run", "only_a.out", "each.in"), edge("run", "which.else", "each.in"),
            edge("run", "each.body", "inside.in"), edge("run", "each.done", "say.in"),
            edge("link_var", "kept.ref", "w1.var"), edge("link_var", "short.ref", "w2.var"),
        ],
    });
    let loaded = mnemograph_engine::load(&document.to_string(), None);
    let problems = loaded.problems.iter();
    problems
        .map(|problem| (problem.code.as_str().to_owned(), problem.hint.clone()))
        .collect()
}

fn only(template: &str) -> (String, String) {
    let found = codes(template);
    assert_eq!(found.len(), 1, "{template}: {found:?}");
    found[0].clone()
}

#[test]
fn what_is_always_there_is_read_without_a_word() {
    for template in [
        "{{ trigger.text }} {{ run.id }} {{ env.x | default(1) }}",
        "{{ variables.short }} {{ nodes.kept.output }}",
        "{{ nodes.each.results }} {{ nodes.which.status }}",
        "{{ nodes.only_a.result | default(0) }} {% if nodes.only_a.result %}x{% endif %}",
        "{{ nodes.only_a.status }}",
    ] {
        assert_eq!(codes(template), [], "{template}");
    }
}

#[test]
fn a_thread_variable_is_no_session_variable_and_the_hint_works() {
    let (code, hint) = only("{{ variables.kept }}");
    assert_eq!(code, "E_TEMPLATE_SCOPE");
    let advice = hint.split("{{").nth(1).unwrap().split("}}").next().unwrap();
    assert_eq!(codes(&format!("{{{{{advice}}}}}")), []);
}

#[test]
fn mistakes_get_their_codes() {
    for (template, code) in [
        ("{{ variables.shrt }}", "E_TEMPLATE_REF"),
        ("{{ variables.loop_index }}", "E_TEMPLATE_SCOPE"),
        ("{{ item }}", "E_TEMPLATE_SCOPE"),
        ("{{ loops.each.index }}", "E_TEMPLATE_SCOPE"),
        ("{{ inputs.who }}", "E_TEMPLATE_REF"),
        ("{{ nodes.nobody.output }}", "E_TEMPLATE_REF"),
        ("{{ nodes.which.output }}", "E_TEMPLATE_REF"),
        ("{{ user }}", "E_TEMPLATE_REF"),
        ("{{ 1 + }}", "E_TEMPLATE_SYNTAX"),
        ("{{ nodes.only_a.result }}", "W_REF_MAYBE_SKIPPED"),
    ] {
        assert_eq!(only(template).0, code, "{template}");
    }
}

#[test]
fn near_names_are_proposed() {
    assert!(only("{{ variables.shrt }}").1.contains("'short'"));
    assert!(only("{{ nodes.eech.results }}").1.contains("'each'"));
}
