//! Static analysis.

use crate::support::parse;
use mnemograph_template::{Expression, Reference, Template};

/// References as text: a path, and `?` where it is guarded.
fn shown(references: &[Reference]) -> String {
    let show =
        |reference: &Reference| reference.path.join(".") + if reference.guarded { "?" } else { "" };
    references.iter().map(show).collect::<Vec<_>>().join(" ")
}

#[track_caller]
fn check(table: &[(&str, &str)]) {
    for (source, expected) in table {
        assert_eq!(shown(&parse(source).references()), *expected, "{source}");
    }
}

#[test]
fn paths_go_as_far_as_they_are_constant() {
    check(&[
        ("plain {# {{ a }} #}{% raw %}{{ b }}{% endraw %}", ""),
        ("{{ a }}{{ b.c }}{{ d['e'].f }}", "a b.c d.e.f"),
        (
            "{{ a.b[0].c }}{{ a.b[i].c }}{{ a.b[x.y:z] }}",
            "a.b a.b i a.b x.y z",
        ),
        (
            "{{ (a|first).b }}{{ [c, {'k': d}] }}{{ -e.f }}{{ f ~ g.h }}",
            "a c d e.f f g.h",
        ),
        (
            "{{ a|join(b)|replace(c, old=d) }}"
                .replace("old", "new")
                .as_str(),
            "a b c d",
        ),
        (
            "{{ a == b < c }}{{ range(d, e) }}{{ f is eq g }}",
            "a b c d e f g",
        ),
        ("{{ a.b }}{{ a.b }}", "a.b a.b"),
    ]);
}

#[test]
fn variables_of_the_template_are_not_among_them() {
    check(&[
        (
            "{% for x in xs.all %}{{ x.y }}{{ loop.index }}{{ z }}{% endfor %}{{ x }}{{ loop }}",
            "xs.all z x loop",
        ),
        (
            "{% for k, v in m if k in ks %}{{ v }}{% else %}{{ k }}{% endfor %}",
            "m ks k",
        ),
        (
            "{% set a = a.b %}{{ a.c }}{% set d %}{{ e }}{% endset %}{{ d }}",
            "a.b e",
        ),
        (
            "{% for x in a %}{% set y = x %}{{ y }}{% endfor %}{{ y }}",
            "a y",
        ),
        ("{% if a %}{% set y = 1 %}{% endif %}{{ y }}", "a?"),
        ("{% for loop2 in a if loop.x %}{% endfor %}", "a loop.x?"),
    ]);
}

#[test]
fn guards() {
    check(&[
        (
            "{{ a.b|default(c.d) }}{{ a|upper|default('') }}",
            "a.b? c.d a",
        ),
        (
            "{{ a is defined }}{{ b is undefined }}{{ c is string }}{{ d is eq 1 }}",
            "a? b? c? d",
        ),
        (
            "{{ get(a.b, c.d) }}{{ get('e.f') }}{{ get(g.h[i].j) }}",
            "a.b? c.d e.f? g.h? i",
        ),
        ("{{ not a }}{{ b or c }}{{ d and e }}", "a? b? c d? e"),
        ("{{ a if b else c }}", "a b? c"),
        ("{{ (a or b)|default(1) }}", "a? b?"),
        (
            "{% if a.b %}{{ a.b }}{{ a.b.c }}{{ a }}{% else %}{{ a.b }}{% endif %}",
            "a.b? a.b? a.b.c a? a.b",
        ),
        (
            "{% if a and b.c %}{{ a }}{{ b.c }}{{ d }}{% elif d %}{{ d }}{{ a }}{% endif %}",
            "a? b.c? a? b.c? d d? d? a",
        ),
        (
            "{% if not a %}{{ a }}{% else %}{{ a }}{% endif %}",
            "a? a a?",
        ),
        (
            "{% if a is defined and a.b is not undefined %}{{ a.b }}{% endif %}",
            "a? a.b? a.b?",
        ),
        (
            "{% if a is undefined or b is none %}{{ a }}{% else %}{{ a }}{{ b }}{% endif %}",
            "a? b? a a? b",
        ),
        (
            "{{ a.b.c if a.b.c else 'x' }}{{ 'x' if not a else a }}{{ a and a }}",
            "a.b.c? a.b.c? a? a? a? a?",
        ),
        (
            "{% if a == 1 %}{{ a }}{% endif %}{% if a.b[0] %}{% endif %}",
            "a a a.b",
        ),
        (
            "{% for x in a if b %}{{ b }}{% else %}{{ b }}{% endfor %}",
            "a b? b? b",
        ),
    ]);
}

#[test]
fn expressions_differ_by_what_is_asked() {
    let expression = Expression::parse("a.b and (c or d.e)").unwrap();
    assert_eq!(shown(&expression.references()), "a.b? c? d.e");
    assert_eq!(shown(&expression.test_references()), "a.b? c? d.e?");
    let expression = Expression::parse("a.b").unwrap();
    assert_eq!(shown(&expression.references()), "a.b");
    assert_eq!(shown(&expression.test_references()), "a.b?");
}

#[test]
fn places_are_where_the_path_begins() {
    let references = parse("é {{ a }}\n{% if x %}🦊{{ b.c }}{% endif %}").references();
    let places: Vec<_> = references
        .iter()
        .map(|found| (found.line, found.column))
        .collect();
    assert_eq!(places, [(1, 6), (2, 7), (2, 16)]);
}

#[test]
fn single_references_and_static_templates() {
    let single = |source: &str| {
        let template = Template::parse(source).unwrap();
        template.single_reference().map(|path| path.join("."))
    };
    assert_eq!(
        single("{{ nodes.a.output }}").as_deref(),
        Some("nodes.a.output")
    );
    assert_eq!(
        single("{{ nodes['a b'].output }}").as_deref(),
        Some("nodes.a b.output")
    );
    assert_eq!(single("{# note #}{{ a }}").as_deref(), Some("a"));
    for source in [
        "",
        "a",
        " {{ a }}",
        "{{ a }}{{ b }}",
        "{{ a[0] }}",
        "{{ a|upper }}",
        "{{ 1 }}",
        "{% if a %}{% endif %}",
    ] {
        assert_eq!(single(source), None, "{source}");
    }
    for (source, is_static) in [
        ("", true),
        ("a {# b #}{% raw %}{{ c }}{% endraw %}", true),
        ("{{ 1 }}", false),
        ("{% set a = 1 %}", false),
    ] {
        assert_eq!(parse(source).is_static(), is_static, "{source}");
    }
}
