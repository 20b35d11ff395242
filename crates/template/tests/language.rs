//! The language, feature by feature.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod support;

use mnemograph_template::ErrorKind::*;
use mnemograph_template::{Expression, Options, Template};
use serde_json::{Value, json};
use support::{check, check_fails, check_refused, data, empty, parse, render};

#[test]
fn text_outside_of_tags_is_kept() {
    check(&[
        ("", ""),
        ("plain\n", "plain\n"),
        (
            r#"{"a":{"b":1}} { } }} %} #} {a}"#,
            r#"{"a":{"b":1}} { } }} %} #} {a}"#,
        ),
        ("a{# comment {{ x }} #}b", "ab"),
        ("{##}{#-#}", ""),
        ("ünï🦊 {{ name }}", "ünï🦊 Ada"),
    ]);
}

#[test]
fn values_print_by_one_rule() {
    check(&[
        ("{{ name }}", "Ada"),
        (
            "{{ yes }} {{ no }} {{ True }} {{ False }}",
            "true false true false",
        ),
        ("[{{ null }}{{ none }}{{ None }}]", "[]"),
        (
            "{{ int }} {{ negative }} {{ huge }}",
            "42 -7 18446744073709551615",
        ),
        (
            "{{ float }} {{ whole }} {{ 4 / 2 }} {{ -0.0 }}",
            "2.5 3 2 0",
        ),
        (
            "{{ 1e300 }} {{ 1e21 }} {{ 1e20 }} {{ 123456789.125 }}",
            "1e+300 1e+21 100000000000000000000 123456789.125",
        ),
        (
            "{{ 0.000001 }} {{ 1.5e-7 }} {{ -1e-5 }}",
            "0.000001 1.5e-7 -0.00001",
        ),
        (
            "{{ list }} {{ [1.0, none, true] }}",
            "[3,1,2] [1,null,true]",
        ),
        (
            "{{ map }}",
            r#"{"b":1,"a":{"deep":["x",{"y":"z"}]},"n":null}"#,
        ),
        (r#"{{ {"q": "\"\n\u00e9"} }}"#, "{\"q\":\"\\\"\\né\"}"),
    ]);
}

#[test]
fn literals() {
    check(&[
        (
            r#"{{ "a\"b" }}{{ 'a\'b' }}{{ "\\ \n \t \u0041 \ud83e\udd8a \/" }}"#,
            "a\"ba'b\\ \n \t A 🦊 /",
        ),
        (
            "{{ 0 }} {{ 007 }} {{ 1.50 }} {{ 1E2 }} {{ 2e-1 }}",
            "0 7 1.5 100 0.2",
        ),
        (
            "{{ 9223372036854775807 }} {{ -9223372036854775808 }}",
            "9223372036854775807 -9223372036854775808",
        ),
        ("{{ [1, 'a', [2,],] }}{{ [] }}", r#"[1,"a",[2]][]"#),
        (r#"{{ {"a": {"b": 1}} }}{{ {} }}"#, r#"{"a":{"b":1}}{}"#),
        (r#"{{ {"a": 1, "b": 2, "a": 3} }}"#, r#"{"a":3,"b":2}"#),
        (r#"{{ {"a":{"b":1}}.a.b }}"#, "1"),
    ]);
}

#[test]
fn paths() {
    check(&[
        ("{{ map.a.deep[0] }}", "x"),
        (r#"{{ map["a"]["deep"][1]["y"] }}"#, "z"),
        ("{{ map.a.deep.1.y }}{{ map.a.deep[-1].y }}", "zz"),
        (
            "{{ list[0] }}{{ list[-1] }}{{ list[1.0] }}{{ list.2 }}",
            "3212",
        ),
        ("{{ name[0] }}{{ name[-1] }}{{ accent[8] }}", "Aa🦊"),
        (r#"{{ people[list[1]]["na" ~ "me"] }}"#, "bob"),
        (
            "{{ list[1:] }}{{ list[:1] }}{{ list[:-1] }}{{ list[5:] }}{{ list[-9:9] }}",
            "[1,2][3][3,1][][3,1,2]",
        ),
        (
            "{{ accent[1:4] }}{{ accent[-5:-3] }}{{ name[none:2] }}",
            "nïc🦊 Ad",
        ),
        (
            "{{ (people|first).name }}{{ [1,2][1] }}{{ 'abc'[1] }}",
            "Ann2b",
        ),
        ("{{ -list[0] }}{{ (name) }}", "-3Ada"),
    ]);
}

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
        ("{{ huge / 2 }}", "9223372036854776000"),
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
fn if_statements() {
    check(&[
        ("{% if yes %}a{% endif %}{% if no %}b{% endif %}", "a"),
        (
            "{% if no %}a{% elif int == 42 %}b{% elif missing %}c{% else %}d{% endif %}",
            "b",
        ),
        (
            "{% if nope %}a{% elif map.nope %}b{% else %}c{% endif %}",
            "c",
        ),
        (
            "{% if yes %}{% if no %}a{% else %}b{% endif %}{% endif %}",
            "b",
        ),
    ]);
}

#[test]
fn for_statements() {
    check(&[
        ("{% for x in list %}{{ x }},{% endfor %}", "3,1,2,"),
        (
            "{% for x in nothing %}{{ x }}{% else %}none{% endfor %}",
            "none",
        ),
        (
            "{% for x in null %}{{ x }}{% else %}none{% endfor %}",
            "none",
        ),
        (
            "{% for x in list if x > 1 %}{{ loop.index }}:{{ x }}/{{ loop.length }} {% else %}-{% endfor %}",
            "1:3/2 2:2/2 ",
        ),
        ("{% for x in list if x > 9 %}a{% else %}-{% endfor %}", "-"),
        (
            "{% for x in 'ab' %}{{ loop.index }}{{ loop.index0 }}{{ loop.revindex }}{{ loop.revindex0 }}{{ loop.first }}{{ loop.last }}{{ x }};{% endfor %}",
            "1021truefalsea;2110falsetrueb;",
        ),
        ("{% for k in map %}{{ k }}{% endfor %}", "ban"),
        (
            "{% for k, v in map %}{{ k }}={{ v }};{% endfor %}",
            r#"b=1;a={"deep":["x",{"y":"z"}]};n=;"#,
        ),
        (
            "{% for a, b in [[1, 2], [3, 4]] %}{{ a + b }} {% endfor %}",
            "3 7 ",
        ),
        ("{% for a, b, c in [[1, 2, 3]] %}{{ c }}{% endfor %}", "3"),
        (
            "{% for p in people %}{% for c in p.name %}{{ loop.index }}{% endfor %}{{ loop.index }} {% endfor %}",
            "1231 1232 1233 ",
        ),
        (
            "{% for x in range(3) %}{{ x }}{% endfor %} {{ range(1, 4) }} {{ range(5, 0, -2) }} {{ range(3, 1) }}",
            "012 [1,2,3] [5,3,1] []",
        ),
        (
            "{% for x in [1] %}{{ loop }}{% endfor %}",
            r#"{"index":1,"index0":0,"revindex":1,"revindex0":0,"first":true,"last":true,"length":1}"#,
        ),
        (
            "{% for x in [1, 2] %}{% set outer = loop %}{% for y in [5] %}{{ outer.index }}{{ y }} {% endfor %}{% endfor %}",
            "15 25 ",
        ),
    ]);
    check_fails(&[
        (
            "{% for x in 5 %}{% endfor %}",
            Type,
            1,
            "a number has no items",
        ),
        (
            "{% for x in nope %}{% endfor %}",
            Missing,
            13,
            "`nope` is not defined",
        ),
        (
            "{% for a, b in [1] %}{% endfor %}",
            Type,
            1,
            "a number cannot be unpacked into 2 names",
        ),
        (
            "{% for a, b in [[1]] %}{% endfor %}",
            Type,
            1,
            "a list of 1 items",
        ),
        (
            "{% for x in [1] %}{{ loop.nope }}{% endfor %}",
            Missing,
            22,
            "`loop` has no `nope`",
        ),
        ("{{ range(1, 9, 0) }}", Argument, 4, "step"),
        ("{{ range('a') }}", Type, 4, "a text cannot be an index"),
        ("{{ range(9223372036854775807) }}", Fuel, 4, "50000 steps"),
    ]);
    check(&[(
        "{{ range(9223372036854775806, 9223372036854775807, 9) }}",
        "[9223372036854775806]",
    )]);
}

#[test]
fn set_statements() {
    check(&[
        (
            "{% set x = 1 + 1 %}{{ x }}{% set x = x * 10 %}{{ x }}",
            "220",
        ),
        (
            "{% set x %}<{{ name }}>{% endset %}{{ x|length }}{{ x }}",
            "5<Ada>",
        ),
        ("{% if yes %}{% set x = 1 %}{% endif %}{{ x }}", "1"),
        (
            "{% set x = 0 %}{% for i in list %}{% set x = i %}{{ x }}{% endfor %}{{ x }}",
            "3120",
        ),
        (
            "{% for i in [1, 2] %}{{ x is defined }}{% set x = 1 %}{% endfor %}",
            "falsefalse",
        ),
        ("{% set name = 'Bob' %}{{ name }}", "Bob"),
        (
            "{% set x = map.nope %}{{ x is defined }}{{ x|default('d') }}",
            "falsed",
        ),
        ("{% set m = map.a %}{{ m.deep[0] }}", "x"),
    ]);
}

#[test]
fn raw_blocks_and_white_space_control() {
    check(&[
        (
            "{% raw %}{{ x }}{% if %}{# #}{% endraw %}",
            "{{ x }}{% if %}{# #}",
        ),
        ("a {%- raw -%} {{ x }} {%- endraw -%} b", "a{{ x }}b"),
        ("{% raw %}{% raw %}{% endraw %}", "{% raw %}"),
        ("a \n {{- name -}} \n b", "aAdab"),
        ("a {%- if yes -%} b {%- endif -%} c", "abc"),
        ("a {#- c -#} b {# d -#} e", "ab e"),
        ("a {{+ name +}} b {%+ if yes +%} c{% endif %}", "a Ada b  c"),
        ("{{-1}} {{ -1 }}", "1 -1"),
        ("{% for x in list -%}\n  {{ x }}\n{%- endfor %}", "312"),
    ]);
}

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
fn columns_count_utf16_units_and_lines_from_one() {
    let error = parse("a\nbé🦊 {{ nope }}")
        .render(&data(), &Options::default())
        .unwrap_err();
    assert_eq!((error.line, error.column), (2, 9));
    let error = Template::parse("a\r\n\n  {{ 1 + }}").unwrap_err();
    assert_eq!((error.line, error.column), (3, 10));
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
