//! The attributes that decide over names and defaults.

use syn::{Attribute, Ident, LitStr, Result, Token, meta::ParseNestedMeta};

#[derive(Default)]
pub(crate) struct Attributes {
    pub(crate) tag: Option<String>,
    pub(crate) rename: Option<String>,
    pub(crate) default: bool,
    pub(crate) skip: bool,
    pub(crate) own_deserialize: bool,
    rename_all: Option<String>,
}

impl Attributes {
    pub(crate) fn of(list: &[Attribute]) -> Result<Self> {
        let mut found = Self::default();
        for attribute in list {
            if attribute.path().is_ident("serde") {
                attribute.parse_nested_meta(|meta| found.serde(&meta))?;
            } else if attribute.path().is_ident("json") {
                attribute.parse_nested_meta(|meta| {
                    if !meta.path.is_ident("own_deserialize") {
                        return Err(meta.error("`own_deserialize` is known here"));
                    }
                    found.own_deserialize = true;
                    Ok(())
                })?;
            }
        }
        Ok(found)
    }

    fn serde(&mut self, meta: &ParseNestedMeta<'_>) -> Result<()> {
        let text = || -> Result<String> { Ok(meta.value()?.parse::<LitStr>()?.value()) };
        if meta.path.is_ident("tag") {
            self.tag = Some(text()?);
        } else if meta.path.is_ident("rename") {
            self.rename = Some(text()?);
        } else if meta.path.is_ident("rename_all") {
            let style = text()?;
            if style != "snake_case" && style != "lowercase" {
                return Err(meta.error("FromJson knows snake_case and lowercase"));
            }
            self.rename_all = Some(style);
        } else if meta.path.is_ident("skip_serializing_if") {
            text()?;
        } else if meta.path.is_ident("skip") {
            self.skip = true;
        } else if meta.path.is_ident("default") && !meta.input.peek(Token![=]) {
            self.default = true;
        } else {
            return Err(meta.error("FromJson does not know this attribute"));
        }
        Ok(())
    }

    /// The name of a variant on the wire.
    pub(crate) fn renamed(&self, variant: &Ident) -> String {
        let name = variant.to_string();
        match self.rename_all.as_deref() {
            Some("snake_case") => {
                let mut snake = String::new();
                for letter in name.chars() {
                    if letter.is_ascii_uppercase() && !snake.is_empty() {
                        snake.push('_');
                    }
                    snake.push(letter.to_ascii_lowercase());
                }
                snake
            }
            Some(_) => name.to_ascii_lowercase(),
            None => name,
        }
    }
}
