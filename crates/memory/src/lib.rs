//! Conversation memory: messages, histories, views, threads.
