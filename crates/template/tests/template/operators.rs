//! Operators and tests.

use mnemograph_template::ErrorKind::*;

use crate::support::{check, check_fails, render};

#[test]
fn arithmetic() {
    check(&[
        ("{{ 1 + 2 * 3 - 4 }} {{ (1 + 2) * 3 }}", "3 9"),
        ("{{ 7 / 2 }} {{ 7 // 2 }} {{ 7 % 3 }}", "3.5 3 1"),
        (
            "{{ -7 // 2 }} {{ -7 % 3 }} {{ 7 // -2 }} {{ 7 % -3 }}",
            "-4 2 -4 -2",
        ),
        (
            "{{ -7.5 // 2 }} {{ -7.5 % 2 }} {{ 7.5 % -2 }}",
            "-4 0.5 -0.5",
        ),
        ("{{ 1 + 0.5 }} {{ yes + 1 }} {{ 2 * 1.5 }}", "1.5 2 3"),
        (
            "{{ 'a' + 'b' }} {{ 'a' ~ 1 ~ none ~ true }} {{ [1] + [2] }}",
            "ab a1true [1,2]",
        ),
        ("{{ 'ab' * 3 }}{{ 2 * '-' }}{{ 'x' * -1 }}", "ababab--"),
        ("{{ 2 * 3 ~ 4 }} {{ '1' + 2 ~ 3 }}", "64 123"),
        (
            "{{ -9223372036854775808 % -1 }} {{ -9223372036854775808 % 7 }} {{ big % -2 }}",
            "0 6 -1",
        ),
        ("{{ huge / 2 }}", "9.223372036854776e+18"),
    ]);
    check_fails(&[
        ("{{ big + 1 }}", Overflow, 8, "64-bit"),
        ("{{ -big - 2 }}", Overflow, 9, "64-bit"),
        ("{{ big * 2 }}", Overflow, 8, "64-bit"),
        ("{{ huge + 0 }}", Overflow, 9, "64-bit"),
        ("{{ -huge }}", Overflow, 4, "64-bit"),
        (
            "{{ (0 - 9223372036854775807 - 1) // -1 }}",
            Overflow,
            34,
            "64-bit",
        ),
        ("{{ 1e308 * 10 }}", Overflow, 10, "finite"),
        ("{{ 1 / 0 }}", DivisionByZero, 6, "zero"),
        ("{{ 1 // 0 }}", DivisionByZero, 6, "zero"),
        ("{{ 1.5 % 0.0 }}", DivisionByZero, 8, "zero"),
        (
            "{{ 1 + 'a' }}",
            Type,
            6,
            "`+` does not take a number and a text",
        ),
        ("{{ list - list }}", Type, 9, "a list and a list"),
        ("{{ 'a' * 1.5 }}", Type, 8, "a text and a number"),
        ("{{ -name }}", Type, 4, "`-` does not take a text"),
        ("{{ -yes }}", Type, 4, "a boolean"),
        ("{{ {1: 2} }}", Type, 4, "keys of a map"),
    ]);
}

#[test]
fn comparisons() {
    check(&[
        (
            "{{ 1 == 1.0 }} {{ '1' == 1 }} {{ none == none }} {{ none == 0 }}",
            "true false true false",
        ),
        (
            "{{ [1, {'a': 2}] == [1.0, {'a': 2.0}] }} {{ {'a': 1, 'b': 2} == {'b': 2, 'a': 1} }}",
            "true true",
        ),
        (
            "{{ [1] == [1, 2] }} {{ {'a': 1} == {'b': 1} }} {{ 1 != 2 }}",
            "false false true",
        ),
        (
            "{{ 9007199254740993 == 9007199254740992.0 }} {{ 9007199254740993 > 9007199254740992.0 }}",
            "false true",
        ),
        (
            "{{ huge > big }} {{ huge < 1e300 }} {{ big < 9.3e18 }} {{ -1 > -1e300 }}",
            "true true true true",
        ),
        (
            "{{ 1 < 2 <= 2 < 3 }} {{ 1 < 3 < 2 }} {{ (1 < 3) == true }}",
            "true false true",
        ),
        (
            "{{ 'a' < 'b' }} {{ 'Z' < 'a' }} {{ 'é' > 'z' }} {{ yes > 0 }}",
            "true true true true",
        ),
        (
            "{{ 'qu' in text }} {{ 2 in list }} {{ 2.0 in list }} {{ 9 not in list }}",
            "true true true true",
        ),
        (
            "{{ 'a' in map }} {{ 'z' in map }} {{ 1 in map }} {{ '' in '' }}",
            "true false false true",
        ),
    ]);
    check_fails(&[
        (
            "{{ 1 < 'a' }}",
            Compare,
            6,
            "a number and a text have no order",
        ),
        ("{{ none < 1 }}", Compare, 9, "none and a number"),
        ("{{ list < list }}", Compare, 9, "a list and a list"),
        (
            "{{ 1 in 'a1' }}",
            Compare,
            6,
            "a number cannot be searched in a text",
        ),
        (
            "{{ 1 in 5 }}",
            Compare,
            6,
            "a number cannot be searched in a number",
        ),
    ]);
}

#[test]
fn logic() {
    check(&[
        (
            "{{ yes and no }} {{ yes or no }} {{ not yes }} {{ not not int }}",
            "false true false true",
        ),
        (
            "{{ empty or 'x' }} {{ name and 5 }} {{ 0 or none or 'z' }}",
            "x 5 z",
        ),
        (
            "{{ not 1 == 2 }} {{ not no and yes }} {{ 1 and 0 or 3 }}",
            "true true 3",
        ),
        (
            "{{ 'a' if yes else 'b' }} {{ 'a' if no else 'b' }} [{{ 'a' if no }}]",
            "a b []",
        ),
        ("{{ 1 if no else 2 if no else 3 }}", "3"),
        (
            "{{ no and missing.x.y }} {{ yes or missing.x.y }}",
            "false true",
        ),
        (
            "{{ ('a' if no)|default('z') }} {{ ('a' if no) is defined }}",
            "z false",
        ),
        (
            "{% for v in [0, 0.0, '', [], {}, none, false] %}{{ 1 if v else 0 }}{% endfor %}",
            "0000000",
        ),
        (
            "{% for v in [1, 0.1, ' ', [0], {'a': 0}, true] %}{{ 1 if v else 0 }}{% endfor %}",
            "111111",
        ),
    ]);
}

#[test]
fn tests_after_is() {
    check(&[
        (
            "{{ name is defined }} {{ nope is defined }} {{ map.nope is undefined }}",
            "true false true",
        ),
        (
            "{{ name is string }} {{ int is number }} {{ list is sequence }} {{ map is mapping }}",
            "true true true true",
        ),
        (
            "{{ null is none }} {{ nope is none }} {{ none is not none }}",
            "true false false",
        ),
        (
            "{{ yes is boolean }} {{ yes is true }} {{ no is false }} {{ 1 is true }}",
            "true true true false",
        ),
        (
            "{{ 1 is integer }} {{ 1.0 is integer }} {{ 1.0 is float }} {{ huge is integer }}",
            "true false true true",
        ),
        (
            "{{ 1 is eq 1 }} {{ 1 is eq(2) }} {{ 2 is gt 1 }} {{ 1 is in [1] }} {{ 3 is not in list }}",
            "true false true true false",
        ),
        (
            "{{ text is startingwith 'the' }} {{ text is endingwith('fox') }}",
            "true true",
        ),
        (
            "{{ 1 is eq 1 and 2 is lt 3 }} {{ 5 is ge 5 }} {{ 'x' if 1 is ne 2 else 'y' }}",
            "true true x",
        ),
        (
            "{{ not name is defined }} {{ 1 == 2 is boolean }} {{ name|length is eq 3 }}",
            "false false true",
        ),
        (
            "{{ nope is string or nope is mapping or nope is number }}",
            "false",
        ),
    ]);
    check_fails(&[("{{ nope is eq 1 }}", Missing, 4, "`nope` is not defined")]);
}

#[test]
fn chains_of_any_length_stay_flat() {
    let long = |part: &str, count: usize| part.repeat(count);
    for source in [
        format!("{{{{ 0{} }}}}", long(" + 1", 5_000)),
        format!("{{{{ name{} }}}}", long("|trim", 5_000)),
        format!("{{{{ 1{} }}}}", long(" and 1", 5_000)),
        format!("{{% if 0 %}}{}{{% endif %}}", long("{% elif 0 %}a", 5_000)),
        format!("{{{{ list{} }}}}", long("[:]", 5_000)),
    ] {
        assert!(render(&source).is_ok(), "{}", &source[..40]);
    }
}
