//! What the tests of this crate share.
#![allow(dead_code, clippy::allow_attributes, reason = "each test binary uses some of it")]

pub(crate) mod notation;
