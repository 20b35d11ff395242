//! The order of keys, and keys that invite mistakes.

use serde_json::json;

use super::support::{ALL, Case, commit, equal, fill, holds, key, keys, relaxed, text_key, value};
use crate::{Key, MAX_INT, Range, ScanOptions, Storage, Table};

/// Stores the keys in another order than the one expected, in one batch and alone.
async fn comes_back_ascending<S: Storage>(store: &S, ascending: &[Key]) -> Case {
    let mut mixed: Vec<Key> = ascending.iter().step_by(2).rev().cloned().collect();
    mixed.extend(ascending.iter().skip(1).step_by(2).cloned());
    fill(store, Table::Rounds, &mixed).await?;
    let found = keys(store, Table::Rounds, &Range::all(), ALL).await?;
    equal("ascending", &found, &ascending.to_vec())?;
    let reverse = ScanOptions {
        limit: None,
        reverse: true,
    };
    let found = keys(store, Table::Rounds, &Range::all(), reverse).await?;
    let descending: Vec<Key> = ascending.iter().rev().cloned().collect();
    equal("descending", &found, &descending)
}

pub(super) async fn integers_before_texts<S: Storage>(store: &S) -> Case {
    let ascending = [
        json!([0]),
        json!([1]),
        json!([2]),
        json!([10]),
        json!([255]),
        json!([256]),
        json!([4_294_967_296_u64]),
        json!([MAX_INT - 1]),
        json!([MAX_INT]),
        json!([""]),
        json!(["0"]),
        json!(["1"]),
        json!(["10"]),
        json!(["2"]),
    ];
    comes_back_ascending(store, &ascending.map(key)).await
}

pub(super) async fn texts_by_utf16_code_units<S: Storage>(store: &S) -> Case {
    let ascending = [
        "",
        "\0",
        "\u{1}",
        "A",
        "Z",
        "a",
        "a\0",
        "aa",
        "\u{7f}",
        "\u{80}",
        "é",
        "\u{7ff}",
        "\u{800}",
        "\u{d7ff}",
        "\u{10000}",
        "\u{1f600}",
        "\u{1f600}a",
        "\u{10ffff}",
        "\u{e000}",
        "\u{fffd}",
        "\u{ffff}",
    ];
    comes_back_ascending(store, &ascending.map(text_key)).await
}

pub(super) async fn shorter_before_longer<S: Storage>(store: &S) -> Case {
    let ascending = [
        json!([7]),
        json!([7, 0]),
        json!([7, 0, 0]),
        json!([7, ""]),
        json!([8]),
        json!(["a"]),
        json!(["a", 1]),
        json!(["a", 1, "z"]),
        json!(["a", 2]),
        json!(["a", ""]),
        json!(["a", "", ""]),
        json!(["a", "a"]),
        json!(["aa"]),
        json!(["ab", 0]),
    ];
    comes_back_ascending(store, &ascending.map(key)).await
}

pub(super) async fn keeps_awkward_ids_apart<S: Storage>(store: &S) -> Case {
    let long = "x".repeat(10_000);
    let longer = "x".repeat(10_001);
    let texts = [
        "",
        " ",
        "\0",
        "a",
        "A",
        "ab",
        "a/b",
        "a|b",
        "a:b",
        "a,b",
        "[\"a\"]",
        "\"a\"",
        "'; DROP TABLE rounds; --",
        "__proto__",
        "constructor",
        "hasOwnProperty",
        "toString",
        "length",
        "%",
        "%00",
        "%2F",
        "_",
        "*",
        "null",
        "undefined",
        "true",
        "1",
        "01",
        "1.0",
        "é",
        "e\u{301}",
        "ß",
        "SS",
        "\u{feff}a",
        "\u{2028}",
        "👩‍👩‍👧",
        "👩",
        "\u{fffd}",
        &long,
        &longer,
    ];
    let mut all: Vec<Key> = texts.iter().map(|text| text_key(text)).collect();
    all.extend(texts.iter().map(|text| text_key("a").with(*text)));
    all.extend(
        [
            json!([1]),
            json!(["a", 1]),
            json!(["1", "a"]),
            json!([1, "a"]),
        ]
        .map(key),
    );
    for (place, id) in all.iter().enumerate() {
        let batch = relaxed().put(Table::Threads, id.clone(), value(json!(place)));
        commit(store, batch.check(Table::Threads, id.clone(), None)).await?;
    }
    for (place, id) in all.iter().enumerate() {
        holds(store, Table::Threads, id, 1, &value(json!(place))).await?;
    }
    let count = keys(store, Table::Threads, &Range::all(), ALL).await?.len();
    equal("the number of records", &count, &all.len())
}
