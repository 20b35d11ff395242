//! The stored forms (0-rulings.md 0.2): numbers that people and ranges need as fields, bodies as one JSON text.

mod round;

use mnemograph_compact::FromJson;
use mnemograph_storage::{Key, MAX_INT, Part as KeyPart, Record, Value};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

pub use round::JournalRow;
pub(crate) use round::{Prepared, read_journal, read_round};

/// The format version of the records that this code writes.
const VERSION: u64 = 1;

/// The largest number that can have been counted to.
const MAX_COUNTER: u64 = MAX_INT / 2;

/// Why a record could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Damage {
    /// Its key has another shape than keys of its table.
    BadKey,
    /// A field is missing or of another type.
    WrongType,
    /// Newer code wrote it.
    NewerVersion,
    /// Its body is not what was written.
    WrongHash,
    /// Its body is no JSON.
    BadJson,
    /// Its body holds something that is no message.
    BadMessage,
    /// It holds another number of messages than it says.
    WrongCount,
}

/// A record that was left out of a read. It stays where it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, FromJson)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Quarantined {
    /// Where it is, within its table.
    pub key: Key,
    /// What is wrong with it.
    pub damage: Damage,
    /// Details, without content.
    pub detail: String,
}

/// What is wrong with a record, before its key is known.
#[derive(Debug)]
pub(crate) struct Fault {
    pub(crate) damage: Damage,
    pub(crate) detail: String,
}

impl Fault {
    fn new(damage: Damage, detail: impl Into<String>) -> Self {
        Self {
            damage,
            detail: detail.into(),
        }
    }

    pub(crate) fn at(self, key: Key) -> Quarantined {
        Quarantined {
            key,
            damage: self.damage,
            detail: self.detail,
        }
    }
}

/// Refuses what newer code wrote. Older versions will be upgraded here by functions from v to v+1.
pub(crate) fn check_version(value: &Value) -> Result<(), Fault> {
    match integer(value, "v")? {
        VERSION => Ok(()),
        0 => Err(Fault::new(Damage::WrongType, "v is 0")),
        v => Err(Fault::new(Damage::NewerVersion, format!("v is {v}"))),
    }
}

pub(crate) fn integer(value: &Value, name: &str) -> Result<u64, Fault> {
    let number = value.get(name).and_then(Json::as_u64);
    number.ok_or_else(|| {
        Fault::new(
            Damage::WrongType,
            format!("{name} is missing or no integer"),
        )
    })
}

/// A number that is counted on from: one that is damaged must not carry the count beyond what a key can hold.
pub(crate) fn counter(value: &Value, name: &str) -> Result<u64, Fault> {
    let number = integer(value, name)?;
    if number > MAX_COUNTER {
        return Err(Fault::new(
            Damage::WrongType,
            format!("{name} is too large to be true"),
        ));
    }
    Ok(number)
}

pub(crate) fn text<'a>(value: &'a Value, name: &str) -> Result<&'a str, Fault> {
    let text = value.get(name).and_then(Json::as_str);
    text.ok_or_else(|| Fault::new(Damage::WrongType, format!("{name} is missing or no text")))
}

pub(crate) fn optional_text(value: &Value, name: &str) -> Result<Option<String>, Fault> {
    match value.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(_) => text(value, name).map(|text| Some(text.to_owned())),
    }
}

pub(crate) fn word<T: for<'de> Deserialize<'de>>(value: &Value, name: &str) -> Result<T, Fault> {
    T::deserialize(value.get(name).unwrap_or(&Json::Null))
        .map_err(|_| Fault::new(Damage::WrongType, format!("{name} is none of its words")))
}

pub(crate) fn parse_body(body: &str) -> Result<Json, Fault> {
    serde_json::from_str(body).map_err(|error| Fault::new(Damage::BadJson, error.to_string()))
}

/// Builds a value from its fields; `null` fields are left out.
pub(crate) fn value<const N: usize>(fields: [(&str, Json); N]) -> Value {
    std::iter::once(("v", Json::from(VERSION)))
        .chain(fields)
        .filter(|(_, field)| !field.is_null())
        .map(|(name, field)| (name.to_owned(), field))
        .collect()
}

/// A head: what a writer must know of a history without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) epoch: u64,
    pub(crate) next_seq: u64,
    pub(crate) count: u64,
    pub(crate) bytes: u64,
    pub(crate) summary_rev: u64,
}

impl Head {
    /// The head of an empty history. Sequence numbers begin with 1: a `seen_seq` of 0 is "nothing seen".
    pub(crate) const fn empty(epoch: u64) -> Self {
        Self {
            epoch,
            next_seq: 1,
            count: 0,
            bytes: 0,
            summary_rev: 0,
        }
    }

    pub(crate) fn to_value(self) -> Value {
        value([
            ("epoch", self.epoch.into()),
            ("next_seq", self.next_seq.into()),
            ("count", self.count.into()),
            ("bytes", self.bytes.into()),
            ("summary_rev", self.summary_rev.into()),
        ])
    }

    pub(crate) fn read(value: &Value) -> Result<Self, Fault> {
        check_version(value)?;
        Ok(Self {
            epoch: counter(value, "epoch")?,
            next_seq: counter(value, "next_seq")?,
            count: counter(value, "count")?,
            bytes: counter(value, "bytes")?,
            summary_rev: counter(value, "summary_rev")?,
        })
    }
}

/// What of a round's record counts for the head, as far as it can be read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Extent {
    pub(crate) epoch: u64,
    pub(crate) end: u64,
    pub(crate) count: u64,
    pub(crate) bytes: u64,
}

impl Extent {
    pub(crate) fn of(record: &Record) -> Option<Self> {
        let [_, _, _, _, _, KeyPart::Int(epoch), KeyPart::Int(first_seq)] = record.key.parts()
        else {
            return None;
        };
        if *epoch > MAX_COUNTER || *first_seq > MAX_COUNTER {
            return None;
        }
        let count = counter(&record.value, "n").unwrap_or(0);
        Some(Self {
            epoch: *epoch,
            end: first_seq.saturating_add(count.max(1)),
            count,
            bytes: counter(&record.value, "bytes").unwrap_or(0),
        })
    }
}

/// The row of a round id: the round is in the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IdRow {
    pub(crate) epoch: u64,
    pub(crate) first_seq: u64,
    pub(crate) n: u64,
    pub(crate) bytes: u64,
    /// False if recovery wrote the round from its journal: its run may still come with more.
    pub(crate) is_final: bool,
}

impl IdRow {
    pub(crate) fn to_value(self) -> Value {
        value([
            ("epoch", self.epoch.into()),
            ("first_seq", self.first_seq.into()),
            ("n", self.n.into()),
            ("bytes", self.bytes.into()),
            ("final", self.is_final.into()),
        ])
    }

    pub(crate) fn read(value: &Value) -> Result<Self, Fault> {
        check_version(value)?;
        Ok(Self {
            epoch: integer(value, "epoch")?,
            first_seq: integer(value, "first_seq")?,
            n: integer(value, "n")?,
            bytes: integer(value, "bytes")?,
            is_final: word(value, "final")?,
        })
    }
}
