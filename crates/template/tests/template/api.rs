//! Typed values, expressions, places.

use mnemograph_template::ErrorKind::*;
use mnemograph_template::{Expression, Options, Template};
use serde_json::{Value, json};

use crate::support::{data, empty, parse};

#[test]
fn columns_count_utf16_units_and_lines_from_one() {
    let error = parse("a\nbé🦊 {{ nope }}")
        .render(&data(), &Options::default())
        .unwrap_err();
    assert_eq!((error.line, error.column), (2, 9));
    let error = Template::parse("a\r\n\n  {{ 1 + }}").unwrap_err();
    assert_eq!((error.line, error.column), (3, 10));
}

#[test]
fn one_expression_gives_the_typed_value() {
    let table = [
        ("{{ int }}", json!(42)),
        ("{{ map.a }}", json!({"deep": ["x", {"y": "z"}]})),
        ("{{ null }}", Value::Null),
        ("{{ 1 if no }}", Value::Null),
        ("{{ 7 / 2 }}", json!(3.5)),
        ("{# c #}{{ list|sort }}", json!([1, 2, 3])),
        ("  {{- yes -}}  ", json!(true)),
        (" {{ int }}", json!(" 42")),
        ("{{ int }}{{ int }}", json!("4242")),
        ("plain", json!("plain")),
    ];
    for (source, value) in table {
        let evaluated = parse(source)
            .evaluate(&data(), &Options::default())
            .unwrap();
        assert_eq!(evaluated.value, value, "{source}");
    }
    assert_eq!(
        parse("{{ nope }}")
            .evaluate(&data(), &Options::default())
            .unwrap_err()
            .kind,
        Missing
    );
    let evaluated = parse("{{ nope }}").evaluate(&data(), &empty()).unwrap();
    assert_eq!(
        (evaluated.value, evaluated.warnings.len()),
        (Value::Null, 1)
    );
}

#[test]
fn expressions_stand_alone() {
    let value = |source: &str| {
        let expression = Expression::parse(source).unwrap();
        assert_eq!(expression.source(), source);
        expression
            .evaluate(&data(), &Options::default())
            .map(|done| done.value)
    };
    assert_eq!(value("int > 1 and name == 'Ada'"), Ok(json!(true)));
    assert_eq!(value(" {{ int + 1 }}\n"), Ok(json!(43)));
    assert_eq!(value("people|map(attribute='age')|sum"), Ok(json!(87)));
    assert_eq!(value("nope").unwrap_err().code, "E_EXPR");
    let holds = |source: &str| {
        let tested = Expression::parse(source)
            .unwrap()
            .test(&data(), &Options::default());
        tested.map(|tested| tested.holds)
    };
    assert_eq!(holds("int"), Ok(true));
    assert_eq!(holds("map.nope"), Ok(false));
    assert_eq!(holds("nope.x").unwrap_err().kind, Missing);
    for wrong in [
        "",
        "a b",
        "a }}",
        "{{ a }} b",
        "{{ a }}{{ b }}",
        "{% if a %}{% endif %}",
        "1 +",
    ] {
        assert!(Expression::parse(wrong).is_err(), "{wrong}");
    }
}
