//! The filters, one table each. Those that the oracle has too are also in `differential.rs`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod support;

use mnemograph_template::ErrorKind::*;
use mnemograph_template::Options;
use serde_json::json;
use support::{check, check_fails, parse, render};

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

#[test]
fn items_of_lists() {
    check(&[
        (
            "{{ list|length }} {{ accent|length }} {{ map|length }} {{ ''|length }}",
            "3 13 3 0",
        ),
        (
            "{{ list|first }} {{ list|last }} {{ accent|first }} {{ accent|last }} {{ map|first }} {{ map|last }}",
            "3 2 Ü x b n",
        ),
        (
            "{{ list|slice(1) }} {{ list|slice(0, -1) }} {{ list|slice(none, 1) }} {{ list|slice(-2) }}",
            "[1,2] [3,1] [3] [1,2]",
        ),
        (
            "{{ accent|slice(1, 3) }} {{ 'abc'|slice(2, 1) }}|{{ list|slice(start=9, end=99) }} {{ null|slice(0) }}",
            "nï |[] []",
        ),
        (
            "{{ list|slice(-9223372036854775808, 9223372036854775807) }}",
            "[3,1,2]",
        ),
    ]);
    check_fails(&[
        ("{{ 5|length }}", Type, 6, "a number has no length"),
        ("{{ null|length }}", Type, 9, "none has no length"),
        ("{{ 5|first }}", Type, 6, "a number has no items"),
        ("{{ map|slice(1) }}", Type, 8, "a map cannot be sliced"),
        ("{{ list|slice(1.5) }}", Argument, 9, "whole number"),
        ("{{ ''|last }}", Missing, 7, "empty"),
    ]);
}

#[test]
fn ordering() {
    check(&[
        (
            "{{ list|sort }} {{ list|sort(true) }} {{ list|sort(reverse=true) }}",
            "[1,2,3] [3,2,1] [3,2,1]",
        ),
        (
            "{{ words|sort }} {{ words|sort(case_sensitive=true) }} {{ 'cab'|sort|join }}",
            r#"["Apple","fig","pear"] ["Apple","fig","pear"] abc"#,
        ),
        (
            "{{ ['b', 'A', 'a', 'B']|sort|join }} {{ ['b', 'A', 'a', 'B']|sort(false, true)|join }}",
            "AabB ABab",
        ),
        ("{{ ['Ä', 'ä', 'Z']|sort|join }}", "ZÄä"),
        (
            "{{ people|sort(attribute='age')|join(' ', 'name') }} {{ people|sort(attribute='age, team', reverse=true)|join(' ', 'name') }}",
            "bob Ann Cid Ann Cid bob",
        ),
        (
            "{{ [none, true, 2, 'a', [1], {}, 0.5]|sort }}",
            r#"[null,0.5,true,2,"a",[1],{}]"#,
        ),
        (
            "{{ [[2, 1], [1, 9], [1]]|sort }} {{ [{'b': 1}, {'a': 2}, {'a': 1}]|sort }}",
            r#"[[1],[1,9],[2,1]] [{"a":1},{"a":2},{"b":1}]"#,
        ),
        (
            "{{ [3, 1, 3, 2, 1]|unique }} {{ ['a', 'A', 'b']|unique }} {{ ['a', 'A']|unique(true) }}",
            r#"[3,1,2] ["a","b"] ["a","A"]"#,
        ),
        (
            "{{ people|unique(attribute='team')|join(' ', 'name') }} {{ [1, 1.0, true, '1']|unique }}",
            r#"Ann bob [1,"1"]"#,
        ),
        (
            "{{ list|min }} {{ list|max }} {{ words|min }} {{ words|max }} {{ (people|min(attribute='age')).name }}",
            "1 3 Apple pear bob",
        ),
        (
            "{{ (people|max(attribute='age')).name }} {{ nothing|max is defined }} {{ ['b', 'A']|max(true) }}",
            "Ann false b",
        ),
        (
            "{{ people|sort(attribute='name')|join(' ', 'name') }}",
            "Ann bob Cid",
        ),
    ]);
    check_fails(&[
        (
            "{{ people|sort(attribute='x') }}",
            Missing,
            11,
            "lacks the attribute",
        ),
        (
            "{{ list|max(attribute='x') }}",
            Missing,
            9,
            "lacks the attribute",
        ),
        ("{{ nothing|min }}", Missing, 12, "empty list"),
        ("{{ 5|sort }}", Type, 6, "a number has no items"),
    ]);
}

#[test]
fn mapping_and_selecting() {
    check(&[
        (
            "{{ words|map('upper') }} {{ ['1', '2']|map('int')|sum }} {{ words|map('replace', 'p', 'b') }}",
            r#"["PEAR","APPLE","FIG"] 3 ["bear","Abble","fig"]"#,
        ),
        (
            "{{ people|map(attribute='name') }} {{ people|map(attribute='x', default=0) }}",
            r#"["Ann","bob","Cid"] [0,0,0]"#,
        ),
        (
            "{{ [map]|map(attribute='a.deep.1.y') }} {{ [[1, 2]]|map('map', 'float')|first }} {{ [[3]]|map(attribute='0') }}",
            r#"["z"] [1,2] [3]"#,
        ),
        (
            "{{ [0, 1, '', 'a']|select }} {{ [0, 1]|reject }} {{ list|select('gt', 1) }} {{ list|reject('>', 1) }}",
            r#"[1,"a"] [0] [3,2] [1]"#,
        ),
        (
            "{{ people|select('eq', 'a', attribute='team')|join(' ', 'name') }} {{ people|reject('defined', attribute='x')|length }}",
            "bob Cid 3",
        ),
        (
            "{{ [1, 'a', none]|select('number') }} {{ words|select('startingwith', 'p') }} {{ list|select('in', [1, 2]) }}",
            r#"[1] ["pear"] [1,2]"#,
        ),
        (
            "{{ people|select(attribute='x')|length }} {{ 'a1'|select('in', 'abc') }}",
            r#"0 ["a"]"#,
        ),
        (
            "{% set f = 'upper' %}{{ words|map(f)|first }}{% set t = 'gt' %}{{ list|select(t, 2) }}",
            "PEAR[3]",
        ),
    ]);
    check_fails(&[
        (
            "{{ people|map(attribute='x') }}",
            Missing,
            11,
            "lacks the attribute",
        ),
        ("{{ list|map }}", Argument, 9, "no known filter"),
        (
            "{% set f = 'no' %}{{ list|map(f) }}",
            Argument,
            27,
            "no known filter",
        ),
        (
            "{{ list|map('replace', 'a') }}",
            Argument,
            9,
            "`replace` takes another number",
        ),
        (
            "{{ list|map('upper', 1) }}",
            Argument,
            9,
            "`upper` takes another number",
        ),
        (
            "{{ list|select('eq') }}",
            Argument,
            9,
            "`eq` takes another number",
        ),
        ("{{ list|select(1) }}", Argument, 9, "a number, not a text"),
        ("{{ list|select('lt', 'a') }}", Compare, 9, "no order"),
        (
            "{{ people|select('eq', 1, attribute='x') }}",
            Missing,
            11,
            "lacks the attribute",
        ),
        ("{{ [[]]|map('first') }}", Missing, 9, "empty"),
    ]);
}

#[test]
fn numbers() {
    check(&[
        (
            "{{ list|sum }} {{ nothing|sum }} {{ [0.5, 1]|sum }} {{ people|sum('age') }} {{ list|sum(start=10) }}",
            "6 0 1.5 87 16",
        ),
        (
            "{{ 2.5|round }} {{ 3.5|round }} {{ -2.5|round }} {{ 2.675|round(2) }} {{ 1.005|round(2) }} {{ 7|round(3) }}",
            "2 4 -2 2.67 1 7",
        ),
        (
            "{{ 1.21|round(1, 'ceil') }} {{ -1.21|round(1, 'floor') }} {{ 1.29|round(method='floor', precision=1) }} {{ -0.2|round(0, 'ceil') }}",
            "1.3 -1.3 1.2 0",
        ),
        (
            "{{ 1e300|round(20) }} {{ 1e300|round(20, 'ceil') }} {{ huge|round }}",
            "1e+300 1e+300 18446744073709551615",
        ),
        (
            "{{ '42'|int }} {{ ' -7\n'|int }} {{ '3.9'|int }} {{ -3.9|int }} {{ yes|int }} {{ null|int }} {{ '+5'|int }}",
            "42 -7 3 -3 1 0 5",
        ),
        (
            "{{ 'x'|int(9) }} {{ 'x'|int(default=none) }}|{{ list|int('no') }} {{ '1e3'|int }} {{ huge|int }}",
            "9 |no 1000 18446744073709551615",
        ),
        (
            "{{ '2.5'|float }} {{ 3|float }} {{ 'x'|float(0.5) }} {{ ' 1e2 '|float }} {{ null|float }} {{ yes|float }}",
            "2.5 3 0.5 100 0 1",
        ),
        (
            "{{ 'nan'|float('no') }} {{ 'inf'|float('no') }} {{ '1e309'|float('no') }} {{ '1e30'|int('no') }}",
            "no no no no",
        ),
    ]);
    check_fails(&[
        ("{{ [big, 1]|sum }}", Overflow, 13, "64-bit"),
        ("{{ words|sum }}", Type, 10, "adds numbers, not a text"),
        ("{{ 'x'|round }}", Type, 8, "a text is not a number"),
        ("{{ 1.5|round(21) }}", Argument, 8, "between 0 and 20"),
        ("{{ 1.5|round(-1) }}", Argument, 8, "between 0 and 20"),
        (
            "{{ 1.5|round(1, 'x') }}",
            Argument,
            8,
            "common, ceil or floor",
        ),
        ("{{ 'x'|int }}", Number, 8, "not a finite number"),
        ("{{ 'nan'|int }}", Number, 10, "not a finite number"),
        ("{{ 'inf'|float }}", Number, 10, "not a finite number"),
        ("{{ '1e309'|float }}", Number, 12, "not a finite number"),
        ("{{ 1e30|int }}", Overflow, 9, "64-bit"),
        ("{{ '99999999999999999999'|int }}", Overflow, 27, "64-bit"),
        ("{{ list|int }}", Type, 9, "a list is not a number"),
    ]);
}

#[test]
fn dates() {
    check(&[
        (
            "{{ when|date }} {{ when|date('%Y/%m/%d %H:%M:%S.%L') }}",
            "2026-03-04 2026/03/04 03:06:07.089",
        ),
        (
            "{{ when|date('%F %T %z', '+02:00') }} {{ when|date('%R %:z %Z', tz='-0330') }}",
            "2026-03-04 05:06:07 +0200 23:36 -03:30 -03:30",
        ),
        (
            "{{ 0|date('%FT%T%:z %Z %s') }} {{ 86399999|date('%T.%f') }} {{ -1|date('%F %T.%L') }}",
            "1970-01-01T00:00:00+00:00 UTC 0 23:59:59.999000 1969-12-31 23:59:59.999",
        ),
        (
            "{{ '2024-02-29'|date('%A %a %B %b %e %j %u %w %y %%') }}",
            "Thursday Thu February Feb 29 060 4 4 24 %",
        ),
        (
            "{{ '2023-01-01T00:30:00Z'|date('%a %u %w %I:%M %p') }} {{ '2023-01-01 12:00'|date('%I %p') }}",
            "Sun 7 0 12:30 AM 12 PM",
        ),
        (
            "{{ '2024-12-31T23:59:60Z'|date('%F %T') }} {{ '2024-01-01t01:02:03.4567z'|date('%T.%L') }}",
            "2025-01-01 00:00:00 01:02:03.456",
        ),
        (
            "{{ '0000-01-01'|date('%F %j') }} {{ '9999-12-31T23:59:59Z'|date('%F %T') }} {{ 1.9|date('%L') }}",
            "0000-01-01 001 9999-12-31 23:59:59 001",
        ),
        (
            "{{ 951782400000|date }} {{ '1900-03-01'|date('%s') }} {{ ' 2026-01-31 '|date('%d') }} {{ 0|date('', 'GMT') }}",
            "2000-02-29 -2203891200 31 ",
        ),
        (
            "{{ '2026-01-01T00:00:00+0130'|date('%T', 'Z') }} {{ '2026-01-01T00:00:00-05'|date('%T') }}",
            "22:30:00 05:00:00",
        ),
    ]);
    check_fails(&[
        ("{{ 'today'|date }}", Date, 12, "not a date"),
        ("{{ '2023-02-29'|date }}", Date, 17, "not a date"),
        ("{{ '2023-13-01'|date }}", Date, 17, "not a date"),
        ("{{ '2023-01-01T24:00Z'|date }}", Date, 24, "not a date"),
        ("{{ '2023-01-01T10:00:61Z'|date }}", Date, 27, "not a date"),
        ("{{ '2023-01-01T10:00:00.Z'|date }}", Date, 28, "not a date"),
        ("{{ '2023-01-01T10:00:00+'|date }}", Date, 27, "not a date"),
        (
            "{{ '2023-01-01T10:00:00+2:00'|date }}",
            Date,
            31,
            "not a date",
        ),
        ("{{ 'ü023-01-01'|date }}", Date, 17, "not a date"),
        ("{{ 0|date('%Q') }}", Date, 6, "unknown code"),
        ("{{ 0|date('%') }}", Date, 6, "unknown code"),
        ("{{ 0|date('%:H') }}", Date, 6, "unknown code"),
        ("{{ 0|date('%F', 'Europe/Berlin') }}", Date, 6, "time zone"),
        ("{{ 1e15|date }}", Date, 9, "years 0000 to 9999"),
        ("{{ big|date }}", Date, 8, "years 0000 to 9999"),
        ("{{ huge|date }}", Date, 9, "out of range"),
        ("{{ 1e300|date }}", Overflow, 10, "64-bit"),
        (
            "{{ '0000-01-01'|date('%F', '-01:00') }}",
            Date,
            17,
            "years 0000 to 9999",
        ),
        ("{{ list|date }}", Type, 9, "not a list"),
    ]);
    let error = render("{{ 0|date('%F', 'Europe/Berlin') }}").unwrap_err();
    assert!(error.hint.unwrap().contains("+02:00"));
}

#[test]
fn every_day_of_a_cycle_of_the_calendar_is_right() {
    // Counting day by day from 1 January 1600 to 2000 is the definition of the calendar.
    let (mut year, mut month, mut day, mut weekday) = (1600, 1, 1, 6);
    let start = -135_140; // days from 1970 to 1600
    let template = parse("{{ time|date('%F %w') }} {{ day|date('%s') }}");
    for offset in 0..=146_097 {
        // The ends of months are where it could go wrong.
        if day == 1 || day > 27 {
            let date = format!("{year:04}-{month:02}-{day:02}");
            let names = json!({"time": (start + offset) * 86_400_000i64, "day": date});
            let rendered = template.render(names.as_object().unwrap(), &Options::default());
            let expected = format!("{date} {weekday} {}", (start + offset) * 86_400);
            assert_eq!(rendered.unwrap().text, expected);
        }
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let length = match month {
            2 if leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        weekday = (weekday + 1) % 7;
        day += 1;
        if day > length {
            (day, month) = (1, month + 1);
        }
        if month > 12 {
            (month, year) = (1, year + 1);
        }
    }
    assert_eq!((year, month, day), (2000, 1, 2));
}
