//! The same templates here and in MiniJinja. What differs is meant to, and is in [`DIFFERENCES`].

use mnemograph_template::{Options, Template};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use serde_json::{Map, Value, json};

/// What a template gives: its text, or an error.
type Outcome = Option<&'static str>;
const ERROR: Outcome = None;

/// The intended differences: what, an example, its outcome here and in MiniJinja.
#[rustfmt::skip]
const DIFFERENCES: &[(&str, &str, Outcome, Outcome)] = &[
    ("Wherever a value becomes text (`~`, `join`, `upper`, …) it is what `{{ }}` prints.", "{{ [true, none, 2.0]|join(' ') }}", Some("true  2"), Some("True None 2.0")),
    ("Integers are 64 bits wide; what leaves them is an error.", "{{ 9223372036854775807 + 1 }}", ERROR, Some("9223372036854775808")),
    ("Floats are finite; what would not be is an error.", "{{ (1e308 * 10) is float }}", ERROR, Some("true")),
    ("Only numbers or two texts have an order; a list sorts by its own.", "{{ 1 < 'a' }}", ERROR, Some("true")),
    ("Only a text is searched in a text.", "{{ 1 in 'a1' }}", ERROR, Some("true")),
    ("A missing value in a list or map is an error.", "{{ [nope]|length }}", ERROR, Some("1")),
    ("Slicing what is missing is an error.", "{{ nope[1:]|length }}", ERROR, Some("0")),
    ("A missing value is an error for `urlencode` and `tojson`, too.", "{{ nope|urlencode }}", ERROR, Some("")),
    ("A missing index is an error.", "{{ [1][nope] is defined }}", ERROR, Some("false")),
    ("A missing argument is an error.", "{{ ['a']|join(nope) }}", ERROR, Some("a")),
    ("An item without the `attribute` is an error.", "{{ [{}]|map(attribute='a')|length }}", ERROR, Some("1")),
    ("A test that compares needs the value; tests of the type are false for what is missing.", "{{ nope is eq 1 }}", ERROR, Some("false")),
    ("The keys of a map are texts.", "{{ {1: 2} }}", ERROR, Some("{\"1\":2}")),
    ("A number has no fields, not even missing ones: `a-1.b` is a name with a dash.", "{{ 1.b is defined }}", ERROR, Some("false")),
    ("`for` with two names takes the pairs of a map.", "{% for k, v in {'a': 1} %}{{ k ~ v }}{% endfor %}", Some("a1"), ERROR),
    ("`loop.length` is known for a text, too.", "{% for c in 'ab' %}{{ loop.length }}{% endfor %}", Some("22"), ERROR),
    ("`range`, slices and `+` give lists, never lazy iterables.", "{{ range(2) is sequence }}", Some("true"), Some("false")),
    ("`get(path, fallback)` gives the fallback where any step is missing.", "{{ get(a.b.c, 'x') }}", Some("x"), ERROR),
    ("`if` may follow a test.", "{{ 'a' if 1 is number else 'b' }}{{ 1 is number if true }}", Some("atrue"), ERROR),
    ("`tojson` is compact and escapes nothing for HTML.", "{{ ['<', 1]|tojson }}", Some("[\"<\",1]"), Some("[\"\\u003c\", 1]")),
    ("`e` escapes `& < > \" '` each time; no text is marked as safe.", "{{ '/<'|e|e }}", Some("/&amp;lt;"), Some("&#x2f;&lt;")),
    ("`urlencode` keeps `~`, which RFC 3986 does not reserve.", "{{ '~'|urlencode }}", Some("~"), Some("%7E")),
    ("`slice(start, end)` cuts a part out.", "{{ [1, 2, 3]|slice(1) }}", Some("[2,3]"), Some("[[1,2,3]]")),
    ("`split` wants a separator that is not empty.", "{{ 'ab'|split('')|length }}", ERROR, Some("4")),
    ("`int` and `float` trim white space.", "{{ ' 7\n'|int }}", Some("7"), ERROR),
    ("`sum` adds numbers only.", "{{ ['a']|sum(start='') }}", ERROR, Some("a")),
    ("`round` keeps 0 to 20 digits.", "{{ 1234|round(-2) }}", ERROR, Some("1200")),
    ("`sort`, `min` and `max` fold the case of all letters.", "{{ ['ä', 'Z', 'Ä']|sort|join }}", Some("ZäÄ"), Some("ZÄä")),
    ("`select` and `reject` take `attribute`.", "{{ [{'a': 1}, {'a': 2}]|select('eq', 2, attribute='a') }}", Some("[{\"a\":2}]"), ERROR),
    ("`fromjson`, `truncate` and `date` exist.", "{{ 0|date }} {{ 'abcdef'|truncate(4) }} {{ '[1]'|fromjson|first }}", Some("1970-01-01 a... 1"), ERROR),
    ("An unknown escape is an error.", "{{ '\\d\\x41' }}", ERROR, Some("\\dA")),
    ("A number is written with decimal digits, `.` and `e`.", "{{ 0x1f }} {{ 1_000 }}", ERROR, Some("31 1000")),
    ("There is no `**`.", "{{ 2 ** 3 }}", ERROR, Some("8")),
    ("There are no tuples.", "{{ (1, 2)|first }}", ERROR, Some("1")),
    ("Texts side by side are not joined.", "{{ 'a' 'b' }}", ERROR, Some("ab")),
    ("A slice has no step.", "{{ 'abc'[::2] }}", ERROR, Some("ac")),
    ("Nothing but `get` and `range` is called: no methods, no `loop.cycle`.", "{% for i in [1] %}{{ loop.cycle('a', 'b') }}{% endfor %}", ERROR, Some("a")),
    ("The statements are `if`, `for`, `set`, `raw`: no `with`, `filter`, `do`, `macro`, `include`, …", "{% with a = 1 %}{{ a }}{% endwith %}", ERROR, Some("1")),
    ("`set` takes one name.", "{% set a, b = [1, 2] %}{{ a }}", ERROR, Some("1")),
    ("A filter or test that is not known is an error when the template is parsed.", "{% if false %}{{ 1|abs }}{% endif %}", ERROR, Some("")),
];

/// Errors of ours that stand for a row above, in templates where MiniJinja goes on.
const EXCUSED: [&str; 5] = [
    "64-bit integers",
    "not a finite number",
    "have no order",
    "cannot be searched in",
    "a number has no fields",
];

fn ours(source: &str, data: &Map<String, Value>) -> Result<String, String> {
    let template = Template::parse(source).map_err(|error| error.message)?;
    let rendered = template.render(data, &Options::default());
    rendered
        .map(|done| done.text)
        .map_err(|error| error.message)
}

#[test]
fn the_table_of_differences_is_true() {
    let data = json!({"a": {}}).as_object().cloned().unwrap();
    let env = crate::oracle::environment();
    for (what, source, here, there) in DIFFERENCES {
        let found = ours(source, &data);
        assert_eq!(found.as_deref().ok(), *here, "{what}\n{source}\n{found:?}");
        let found = crate::oracle::render(&env, source, &data);
        assert_eq!(found.as_deref().ok(), *there, "{what}\n{source}\n{found:?}");
    }
}

#[test]
fn the_readme_holds_the_table_of_differences() {
    let code = |text: &str| format!("`{}`", text.replace('|', "\\|").replace('\n', "\\n"));
    let outcome = |outcome: Outcome| match outcome {
        None => "error".to_owned(),
        Some("") => "(nothing)".to_owned(),
        Some(text) => code(text),
    };
    let row = |(what, source, here, there): &(&str, &str, Outcome, Outcome)| {
        format!(
            "| {} | {} | {} | {} |\n",
            what,
            code(source),
            outcome(*here),
            outcome(*there)
        )
    };
    let table: String = DIFFERENCES.iter().map(row).collect();
    let readme = include_str!("../../README.md");
    assert!(readme.contains(&table), "the README should hold\n{table}");
}

/// `PROPTEST_CASES` asks for a longer run.
fn config(file: &'static str, cases: u32) -> ProptestConfig {
    let asked = std::env::var("PROPTEST_CASES").ok();
    let cases = asked.and_then(|cases| cases.parse().ok()).unwrap_or(cases);
    ProptestConfig {
        failure_persistence: Some(Box::new(FileFailurePersistence::Direct(file))),
        max_shrink_iters: 20_000,
        ..ProptestConfig::with_cases(cases)
    }
}

fn agree(source: &str, data: &Map<String, Value>) -> Result<(), TestCaseError> {
    let env = crate::oracle::extended();
    let ours = ours(&source.replace('§', ""), data);
    let theirs = crate::oracle::render(&env, &source.replace('§', "|flat"), data);
    match (&ours, &theirs) {
        (Ok(ours), Ok(theirs)) => prop_assert_eq!(ours, theirs, "{}", source),
        (Err(_), Err(_)) => {}
        (Err(error), Ok(_)) if EXCUSED.iter().any(|excuse| error.contains(excuse)) => {}
        // Text with white space around a number.
        (Ok(_), Err(error)) if error.contains("invalid float literal") => {}
        _ => prop_assert!(false, "{}\nours {:?}\ntheirs {:?}", source, ours, theirs),
    }
    Ok(())
}

proptest! {
    #![proptest_config(config("tests/regressions/typed.txt", 500))]

    #[test]
    fn typed_templates_render_alike(source in crate::generate::source("template", 7), data in crate::generate::context()) {
        agree(&source, &data)?;
    }
}

proptest! {
    #![proptest_config(config("tests/regressions/wild.txt", 800))]

    #[test]
    fn wild_expressions_agree(source in crate::generate::source("wild", 5), data in crate::generate::context()) {
        agree(&format!("{{{{ {source} }}}}"), &data)?;
    }
}
