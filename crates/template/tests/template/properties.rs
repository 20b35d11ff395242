//! What holds for any input.

use mnemograph_template::{ErrorKind, Expression, Missing, Options, Template};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::{Map, Value, json};

fn config(cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok();
    let cases = asked.and_then(|cases| cases.parse().ok()).unwrap_or(cases);
    let file = FileFailurePersistence::Direct("tests/regressions/properties.txt");
    ProptestConfig {
        failure_persistence: Some(Box::new(file)),
        ..ProptestConfig::with_cases(cases)
    }
}

/// Pieces of the language in any order.
fn soup() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "{{",
        "}}",
        "{%",
        "%}",
        "{#",
        "#}",
        "{%-",
        "-%}",
        "{{-",
        "-}}",
        " ",
        "\n",
        "i",
        "o",
        ".",
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        ",",
        ":",
        "=",
        "==",
        "<",
        "|",
        "~",
        "*",
        "/",
        "//",
        "%",
        "-",
        "+",
        "0",
        "2.5",
        "1e3",
        "9223372036854775808",
        "1e309",
        "'a'",
        "\"",
        "'",
        "\\",
        "\\u00e9",
        "é",
        "🦊",
        "if",
        "elif",
        "else",
        "endif",
        "for",
        "in",
        "endfor",
        "set",
        "endset",
        "raw",
        "endraw",
        "and",
        "or",
        "not",
        "is",
        "defined",
        "upper",
        "join",
        "map",
        "select",
        "sort",
        "date",
        "slice",
        "default",
        "get",
        "range",
        "loop",
        "none",
        "true",
        "{% if i %}",
        "{% endif %}",
        "{% for x in o %}",
        "{% endfor %}",
        "{% raw %}",
        "{% endraw %}",
        "{{ i }}",
    ]);
    prop::collection::vec(pieces, 0..40).prop_map(|pieces| pieces.concat())
}

/// Everything that can be done with a source. Nothing of it may panic.
fn exercise(source: &str, data: &Map<String, Value>) {
    let empty = Options {
        missing: Missing::Empty,
        ..Options::default()
    };
    if let Ok(template) = Template::parse(source) {
        let _ = template.references();
        let _ = template.single_reference();
        let rendered = template.render(data, &Options::default());
        if template.is_static() {
            assert!(rendered.is_ok(), "{source}");
        }
        let _ = template.evaluate(data, &empty);
    }
    if let Ok(expression) = Expression::parse(source) {
        let _ = expression.references();
        let _ = expression.test_references();
        let _ = expression.evaluate(data, &Options::default());
        let _ = expression.test(data, &empty);
    }
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        prop::num::f64::ANY.prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec(("[a-c]{1,2}", inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// Text that looks like the language.
fn braces() -> impl Strategy<Value = String> {
    prop_oneof![soup(), "[{}%# a-z|'\"\\\\-]{0,40}", "\\PC{0,40}"]
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn any_text_parses_or_errors(source in "\\PC{0,60}", data in crate::generate::context()) {
        exercise(&source, &data);
    }

    #[test]
    fn any_pieces_parse_or_error(source in soup(), data in crate::generate::context()) {
        exercise(&source, &data);
        exercise(&format!("{{{{ {source} }}}}"), &data);
    }

    #[test]
    fn wild_templates_do_not_panic(source in crate::generate::source("wild", 7), data in crate::generate::context()) {
        let source = source.replace('§', "");
        exercise(&source, &data);
        exercise(&format!("{{{{ {source} }}}}"), &data);
    }
}

proptest! {
    #![proptest_config(config(150))]

    /// Inserted values are text to the end: no part of one is ever read as template.
    #[test]
    fn braces_in_data_come_out_as_they_went_in(text in braces(), around in "[a-z }%#]{0,8}") {
        let names = json!({"text": text, "list": [text, text], "map": {"key": text}});
        let names = names.as_object().unwrap();
        let around_text = format!("{around}x");
        for (source, expected) in [
            ("{{ text }}", text.clone()),
            ("{{ list[1] ~ map.key }}", format!("{text}{text}")),
            ("{% for item in list %}{{ item }}{% endfor %}", format!("{text}{text}")),
            ("{% set copy = text %}{% set block %}{{ copy }}{% endset %}{{ block }}", text.clone()),
            ("{{ list|join('{{') }}", format!("{text}{{{{{text}")),
            ("{{ (map|tojson|fromjson).key }}", text.clone()),
            ("{{ 'a'|replace('a', text) }}", text.clone()),
            ("{{ list|map('string')|first }}", text.clone()),
            ("{% for key, item in map %}{{ item }}{% endfor %}", text.clone()),
        ] {
            let source = format!("{around_text}{source}{around}");
            let rendered = Template::parse(&source).unwrap().render(names, &Options::default()).unwrap();
            prop_assert_eq!(rendered.text, format!("{}{}{}", around_text, expected, around), "{}", source);
        }
    }

    #[test]
    fn what_prints_as_json_reads_back_equal(value in any_value()) {
        let names = json!({"value": [value]});
        let template = Template::parse("{{ value|tojson|fromjson == value }}{{ value|tojson(2)|fromjson == value }}").unwrap();
        let rendered = template.render(names.as_object().unwrap(), &Options::default()).unwrap();
        prop_assert_eq!(rendered.text, "truetrue");
    }

    #[test]
    fn sorting_is_total_and_keeps_all(values in prop::collection::vec(any_value(), 0..8)) {
        let names = json!({"values": values});
        let names = names.as_object().unwrap();
        let value = |source: &str| {
            Expression::parse(source).unwrap().evaluate(names, &Options::default()).unwrap().value
        };
        prop_assert_eq!(value("values|sort|length"), json!(values.len()));
        prop_assert_eq!(value("values|sort|sort"), value("values|sort"));
        let reversed = value("values|unique|sort(reverse=true)");
        let sorted = value("values|unique|sort");
        let ends = (sorted.as_array().unwrap().first(), sorted.as_array().unwrap().last());
        prop_assert_eq!(ends, (reversed.as_array().unwrap().last(), reversed.as_array().unwrap().first()));
    }

    #[test]
    fn the_output_cap_holds(source in crate::generate::source("template", 6), data in crate::generate::context(), cap in 0usize..80) {
        let template = Template::parse(&source.replace('§', "")).unwrap();
        let options = Options { max_output: cap, ..Options::default() };
        match template.render(&data, &options) {
            Ok(rendered) => prop_assert!(rendered.text.len() <= cap),
            Err(error) if error.kind == ErrorKind::Output => {
                if let Ok(full) = template.render(&data, &Options::default()) {
                    // What is set aside by a block counts as well.
                    prop_assert!(full.text.len() > cap || source.contains("endset"));
                }
            }
            Err(_) => {}
        }
    }

    #[test]
    fn fuel_only_decides_how_far_it_goes(source in crate::generate::source("template", 6), data in crate::generate::context(), fuel in 0u64..200) {
        let template = Template::parse(&source.replace('§', "")).unwrap();
        let full = template.render(&data, &Options::default());
        match template.render(&data, &Options { fuel, ..Options::default() }) {
            Err(error) if error.kind == ErrorKind::Fuel => {}
            other => prop_assert_eq!(other, full),
        }
    }

    /// Errors go to logs and events; what a person wrote does not.
    #[test]
    fn errors_hold_no_values(source in crate::generate::source("wild", 5), data in crate::generate::context()) {
        let canary = "Canary7";
        let mut data = data;
        for name in ["s", "t"] {
            data.insert(name.to_owned(), json!(canary));
        }
        data.insert("w".to_owned(), json!([canary, canary]));
        data.insert("o".to_owned(), json!({canary: canary, "i": canary, "t": canary, "l": [canary], "d": {"x": canary}}));
        let source = format!("{{{{ {} }}}}", source.replace('§', ""));
        if let Err(error) = Template::parse(&source).unwrap_or_else(|_| Template::parse("").unwrap()).render(&data, &Options::default()) {
            prop_assert!(!format!("{error} {:?}", error.hint).contains(canary), "{}\n{}", source, error);
        }
    }
}
