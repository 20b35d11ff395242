//! Statements.

use mnemograph_template::ErrorKind::*;

use crate::support::{check, check_fails};

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
