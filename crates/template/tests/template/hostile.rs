//! Sources, data and hosts that mean harm.

use mnemograph_template::{ErrorKind, Found, Names, Options, Template};
use serde_json::{Map, Value, json};

/// The stack of a wasm module, and a page of margin less.
const STACK: usize = 1 << 20;

fn on_a_small_stack<T: Send>(run: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let builder = std::thread::Builder::new().stack_size(STACK);
        builder.spawn_scoped(scope, run).unwrap().join().unwrap()
    })
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
        (
            "{% set deep %}{{ '[' * 60 ~ '1,' * 20000 ~ '1' ~ ']' * 60 }}{% endset %}{{ deep|fromjson|tojson(16) }}",
            ErrorKind::Fuel,
        ),
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
