//! Filters on text and JSON.

use mnemograph_template::ErrorKind::*;

use crate::support::{check, check_fails, render};

#[test]
fn json_in_and_out() {
    check(&[
        (
            "{{ map.a|tojson }} {{ 'a\"<b>'|tojson }} {{ null|tojson }} {{ 2.0|tojson }}",
            r#"{"deep":["x",{"y":"z"}]} "a\"<b>" null 2"#,
        ),
        (
            "{{ {'a': [1, []], 'b': {}}|tojson(2) }}",
            "{\n  \"a\": [\n    1,\n    []\n  ],\n  \"b\": {}\n}",
        ),
        (
            "{{ [1]|tojson(true) }}{{ [1]|tojson(false) }}{{ [1]|tojson(indent=0) }}",
            "[\n  1\n][1][\n1\n]",
        ),
        (
            r#"{{ ('{"a": [1, 2.50, "x"], "b": 1e3}'|fromjson).a[1] }}"#,
            "2.5",
        ),
        (
            r#"{{ ' [1] '|fromjson == [1] }} {{ '{"a":1}'|fromjson|tojson|fromjson }}"#,
            r#"true {"a":1}"#,
        ),
    ]);
    check_fails(&[
        (
            "{{ '{oops'|fromjson }}",
            Json,
            12,
            "not JSON from its line 1, column 2",
        ),
        ("{{ ''|fromjson }}", Json, 7, "not JSON"),
        ("{{ '[1e999]'|fromjson }}", Json, 14, "not JSON"),
        ("{{ list|fromjson }}", Type, 9, "reads a text, not a list"),
        ("{{ list|tojson(17) }}", Argument, 9, "between 0 and 16"),
    ]);
    for (depth, fits) in [(63, true), (64, true), (66, false), (500, false)] {
        let text = "[".repeat(depth) + &"]".repeat(depth);
        assert_eq!(
            render(&format!("{{{{ '{text}'|fromjson|length }}}}")).is_ok(),
            fits,
            "{depth}"
        );
    }
}

#[test]
fn joining_and_splitting() {
    check(&[
        (
            "{{ words|join }} {{ words|join(', ') }} {{ list|join('-') }}",
            "pearApplefig pear, Apple, fig 3-1-2",
        ),
        (
            "{{ people|join(', ', attribute='name') }} {{ 'abc'|join('.') }} {{ map|join('+') }}",
            "Ann, bob, Cid a.b.c b+a+n",
        ),
        (
            "{{ [1, none, true, [2], 2.0]|join(' ') }}|{{ nothing|join(',') }}|{{ null|join }}",
            "1  true [2] 2||",
        ),
        (
            "{{ ' a  b c '|split }} {{ 'a,b,,c'|split(',') }} {{ ''|split(',') }} {{ ''|split }}",
            r#"["a","b","c"] ["a","b","","c"] [""] []"#,
        ),
        (
            "{{ 'a,b,c'|split(',', 1) }} {{ ' a  b  c '|split(none, 1) }} {{ 'a b'|split(maxsplit=0) }}",
            r#"["a","b,c"] ["a","b  c "] ["a b"]"#,
        ),
        (
            "{{ 'a,b'|split(',', -1) }} {{ 12|split('2') }}",
            r#"["a","b"] ["1",""]"#,
        ),
    ]);
    check_fails(&[
        ("{{ 'ab'|split('') }}", Argument, 9, "empty"),
        ("{{ words|join(1) }}", Argument, 10, "a number, not a text"),
        (
            "{{ people|join(attribute='x') }}",
            Missing,
            11,
            "lacks the attribute",
        ),
        ("{{ 5|join }}", Type, 6, "a number has no items"),
    ]);
}

#[test]
fn text_filters() {
    check(&[
        (
            "{{ 'straße Ǆ'|upper }} {{ 'ÀÉ ΣΑΣ'|lower }} {{ yes|upper }} {{ list|upper }}",
            "STRASSE Ǆ àé σας TRUE [3,1,2]",
        ),
        (
            "[{{ ' \n a '|trim }}] {{ 'xxaxx'|trim('x') }} {{ '(a)'|trim('()') }}",
            "[a] a a",
        ),
        (
            "{{ text|replace('quick', 'slow') }} {{ 'aaa'|replace('a', 'b', 2) }} {{ 'a1'|replace(1, 2) }}",
            "the slow brown fox bba a2",
        ),
        (
            "{{ 'ab'|replace('', '-') }} {{ 'aa'|replace('a', '', -1) }}|{{ 'aa'|replace('a', 'b', count=none) }}",
            "-a-b- |bb",
        ),
        (
            "{{ 42|string ~ 1 }} {{ '1'|string }} {{ [1]|string|length }}",
            "421 1 3",
        ),
        (
            "{{ '<a href=\"/x\">&\\'</a>'|e }}",
            "&lt;a href=&quot;/x&quot;&gt;&amp;&#x27;&lt;/a&gt;",
        ),
        (
            "{{ 'a b/ü~?'|urlencode }} {{ {'a b': 1, 'c': 'x&y', 'n': none}|urlencode }}",
            "a%20b/%C3%BC~%3F a%20b=1&c=x%26y",
        ),
    ]);
    check(&[
        (
            "{{ text|truncate(12) }}|{{ text|truncate(12, true) }}|{{ text|truncate(12, end='…') }}",
            "the...|the quick...|the quick…",
        ),
        (
            "{{ text|truncate(19) }}|{{ text|truncate(18) }}|{{ text|truncate }}",
            "the quick brown fox|the quick...|the quick brown fox",
        ),
        (
            "{{ 'abcdefgh'|truncate(5) }}|{{ 'ü🦊abc'|truncate(2, end='') }}|{{ 'abc'|truncate(0) }}",
            "ab...|ü🦊|",
        ),
        (
            "{{ 'abcdef'|truncate(2) }}|{{ text|truncate(length=9, killwords=true, end='') }}",
            "..|the quick",
        ),
    ]);
    check_fails(&[
        ("{{ text|truncate(-1) }}", Argument, 9, "between 0"),
        (
            "{{ text|truncate('a') }}",
            Argument,
            9,
            "a text, not a whole number",
        ),
        ("{{ text|trim(1) }}", Argument, 9, "a number, not a text"),
    ]);
}
