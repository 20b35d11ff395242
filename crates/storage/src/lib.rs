//! The storage waist: keys, batches, the Storage trait, in-memory storage, its conformance suite.
