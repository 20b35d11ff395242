//! Reading typed data: what is taken, what is refused, and how a fault is told.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::collections::VecDeque;

use mnemograph_compact::{FromJson, SortedMap};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, FromJson)]
#[serde(rename_all = "snake_case")]
enum Mode {
    #[default]
    Fail,
    GoOn,
}

#[derive(Debug, Default, PartialEq, Serialize, FromJson)]
struct Inner {
    id: String,
    size: Option<u64>,
}

#[derive(Debug, Default, PartialEq, Serialize, FromJson)]
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
    #[serde(default)]
    later: Vec<String>,
}

#[derive(Debug, PartialEq, Serialize, FromJson)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Source {
    Url { url: String },
    FileId { id: String, note: Option<String> },
    None,
}

#[derive(Debug, PartialEq, Serialize, FromJson)]
struct Place(usize);

#[derive(Debug, PartialEq, Serialize, FromJson)]
enum Phase {
    New,
    Running { place: Place },
    Ended(Result<(), String>),
}

#[derive(Debug, PartialEq, Serialize, FromJson)]
struct State {
    phases: VecDeque<Phase>,
    places: Vec<(Place, u64)>,
    triple: (bool, Mode, String),
    boxed: Box<Source>,
    sorted: SortedMap<u32, Source>,
    #[serde(skip)]
    left_out: u64,
    #[serde(rename = "else")]
    otherwise: String,
}

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
            "mode is \"stop\", not one of fail, go_on",
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
        fault("kind is \"disk\", not one of url, file_id, none")
    );
    assert_eq!(
        read(json!(1)),
        fault("the value is a number, not an object")
    );
}

fn comes_back<T: Serialize + DeserializeOwned + FromJson + PartialEq + std::fmt::Debug>(given: T) {
    let value = serde_json::to_value(&given).unwrap();
    assert_eq!(
        serde_json::from_str::<T>(&value.to_string()).unwrap(),
        given
    );
    assert_eq!(T::from_json(value), Ok(given));
}

#[test]
fn what_serde_writes_is_read_back() {
    comes_back(State {
        phases: VecDeque::from([
            Phase::New,
            Phase::Running { place: Place(3) },
            Phase::Ended(Ok(())),
            Phase::Ended(Err("no".to_owned())),
        ]),
        places: vec![(Place(1), 2)],
        triple: (true, Mode::GoOn, "t".to_owned()),
        boxed: Box::new(Source::None),
        sorted: SortedMap::from_iter([
            (10, Source::None),
            (
                9,
                Source::Url {
                    url: "u".to_owned(),
                },
            ),
        ]),
        left_out: 0,
        otherwise: "e".to_owned(),
    });
    comes_back(SortedMap::from_iter([("a".to_owned(), Mode::Fail)]));
}

#[test]
fn a_fault_deep_inside_is_found() {
    let told = |value| Phase::from_json(value).unwrap_err().to_string();
    assert_eq!(
        told(json!("Old")),
        "the value is \"Old\", not one of New, Running, Ended"
    );
    assert_eq!(
        told(json!({"New": null, "Old": null})),
        "the value is no object of one field"
    );
    assert_eq!(told(json!({"Running": {}})), "place is missing");
    assert_eq!(
        told(json!({"Ended": {"Ok": 1}})),
        "the value is a number, not null"
    );
    let pair = <(u64, u64)>::from_json(json!([1])).unwrap_err();
    assert_eq!(pair.to_string(), "the value is no list of 2 items");
    let map = SortedMap::<u32, Value>::from_json(json!({"x": 1})).unwrap_err();
    assert_eq!(map.to_string(), "the value is not a whole number that fits");
}
