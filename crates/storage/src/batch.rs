//! Batches: what one commit does.

use mnemograph_compact::{FromJson, SortedMap};
use serde::Serialize;

use crate::record::normalise;
use crate::{Key, Range, StoreError, Table, Value};

/// When a commit counts as done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Durability {
    /// The backend has it; a power cut may still lose it, whole.
    Relaxed,
    /// It survives a power cut, as far as the platform can promise that.
    Strict,
}

/// What became of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// All of it is stored.
    Committed,
    /// A check failed; nothing is stored.
    Conflict,
}

/// A condition of a batch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Check {
    /// In this table
    pub table: Table,
    /// this key
    pub key: Key,
    /// is absent (`None`) or has this `rev`.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub rev: Option<u64>,
}

/// A range to empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DeleteRange {
    /// The table.
    pub table: Table,
    /// The keys.
    pub range: Range,
}

/// A key to delete; absent is fine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Delete {
    /// The table.
    pub table: Table,
    /// The key.
    pub key: Key,
}

/// A record to write.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Put {
    /// The table.
    pub table: Table,
    /// The key.
    pub key: Key,
    /// The new content.
    #[cfg_attr(feature = "ts", ts(type = "Record<string, unknown>"))]
    pub value: Value,
}

/// Checks and writes that are applied whole or not at all.
///
/// The order of application is fixed: checks (all against the state before the batch), range deletes, deletes, puts;
/// within a kind, the order in which they were added.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[must_use]
pub struct Batch {
    checks: Vec<Check>,
    #[serde(rename = "deleteRanges")]
    delete_ranges: Vec<DeleteRange>,
    deletes: Vec<Delete>,
    puts: Vec<Put>,
    durability: Durability,
}

impl Batch {
    /// An empty batch.
    pub const fn new(durability: Durability) -> Self {
        Self {
            checks: Vec::new(),
            delete_ranges: Vec::new(),
            deletes: Vec::new(),
            puts: Vec::new(),
            durability,
        }
    }

    /// Commit only if the key is absent (`None`) or has this `rev`.
    pub fn check(mut self, table: Table, key: Key, rev: Option<u64>) -> Self {
        self.checks.push(Check { table, key, rev });
        self
    }

    /// Write a record.
    pub fn put(mut self, table: Table, key: Key, value: Value) -> Self {
        self.puts.push(Put { table, key, value });
        self
    }

    /// Delete a record, if there is one.
    pub fn delete(mut self, table: Table, key: Key) -> Self {
        self.deletes.push(Delete { table, key });
        self
    }

    /// Delete all records in a range.
    pub fn delete_range(mut self, table: Table, range: Range) -> Self {
        self.delete_ranges.push(DeleteRange { table, range });
        self
    }

    /// Adds all that the other batch does; the stronger durability wins.
    pub fn merge(mut self, other: Self) -> Self {
        self.checks.extend(other.checks);
        self.delete_ranges.extend(other.delete_ranges);
        self.deletes.extend(other.deletes);
        self.puts.extend(other.puts);
        self.durability = self.durability.max(other.durability);
        self
    }

    /// The conditions.
    #[must_use]
    pub fn checks(&self) -> &[Check] {
        &self.checks
    }

    /// The ranges to empty.
    #[must_use]
    pub fn delete_ranges(&self) -> &[DeleteRange] {
        &self.delete_ranges
    }

    /// The keys to delete.
    #[must_use]
    pub fn deletes(&self) -> &[Delete] {
        &self.deletes
    }

    /// The records to write.
    #[must_use]
    pub fn puts(&self) -> &[Put] {
        &self.puts
    }

    /// The records to write, for a backend that has looked at all the rest.
    #[must_use]
    pub fn into_puts(self) -> Vec<Put> {
        self.puts
    }

    /// When the commit counts as done.
    #[must_use]
    pub const fn durability(&self) -> Durability {
        self.durability
    }

    /// Whether it changes nothing, whatever its checks.
    #[must_use]
    pub const fn is_read_only(&self) -> bool {
        self.delete_ranges.is_empty() && self.deletes.is_empty() && self.puts.is_empty()
    }

    /// For backends, before anything else: refuses keys and values that no backend could keep, and brings numbers into
    /// the form in which they come back.
    ///
    /// # Errors
    /// [`StoreError::BadKey`] for an empty key or an integer above 2^53−1 in one, [`StoreError::BadValue`] for such an
    /// integer in a value or too deep a value.
    pub fn prepare(mut self) -> Result<Self, StoreError> {
        for check in &self.checks {
            check.key.validate()?;
        }
        for delete in &self.deletes {
            delete.key.validate()?;
        }
        for delete in &self.delete_ranges {
            delete.range.validate()?;
        }
        for put in &mut self.puts {
            put.key.validate()?;
            normalise(&put.key, &mut put.value)?;
        }
        Ok(self)
    }

    /// For backends: the law of `rev` in one place. Given the `rev` that keys have before the batch (`None` for absent),
    /// the `rev` each put writes, or `None` when a check fails.
    pub fn revs(&self, mut current: impl FnMut(Table, &Key) -> Option<u64>) -> Option<Vec<u64>> {
        let holds = |check: &Check| current(check.table, &check.key) == check.rev;
        if !self.checks.iter().all(holds) {
            return None;
        }
        let mut written: SortedMap<(Table, &Key), u64> = SortedMap::new();
        let revs = self.puts.iter().map(|put| {
            let old = match written.get(&(put.table, &put.key)) {
                Some(rev) => *rev,
                None if self.removes(put.table, &put.key) => 0,
                None => current(put.table, &put.key).unwrap_or(0),
            };
            let rev = old.saturating_add(1);
            written.insert((put.table, &put.key), rev);
            rev
        });
        Some(revs.collect())
    }

    /// Whether the batch deletes this key before its puts.
    #[must_use]
    pub fn removes(&self, table: Table, key: &Key) -> bool {
        self.deletes
            .iter()
            .any(|delete| delete.table == table && delete.key == *key)
            || self
                .delete_ranges
                .iter()
                .any(|delete| delete.table == table && delete.range.contains(key))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn value(x: u64) -> Value {
        [("x".to_owned(), json!(x))].into_iter().collect()
    }

    #[test]
    fn wire_form_is_the_one_of_the_adapter_interface() {
        let key = Key::new(["a"]);
        let batch = Batch::new(Durability::Relaxed)
            .put(Table::Heads, key.clone(), value(1))
            .delete(Table::Journal, key.clone())
            .delete_range(Table::Rounds, Range::prefix(&key))
            .check(Table::RoundIds, key.clone(), None)
            .merge(Batch::new(Durability::Strict).check(Table::Heads, key, Some(3)));
        assert_eq!(
            serde_json::to_value(&batch).unwrap(),
            json!({
                "checks": [
                    {"table": "round_ids", "key": ["a"], "rev": null},
                    {"table": "heads", "key": ["a"], "rev": 3},
                ],
                "deleteRanges": [{"table": "rounds", "range": {"prefix": ["a"]}}],
                "deletes": [{"table": "journal", "key": ["a"]}],
                "puts": [{"table": "heads", "key": ["a"], "value": {"x": 1}}],
                "durability": "strict",
            })
        );
    }

    #[test]
    fn revs_follow_deletes_and_earlier_puts_of_the_batch() {
        let (a, b, c) = (Key::new(["a"]), Key::new(["b"]), Key::new(["c"]));
        let batch = Batch::new(Durability::Relaxed)
            .put(Table::Heads, a.clone(), value(1))
            .put(Table::Heads, a.clone(), value(2))
            .put(Table::Heads, b.clone(), value(1))
            .put(Table::Heads, c, value(1))
            .delete(Table::Heads, b.clone())
            .check(Table::Heads, b, Some(7));
        let revs = batch.revs(|_, key| (*key == a || key.parts() == ["b".into()]).then_some(7));
        assert_eq!(revs, Some(vec![8, 9, 1, 1]));
        assert_eq!(batch.revs(|_, _| None), None);
    }
}
