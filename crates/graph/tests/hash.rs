//! What changes the semantic hash and what does not.
#![allow(
    clippy::allow_attributes,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "tests fail by panicking"
)]

use mnemograph_graph::parse;
use serde_json::{Value, json};

fn document() -> Value {
    json!({
        "format": "mnemograph", "format_version": 1, "id": "support",
        "nodes": [
            {"id": "chat", "type": "chat_trigger"},
            {"id": "agent", "type": "ai_agent", "settings": {"system_prompt": "Be brief.", "params": {"b": 1, "a": 2}}},
            {"id": "model", "type": "llm_model"},
            {"id": "spare", "type": "llm_model", "settings": {"model": "small"}},
            {"id": "search", "type": "tool", "settings": {"run": "host:search"}},
            {"id": "memory", "type": "buffer_memory"},
            {"id": "answer", "type": "reply"}
        ],
        "edges": [
            {"type": "run", "from": "chat.out", "to": "agent.in"},
            {"type": "run", "from": "agent.out", "to": "answer.in"},
            {"type": "link_llm", "from": "model.llm", "to": "agent.llm"},
            {"type": "link_llm", "from": "spare.llm", "to": "agent.llm"},
            {"type": "link_tool", "from": "search.tool", "to": "agent.tools"},
            {"type": "link_memory", "from": "memory.memory", "to": "agent.memory"},
            {"type": "data", "from": "agent.output", "to": "answer.text"}
        ]
    })
}

fn hash_of(document: &Value) -> String {
    let parsed = parse(&document.to_string());
    assert!(parsed.graph.is_some(), "{:?}", parsed.problems);
    parsed.hash.unwrap()
}

fn changed(change: impl FnOnce(&mut Value)) -> String {
    let mut document = document();
    change(&mut document);
    hash_of(&document)
}

#[test]
fn the_hash_is_hexadecimal_sha_256() {
    let hash = hash_of(&document());
    assert_eq!(hash.len(), 64);
    assert!(
        hash.bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
    );
}

#[test]
fn looks_and_names_do_not_change_the_hash() {
    let check = |name: &str, change: &dyn Fn(&mut Value)| {
        assert_eq!(changed(change), hash_of(&document()), "{name}");
    };
    check("name", &|d| d["name"] = json!("Support"));
    check("description", &|d| d["description"] = json!("Answers."));
    check("document ui", &|d| d["ui"] = json!({"zoom": 2}));
    check("node ui", &|d| {
        d["nodes"][1]["ui"] = json!({"x": 1.5, "y": -2})
    });
    check("title", &|d| d["nodes"][1]["title"] = json!("The agent"));
    check("edge ui", &|d| {
        d["edges"][0]["ui"] = json!({"color": "red"})
    });
    check("edge id", &|d| d["edges"][0]["id"] = json!("first"));
    check("x- of document", &|d| d["x-app"] = json!(1));
    check("x- of node", &|d| d["nodes"][1]["x-app"] = json!(1));
    check("x- of edge", &|d| d["edges"][1]["x-app"] = json!(1));
    check("x- of settings", &|d| {
        d["nodes"][1]["settings"]["x-app"] = json!(1)
    });
    check("unknown setting", &|d| {
        d["nodes"][1]["settings"]["colour"] = json!("red")
    });
    check("node order", &|d| {
        d["nodes"].as_array_mut().unwrap().reverse()
    });
    check("key order", &|d| {
        d["nodes"][1]["settings"] =
            json!({"params": {"a": 2, "b": 1}, "system_prompt": "Be brief."});
    });
    check("a note", &|d| {
        let note = json!({"id": "remark", "type": "note", "settings": {"text": "Look!"}});
        d["nodes"].as_array_mut().unwrap().push(note);
    });
}

#[test]
fn a_default_may_be_written_or_left_out() {
    let check = |name: &str, change: &dyn Fn(&mut Value)| {
        assert_eq!(changed(change), hash_of(&document()), "{name}");
    };
    check("max_iterations", &|d| {
        d["nodes"][1]["settings"]["max_iterations"] = json!(10)
    });
    check("as text", &|d| {
        d["nodes"][1]["settings"]["max_iterations"] = json!("10")
    });
    check("as null", &|d| {
        d["nodes"][1]["settings"]["max_iterations"] = Value::Null
    });
    check("as JavaScript sends it", &|d| {
        d["nodes"][1]["settings"]["params"]["a"] = json!(2.0)
    });
    check("model", &|d| {
        d["nodes"][2]["settings"] = json!({"model": "default", "params": {}})
    });
    check("name of the tool", &|d| {
        d["nodes"][4]["settings"]["name"] = json!("search")
    });
    check("scope", &|d| {
        d["nodes"][5]["settings"] = json!({"scope": "thread", "retention": {}})
    });
    check("type_version", &|d| {
        d["nodes"][1]["type_version"] = json!(1)
    });
    check("disabled", &|d| d["nodes"][1]["disabled"] = json!(false));
    check("on_error", &|d| {
        d["nodes"][1]["on_error"] =
            json!({"mode": "fail", "default": {}, "retry": {"max": 0, "factor": 2}});
    });
    check("limits", &|d| {
        d["limits"] = json!({"steps": 500, "run_ms": "300000"})
    });
    check("requires", &|d| d["requires"] = json!({"models": []}));
}

#[test]
fn what_a_graph_does_changes_the_hash() {
    let check = |name: &str, change: &dyn Fn(&mut Value)| {
        assert_ne!(changed(change), hash_of(&document()), "{name}");
    };
    check("id", &|d| d["id"] = json!("other"));
    check("setting", &|d| {
        d["nodes"][1]["settings"]["max_iterations"] = json!(11)
    });
    check("prompt", &|d| {
        d["nodes"][1]["settings"]["system_prompt"] = json!("Be brief")
    });
    check("params", &|d| {
        d["nodes"][1]["settings"]["params"]["a"] = json!(2.5)
    });
    check("name of a tool", &|d| {
        d["nodes"][4]["settings"]["name"] = json!("find")
    });
    check("description of a tool", &|d| {
        d["nodes"][4]["settings"]["description"] = json!("Finds.")
    });
    check("x- inside of parameters", &|d| {
        d["nodes"][4]["settings"]["parameters"] = json!({"x-order": 1});
    });
    check("limits", &|d| d["limits"] = json!({"steps": 501}));
    check("requires", &|d| d["requires"] = json!({"models": ["big"]}));
    check("on_error", &|d| {
        d["nodes"][1]["on_error"] = json!({"mode": "continue"})
    });
    check("timeout", &|d| d["nodes"][1]["timeout_ms"] = json!(1000));
    check("disabled", &|d| d["nodes"][3]["disabled"] = json!(true));
    check("renamed_from", &|d| {
        d["nodes"][5]["renamed_from"] = json!(["old"])
    });
    check("edge order", &|d| {
        d["edges"].as_array_mut().unwrap().swap(2, 3)
    });
    check("a sub-graph", &|d| {
        d["graphs"] = json!({"x": {"nodes": [{"id": "in", "type": "graph_input"}]}});
    });
    check("an edge less", &|d| {
        d["edges"].as_array_mut().unwrap().remove(4);
    });
}

#[test]
fn loops_and_sub_graphs_change_the_hash_by_what_they_do() {
    let document = || {
        json!({
            "format": "mnemograph", "format_version": 1, "id": "g",
            "nodes": [
                {"id": "start", "type": "manual_trigger"},
                {"id": "loop", "type": "for_each", "settings": {"items": [1]}},
                {"id": "text", "type": "text", "settings": {"template": "x"}, "parent": "loop"},
                {"id": "run", "type": "subgraph", "settings": {"graph": "a"}},
                {"id": "case", "type": "condition", "settings": {"cases": [{"id": "a", "when": {"any": [{"value": 1, "to": 2}]}}]}}
            ],
            "edges": [],
            "graphs": {
                "a": {"nodes": [{"id": "in", "type": "graph_input"}, {"id": "text", "type": "text", "settings": {"template": "x"}}], "edges": []},
                "b": {"nodes": [{"id": "in", "type": "graph_input"}]}
            }
        })
    };
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut document = document();
        change(&mut document);
        hash_of(&document)
    };
    let same = |name: &str, change: &dyn Fn(&mut Value)| {
        assert_eq!(changed(change), hash_of(&document()), "{name}");
    };
    let other = |name: &str, change: &dyn Fn(&mut Value)| {
        assert_ne!(changed(change), hash_of(&document()), "{name}");
    };
    same("names, looks and ignored keys of a sub-graph", &|d| {
        d["graphs"]["a"]["name"] = json!("A");
        d["graphs"]["a"]["description"] = json!("…");
        d["graphs"]["a"]["ui"] = json!({"zoom": 2});
        d["graphs"]["a"]["x-app"] = json!(1);
        d["graphs"]["a"]["id"] = json!("other");
        d["graphs"]["a"]["nodes"][0]["title"] = json!("In");
        d["graphs"]["a"]["nodes"][0]["ui"] = json!({"x": 1});
    });
    same("order of nodes in a sub-graph", &|d| {
        d["graphs"]["a"]["nodes"].as_array_mut().unwrap().reverse();
    });
    same("order of sub-graphs", &|d| {
        let graphs = d["graphs"].as_object_mut().unwrap();
        let first = graphs.remove("a").unwrap();
        graphs.insert("a".to_owned(), first);
    });
    same("a default in a record", &|d| {
        d["nodes"][4]["settings"]["cases"][0]["when"]["any"][0]["op"] = json!("eq");
    });
    other("a record", &|d| {
        d["nodes"][4]["settings"]["cases"][0]["when"]["any"][0]["op"] = json!("ne");
    });
    other("all for any", &|d| {
        d["nodes"][4]["settings"]["cases"][0]["when"] = json!({"all": [{"value": 1, "to": 2}]});
    });
    other("parent", &|d| d["nodes"][2]["parent"] = Value::Null);
    other("a node in a sub-graph", &|d| {
        d["graphs"]["a"]["nodes"][1]["settings"]["template"] = json!("y");
    });
    other("a sub-graph less", &|d| {
        d["graphs"].as_object_mut().unwrap().remove("b");
    });
}
