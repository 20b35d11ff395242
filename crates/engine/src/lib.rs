//! A run as a pure state machine: step(input) gives effects.
