//! Filters on lists and numbers.

use mnemograph_template::ErrorKind::*;

use crate::support::{check, check_fails};

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
