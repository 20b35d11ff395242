//! What does not parse.

use mnemograph_template::Template;

use crate::support::check_refused;

#[test]
fn what_is_not_of_the_language_is_refused() {
    check_refused(&[
        ("a {{ name", 3, "`{{` is not closed"),
        ("{% if a", 1, "`{%` is not closed"),
        ("{# a", 1, "comment"),
        ("{% raw %}a", 1, "`{% raw %}` is not closed"),
        ("{{ }}", 4, "`}}` where a value is expected"),
        ("{{ a b }}", 6, "`b` where `}}` is expected"),
        ("{{ 'a }}", 4, "not closed"),
        (r"{{ '\q' }}", 5, "unknown escape"),
        (r"{{ '\ud800' }}", 5, "four hexadecimal digits"),
        ("{{ 1e309 }}", 4, "too large"),
        ("{{ 18446744073709551616 }}", 4, "too large"),
        ("{{ ä }}", 4, "unexpected character `ä`"),
        ("{{ a && b }}", 6, "`&&` is not an operator"),
        ("{{ !a }}", 4, "`!` is not an operator"),
        ("{{ 2 ** 3 }}", 6, "`**`"),
        ("{{ 1_000 }}", 5, "`_000`"),
        ("{{ (1, 2) }}", 4, "no tuples"),
        ("{{ a.b() }}", 7, "cannot be called"),
        ("{{ 'a'.upper() }}", 13, "cannot be called"),
        ("{{ f(1) }}", 5, "cannot be called"),
        ("{{ nodes.llm-1.output }}", 15, "a number has no fields"),
        ("{{ a.[1] }}", 6, "where a field is expected"),
        ("{{ a[] }}", 6, "`]` where a value"),
        ("{{ a[1:2:3] }}", 9, "`]`"),
        ("{{ a|nope }}", 6, "no filter `nope`"),
        ("{{ a is nope }}", 9, "no test `nope`"),
        ("{{ a|map('nope') }}", 6, "no filter `nope`"),
        ("{{ a|select('nope') }}", 6, "no test `nope`"),
        ("{{ a|replace('a') }}", 6, "needs the argument `new`"),
        ("{{ a|upper(1) }}", 12, "takes fewer arguments"),
        ("{{ a|join(x=1) }}", 11, "no argument `x`"),
        ("{{ a|join('a', separator='b') }}", 16, "given twice"),
        (
            "{{ a|join(attribute='a', 'b') }}",
            26,
            "follows one with a name",
        ),
        ("{{ a is eq }}", 12, "a value"),
        (
            "{{ a|select(1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17) }}",
            52,
            "more than 16",
        ),
        ("{{ 1 if }}", 9, "a value"),
        ("{{ a not b }}", 10, "`in` after `not`"),
        ("{{ a == not b }}", 9, "`not` where a value"),
        ("{% include 'x' %}", 1, "`include` is not a statement"),
        ("{% macro f() %}", 1, "`macro` is not a statement"),
        ("{% endif %}", 1, "`endif` belongs to no open block"),
        ("{% if a %}", 1, "`if` is not closed with `{% endif %}`"),
        (
            "a{% for x in y %}{% if a %}{% endif %}",
            2,
            "`for` is not closed",
        ),
        (
            "{% if a %}{% endfor %}",
            11,
            "`endfor` belongs to no open block",
        ),
        ("{% for x of y %}", 10, "`of` where `in`"),
        ("{% for loop in y %}", 8, "`loop` is reserved"),
        ("{% set none = 1 %}", 8, "`none` is reserved"),
        ("{% set a.b = 1 %}", 9, "`.` where `=` or `%}`"),
        ("{% set a, b = 1 %}", 9, "`,` where"),
        ("{% set a %}x", 1, "`set` is not closed"),
        ("{% 1 %}", 4, "a number where a statement"),
        (r#"{{"a":1}}"#, 6, "`:` where `}}`"),
    ]);
    let hint = |source: &str| {
        Template::parse(source)
            .unwrap_err()
            .hint
            .unwrap_or_default()
    };
    assert!(hint(r#"{{"a":1}}"#).contains("{% raw %}"));
    assert!(hint("{{ m|items }}").contains("for key, value in"));
    assert!(hint("{{ nodes.a-1.b }}").contains("nodes[\"a-1\"]"));
    assert!(hint("{% include 'a' %}").contains("if, for, set and raw"));
}
