//! What is not there.

use mnemograph_template::ErrorKind::*;

use crate::support::{check, check_fails, check_refused, data, empty, parse};

#[test]
fn missing_values_are_errors_that_name_the_place() {
    check_fails(&[
        ("{{ nope }}", Missing, 4, "`nope` is not defined"),
        ("ab {{ map.nope }}", Missing, 7, "`map` has no `nope`"),
        ("{{ map.a.nope }}", Missing, 4, "`map.a` has no `nope`"),
        ("{{ map.nope.x }}", Missing, 4, "`map` has no `nope`"),
        (
            "{{ map.nope.x|default(1) }}",
            Missing,
            4,
            "`map` has no `nope`",
        ),
        (
            "{{ name.x }}",
            Missing,
            4,
            "`name` is a text and has no `x`",
        ),
        ("{{ null.x }}", Missing, 4, "`null` is none and has no `x`"),
        (
            "{{ list[9] }}",
            Missing,
            8,
            "`list` is a list and has no `[9]`",
        ),
        ("{{ list[int] }}", Missing, 8, "has no `[…]`"),
        (
            "{{ map.a.deep[1].nope }}",
            Missing,
            18,
            "`map.a.deep[1]` is a map and has no `.nope`",
        ),
        ("{{ 1 + nope }}", Missing, 8, "`nope`"),
        ("{{ nope == 1 }}", Missing, 4, "`nope`"),
        ("{{ nope|upper }}", Missing, 4, "`nope`"),
        ("{{ name|replace(nope, 'x') }}", Missing, 17, "`nope`"),
        ("{{ [nope] }}", Missing, 5, "`nope`"),
        ("{{ 'x' in nope }}", Missing, 11, "`nope`"),
        ("{{ list[nope] }}", Missing, 9, "`nope`"),
        ("{{ nothing|first }}", Missing, 12, "empty"),
        (
            "{% if nope.x %}{% endif %}",
            Missing,
            7,
            "`nope` is not defined",
        ),
        ("{{ -(1 if no) }}", Missing, 4, "`if` without `else`"),
    ]);
    check(&[
        (
            "{{ nope|default('x') }}{{ map.nope|default }}{{ null|default('y') }}",
            "x",
        ),
        (
            "{{ null|default('y', true) }}{{ ''|default('z', boolean=true) }}{{ 1|default(2, true) }}",
            "yz1",
        ),
        ("{{ nothing|first|default('none') }}", "none"),
    ]);
}

#[test]
fn get_has_a_fallback_for_any_missing_step() {
    check(&[
        ("{{ get(map.a.deep, 'x') }}", r#"["x",{"y":"z"}]"#),
        (
            "{{ get(map.nope.x.y, 'x') }}{{ get(nope.x, 'y') }}{{ get(name.x.y, 'z') }}",
            "xyz",
        ),
        (
            "{{ get('map.nope.x', 'a') }}{{ get('name') }}[{{ get('nope') }}]",
            "aAda[]",
        ),
        (
            r#"{{ get('map["a"].deep[1].y', 1) }}{{ get(map.a.deep[7].y, 2) }}{{ get(list[0], 3) }}"#,
            "z23",
        ),
        ("{{ get(map.n, 'x') }}", ""),
        ("{{ get(nope, get(nope2, name)) }}", "Ada"),
        ("{% set get = 3 %}{{ get }}", "3"),
    ]);
    check_fails(&[("{{ 12345678 ~ get('list[nope]') }}", Missing, 15, "`nope`")]);
    check_refused(&[
        ("{{ get(1 + 1, 2) }}", 4, "not a path"),
        ("{{ get('a b') }}", 4, "the end of the path"),
        ("{{ get() }}", 4, "takes 1 to 2"),
        ("{{ get(a, b, c) }}", 4, "takes 1 to 2"),
        (
            "{{ 12345678 ~ get('a.b[') }}",
            15,
            "where a value is expected",
        ),
        ("{{ 12345678 ~ get('a.b[#') }}", 15, "unexpected character"),
    ]);
}

#[test]
fn empty_lets_missing_values_pass_with_a_warning() {
    let table = [
        ("[{{ nope }}]", "[]", 1),
        ("[{{ map.nope.x.y }}]", "[]", 1),
        (
            "{{ nope|upper }}{{ nope|length }}{{ nope|join(',') }}",
            "0",
            3,
        ),
        ("{% for x in nope %}a{% else %}b{% endfor %}", "b", 1),
        (
            "{{ nope == '' }} {{ 'x' ~ nope }} {{ [nope] }}",
            "true x [\"\"]",
            3,
        ),
        (
            "{{ nope|default('x') }}{% if nope %}{% endif %}{{ nope is defined }}",
            "xfalse",
            0,
        ),
        ("{% for x in list %}{{ nope }}{% endfor %}", "", 1),
    ];
    for (source, text, warnings) in table {
        let rendered = parse(source).render(&data(), &empty()).unwrap();
        assert_eq!(
            (rendered.text.as_str(), rendered.warnings.len()),
            (text, warnings),
            "{source}"
        );
    }
    let warned = parse("\n {{ map.nope }}")
        .render(&data(), &empty())
        .unwrap();
    let warning = &warned.warnings[0];
    assert_eq!((warning.line, warning.column), (2, 5));
    assert_eq!(warning.message, "`map` has no `nope`");
    for source in [
        "{{ nope + 1 }}",
        "{{ nope < 1 }}",
        "{{ -nope }}",
        "{{ list[nope] }}",
    ] {
        assert_eq!(
            parse(source).render(&data(), &empty()).unwrap_err().kind,
            Missing,
            "{source}"
        );
    }
}
