//! A map as a sorted list of pairs.

use std::borrow::Borrow;
use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::sort::sort_by;

/// A map whose entries stand in the order of their keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortedMap<K, V> {
    entries: Vec<(K, V)>,
}

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K, V> SortedMap<K, V> {
    /// A map without entries.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            entries: Vec::new(),
        }
    }

    /// How many entries there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// True if there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The entries in the order of their keys.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        self.entries.iter().map(|(key, value)| (key, value))
    }

    /// The entries in the order of their keys, to be changed.
    pub fn iter_mut(&mut self) -> impl DoubleEndedIterator<Item = (&K, &mut V)> {
        self.entries.iter_mut().map(|(key, value)| (&*key, value))
    }

    /// The keys in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &K> {
        self.entries.iter().map(|(key, _)| key)
    }

    /// The values in the order of their keys.
    pub fn values(&self) -> impl DoubleEndedIterator<Item = &V> {
        self.entries.iter().map(|(_, value)| value)
    }

    /// Keeps the entries that fit.
    pub fn retain(&mut self, mut fits: impl FnMut(&K, &V) -> bool) {
        self.entries.retain(|(key, value)| fits(key, value));
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        self.entries
            .binary_search_by(|(own, _)| own.borrow().cmp(key))
    }

    /// Sets the value of a key and gives back the one it had.
    pub fn insert(&mut self, key: K, value: V) -> Option<V> {
        match self.place(&key) {
            Ok(place) => {
                let entry = self.entries.get_mut(place)?;
                Some(std::mem::replace(&mut entry.1, value))
            }
            Err(place) => {
                self.entries.insert(place, (key, value));
                None
            }
        }
    }

    /// The value of a key, which is made if there is none.
    #[expect(clippy::indexing_slicing, reason = "the place was just looked up")]
    pub fn get_or_insert_with(&mut self, key: K, make: impl FnOnce() -> V) -> &mut V {
        let place = match self.place(&key) {
            Ok(place) => place,
            Err(place) => {
                self.entries.insert(place, (key, make()));
                place
            }
        };
        &mut self.entries[place].1
    }

    /// The value of a key.
    #[must_use]
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        let place = self.place(key).ok()?;
        self.entries.get(place).map(|(_, value)| value)
    }

    /// The value of a key, to be changed.
    #[must_use]
    pub fn get_mut<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        let place = self.place(key).ok()?;
        self.entries.get_mut(place).map(|(_, value)| value)
    }

    /// True if the key has a value.
    #[must_use]
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place(key).is_ok()
    }

    /// Takes an entry out.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        let place = self.place(key).ok()?;
        Some(self.entries.remove(place).1)
    }
}

impl<K, V> IntoIterator for SortedMap<K, V> {
    type Item = (K, V);
    type IntoIter = std::vec::IntoIter<(K, V)>;

    fn into_iter(self) -> Self::IntoIter {
        self.entries.into_iter()
    }
}

/// Of two values of one key the later one stays.
impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut entries: Vec<(K, V)> = entries.into_iter().collect();
        sort_by(&mut entries, |a, b| a.0.cmp(&b.0));
        entries.dedup_by(|later, kept| {
            let is_same = later.0 == kept.0;
            if is_same {
                std::mem::swap(&mut later.1, &mut kept.1);
            }
            is_same
        });
        Self { entries }
    }
}

impl<K: Serialize, V: Serialize> Serialize for SortedMap<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

impl<'de, K: Ord + Deserialize<'de>, V: Deserialize<'de>> Deserialize<'de> for SortedMap<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let map = BTreeMap::deserialize(deserializer)?;
        Ok(map.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[derive(Debug, Clone)]
    enum Step {
        Insert(u8, u16),
        Make(u8, u16),
        Remove(u8),
        Change(u8, u16),
        Retain(u16),
    }

    fn step() -> impl Strategy<Value = Step> {
        prop_oneof![
            any::<(u8, u16)>().prop_map(|(key, value)| Step::Insert(key, value)),
            any::<(u8, u16)>().prop_map(|(key, value)| Step::Make(key, value)),
            any::<u8>().prop_map(Step::Remove),
            any::<(u8, u16)>().prop_map(|(key, value)| Step::Change(key, value)),
            any::<u16>().prop_map(Step::Retain),
        ]
    }

    proptest! {
        #[test]
        fn does_what_a_tree_does(
            start: Vec<(u8, u16)>,
            steps in prop::collection::vec(step(), 0..60),
        ) {
            let mut tree: BTreeMap<u8, u16> = start.iter().copied().collect();
            let mut map: SortedMap<u8, u16> = start.into_iter().collect();
            for step in steps {
                match step {
                    Step::Insert(key, value) => {
                        prop_assert_eq!(map.insert(key, value), tree.insert(key, value));
                    }
                    Step::Make(key, value) => {
                        let made = *map.get_or_insert_with(key, || value);
                        prop_assert_eq!(made, *tree.entry(key).or_insert(value));
                    }
                    Step::Remove(key) => prop_assert_eq!(map.remove(&key), tree.remove(&key)),
                    Step::Change(key, value) => {
                        let (ours, theirs) = (map.get_mut(&key), tree.get_mut(&key));
                        prop_assert_eq!(&ours, &theirs);
                        ours.into_iter().chain(theirs).for_each(|old| *old = value);
                    }
                    Step::Retain(least) => {
                        map.retain(|_, value| *value >= least);
                        tree.retain(|_, value| *value >= least);
                    }
                }
                prop_assert_eq!(map.len(), tree.len());
                prop_assert_eq!(map.is_empty(), tree.is_empty());
            }
            prop_assert!(map.iter().eq(tree.iter()));
            prop_assert!(map.keys().eq(tree.keys()) && map.values().eq(tree.values()));
            for key in 0..=u8::MAX {
                prop_assert_eq!(map.get(&key), tree.get(&key));
                prop_assert_eq!(map.contains_key(&key), tree.contains_key(&key));
            }
            let json = serde_json::to_string(&map).unwrap();
            prop_assert_eq!(&json, &serde_json::to_string(&tree).unwrap());
            let back: SortedMap<u8, u16> = serde_json::from_str(&json).unwrap();
            prop_assert_eq!(&back, &map);
            prop_assert!(map.into_iter().eq(tree));
        }
    }
}
