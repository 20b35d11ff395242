//! Keys: lists of integers and texts with the order of IndexedDB.

use std::cmp::Ordering;
use std::fmt;

use mnemograph_compact::{Fault, FromJson};
use serde::de::{Deserializer, Error as _, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value as Json;

use crate::StoreError;

/// The largest integer a key part, a `rev` or a number in a value may have: 2^53−1.
pub const MAX_INT: u64 = (1 << 53) - 1;

/// One part of a key.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(untagged))]
#[cfg_attr(feature = "ts", ts(rename = "KeyPart"))]
pub enum Part {
    /// An integer, at most [`MAX_INT`].
    Int(#[cfg_attr(feature = "ts", ts(type = "number"))] u64),
    /// A text; the empty one is allowed.
    Text(String),
}

impl From<u64> for Part {
    fn from(value: u64) -> Self {
        Self::Int(value)
    }
}

impl From<&str> for Part {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Part {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<&String> for Part {
    fn from(value: &String) -> Self {
        Self::Text(value.clone())
    }
}

impl PartialOrd for Part {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Part {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a.cmp(b),
            (Self::Int(_), Self::Text(_)) => Ordering::Less,
            (Self::Text(_), Self::Int(_)) => Ordering::Greater,
            (Self::Text(a), Self::Text(b)) => utf16_cmp(a, b),
        }
    }
}

/// Compares by UTF-16 code units. UTF-8 bytes give the order of code points, and the two differ in one place only:
/// a surrogate pair sorts before U+E000…U+FFFF, whose first bytes are EE and EF, while its own is F0…F4.
fn utf16_cmp(a: &str, b: &str) -> Ordering {
    let rank = |byte: u8| match byte {
        0xEE => 0xFE,
        0xEF => 0xFF,
        other => other,
    };
    a.bytes().map(rank).cmp(b.bytes().map(rank))
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(value) => write!(f, "{value}"),
            Self::Text(value) => write!(f, "{value:?}"),
        }
    }
}

impl Serialize for Part {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Int(value) => serializer.serialize_u64(*value),
            Self::Text(value) => serializer.serialize_str(value),
        }
    }
}

impl<'de> Deserialize<'de> for Part {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct PartVisitor;

        impl Visitor<'_> for PartVisitor {
            type Value = Part;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "a text or an integer from 0 to {MAX_INT}")
            }

            fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<Part, E> {
                if value > MAX_INT {
                    return Err(E::invalid_value(Unexpected::Unsigned(value), &self));
                }
                Ok(Part::Int(value))
            }

            fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<Part, E> {
                Ok(Part::Text(value.to_owned()))
            }

            fn visit_string<E: serde::de::Error>(self, value: String) -> Result<Part, E> {
                Ok(Part::Text(value))
            }
        }

        deserializer.deserialize_any(PartVisitor)
    }
}

/// A key: the address of a record within a table.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Key(Vec<Part>);

impl Key {
    /// A key of these parts. Without any it is no record's key, but serves as a prefix of all.
    pub fn new<P: Into<Part>>(parts: impl IntoIterator<Item = P>) -> Self {
        Self(parts.into_iter().map(Into::into).collect())
    }

    /// This key with one more part.
    #[must_use]
    pub fn with(&self, part: impl Into<Part>) -> Self {
        let mut parts = Vec::with_capacity(self.0.len() + 1);
        parts.extend_from_slice(&self.0);
        parts.push(part.into());
        Self(parts)
    }

    /// The parts in order.
    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.0
    }

    /// Whether the first parts of this key are those of `prefix`. A key is a prefix of itself.
    #[must_use]
    pub fn starts_with(&self, prefix: &Self) -> bool {
        self.0.starts_with(&prefix.0)
    }

    /// Refuses integers that JavaScript cannot hold.
    pub(crate) fn validate_parts(&self) -> Result<(), StoreError> {
        let too_large = |part: &Part| matches!(part, Part::Int(value) if *value > MAX_INT);
        if self.0.iter().any(too_large) {
            return Err(StoreError::BadKey(format!(
                "key {self} has an integer above 2^53-1"
            )));
        }
        Ok(())
    }

    /// Refuses what cannot be a record's key.
    pub(crate) fn validate(&self) -> Result<(), StoreError> {
        if self.0.is_empty() {
            return Err(StoreError::BadKey("a record's key needs a part".to_owned()));
        }
        self.validate_parts()
    }

    /// The least key above all that start with this one: its last part replaced by the next greater part.
    /// `None` for the empty key, above which nothing lies.
    pub(crate) fn end_of_prefix(&self) -> Option<Self> {
        let (last, init) = self.0.split_last()?;
        let next = match last {
            Part::Int(value) => Part::Int(value.saturating_add(1)),
            Part::Text(text) => Part::Text(format!("{text}\0")),
        };
        let mut parts = init.to_vec();
        parts.push(next);
        Some(Self(parts))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (index, part) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{part}")?;
        }
        f.write_str("]")
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let parts = Vec::<Part>::deserialize(deserializer)?;
        if parts.is_empty() {
            return Err(D::Error::custom("a key needs a part"));
        }
        Ok(Self(parts))
    }
}

/// For keys inside of what is read from values; those of records are read straight from text.
impl FromJson for Key {
    fn from_json(value: Json) -> Result<Self, Fault> {
        Key::deserialize(value).map_err(|error| Fault::new(format!("is no key: {error}")))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn order_is_part_by_part_integers_first_shorter_first() {
        let ascending = [
            Key::new([Part::Int(0)]),
            Key::new([Part::Int(9)]),
            Key::new([Part::Int(9), "a".into()]),
            Key::new([Part::Int(10)]),
            Key::new([Part::Int(MAX_INT)]),
            Key::new([""]),
            Key::new(["", ""]),
            Key::new(["a"]),
            Key::new([Part::from("a"), 3.into()]),
            Key::new(["a", "b"]),
            Key::new(["a\0"]),
            Key::new(["ab"]),
            Key::new(["\u{D7FF}"]),
            Key::new(["\u{10000}"]),
            Key::new(["\u{10FFFF}"]),
            Key::new(["\u{E000}"]),
            Key::new(["\u{FFFF}"]),
        ];
        assert!(ascending.is_sorted());
    }

    #[test]
    fn json_is_an_array_and_refuses_what_is_no_key() {
        let key = Key::new([Part::from("a"), 7.into(), "".into()]);
        assert_eq!(serde_json::to_string(&key).unwrap(), r#"["a",7,""]"#);
        assert_eq!(serde_json::from_str::<Key>(r#"["a",7,""]"#).unwrap(), key);
        for bad in [
            "[]",
            "[-1]",
            "[1.5]",
            "[null]",
            "[[1]]",
            "\"a\"",
            "[9007199254740992]",
        ] {
            assert!(serde_json::from_str::<Key>(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn text_order_is_that_of_utf16(a in any::<String>(), b in any::<String>()) {
            let expected = a.encode_utf16().cmp(b.encode_utf16());
            prop_assert_eq!(utf16_cmp(&a, &b), expected);
        }

        #[test]
        fn text_order_is_that_of_utf16_near_the_surrogates(
            a in "[a\u{D7FF}\u{E000}\u{FFFD}\u{10000}\u{10FFFF}]{0,4}",
            b in "[a\u{D7FF}\u{E000}\u{FFFD}\u{10000}\u{10FFFF}]{0,4}",
        ) {
            let expected = a.encode_utf16().cmp(b.encode_utf16());
            prop_assert_eq!(utf16_cmp(&a, &b), expected);
        }
    }
}
