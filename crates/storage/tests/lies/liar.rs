//! A backend with one fault.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use mnemograph_storage::{
    Batch, Key, MAX_INT, Outcome, Part, Range, Record, Scan, ScanOptions, Storage, StoreError,
    Table, Value,
};
use serde_json::{Value as Json, json};

use Lie::*;

/// The one thing a backend does wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Lie {
    CommitsHalfABatch,
    WritesBeforeItValidates,
    WritesInSpiteOfAConflict,
    IgnoresChecks,
    IgnoresAbsence,
    ChecksOnlyTheFirst,
    ChecksOnlyPresence,
    ChecksAfterTheDeletes,
    SaysCommittedAlways,
    WritesNothing,
    RevIsAlwaysOne,
    RevJumps,
    RevGoesOnAfterADelete,
    MergesValues,
    LosesADelete,
    LosesARangeDelete,
    DeletesByTextPrefix,
    DeletesInAllTables,
    DeletesAfterThePuts,
    SharesOneTable,
    OrdersByCodePoint,
    OrdersIntegersAsText,
    OrdersTextsFirst,
    OrdersLongerFirst,
    OrdersByInsertion,
    PrefixByText,
    BoundsAreInclusive,
    BoundsAreExclusive,
    IgnoresLimit,
    LimitsBeforeItReverses,
    IgnoresReverse,
    LimitZeroIsAll,
    FailsOnCrossedBounds,
    ReadsIntegersAsText,
    FoldsCase,
    CutsLongIds,
    RoundsIntegers,
    RoundsFloats,
    KeepsIntegralFloats,
    CutsTextAtNul,
    DropsNulls,
    DropsProto,
    CutsLargeText,
    ReadsThenWrites,
    WritesInTwoSteps,
    ForgetsOnReopening,
    SharesAllNames,
    AcceptsBadKeys,
    AcceptsBadRanges,
    MixesUpScans,
    ReadsBackwards,
    AlwaysFails,
}

/// A store that does right, but for its lie. It reads and writes whole tables, so that every law can be bent.
#[derive(Clone)]
pub(crate) struct Liar {
    lie: Lie,
    rows: Rc<RefCell<Vec<(Table, Record)>>>,
    graves: Rc<RefCell<BTreeMap<(Table, Key), u64>>>,
}

fn joined(key: &Key) -> String {
    let part = |part: &Part| match part {
        Part::Int(value) => value.to_string(),
        Part::Text(text) => text.clone(),
    };
    key.parts()
        .iter()
        .map(part)
        .collect::<Vec<_>>()
        .join("\u{1}")
}

async fn pause() {
    let paused = Cell::new(false);
    poll_fn(|context| {
        if paused.replace(true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

impl Liar {
    pub(crate) fn new(lie: Lie) -> Self {
        Self {
            lie,
            rows: Rc::default(),
            graves: Rc::default(),
        }
    }

    fn seen(&self, key: &Key) -> Key {
        let map = |change: &dyn Fn(&Part) -> Part| Key::new(key.parts().iter().map(change));
        match self.lie {
            ReadsIntegersAsText => map(&|part| match part {
                Part::Int(value) => value.to_string().into(),
                Part::Text(text) => text.into(),
            }),
            FoldsCase => map(&|part| match part {
                Part::Int(value) => Part::Int(*value),
                Part::Text(text) => text.to_lowercase().into(),
            }),
            CutsLongIds => map(&|part| match part {
                Part::Int(value) => Part::Int(*value),
                Part::Text(text) => text.chars().take(10_000).collect::<String>().into(),
            }),
            _ => key.clone(),
        }
    }

    fn table(&self, table: Table) -> Table {
        if self.lie == SharesOneTable {
            Table::Meta
        } else {
            table
        }
    }

    fn inside(&self, range: &Range, key: &Key) -> bool {
        if !matches!(
            self.lie,
            PrefixByText | BoundsAreInclusive | BoundsAreExclusive
        ) {
            return range.contains(key);
        }
        let wire = serde_json::to_value(range).unwrap();
        let bound = |name: &str| -> Option<Key> {
            let parts = wire.get(name)?.as_array()?.iter().map(|part| match part {
                Json::String(text) => Part::Text(text.clone()),
                other => Part::Int(other.as_u64().unwrap()),
            });
            Some(Key::new(parts))
        };
        match self.lie {
            PrefixByText => {
                if let Some(prefix) = bound("prefix") {
                    return joined(key).starts_with(&joined(&prefix));
                }
            }
            BoundsAreInclusive if wire.get("prefix").is_none() => {
                let low = bound("gt").or(bound("gte")).is_none_or(|low| *key >= low);
                return low && bound("lt").or(bound("lte")).is_none_or(|high| *key <= high);
            }
            BoundsAreExclusive if wire.get("prefix").is_none() && range.as_only().is_none() => {
                let low = bound("gt").or(bound("gte")).is_none_or(|low| *key > low);
                return low && bound("lt").or(bound("lte")).is_none_or(|high| *key < high);
            }
            _ => {}
        }
        range.contains(key)
    }

    fn sort(&self, found: &mut [Record]) {
        let as_text = |part: &Part| match part {
            Part::Int(value) => value.to_string(),
            Part::Text(text) => format!("\u{10ffff}{text}"),
        };
        match self.lie {
            OrdersByInsertion => {}
            OrdersByCodePoint => found.sort_by_key(|record| {
                let part = |part: &Part| match part {
                    Part::Int(value) => (0, *value, String::new()),
                    Part::Text(text) => (1, 0, text.clone()),
                };
                record.key.parts().iter().map(part).collect::<Vec<_>>()
            }),
            OrdersIntegersAsText => found
                .sort_by_key(|record| record.key.parts().iter().map(as_text).collect::<Vec<_>>()),
            OrdersTextsFirst => found.sort_by_key(|record| {
                let part = |part: &Part| (matches!(part, Part::Int(_)), part.clone());
                record.key.parts().iter().map(part).collect::<Vec<_>>()
            }),
            OrdersLongerFirst => found.sort_by(|a, b| {
                let lengths = b.key.parts().len().cmp(&a.key.parts().len());
                lengths.then_with(|| a.key.cmp(&b.key))
            }),
            _ => found.sort_by(|a, b| a.key.cmp(&b.key)),
        }
    }

    fn rev(&self, table: Table, key: &Key) -> Option<u64> {
        let (table, key) = (self.table(table), self.seen(key));
        let rows = self.rows.borrow();
        let found = rows.iter().find(|(t, r)| *t == table && r.key == key);
        found.map(|(_, record)| record.rev)
    }

    fn holds(&self, batch: &Batch) -> bool {
        let checks = if self.lie == ChecksOnlyTheFirst {
            batch.checks().iter().take(1)
        } else {
            batch.checks().iter().take(usize::MAX)
        };
        for check in checks {
            let found = self.rev(check.table, &check.key);
            let right = match self.lie {
                IgnoresChecks => true,
                IgnoresAbsence => check.rev.is_none() || found == check.rev,
                ChecksOnlyPresence => found.is_some() == check.rev.is_some(),
                ChecksAfterTheDeletes if batch.removes(check.table, &check.key) => {
                    check.rev.is_none()
                }
                _ => found == check.rev,
            };
            if !right {
                return false;
            }
        }
        true
    }

    fn remove(&self, gone: impl Fn(Table, &Key) -> bool) {
        let mut graves = self.graves.borrow_mut();
        self.rows.borrow_mut().retain(|(table, record)| {
            let gone = gone(*table, &record.key);
            if gone {
                graves.insert((*table, record.key.clone()), record.rev);
            }
            !gone
        });
    }

    fn deletes(&self, batch: &Batch) {
        for delete in batch.delete_ranges() {
            if self.lie == LosesARangeDelete {
                continue;
            }
            let table = self.table(delete.table);
            let prefix = serde_json::to_value(&delete.range).unwrap();
            let prefix = prefix
                .get("prefix")
                .and_then(|p| p.get(0)?.as_str().map(str::to_owned));
            self.remove(|t, key| {
                let text = matches!((&prefix, key.parts().first()), (Some(p), Some(Part::Text(text))) if text.starts_with(p));
                (t == table || self.lie == DeletesInAllTables)
                    && (self.inside(&delete.range, key) || self.lie == DeletesByTextPrefix && text)
            });
        }
        for delete in batch.deletes() {
            if self.lie != LosesADelete {
                let (table, gone) = (self.table(delete.table), self.seen(&delete.key));
                self.remove(|t, key| t == table && *key == gone);
            }
        }
    }

    fn puts(&self, batch: &Batch) {
        for put in batch.puts() {
            let key = self.seen(&put.key);
            let table = self.table(put.table);
            let old = match self.lie {
                RevIsAlwaysOne => 0,
                RevJumps => self.rev(table, &key).map_or(0, |rev| rev + 1),
                RevGoesOnAfterADelete => {
                    let grave = self.graves.borrow().get(&(table, key.clone())).copied();
                    self.rev(table, &key).or(grave).unwrap_or(0)
                }
                _ => self.rev(table, &key).unwrap_or(0),
            };
            let mut rows = self.rows.borrow_mut();
            let place = rows.iter().position(|(t, r)| *t == table && r.key == key);
            let before = place.map(|place| rows.remove(place).1.value);
            let mut value = self.bent(&put.value);
            if let (MergesValues, Some(before)) = (self.lie, before) {
                merge(&mut value, &before);
            }
            let rev = old + 1;
            rows.push((table, Record { key, rev, value }));
            if self.lie == CommitsHalfABatch {
                break;
            }
        }
    }

    fn bent(&self, value: &Value) -> Value {
        let members = value.iter().filter(|(name, member)| match self.lie {
            DropsNulls => !member.is_null(),
            DropsProto => *name != "__proto__",
            _ => true,
        });
        let bent = |json: &Json| match (self.lie, json) {
            (RoundsIntegers, Json::Number(n)) if n.as_u64() == Some(MAX_INT - 1) => json!(MAX_INT),
            #[expect(clippy::cast_possible_truncation, reason = "that is the lie")]
            (RoundsFloats, Json::Number(n)) if n.is_f64() => json!(n.as_f64().unwrap() as f32),
            (CutsTextAtNul, Json::String(text)) => json!(text.split('\0').next()),
            (CutsLargeText, Json::String(text)) => json!(text.get(..65_536).unwrap_or(text)),
            (_, json) => json.clone(),
        };
        members
            .map(|(name, member)| (name.clone(), bent(member)))
            .collect()
    }
}

fn merge(into: &mut Value, from: &Value) {
    for (name, member) in from {
        match (into.get_mut(name), member) {
            (None, _) => {
                into.insert(name.clone(), member.clone());
            }
            (Some(Json::Object(inner)), Json::Object(outer)) => merge(inner, outer),
            (Some(_), _) => {}
        }
    }
}

impl Storage for Liar {
    async fn scan(
        &self,
        table: Table,
        range: &Range,
        options: ScanOptions,
    ) -> Result<Vec<Record>, StoreError> {
        if self.lie != AcceptsBadRanges {
            range.validate()?;
        }
        if self.lie == AlwaysFails {
            return Err(StoreError::Backend("no".to_owned()));
        }
        if self.lie == FailsOnCrossedBounds && range.to_bounds().is_none() {
            return Err(StoreError::Backend("DataError".to_owned()));
        }
        if matches!(self.lie, ReadsThenWrites) {
            pause().await;
        }
        let table = self.table(table);
        let only = range.as_only().map(|key| self.seen(key));
        let rows = self.rows.borrow();
        let records = rows.iter().filter(|(t, record)| {
            let key = &record.key;
            *t == table
                && only
                    .as_ref()
                    .map_or_else(|| self.inside(range, key), |only| key == only)
        });
        let mut found: Vec<Record> = records.map(|(_, record)| record.clone()).collect();
        self.sort(&mut found);
        let limit = match (self.lie, options.limit) {
            (IgnoresLimit, _) | (_, None) | (LimitZeroIsAll, Some(0)) => usize::MAX,
            (_, Some(limit)) => limit,
        };
        if self.lie == LimitsBeforeItReverses {
            found.truncate(limit);
        }
        if options.reverse && self.lie != IgnoresReverse {
            found.reverse();
        }
        found.truncate(limit);
        Ok(found)
    }

    async fn scan_all(&self, scans: &[Scan]) -> Result<Vec<Vec<Record>>, StoreError> {
        let mut order: Vec<&Scan> = scans.iter().collect();
        if self.lie == ReadsBackwards {
            order.reverse();
        }
        let mut found = Vec::new();
        for scan in order {
            found.push(self.scan(scan.table, &scan.range, scan.options).await?);
            if self.lie == ReadsBackwards {
                pause().await;
            }
        }
        if matches!(self.lie, ReadsBackwards | MixesUpScans) {
            found.reverse();
        }
        Ok(found)
    }

    async fn commit(&self, batch: Batch) -> Result<Outcome, StoreError> {
        let raw = batch.clone();
        let batch = match batch.prepare() {
            Ok(_) if self.lie == KeepsIntegralFloats => raw,
            Ok(batch) => batch,
            Err(_) if self.lie == AcceptsBadKeys => return Ok(Outcome::Committed),
            Err(error) => {
                if self.lie == WritesBeforeItValidates {
                    self.puts(&raw);
                }
                return Err(error);
            }
        };
        let holds = self.holds(&batch);
        match self.lie {
            AlwaysFails => return Err(StoreError::Backend("no".to_owned())),
            WritesNothing if holds => return Ok(Outcome::Committed),
            SaysCommittedAlways if !holds => return Ok(Outcome::Committed),
            ReadsThenWrites => pause().await,
            _ => {}
        }
        if !holds {
            if self.lie == WritesInSpiteOfAConflict {
                self.puts(&batch);
            }
            return Ok(Outcome::Conflict);
        }
        if self.lie == DeletesAfterThePuts {
            self.puts(&batch);
            self.deletes(&batch);
            return Ok(Outcome::Committed);
        }
        self.deletes(&batch);
        if self.lie == WritesInTwoSteps {
            pause().await;
        }
        self.puts(&batch);
        Ok(Outcome::Committed)
    }
}
