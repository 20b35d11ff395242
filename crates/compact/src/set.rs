//! A set as a sorted list.

use std::borrow::Borrow;

use serde::{Serialize, Serializer};

use crate::SortedMap;

/// A set whose items stand in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortedSet<T> {
    items: SortedMap<T, ()>,
}

impl<T> Default for SortedSet<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> SortedSet<T> {
    /// A set without items.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            items: SortedMap::new(),
        }
    }

    /// How many items there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.items.len()
    }

    /// True if there is no item.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// The items in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.items.keys()
    }
}

impl<T: Ord> SortedSet<T> {
    /// Adds an item; false if it was there.
    pub fn insert(&mut self, item: T) -> bool {
        self.items.insert(item, ()).is_none()
    }

    /// True if the item is there.
    #[must_use]
    pub fn contains<Q: Ord + ?Sized>(&self, item: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.items.contains_key(item)
    }
}

impl<T: Ord> FromIterator<T> for SortedSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self {
            items: items.into_iter().map(|item| (item, ())).collect(),
        }
    }
}

impl<T> IntoIterator for SortedSet<T> {
    type Item = T;
    type IntoIter = std::iter::Map<std::vec::IntoIter<(T, ())>, fn((T, ())) -> T>;

    fn into_iter(self) -> Self::IntoIter {
        self.items.into_iter().map(|(item, ())| item)
    }
}

impl<T: Serialize> Serialize for SortedSet<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn does_what_a_tree_does(start: Vec<u8>, more: Vec<u8>) {
            let mut tree: BTreeSet<u8> = start.iter().copied().collect();
            let mut set: SortedSet<u8> = start.into_iter().collect();
            for item in more {
                prop_assert_eq!(set.insert(item), tree.insert(item));
            }
            prop_assert_eq!((set.len(), set.is_empty()), (tree.len(), tree.is_empty()));
            for item in 0..=u8::MAX {
                prop_assert_eq!(set.contains(&item), tree.contains(&item));
            }
            let json = serde_json::to_string(&set).unwrap();
            prop_assert_eq!(json, serde_json::to_string(&tree).unwrap());
            prop_assert!(set.iter().eq(tree.iter()) && set.into_iter().eq(tree));
        }
    }
}
