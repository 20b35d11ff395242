//! Reading typed data: what is taken, what is refused, and how a fault is told.
#![allow(clippy::unwrap_used, reason = "tests")]

use mnemograph_compact::{FromJson, json_enum, json_struct, json_words};
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    #[default]
    Fail,
    GoOn,
}

json_words!(Mode);

#[derive(Debug, Default, PartialEq)]
struct Inner {
    id: String,
    size: Option<u64>,
}

#[derive(Debug, Default, PartialEq)]
struct Outer {
    text: String,
    small: u16,
    number: f64,
    flag: bool,
    mode: Mode,
    any: Value,
    map: Map<String, Value>,
    list: Vec<Inner>,
    maybe: Option<Inner>,
    later: Vec<String>,
}

json_struct! {
    Inner { id, size }
    Outer { text, small, number, flag, mode, any, map, list, maybe, later: default }
}

#[derive(Debug, PartialEq)]
enum Source {
    Url { url: String },
    FileId { id: String, note: Option<String> },
    None,
}

json_enum!(Source by "kind" {
    "url" => Url { url },
    "file_id" => FileId { id, note },
    "none" => None,
});

fn whole() -> Value {
    json!({
        "text": "t", "small": 7, "number": 2, "flag": true, "mode": "go_on", "any": null, "map": {"a": 1},
        "list": [{"id": "x"}, {"id": "y", "size": 9}], "maybe": null, "unknown": 1,
    })
}

#[test]
fn a_struct_is_read_by_its_fields() {
    let inner = |id: &str, size| Inner {
        id: id.to_owned(),
        size,
    };
    let expected = Outer {
        text: "t".to_owned(),
        small: 7,
        number: 2.0,
        flag: true,
        mode: Mode::GoOn,
        any: Value::Null,
        map: Map::from_iter([("a".to_owned(), json!(1))]),
        list: vec![inner("x", None), inner("y", Some(9))],
        maybe: None,
        later: Vec::new(),
    };
    assert_eq!(
        serde_json::from_value::<Outer>(whole()).unwrap(),
        Outer::from_json(whole()).unwrap()
    );
    assert_eq!(Outer::from_json(whole()), Ok(expected));
}

#[test]
fn a_fault_says_where_and_what() {
    let cases = [
        ("text", json!(1), "text is a number, not a text"),
        ("text", json!(null), "text is null, not a text"),
        (
            "small",
            json!(65_536),
            "small is not a whole number that fits",
        ),
        ("small", json!(1.5), "small is not a whole number that fits"),
        ("small", json!(-1), "small is not a whole number that fits"),
        ("small", json!("7"), "small is a text, not a number"),
        ("number", json!([]), "number is a list, not a number"),
        ("flag", json!(0), "flag is a number, not true or false"),
        (
            "mode",
            json!("stop"),
            "mode is no word for it: unknown variant `stop`, expected `fail` or `go_on`",
        ),
        ("mode", json!({}), "mode is an object, not a text"),
        ("map", json!([]), "map is a list, not an object"),
        ("list", json!({}), "list is an object, not a list"),
        ("list", json!([{"id": "x"}, {}]), "list[1].id is missing"),
        (
            "maybe",
            json!({"id": "x", "size": true}),
            "maybe.size is true or false, not a number",
        ),
        ("later", json!(null), "later is null, not a list"),
    ];
    for (field, value, expected) in cases {
        let mut given = whole();
        given
            .as_object_mut()
            .unwrap()
            .insert(field.to_owned(), value);
        assert_eq!(Outer::from_json(given).unwrap_err().to_string(), expected);
    }
    let told = |value| Inner::from_json(value).unwrap_err().to_string();
    assert_eq!(told(json!({})), "id is missing");
    assert_eq!(told(json!(["x"])), "the value is a list, not an object");
}

#[test]
fn an_enum_is_read_by_its_kind() {
    let read = |value: Value| Source::from_json(value).map_err(|fault| fault.to_string());
    let fault = |text: &str| Err(text.to_owned());
    assert_eq!(
        read(json!({"kind": "url", "url": "u", "id": 4})),
        Ok(Source::Url {
            url: "u".to_owned()
        })
    );
    assert_eq!(
        read(json!({"id": "i", "kind": "file_id"})),
        Ok(Source::FileId {
            id: "i".to_owned(),
            note: None
        })
    );
    assert_eq!(read(json!({"kind": "none"})), Ok(Source::None));
    assert_eq!(read(json!({"kind": "url"})), fault("url is missing"));
    assert_eq!(read(json!({"url": "u"})), fault("kind is missing"));
    assert_eq!(
        read(json!({"kind": "disk"})),
        fault("kind is \"disk\", which is not known")
    );
    assert_eq!(
        read(json!(1)),
        fault("the value is a number, not an object")
    );
}
