//! The examples of docs/templates.md.
use mnemograph_template::{Options, Template};
use serde_json::{Map, Value};

const PAGE: &str = include_str!("../../../../docs/templates.md");

/// The text or the error's message.
fn result(source: &str, data: &Map<String, Value>) -> Result<String, String> {
    let template = Template::parse(source).map_err(|error| error.message)?;
    let rendered = template.render(data, &Options::default());
    rendered
        .map(|done| done.text)
        .map_err(|error| error.message)
}

/// The cells of a row; `\|` is a bar inside of one.
fn cells(line: &str) -> Option<Vec<String>> {
    let row = line
        .strip_prefix("| ")?
        .strip_suffix(" |")?
        .replace("\\|", "\u{0}");
    Some(
        row.split(" | ")
            .map(|cell| cell.replace('\u{0}', "|"))
            .collect(),
    )
}

fn blocks(language: &str) -> Vec<&'static str> {
    let fence = format!("```{language}\n");
    let block = |tail: &'static str| tail.split_once("\n```").unwrap().0;
    PAGE.split(fence.as_str()).skip(1).map(block).collect()
}

#[test]
fn every_example_is_right() {
    let data: Map<String, Value> = serde_json::from_str(blocks("json")[0]).unwrap();
    let mut lines = PAGE.lines();
    let mut examples = 0;
    while let Some(line) = lines.next() {
        if line != "| Template | Result |" {
            continue;
        }
        assert_eq!(lines.next(), Some("|---|---|"));
        for row in lines.by_ref().map_while(cells) {
            let [template, expected] = row.as_slice() else {
                panic!("not two cells: {row:?}");
            };
            let code = |cell: &str| {
                cell.strip_prefix('`')
                    .and_then(|cell| cell.strip_suffix('`'))
                    .unwrap_or(cell)
                    .to_owned()
            };
            let found = result(&code(template), &data);
            let found = found.unwrap_or_else(|message| format!("error: {message}"));
            assert_eq!(found, code(expected), "{template}");
            examples += 1;
        }
    }
    assert!(examples > 50, "{examples}");
}

#[test]
fn every_block_is_right() {
    let data: Map<String, Value> = serde_json::from_str(blocks("json")[0]).unwrap();
    let (templates, results) = (blocks("jinja"), blocks("text"));
    assert_eq!(templates.len(), results.len());
    for (template, expected) in templates.iter().zip(results) {
        assert_eq!(result(template, &data).unwrap(), expected, "{template}");
    }
}

/// All that the messages list is described.
#[test]
fn all_filters_and_tests_are_on_the_page() {
    for source in [
        "{{ a|? }}".replace('?', "nope"),
        "{{ a is nope }}".to_owned(),
    ] {
        let hint = Template::parse(&source).unwrap_err().hint.unwrap();
        let (_, names) = hint.split_once("are ").unwrap();
        for name in names
            .split(", ")
            .filter(|name| name.chars().all(|c| c.is_ascii_alphabetic()))
        {
            let word = |c: char| !c.is_ascii_alphabetic();
            let code = PAGE.split('`').skip(1).step_by(2);
            assert!(
                code.into_iter()
                    .any(|code| code.split(word).any(|found| found == name)),
                "{name}"
            );
        }
    }
}
