//! Histories: load, recover, open a round, append it, edit, clear.
//!
//! Correctness across tabs and workers rests on two things alone: each writer says which `rev` of the head it saw, and
//! an epoch is never used twice. Reads never write.

mod append;
mod clear;
mod edit;
mod head;
mod journal;
mod load;
mod recover;
mod replace;
mod summarise;

pub use append::{Appended, append};
pub(crate) use clear::delete_contents;
pub use clear::{Cleared, clear};
pub use edit::{Edit, Edited, edit};
pub use journal::{open_round, write_journal};
pub use load::{Loaded, Read, load, scans};
pub use recover::{Recovered, RecoveredRound, recover};
pub use replace::{replace, rounds_of};
pub use summarise::{Notes, note_failed_summary, replace_summary};

use mnemograph_compact::FromJson;
use serde::Serialize;

use crate::error::MemoryError;
use crate::keys::HistoryKey;
use crate::records::Head;

/// How often a write is tried when others are faster.
pub(crate) const TRIES: usize = 8;

/// What a writer knows of a history's head: with a fresh one an append reads nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, FromJson)]
pub struct Base {
    /// The history's life. Another one means that it was cleared or forgotten since.
    pub epoch: u64,
    /// Sequence number of the next message.
    pub next_seq: u64,
    /// Stored messages.
    pub count: u64,
    /// Bytes of their bodies.
    pub bytes: u64,
    /// Revision of the summary.
    pub summary_rev: u64,
    /// `rev` of the head's record; 0 if it is lost and will be written anew.
    pub head_rev: u64,
}

impl Base {
    const fn new(head: Head, head_rev: u64) -> Self {
        Self {
            epoch: head.epoch,
            next_seq: head.next_seq,
            count: head.count,
            bytes: head.bytes,
            summary_rev: head.summary_rev,
            head_rev,
        }
    }

    const fn head(&self) -> Head {
        Head {
            epoch: self.epoch,
            next_seq: self.next_seq,
            count: self.count,
            bytes: self.bytes,
            summary_rev: self.summary_rev,
        }
    }
}

/// A record's `rev` as a check wants it: 0 stands for absent.
const fn rev(rev: u64) -> Option<u64> {
    match rev {
        0 => None,
        rev => Some(rev),
    }
}

fn conflict(key: &HistoryKey) -> MemoryError {
    MemoryError::Conflict {
        what: format!(
            "the history of node {:?} in thread {:?}",
            key.node(),
            key.thread()
        ),
        tries: TRIES,
    }
}
