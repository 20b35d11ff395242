//! What is put comes back equal.

use serde_json::{Value as Json, json};

use super::support::{Case, equal, failed, holds, put, text_key, value};
use crate::{MAX_DEPTH, MAX_INT, Storage, Table, Value, get};

async fn comes_back<S: Storage>(store: &S, name: &str, value: Value) -> Case {
    let id = text_key(name);
    put(store, Table::Variables, &id, value.clone()).await?;
    holds(store, Table::Variables, &id, 1, &value).await
}

pub(super) async fn text_survives<S: Storage>(store: &S) -> Case {
    let texts = [
        "",
        "plain",
        "\0",
        "a\0b",
        "\r\n\t\u{b}\u{7f}",
        "  spaces kept  ",
        "\"quoted\" \\ back",
        "null",
        "{\"x\": 1}",
        "é and e\u{301}",
        "\u{2028}\u{2029}\u{feff}",
        "👩‍👩‍👧 \u{10ffff}",
        "\u{fffd}\u{ffff}\u{d7ff}\u{e000}",
        "</script><!--",
    ];
    for (place, text) in texts.iter().enumerate() {
        comes_back(store, &place.to_string(), value(json!(text))).await?;
    }
    Ok(())
}

pub(super) async fn numbers_survive<S: Storage>(store: &S) -> Case {
    #[expect(clippy::cast_possible_wrap, reason = "2^53-1 fits")]
    let least = -(MAX_INT as i64);
    let numbers = [
        json!(0),
        json!(1),
        json!(-1),
        json!(4_294_967_296_u64),
        json!(MAX_INT),
        json!(MAX_INT - 1),
        json!(least),
        json!(0.1),
        json!(0.1 + 0.2),
        json!(-1.5),
        json!(1.0 / 3.0),
        json!(123_456.789_012_345_67),
        json!(2.225_073_858_507_201e-308),
        json!(5e-324),
        json!(1e-7),
        json!(1e21),
        json!(1e300),
        json!(f64::MAX),
        json!(f64::MIN),
        json!(9_007_199_254_740_994.0),
    ];
    for (place, number) in numbers.into_iter().enumerate() {
        comes_back(store, &place.to_string(), value(number)).await?;
    }
    let (id, floats) = (text_key("floats"), floats());
    put(
        store,
        Table::Variables,
        &id,
        value(Json::Array(floats.clone())),
    )
    .await?;
    let found = get(store, Table::Variables, &id).await.map_err(failed)?;
    let found = found.and_then(|record| record.value.get("x").cloned());
    let found = found.and_then(|list| list.as_array().cloned());
    let found = found.unwrap_or_default();
    equal("the number of floats", &found.len(), &floats.len())?;
    for (found, float) in found.iter().zip(&floats) {
        equal("a float", found, float)?;
    }
    // An integral float is the integer of the same size.
    let id = text_key("one");
    put(store, Table::Variables, &id, value(json!(1.0))).await?;
    holds(store, Table::Variables, &id, 1, &value(json!(1))).await
}

/// Floats of all sizes that are not whole, the same on each run.
fn floats() -> Vec<Json> {
    let next = |bits: &u64| {
        let next = bits.wrapping_mul(6_364_136_223_846_793_005);
        Some(next.wrapping_add(1_442_695_040_888_963_407))
    };
    let bits = std::iter::successors(Some(1), next).take(2_000);
    let floats = bits.map(f64::from_bits);
    let floats = floats.filter(|float| float.is_finite() && float.fract() != 0.0);
    floats.map(|float| json!(float)).collect()
}

pub(super) async fn shapes_survive<S: Storage>(store: &S) -> Case {
    let deep = (2..MAX_DEPTH).fold(json!("core"), |inner, depth| {
        if depth % 2 == 0 {
            json!([inner])
        } else {
            json!({ "d": inner })
        }
    });
    let shapes = [
        json!(null),
        json!(true),
        json!(false),
        json!([]),
        json!({}),
        json!([null, [], {}, "", 0, false]),
        json!({"a": null, "b": {"c": [1, {"d": []}]}}),
        json!([[[], [[]]], [{}]]),
        deep,
    ];
    for (place, shape) in shapes.into_iter().enumerate() {
        comes_back(store, &place.to_string(), value(shape)).await?;
    }
    comes_back(store, "empty", Value::new()).await
}

pub(super) async fn member_names_survive<S: Storage>(store: &S) -> Case {
    let names = [
        "",
        "key",
        "rev",
        "value",
        "v",
        "k",
        "id",
        "__proto__",
        "constructor",
        "toString",
        "0",
        "01",
        "-1",
        "a.b",
        "$ref",
        "é",
        "👩",
        "\0",
        "then",
        "length",
        "toJSON",
    ];
    let members = || names.iter().map(|name| ((*name).to_owned(), json!(name)));
    comes_back(store, "flat", members().collect()).await?;
    let nested: Value = members().collect();
    comes_back(store, "nested", value(Json::Object(nested))).await?;
    for name in names {
        let one: Value = [(name.to_owned(), json!({ name: [name] }))]
            .into_iter()
            .collect();
        comes_back(store, &format!("only {name}"), one).await?;
    }
    Ok(())
}

pub(super) async fn large_bodies_survive<S: Storage>(store: &S) -> Case {
    let text = "0123456789 é 👩 \"\\\n".repeat(10_000);
    comes_back(store, "text", value(json!(text))).await?;
    let list: Vec<Json> = (0..2_000).map(|n| json!({"n": n, "s": "x"})).collect();
    comes_back(store, "list", value(Json::Array(list))).await
}
