//! What the channel shows in a run, and how much of that is stored already.

use mnemograph_compact::FromJson;
use mnemograph_memory::{Message, Shown, ShownStatus};
use serde::Serialize;

/// The transcript's entry of this run.
#[derive(Debug, Default, Serialize, FromJson)]
pub(crate) struct ShownState {
    user: Option<Message>,
    replies: Vec<Message>,
    stored: Option<Shown>,
}

impl ShownState {
    pub(crate) fn set_user(&mut self, message: Message) {
        self.user = Some(message);
    }

    pub(crate) fn add_reply(&mut self, message: Message) {
        self.replies.push(message);
    }

    pub(crate) fn replies(&self) -> &[Message] {
        &self.replies
    }

    /// The entry as it stands.
    pub(crate) fn entry(&self, status: ShownStatus) -> Shown {
        Shown {
            user: self.user.clone(),
            replies: self.replies.clone(),
            status,
        }
    }

    /// The entry as it will stand if `reply` is all that is still shown: stored together with the
    /// round, so that a turn of a plain chat needs one strict commit.
    pub(crate) fn foresee(&mut self, reply: Message, status: ShownStatus) -> Shown {
        let mut entry = self.entry(status);
        entry.replies.push(reply);
        self.stored = Some(entry.clone());
        entry
    }

    /// The entry as it stands, which is about to be stored.
    pub(crate) fn store_now(&mut self, status: ShownStatus) -> Shown {
        let entry = self.entry(status);
        self.stored = Some(entry.clone());
        entry
    }

    /// Forgets that an entry was stored: its commit did not happen.
    pub(crate) fn not_stored(&mut self) {
        self.stored = None;
    }

    /// The entry, unless exactly this is stored already.
    pub(crate) fn left_to_store(&self, status: ShownStatus) -> Option<Shown> {
        let entry = self.entry(status);
        (self.stored.as_ref() != Some(&entry)).then_some(entry)
    }
}
