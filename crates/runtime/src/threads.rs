//! Conversations as the channel shows them.

use crate::{error::RuntimeError, host::Host, runtime::Runtime};
use mnemograph_memory::{
    Forgotten, Message, ShownStatus,
    thread::{self, Entry, Thread, ThreadListOptions, TranscriptPage},
};
use mnemograph_storage::Storage;
use serde::Serialize;

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct TranscriptEntry {
    /// Its number in the thread, from 1.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub entry: u64,
    /// The run.
    pub run_id: String,
    /// How far it came: `running` also if its page was closed.
    pub status: ShownStatus,
    /// Milliseconds since the epoch.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub started_at: u64,
    /// The person's message.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub user: Option<Message>,
    /// The replies, in order.
    pub replies: Vec<Message>,
}

impl From<Entry> for TranscriptEntry {
    fn from(entry: Entry) -> Self {
        Self {
            entry: entry.n,
            run_id: entry.run_id,
            status: entry.shown.status,
            started_at: entry.started_at,
            user: entry.shown.user,
            replies: entry.shown.replies,
        }
    }
}

impl<S: Storage + 'static, H: Host + 'static> Runtime<S, H> {
    /// The threads, newest first.
    ///
    /// # Errors
    /// `E_CLOSED`; `E_BAD_ID`; what the storage reports.
    pub async fn threads_list(
        &self,
        options: &ThreadListOptions,
    ) -> Result<Vec<Thread>, RuntimeError> {
        self.check_open()?;
        Ok(thread::list(&self.store(), &self.inner.namespace, options)
            .await?
            .threads)
    }

    /// A thread, if there is one.
    ///
    /// # Errors
    /// As [`Runtime::threads_list`].
    pub async fn threads_get(&self, id: &str) -> Result<Option<Thread>, RuntimeError> {
        self.check_open()?;
        Ok(thread::get(&self.store(), &self.inner.namespace, id).await?)
    }

    /// Makes a thread known before its first turn; one that exists is given back.
    ///
    /// # Errors
    /// As [`Runtime::threads_list`]; `E_THREAD_ACTOR` if it belongs to another person.
    pub async fn threads_create(
        &self,
        id: &str,
        actor: &str,
        title: Option<&str>,
    ) -> Result<Thread, RuntimeError> {
        self.check_open()?;
        Ok(thread::create(
            &self.store(),
            &self.inner.namespace,
            id,
            actor,
            title,
            self.now(),
        )
        .await?)
    }

    /// Gives a thread a title.
    ///
    /// # Errors
    /// As [`Runtime::threads_list`]; `E_BAD_ID` if there is no such thread.
    pub async fn threads_rename(
        &self,
        id: &str,
        title: Option<&str>,
    ) -> Result<Thread, RuntimeError> {
        self.check_open()?;
        Ok(thread::rename(&self.store(), &self.inner.namespace, id, title).await?)
    }

    /// Removes a thread, its transcript and its histories. True if there was something to remove.
    ///
    /// # Errors
    /// As [`Runtime::threads_list`].
    pub async fn threads_delete(&self, id: &str) -> Result<bool, RuntimeError> {
        self.check_open()?;
        Ok(thread::delete(&self.store(), &self.inner.namespace, id).await?)
    }

    /// Forgets a thread, or, without one, all that the namespace holds, with everything that was made of it.
    ///
    /// # Errors
    /// As [`Runtime::threads_list`].
    pub async fn forget(&self, thread: Option<&str>) -> Result<Forgotten, RuntimeError> {
        self.check_open()?;
        let (store, namespace) = (self.store(), &self.inner.namespace);
        Ok(match thread {
            Some(id) => thread::forget(&store, namespace, id).await?,
            None => thread::forget_namespace(&store, namespace).await?,
        })
    }

    /// The last turns of a thread, in order.
    ///
    /// # Errors
    /// As [`Runtime::threads_list`].
    pub async fn threads_transcript(
        &self,
        id: &str,
        page: TranscriptPage,
    ) -> Result<Vec<TranscriptEntry>, RuntimeError> {
        self.check_open()?;
        let transcript = thread::transcript(&self.store(), &self.inner.namespace, id, page).await?;
        Ok(transcript
            .entries
            .into_iter()
            .map(TranscriptEntry::from)
            .collect())
    }
}
