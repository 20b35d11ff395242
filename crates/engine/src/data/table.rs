//! The `table` node: one table in three forms.

use crate::error::RunError;
use mnemograph_graph::Table;
use serde_json::Value;

/// The input, which is CSV text, a list of objects or a dataframe, as CSV text, as a dataframe and as a list of
/// objects.
///
/// # Errors
/// `E_COERCE` with the reason if the input is no table.
pub(crate) fn run(input: &Value) -> Result<(String, Value, Value), RunError> {
    let (table, _) = Table::read(input).map_err(|reason| {
        RunError::new("E_COERCE", format!("The input is no table: {reason}.")).hint(
            "Wire CSV text with a header, a list of objects, or {columns, rows} into 'input'.",
        )
    })?;
    Ok((table.to_csv(), table.to_dataframe(), table.to_objects()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn all_forms_give_the_same_three() {
        let csv = "id,name\r\n1,\"Ada, L.\"\r\n2,\r\n";
        let frame = json!({
            "columns": [{"name": "id", "type": "integer"}, {"name": "name", "type": "string"}],
            "rows": [[1, "Ada, L."], [2, null]]
        });
        let objects = json!([{"id": 1, "name": "Ada, L."}, {"id": 2, "name": null}]);
        for input in [json!(csv), frame.clone(), objects.clone()] {
            assert_eq!(
                run(&input),
                Ok((csv.to_owned(), frame.clone(), objects.clone()))
            );
        }
    }

    #[test]
    fn what_is_no_table_is_refused_without_telling_it() {
        for input in [
            json!("a\nsecret,1"),
            json!(["secret"]),
            json!({"secret": 1}),
            json!(7),
            json!(null),
        ] {
            let error = run(&input).unwrap_err();
            assert_eq!(error.code, "E_COERCE");
            assert!(!format!("{error:?}").contains("secret"));
        }
    }
}
