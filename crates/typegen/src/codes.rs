//! The list of error and warning codes as TypeScript.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use crate::BANNER;

/// The text of the module: errors (`E_…`) and warnings (`W_…`), each sorted and without doubles.
#[must_use]
pub fn codes_module(codes: impl IntoIterator<Item = &'static str>) -> String {
    let (warnings, errors): (BTreeSet<_>, BTreeSet<_>) =
        codes.into_iter().partition(|code| code.starts_with("W_"));
    let mut module = BANNER.to_owned();
    for (what, constant, name, list) in [
        ("error", "ERROR_CODES", "ErrorCode", errors),
        ("warning", "WARNING_CODES", "WarningCode", warnings),
    ] {
        // Writing to a String cannot fail.
        let _ = writeln!(
            module,
            "\n/** Every {what} code, sorted. */\nexport const {constant} = ["
        );
        for code in list {
            let _ = writeln!(module, "  \"{code}\",");
        }
        let _ = writeln!(module, "] as const;");
        let _ = writeln!(module, "\n/** One {what} code. */");
        let _ = writeln!(module, "export type {name} = (typeof {constant})[number];");
    }
    module
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn errors_and_warnings_stand_apart_and_sorted() {
        expect![[r#"
            // Generated from Rust by `npm run types`. Changes made here are lost.

            /** Every error code, sorted. */
            export const ERROR_CODES = [
              "E_A",
              "E_B",
            ] as const;

            /** One error code. */
            export type ErrorCode = (typeof ERROR_CODES)[number];

            /** Every warning code, sorted. */
            export const WARNING_CODES = [
              "W_C",
            ] as const;

            /** One warning code. */
            export type WarningCode = (typeof WARNING_CODES)[number];
        "#]]
        .assert_eq(&codes_module(["E_B", "W_C", "E_A", "E_B"]));
    }
}
