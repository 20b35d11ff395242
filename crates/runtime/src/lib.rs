//! The driver: performs the effects of a run against storage and host.
