//! Random templates from a grammar. Typed expressions mostly evaluate; wild ones put any operand
//! anywhere.
//!
//! `$name` is a part. Choices are numbers, and the first production of each rule is the plainest, so what proptest
//! shrinks is a template that shrinks. `§` stands behind what MiniJinja keeps as a lazy iterable:
//! there it becomes a filter that makes a list of it, here nothing.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

#[rustfmt::skip]
const GRAMMAR: &[(&str, &[&str])] = &[
    ("template", &["{% set z = 4 %}{% set y = 'why' %}{% set k = 1 %}{% set c = 'c' %}$body"]),
    ("body", &[
        "text ", " {\"a\": {}} ", "\n", "ünï ", "{% raw %}{{ no }}{% endraw %}", "{# note #}", "} %",
        "{{ $any }}", "{{- $any -}}", "{{+ $any +}}", "$body$body", "$body$body", "$body $body",
        "{% if $bool %}$body{% else %}$body{% endif %}",
        "{% if $bool -%} $body {%- elif $bool %}2{% endif %}",
        "{% for k in $ints %}$body{{ loop.index }}{% else %}none{% endfor %}",
        "{% for k in $ints if $bool %}$body{{ loop.last }}{% endfor %}",
        "{% for c in $texts -%}\n $body {%- endfor %}",
        "{% for c in $text %}$body{{ loop.index0 }}{% endfor %}",
        "{% set z = $int %}", "{% set y = $text %}", "{% set y %}$body{% endset %}{{ y }}",
        "{% for a, b in [[1, 2], [3, 4]] %}{{ a * b }}{% endfor %}",
        "{% for row in r %}{{ row.b }}{{ loop.revindex0 }}{% endfor %}",
        "{% for key in o %}{{ key }}{% endfor %}",
    ]),
    ("int", &[
        "1", "0", "7", "-3", "i", "j", "z", "k", "o.i", "o.d.x", "o[\"i\"]", "r[0].a", "o.l[0]",
        "($int $op $int)", "$int $op $int", "-($int)", "($int if $bool else $int)",
        "($text)|length", "($texts)|length", "($ints)|length", "($ints)|sum(start=2)",
        "($ints)|$pickone", "($ints)|$pickone|default(3)", "($ints)[($int)|default(0)]",
        "($float)|int", "($float)|round|int", "($int)|int", "($int)|string|int", "($int)|round",
        "($int)|default(1)", "'42'|int", "'-7'|int", "get('o.d.x', 1)", "get('o.no.x', 2)",
        "get('no', 3)", "x1|default(5)", "o.no|default(6)",
    ]),
    ("op", &["+", "-", "*", "//", "%"]),
    ("pickone", &["first", "last", "min", "max", "sum"]),
    ("float", &[
        "0.5", "2.0", "1e2", "3.25", "f", "g", "($int / $int)", "($float $op $int)",
        "($int $op $float)", "($float / $float)", "($int)|float", "-($float)",
        "($float)|round", "($float)|round(1)", "($float)|round(2, 'floor')",
        "($float)|round(0, 'ceil')", "($float)|float", "'2.5'|float", "'-1e3'|float",
        "'x'|float(1.5)", "[f, g]|sum", "[f, i]|max",
    ]),
    ("text", &[
        "''", "'a'", "\"b c\"", "'ab,c'", "s", "t", "y", "c", "o.t", "($text + $text)",
        "($text) ~ ($text)", "($text) ~ ($int)", "($text)|upper", "($text)|lower",
        "($text)|trim", "($text)|trim('ab ')", "($text)|string", "($text)|default('u')|urlencode|replace('%7E', '~')",
        "($text)|first", "($text)|last", "($text)|replace($text, $text)",
        "($text)|replace($text, $text, 1)", "($text)[($int)|default(0)]", "(($text)|default('d'))[$bound:$bound]",
        "($text)|slice($sure, none)", "($text)|slice($sure, $sure)",
        "($texts)|join(($text)|default(', '))", "($ints)|join(($text)|default(', '))",
        "($texts)|$edge", "($texts)|$edge|default('e')", "($texts)|max(case_sensitive=true)",
        "($text) * $sure", "($text if $bool else $text)", "($text or $text)", "($text and $text)",
        "r|join('-', attribute='b')", "r|map(attribute='b')|join", "(r|first).b", "x1|default('m')",
        "get('o.t', 'q')", "get('o.t.no', 'q')",
    ]),
    ("edge", &["first", "last", "min", "max"]),
    ("bound", &["", "0", "1", "2", "-1", "-2", "9"]),
    ("sure", &["1", "0", "3", "-1", "-2"]),
    ("bool", &[
        "true", "false", "p", "q", "$int $compare $int", "$float $compare $int",
        "$text $compare $text", "$int < $int <= $int", "($text) in ($text)",
        "($int) not in ($ints)", "($text) in ($texts)", "($ints) == ($ints)", "not $bool",
        "($bool and $bool)", "($bool or $bool)", "(($any) is $kind)", "(($any) is not $kind)",
        "((($int)|default(0)) is not $test(($int)|default(1)))", "(($text) is startingwith(($text)|default('s')))",
        "(($text) is endingwith(($text)|default('s')))", "'i' in o", "'no' in o", "x1", "o.no", "n",
        "(x1 is defined)", "(o.no is not defined)", "(x1 or i) == 1",
    ]),
    ("compare", &["==", "!=", "<", "<=", ">", ">="]),
    ("test", &["eq", "ne", "lt", "le", "gt", "ge"]),
    ("kind", &[
        "defined", "undefined", "none", "boolean", "number", "integer", "float", "string", "mapping",
        "true", "false",
    ]),
    ("ints", &[
        "[]", "[3, 1, 2]", "l", "m", "o.l", "range(4)§", "range(5, 0, -2)§",
        "[($int)|default(1), ($int)|default(2)]", "($ints + $ints)§", "($ints)|sort",
        "($ints)|sort(reverse=true)", "($ints)|unique", "($ints)|select", "($ints)|reject",
        "($ints)|slice(1)", "($ints)|slice(-2, -1)", "($ints)|map('string')|map('int')",
        "($ints)|map('round')", "($ints)|select('gt', ($int)|default(0))", "($ints)|reject('le', ($int)|default(0))",
        "($ints)[$bound:$bound]§", "($texts)|map('length')", "([1, 2] * $sure)§",
        "r|map(attribute='a')", "r|sort(attribute='a')|map(attribute='a')",
        "r|map(attribute='no', default=1)",
    ]),
    ("texts", &[
        "['a']", "['b', 'A']", "w", "($text)|split", "($text)|split(' ')", "($text)|split(',')",
        "($text)|split('a', 1)", "($text)|split(none, 1)", "($texts)|sort",
        "($texts)|sort(reverse=true, case_sensitive=true)", "($texts)|unique",
        "($texts)|unique(case_sensitive=true)", "($texts)|map('upper')",
        "($texts)|map('replace', 'a', 'x')", "($texts)|select('in', 'abc')",
        "($texts)|reject('startingwith', 'a')", "($texts)|slice(0, 1)",
        "[($text)|default('a'), ($text)|default('b')]", "r|sort(attribute='b,a')|map(attribute='b')",
        "r|unique(attribute='b')|map(attribute='b')", "o|sort",
        "r|sort(attribute='a', reverse=true)|map(attribute='b')",
    ]),
    ("any", &[
        "$int", "$float", "$text", "$bool", "$ints", "$texts", "n", "none", "o", "o.d", "r",
        "{'a': 1}", "big", "x1", "o.no",
    ]),
    ("wild", &[
        "$any", "($wild) $op ($wild)", "($wild) / ($wild)", "($wild) $compare ($wild)",
        "($wild) in ($wild)", "($wild) not in ($wild)", "($wild) and ($wild)", "($wild) or ($wild)",
        "($wild)[($wild)|default(0)]", "($wild).i", "($wild).d.x", "($wild).no", "($wild)[0]", "($wild)[-1]",
        "(($wild)|default(1))[1:]§", "(($wild)|default(1))[:2]§", "($wild)|sort", "($wild)|unique",
        "($wild)|$pickone", "($wild)|length", "($wild)|int", "($wild)|float",
        "($wild)|float(default=0.5)", "($wild)|round", "($wild)|round(1)", "($wild)|default(1)",
        "($wild)|default(2, true)", "($wild)|select", "($wild)|reject", "($wild)|select('number')",
        "($wild)|slice(1)", "($wild)|map('float')", "(($wild) is $kind)", "($wild if $wild else $wild)",
        "[($wild)|default(1), ($wild)|default(2)]", "{'k': ($wild)|default(1), 'i': ($wild)|default(2)}",
        "-($wild)", "not ($wild)", "(($wild) + ($wild))§", "(($wild) * ($wild))§",
    ]),
];

/// A template, or the expression of a rule.
pub(crate) fn source(rule: &'static str, depth: u32) -> impl Strategy<Value = String> {
    prop::collection::vec(any::<u16>(), 0..200).prop_map(move |choices| {
        let mut out = String::new();
        expand(rule, depth, &mut choices.into_iter(), &mut out);
        out
    })
}

fn expand(rule: &str, depth: u32, choices: &mut impl Iterator<Item = u16>, out: &mut String) {
    let (_, productions) = GRAMMAR.iter().find(|(name, _)| *name == rule).unwrap();
    // Those without a part come first.
    let leaves = productions
        .iter()
        .take_while(|text| !text.contains('$'))
        .count();
    let usable = if depth == 0 {
        leaves.max(1)
    } else {
        productions.len()
    };
    let choice = usize::from(choices.next().unwrap_or(0));
    let mut text = productions[choice % usable];
    while let Some((before, rest)) = text.split_once('$') {
        let length = rest.bytes().take_while(u8::is_ascii_lowercase).count();
        out.push_str(before);
        expand(&rest[..length], depth.saturating_sub(1), choices, out);
        text = &rest[length..];
    }
    out.push_str(text);
}

/// The data that the generated names are in.
pub(crate) fn context() -> impl Strategy<Value = Map<String, Value>> {
    let int =
        prop_oneof![4 => -5i64..6, 1 => any::<i64>(), 1 => Just(i64::MAX), 1 => Just(i64::MIN)];
    let float = prop_oneof![
        -4.0..4.0f64,
        prop::num::f64::NORMAL,
        Just(0.0),
        Just(2.5),
        Just(-3.0)
    ];
    let text = prop_oneof![
        "[a-c ]{0,6}",
        "\\PC{0,6}",
        Just("{{ x }}".to_owned()),
        Just("12".to_owned())
    ];
    let ints = prop_oneof![1 => Just(vec![]), 5 => prop::collection::vec(-4i64..9, 1..5)];
    let texts = prop_oneof![1 => Just(vec![]), 5 => prop::collection::vec("[a-cA-C ]{0,3}", 1..4)];
    let row = (-3i64..4, "[a-cA-C]{1,2}");
    let rows = prop_oneof![1 => Just(vec![]), 5 => prop::collection::vec(row, 1..4)];
    (
        (int.clone(), int, float.clone(), float),
        (text.clone(), text, any::<bool>()),
        (ints.clone(), ints, texts, rows),
    )
        .prop_map(|((i, j, f, g), (s, t, p), (l, m, w, rows))| {
            let row = |(a, b): (i64, String)| json!({"a": a, "b": b});
            let rows: Vec<Value> = rows.into_iter().map(row).collect();
            let data = json!({
                "i": i, "j": j, "f": f, "g": g, "s": s, "t": t, "p": p, "q": !p, "n": null,
                "l": l, "m": m, "w": w, "r": rows, "big": u64::MAX,
                "o": {"i": i, "t": t, "l": l, "d": {"x": j}, "n": null},
            });
            data.as_object().cloned().unwrap()
        })
}
