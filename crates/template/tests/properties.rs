//! What holds for any input.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod generate;

use mnemograph_template::{ErrorKind, Expression, Found, Missing, Names, Options, Template};
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

/// The stack of a wasm module, and a page of margin less.
const STACK: usize = 1 << 20;

fn on_a_small_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK);
        builder.spawn_scoped(scope, run).unwrap().join().unwrap()
    })
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
    fn any_text_parses_or_errors(source in "\\PC{0,60}", data in generate::context()) {
        exercise(&source, &data);
    }

    #[test]
    fn any_pieces_parse_or_error(source in soup(), data in generate::context()) {
        exercise(&source, &data);
        exercise(&format!("{{{{ {source} }}}}"), &data);
    }

    #[test]
    fn wild_templates_do_not_panic(source in generate::source("wild", 7), data in generate::context()) {
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
    fn the_output_cap_holds(source in generate::source("template", 6), data in generate::context(), cap in 0usize..80) {
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
    fn fuel_only_decides_how_far_it_goes(source in generate::source("template", 6), data in generate::context(), fuel in 0u64..200) {
        let template = Template::parse(&source.replace('§', "")).unwrap();
        let full = template.render(&data, &Options::default());
        match template.render(&data, &Options { fuel, ..Options::default() }) {
            Err(error) if error.kind == ErrorKind::Fuel => {}
            other => prop_assert_eq!(other, full),
        }
    }

    /// Errors go to logs and events; what a person wrote does not.
    #[test]
    fn errors_hold_no_values(source in generate::source("wild", 5), data in generate::context()) {
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

#[test]
fn hostile_nesting_is_refused_or_fits_a_small_stack() {
    let deep =
        |open: &str, close: &str, count: usize| open.repeat(count) + "1" + &close.repeat(count);
    let cases: Vec<(String, bool)> = [1usize, 30, 60, 70, 5_000, 100_000]
        .into_iter()
        .flat_map(|count| {
            [
                ("(", ")"),
                ("[", "]"),
                ("{'a':", "}"),
                ("not ", ""),
                ("- ", ""),
                ("1 if 1 else ", ""),
                ("a[", "]"),
                ("get(a, ", ")"),
                ("1|default(", ")"),
                ("1 is eq(", ")"),
            ]
            .map(|(open, close)| {
                (
                    format!("{{{{ {} }}}}", deep(open, close, count)),
                    count <= 60,
                )
            })
        })
        .chain([1usize, 30, 60, 70, 20_000].into_iter().flat_map(|count| {
            [
                ("{% if 1 %}", "{% endif %}"),
                ("{% for x in [1] %}", "{% endfor %}"),
                ("{% set x %}", "{% endset %}"),
                ("{% if 0 %}{% else %}", "{% endif %}"),
            ]
            .map(|(open, close)| (deep(open, close, count), count <= 60))
        }))
        .collect();
    for (source, fits) in cases {
        on_a_small_stack(|| {
            let parsed = Template::parse(&source);
            assert_eq!(parsed.is_ok(), fits, "{}", &source[..source.len().min(60)]);
            match parsed {
                Ok(template) => {
                    let _ = template.references();
                    let _ = template.render(&Map::new(), &Options::default());
                    drop(template.clone());
                }
                Err(error) => assert!(
                    error.message.contains("nested more than 64 deep"),
                    "{error}"
                ),
            }
        });
    }
}

#[test]
fn values_built_ever_deeper_are_refused() {
    on_a_small_stack(|| {
        for step in ["{% set x = [x] %}", "{% set x = {'a': x} %}"] {
            let source = format!("{{% set x = [1] %}}{}{{{{ x }}}}", step.repeat(20_000));
            let options = Options {
                fuel: u64::MAX,
                ..Options::default()
            };
            let rendered = Template::parse(&source)
                .unwrap()
                .render(&Map::new(), &options);
            assert_eq!(rendered.unwrap_err().kind, ErrorKind::Depth, "{step}");
        }
    });
}

#[test]
fn no_small_template_makes_something_huge() {
    let doubling = format!(
        "{{% set s = 'x' * 1000 %}}{}{{{{ s|length }}}}",
        "{% set s = s ~ s %}".repeat(60)
    );
    let lists = format!(
        "{{% set l = range(100) %}}{}{{{{ l|length }}}}",
        "{% set l = l + l %}".repeat(60)
    );
    let maps = format!(
        "{{% set m = {{'a': 1}} %}}{}{{{{ m|tojson|length }}}}",
        "{% set m = {'a': m, 'b': m} %}".repeat(60)
    );
    for (source, kind) in [
        (doubling.as_str(), ErrorKind::Fuel),
        (lists.as_str(), ErrorKind::Fuel),
        (maps.as_str(), ErrorKind::Fuel),
        ("{{ 'x' * 1000000000 }}", ErrorKind::Fuel),
        ("{{ [1] * 1000000000 }}", ErrorKind::Fuel),
        ("{{ [0] * 9223372036854775807 }}", ErrorKind::Fuel),
        ("{{ range(1000000000) }}", ErrorKind::Fuel),
        (
            "{{ ('a' * 100000)|replace('a', 'b' * 10000) }}",
            ErrorKind::Fuel,
        ),
        ("{{ range(20000)|join('x' * 100000) }}", ErrorKind::Fuel),
        (
            "{% for a in range(200) %}{% for b in range(200) %}{{ a }}{% endfor %}{% endfor %}",
            ErrorKind::Fuel,
        ),
        (
            "{% for a in range(20) %}{{ 'x' * 100000 }}{% endfor %}",
            ErrorKind::Output,
        ),
        (
            "{% set s %}{{ 'x' * 1048577 }}{% endset %}",
            ErrorKind::Output,
        ),
        ("{{ [0] * 15000|sort }}", ErrorKind::Type),
        ("{{ ('a,' * 50000)|split(',')|length }}", ErrorKind::Fuel),
        ("{{ 1|date('%F' * 100000) }}", ErrorKind::Fuel),
    ] {
        let error = Template::parse(source)
            .unwrap()
            .render(&Map::new(), &Options::default())
            .unwrap_err();
        assert_eq!(
            error.kind,
            kind,
            "{}\n{error}",
            &source[..source.len().min(80)]
        );
    }
}

#[test]
fn a_megabyte_of_text_passes() {
    let text = "{{ ünï 🦊 ".repeat(80_000);
    let names = json!({"text": text});
    let names = names.as_object().unwrap();
    for (source, expected) in [
        ("{{ text }}", text.clone()),
        ("{{ text|trim|length }}", "719999".to_owned()),
    ] {
        let options = Options {
            max_output: 2 << 20,
            ..Options::default()
        };
        assert_eq!(
            Template::parse(source)
                .unwrap()
                .render(names, &options)
                .unwrap()
                .text,
            expected
        );
    }
    let template = Template::parse(&text.replace("{{", "{")).unwrap();
    assert!(template.is_static());
}

#[test]
fn names_that_answer_wrongly_do_no_harm() {
    struct Liar(usize);
    impl Names for Liar {
        fn lookup(&self, _: &str) -> Option<Value> {
            None
        }
        fn find<'a>(&'a self, _: &[String]) -> Found<'a> {
            if self.0.is_multiple_of(2) {
                Found::Value(std::borrow::Cow::Owned(json!({"a": 1})), self.0)
            } else {
                Found::Missing(self.0)
            }
        }
    }
    let template = Template::parse("{{ a.b.c }}{{ a }}{{ a is defined }}").unwrap();
    for claim in [0, 1, 2, 3, 4, 7, usize::MAX, usize::MAX - 1] {
        let _ = template.render(&Liar(claim), &Options::default());
    }
}

#[test]
fn a_host_may_follow_the_path_itself() {
    struct Nodes(Value);
    impl Names for Nodes {
        fn lookup(&self, name: &str) -> Option<Value> {
            panic!("{name} need not be built");
        }
        fn find<'a>(&'a self, path: &[String]) -> Found<'a> {
            match path {
                [root, node, port, ..] if root == "nodes" && node == "a" && port == "output" => {
                    Found::Value(std::borrow::Cow::Borrowed(&self.0), 3)
                }
                [root, node, ..] if root == "nodes" && node == "a" => Found::Missing(2),
                [root, ..] if root == "nodes" => Found::Missing(1),
                _ => Found::Missing(0),
            }
        }
    }
    let nodes = Nodes(json!({"text": "hi"}));
    let render = |source: &str| {
        let rendered = Template::parse(source)
            .unwrap()
            .render(&nodes, &Options::default());
        rendered
            .map(|done| done.text)
            .map_err(|error| error.message)
    };
    assert_eq!(render("{{ nodes.a.output.text }}").unwrap(), "hi");
    assert_eq!(
        render("{{ nodes.a.output.nope|default('x') }}").unwrap(),
        "x"
    );
    assert_eq!(render("{{ nodes.a.nope|default('x') }}").unwrap(), "x");
    assert_eq!(
        render("{{ nodes.a.nope }}").unwrap_err(),
        "`nodes.a` has no `nope`"
    );
    assert_eq!(
        render("{{ nodes.b.output|default('x') }}").unwrap_err(),
        "`nodes` has no `b`"
    );
    assert_eq!(render("{{ other }}").unwrap_err(), "`other` is not defined");
}
