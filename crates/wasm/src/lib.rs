//! The boundary to JavaScript: handles, conversion, callbacks, lifetime.
