//! What can go wrong with memory.

use mnemograph_storage::{Key, StoreError};

use crate::decode::DecodeError;

/// Every code that [`MemoryError::code`] gives, those of the storage included.
pub const CODES: &[&str] = &[
    "E_BAD_ID",
    "E_BUSY",
    "E_CLOSED",
    "E_COERCE",
    "E_INTERNAL",
    "E_MEMORY_WRITE",
    "E_STORE_BLOCKED",
    "E_STORE_CONFLICT",
    "E_STORE_QUOTA",
    "E_STORE_TIMEOUT",
    "E_STORE_UNAVAILABLE",
    "E_STORE_VERSION",
    "E_THREAD_ACTOR",
];

/// An operation on memory that did not succeed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// The storage refused or failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An id that cannot name anything.
    #[error("the {what} id {problem}")]
    BadId {
        /// Which id.
        what: &'static str,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// A message that is not canonical.
    #[error("{0}")]
    BadMessage(#[from] DecodeError),
    /// A round that cannot be stored.
    #[error("the round {round} cannot be stored: {problem}")]
    BadRound {
        /// Its id.
        round: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A change of a dictionary that cannot be made.
    #[error("{problem}")]
    Dictionary {
        /// Why.
        problem: String,
    },
    /// Others kept writing the same thing.
    #[error("{what} was changed by others {tries} times while it was being written")]
    Conflict {
        /// What was to be written.
        what: String,
        /// How often it was tried.
        tries: usize,
    },
    /// The thread belongs to another person.
    #[error("the thread {thread:?} belongs to another actor")]
    ThreadActor {
        /// The thread.
        thread: String,
    },
    /// A run on the thread waits for a person.
    #[error("the run {run:?} on the thread {thread:?} waits for a person's answer")]
    Busy {
        /// The thread.
        thread: String,
        /// The run.
        run: String,
    },
    /// There is no such thread.
    #[error("there is no thread {thread:?}")]
    NoThread {
        /// The thread that was asked for.
        thread: String,
    },
    /// There is no such round in the history.
    #[error("there is no round {round:?} in this history")]
    NoRound {
        /// The round that was asked for.
        round: String,
    },
    /// A record that must be changed was written by newer code.
    #[error("the record {key} has the format version {version}, which this code does not know")]
    NewerRecord {
        /// Where.
        key: Key,
        /// Its version.
        version: u64,
    },
}

impl MemoryError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Store(error) => error.code(),
            Self::BadId { .. } | Self::NoThread { .. } | Self::NoRound { .. } => "E_BAD_ID",
            Self::BadMessage(_) => "E_COERCE",
            Self::BadRound { .. } | Self::Dictionary { .. } => "E_MEMORY_WRITE",
            Self::Conflict { .. } => "E_STORE_CONFLICT",
            Self::ThreadActor { .. } => "E_THREAD_ACTOR",
            Self::Busy { .. } => "E_BUSY",
            Self::NewerRecord { .. } => "E_STORE_VERSION",
        }
    }

    /// Whether the same call may succeed later without anything being changed.
    #[must_use]
    pub const fn retryable(&self) -> bool {
        match self {
            Self::Store(error) => error.retryable(),
            Self::Conflict { .. } => true,
            Self::BadId { .. }
            | Self::BadMessage(_)
            | Self::BadRound { .. }
            | Self::Dictionary { .. }
            | Self::ThreadActor { .. }
            | Self::Busy { .. }
            | Self::NoThread { .. }
            | Self::NoRound { .. }
            | Self::NewerRecord { .. } => false,
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Store(error) => store_hint(error).to_owned(),
            Self::BadId { .. } => "An id is a text of 1 to 16384 UTF-16 units.".to_owned(),
            Self::BadMessage(error) => error.hint.clone(),
            Self::Dictionary { .. } => {
                "Look at it in the State tab; clearing it there lets its initial values hold again."
                    .to_owned()
            }
            Self::BadRound { .. } => {
                "A round has an id and at least one message, and its data nests at most 64 deep."
                    .to_owned()
            }
            Self::Conflict { .. } => {
                "Try again; nothing is lost, the round is still in the journal.".to_owned()
            }
            Self::ThreadActor { .. } => {
                "Give the actor who began the thread, or use another thread id.".to_owned()
            }
            Self::Busy { .. } => {
                "Answer it with resume(), or give it up (onBusy: \"cancel_previous\").".to_owned()
            }
            Self::NoThread { .. } => "Create the thread or start a run in it first.".to_owned(),
            Self::NoRound { .. } => {
                "Take a round's id from a message that is stored now; it may be gone already."
                    .to_owned()
            }
            Self::NewerRecord { .. } => "Reload the page to get the current code.".to_owned(),
        }
    }
}

const fn store_hint(error: &StoreError) -> &'static str {
    match error {
        StoreError::Unavailable(_) => {
            "Check that the page may store data, or choose storage in memory."
        }
        StoreError::Blocked(_) => "Close other tabs of this page.",
        StoreError::Timeout(_) => {
            "Try again: repeating a write with the same round id stores nothing twice."
        }
        StoreError::Quota(_) => "Delete threads, or ask the browser for more room.",
        StoreError::Version(_) => "Reload the page to get the current code.",
        StoreError::Closed(_) => "Open the runtime again.",
        StoreError::BadKey(_) => "An id is a text of 1 to 16384 UTF-16 units.",
        StoreError::BadValue(_) | StoreError::Corrupt(_) | StoreError::Backend(_) => {
            "Try again; if it stays, the database is damaged: export what can be read."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_retries_are_stable() {
        let rows = [
            (
                MemoryError::Store(StoreError::Quota("x".to_owned())),
                "E_STORE_QUOTA",
                false,
            ),
            (
                MemoryError::Store(StoreError::Timeout("x".to_owned())),
                "E_STORE_TIMEOUT",
                true,
            ),
            (
                MemoryError::BadId {
                    what: "thread",
                    problem: "is empty",
                },
                "E_BAD_ID",
                false,
            ),
            (
                MemoryError::BadMessage(DecodeError {
                    path: "message.role".to_owned(),
                    problem: "is missing".to_owned(),
                    hint: "Give one.".to_owned(),
                }),
                "E_COERCE",
                false,
            ),
            (
                MemoryError::BadRound {
                    round: "r".to_owned(),
                    problem: "it has no message".to_owned(),
                },
                "E_MEMORY_WRITE",
                false,
            ),
            (
                MemoryError::Conflict {
                    what: "the history".to_owned(),
                    tries: 8,
                },
                "E_STORE_CONFLICT",
                true,
            ),
            (
                MemoryError::ThreadActor {
                    thread: "t".to_owned(),
                },
                "E_THREAD_ACTOR",
                false,
            ),
            (
                MemoryError::NoThread {
                    thread: "t".to_owned(),
                },
                "E_BAD_ID",
                false,
            ),
            (
                MemoryError::NoRound {
                    round: "r".to_owned(),
                },
                "E_BAD_ID",
                false,
            ),
            (
                MemoryError::NewerRecord {
                    key: Key::new(["a"]),
                    version: 2,
                },
                "E_STORE_VERSION",
                false,
            ),
        ];
        for (error, code, retryable) in rows {
            assert_eq!(
                (error.code(), error.retryable()),
                (code, retryable),
                "{error}"
            );
            assert!(CODES.contains(&error.code()));
            assert!(!error.hint().is_empty() && !error.to_string().is_empty());
        }
    }
    #[test]
    fn every_code_of_the_storage_is_in_the_list() {
        let text = || "x".to_owned();
        for error in [
            StoreError::Unavailable(text()),
            StoreError::Blocked(text()),
            StoreError::Timeout(text()),
            StoreError::Quota(text()),
            StoreError::Version(text()),
            StoreError::Closed(text()),
            StoreError::BadKey(text()),
            StoreError::BadValue(text()),
            StoreError::Corrupt(text()),
            StoreError::Backend(text()),
        ] {
            let error = MemoryError::from(error);
            assert!(
                CODES.contains(&error.code()) && !error.hint().is_empty(),
                "{error}"
            );
        }
        assert!(CODES.is_sorted());
    }
}
