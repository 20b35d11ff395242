//! What can go wrong below the waist.

/// A storage call that did not succeed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StoreError {
    /// There is no storage here, or access to it is denied.
    #[error("storage is not available: {0}")]
    Unavailable(String),
    /// Another connection, usually an older tab, holds the database.
    #[error("storage is blocked by another connection: {0}; close other tabs of this page")]
    Blocked(String),
    /// No answer in time. Whether the call took effect is unknown.
    #[error("storage did not answer in time: {0}")]
    Timeout(String),
    /// There is no room.
    #[error("storage is full: {0}; delete data or ask the browser for more")]
    Quota(String),
    /// The database was written by a newer version, or has another shape than its version says.
    #[error("storage has another version: {0}; reload the page to get the current code")]
    Version(String),
    /// The storage was closed by its owner.
    #[error("storage is closed: {0}")]
    Closed(String),
    /// A key that no backend can hold.
    #[error("bad key: {0}")]
    BadKey(String),
    /// A value that no backend can hold unchanged.
    #[error("bad value: {0}")]
    BadValue(String),
    /// The backend answered something that is no answer.
    #[error("storage answered garbage: {0}")]
    Corrupt(String),
    /// The backend failed; nothing of the call is stored.
    #[error("storage failed: {0}")]
    Backend(String),
}

impl StoreError {
    /// The stable code.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Unavailable(_) | Self::Corrupt(_) | Self::Backend(_) => "E_STORE_UNAVAILABLE",
            Self::Blocked(_) => "E_STORE_BLOCKED",
            Self::Timeout(_) => "E_STORE_TIMEOUT",
            Self::Quota(_) => "E_STORE_QUOTA",
            Self::Version(_) => "E_STORE_VERSION",
            Self::Closed(_) => "E_CLOSED",
            Self::BadKey(_) => "E_BAD_ID",
            Self::BadValue(_) => "E_INTERNAL",
        }
    }

    /// Whether the same call may succeed later without anything being changed.
    #[must_use]
    pub const fn retryable(&self) -> bool {
        match self {
            Self::Blocked(_) | Self::Timeout(_) | Self::Backend(_) => true,
            Self::Unavailable(_)
            | Self::Quota(_)
            | Self::Version(_)
            | Self::Closed(_)
            | Self::BadKey(_)
            | Self::BadValue(_)
            | Self::Corrupt(_) => false,
        }
    }

    /// Whether a commit may have taken effect nevertheless. Repeat it with checks that tell (a round id), never blindly.
    #[must_use]
    pub const fn outcome_unknown(&self) -> bool {
        match self {
            Self::Timeout(_) | Self::Corrupt(_) => true,
            Self::Unavailable(_)
            | Self::Blocked(_)
            | Self::Quota(_)
            | Self::Version(_)
            | Self::Closed(_)
            | Self::BadKey(_)
            | Self::BadValue(_)
            | Self::Backend(_) => false,
        }
    }
}
