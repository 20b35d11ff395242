//! Collects declarations: the listed types and all they refer to, each once, sorted by name.

use std::any::TypeId;
use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::fmt;

use ts_rs::{Config, TS, TypeVisitor};

use crate::BANNER;

/// A growing set of TypeScript declarations.
pub struct Types {
    config: Config,
    seen: BTreeSet<TypeId>,
    declarations: BTreeMap<String, Declaration>,
    clash: Option<NameClash>,
}

struct Declaration {
    rust_name: &'static str,
    text: String,
}

/// Two Rust types ask for the same TypeScript name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameClash {
    /// The TypeScript name.
    pub name: String,
    /// The two Rust types.
    pub types: [&'static str; 2],
}

impl fmt::Display for NameClash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [one, other] = self.types;
        write!(
            f,
            "{one} and {other} are both named {}: rename one with #[ts(rename = \"…\")]",
            self.name
        )
    }
}

impl Error for NameClash {}

impl Types {
    /// An empty set. Large integers become `number`: those beyond 2^53 never cross.
    #[must_use]
    pub fn new() -> Self {
        Self {
            config: Config::new().with_large_int("number"),
            seen: BTreeSet::new(),
            declarations: BTreeMap::new(),
            clash: None,
        }
    }

    /// Adds a type and what it refers to.
    pub fn add<T: TS + 'static + ?Sized>(&mut self) -> &mut Self {
        self.visit::<T>();
        self
    }

    /// The text of the module.
    ///
    /// # Errors
    /// Where two types have one name.
    pub fn finish(self) -> Result<String, NameClash> {
        if let Some(clash) = self.clash {
            return Err(clash);
        }
        let mut module = BANNER.to_owned();
        for Declaration { text, .. } in self.declarations.values() {
            module.push('\n');
            module.push_str(text);
        }
        Ok(module)
    }

    fn declare<T: TS + 'static + ?Sized>(&mut self) {
        let text = format!(
            "{}export {}\n",
            T::docs().unwrap_or_default(),
            T::decl(&self.config)
        );
        let rust_name = std::any::type_name::<T>();
        let name = T::ident(&self.config);
        match self.declarations.get(&name) {
            Some(other) if other.text != text => {
                self.clash.get_or_insert(NameClash {
                    name,
                    types: [other.rust_name, rust_name],
                });
            }
            Some(_) => {}
            None => {
                self.declarations
                    .insert(name, Declaration { rust_name, text });
            }
        }
    }
}

impl Default for Types {
    fn default() -> Self {
        Self::new()
    }
}

impl TypeVisitor for Types {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if !self.seen.insert(TypeId::of::<T>()) {
            return;
        }
        // Only types that would have a file of their own have a name to be declared by.
        if T::output_path().is_some() {
            self.declare::<T::WithoutGenerics>();
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    /// A shape.
    #[derive(TS)]
    #[expect(dead_code, reason = "only its declaration is of interest")]
    struct Shape {
        /// Its corners.
        corners: Vec<Corner>,
        area: Option<u64>,
    }

    #[derive(TS)]
    #[expect(dead_code, reason = "only its declaration is of interest")]
    struct Corner {
        x: i64,
    }

    mod elsewhere {
        #[derive(ts_rs::TS)]
        #[expect(dead_code, reason = "only its declaration is of interest")]
        pub(super) struct Corner {
            y: bool,
        }
    }

    #[test]
    fn a_type_brings_what_it_refers_to() {
        let mut types = Types::new();
        types.add::<Shape>().add::<Corner>();
        expect![[r#"
            // Generated from Rust by `npm run types`. Changes made here are lost.

            export type Corner = { x: number, };

            /**
             * A shape.
             */
            export type Shape = { 
            /**
             * Its corners.
             */
            corners: Array<Corner>, area: number | null, };
        "#]]
        .assert_eq(&types.finish().unwrap());
    }

    #[test]
    fn two_types_of_one_name_are_refused() {
        let mut types = Types::new();
        types.add::<Shape>().add::<elsewhere::Corner>();
        let clash = types.finish().unwrap_err();
        assert_eq!(clash.name, "Corner");
        assert!(clash.to_string().contains("rename one"), "{clash}");
    }
}
