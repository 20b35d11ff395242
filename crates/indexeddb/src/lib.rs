//! Storage on IndexedDB.
