//! Ranges of keys.

use mnemograph_compact::FromJson;
use std::ops::Bound;

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

use crate::{Key, StoreError, Table};

/// The keys a scan or a range delete covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    All,
    Prefix(Key),
    Bounds(Bound<Key>, Bound<Key>),
}

impl Range {
    /// Every key.
    #[must_use]
    pub const fn all() -> Self {
        Self(Kind::All)
    }

    /// The keys whose first parts are these, the key itself included.
    #[must_use]
    pub fn prefix(prefix: &Key) -> Self {
        Self(Kind::Prefix(prefix.clone()))
    }

    /// The keys between two bounds: `Included` is gte or lte, `Excluded` is gt or lt.
    /// Bounds that cross are an empty range, not an error.
    #[must_use]
    pub const fn bounds(lower: Bound<Key>, upper: Bound<Key>) -> Self {
        Self(Kind::Bounds(lower, upper))
    }

    /// This key only.
    #[must_use]
    pub fn only(key: &Key) -> Self {
        Self::bounds(Bound::Included(key.clone()), Bound::Included(key.clone()))
    }

    /// The key, if the range can hold no other.
    #[must_use]
    pub fn as_only(&self) -> Option<&Key> {
        match &self.0 {
            Kind::Bounds(Bound::Included(lower), Bound::Included(upper)) if lower == upper => {
                Some(lower)
            }
            Kind::All | Kind::Prefix(_) | Kind::Bounds(..) => None,
        }
    }

    /// The range as two bounds, whatever way it was written; `None` when no key lies in it.
    /// A prefix ends below the next greater part, so that its upper bound is an ordinary key too
    /// (its integer may be 2^53).
    #[must_use]
    pub fn to_bounds(&self) -> Option<(Bound<Key>, Bound<Key>)> {
        let (lower, upper) = match &self.0 {
            Kind::All => (Bound::Unbounded, Bound::Unbounded),
            Kind::Prefix(prefix) => match prefix.end_of_prefix() {
                None => (Bound::Unbounded, Bound::Unbounded),
                Some(end) => (Bound::Included(prefix.clone()), Bound::Excluded(end)),
            },
            Kind::Bounds(lower, upper) => (lower.clone(), upper.clone()),
        };
        let crossed = match (&lower, &upper) {
            (Bound::Unbounded, _) | (_, Bound::Unbounded) => false,
            (Bound::Included(a), Bound::Included(b)) => a > b,
            (Bound::Included(a) | Bound::Excluded(a), Bound::Included(b) | Bound::Excluded(b)) => {
                a >= b
            }
        };
        (!crossed).then_some((lower, upper))
    }

    /// Whether the key lies in the range.
    #[must_use]
    pub fn contains(&self, key: &Key) -> bool {
        match &self.0 {
            Kind::All => true,
            Kind::Prefix(prefix) => key.starts_with(prefix),
            Kind::Bounds(lower, upper) => {
                (match lower {
                    Bound::Included(bound) => key >= bound,
                    Bound::Excluded(bound) => key > bound,
                    Bound::Unbounded => true,
                }) && (match upper {
                    Bound::Included(bound) => key <= bound,
                    Bound::Excluded(bound) => key < bound,
                    Bound::Unbounded => true,
                })
            }
        }
    }

    /// Refuses keys that JavaScript cannot hold.
    ///
    /// # Errors
    /// [`StoreError::BadKey`] when a bound has an integer above 2^53−1.
    pub fn validate(&self) -> Result<(), StoreError> {
        let check = |bound: &Bound<Key>| match bound {
            Bound::Included(key) | Bound::Excluded(key) => key.validate_parts(),
            Bound::Unbounded => Ok(()),
        };
        match &self.0 {
            Kind::All => Ok(()),
            Kind::Prefix(prefix) => prefix.validate_parts(),
            Kind::Bounds(lower, upper) => check(lower).and_then(|()| check(upper)),
        }
    }
}

/// The wire form: `{}`, `{prefix}`, or up to two of `{gte, gt, lte, lt}`.
impl Serialize for Range {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match &self.0 {
            Kind::All => {}
            Kind::Prefix(prefix) => map.serialize_entry("prefix", prefix)?,
            Kind::Bounds(lower, upper) => {
                match lower {
                    Bound::Included(key) => map.serialize_entry("gte", key)?,
                    Bound::Excluded(key) => map.serialize_entry("gt", key)?,
                    Bound::Unbounded => {}
                }
                match upper {
                    Bound::Included(key) => map.serialize_entry("lte", key)?,
                    Bound::Excluded(key) => map.serialize_entry("lt", key)?,
                    Bound::Unbounded => {}
                }
            }
        }
        map.end()
    }
}

/// How a scan goes through its range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct ScanOptions {
    /// At most this many records, counted in the direction of the scan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional, type = "number"))]
    pub limit: Option<usize>,
    /// From the greatest key down.
    #[serde(default)]
    pub reverse: bool,
}

/// A scan as a value: one of several that are asked for at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scan {
    /// The table.
    pub table: Table,
    /// Which of its keys.
    pub range: Range,
    /// How to go through them.
    pub options: ScanOptions,
}

impl Scan {
    /// All records of a range, upwards.
    #[must_use]
    pub const fn all(table: Table, range: Range) -> Self {
        Self {
            table,
            range,
            options: ScanOptions {
                limit: None,
                reverse: false,
            },
        }
    }

    /// The record with this key.
    #[must_use]
    pub fn get(table: Table, key: &Key) -> Self {
        Self {
            table,
            range: Range::only(key),
            options: ScanOptions {
                limit: Some(1),
                reverse: false,
            },
        }
    }

    /// The last records of a range, from the greatest key down.
    #[must_use]
    pub const fn last(table: Table, range: Range, limit: usize) -> Self {
        Self {
            table,
            range,
            options: ScanOptions {
                limit: Some(limit),
                reverse: true,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::Part;

    fn key() -> impl Strategy<Value = Key> {
        let text = "[ab\0\u{E000}\u{10000}]{0,2}";
        let part = prop_oneof![
            (0u64..3).prop_map(Part::Int),
            Just(Part::Int(crate::MAX_INT)),
            text.prop_map(Part::Text)
        ];
        prop::collection::vec(part, 1..4).prop_map(Key::new)
    }

    #[test]
    fn crossed_bounds_are_empty() {
        let (a, b) = (Key::new(["a"]), Key::new(["b"]));
        let check = |lower: Bound<&Key>, upper: Bound<&Key>, empty: bool| {
            let range = Range::bounds(lower.cloned(), upper.cloned());
            assert_eq!(range.to_bounds().is_none(), empty, "{range:?}");
        };
        check(Bound::Included(&a), Bound::Included(&a), false);
        check(Bound::Included(&a), Bound::Excluded(&a), true);
        check(Bound::Excluded(&a), Bound::Included(&a), true);
        check(Bound::Excluded(&a), Bound::Excluded(&a), true);
        check(Bound::Included(&b), Bound::Included(&a), true);
        check(Bound::Excluded(&a), Bound::Excluded(&b), false);
        check(Bound::Unbounded, Bound::Excluded(&a), false);
    }

    #[test]
    fn wire_form_names_the_bounds() {
        let (a, b) = (Key::new(["a"]), Key::new([1]));
        let json = |range: Range| serde_json::to_string(&range).unwrap();
        assert_eq!(json(Range::all()), "{}");
        assert_eq!(json(Range::prefix(&a)), r#"{"prefix":["a"]}"#);
        let range = Range::bounds(Bound::Excluded(b), Bound::Included(a));
        assert_eq!(json(range), r#"{"gt":[1],"lte":["a"]}"#);
    }

    proptest! {
        #[test]
        fn prefix_bounds_hold_exactly_the_keys_that_start_with_it(prefix in key(), other in key()) {
            let (lower, upper) = Range::prefix(&prefix).to_bounds().unwrap();
            let inside = Range::bounds(lower, upper).contains(&other);
            prop_assert_eq!(inside, other.starts_with(&prefix));
        }
    }
}
