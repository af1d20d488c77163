//! Refreshing a subsystem: `windlass run` on repositories that change under it.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

#[path = "../support/mod.rs"]
mod support;

mod bounds;
// These need programs, pipes and links of Unix.
#[cfg(unix)]
mod commands;
mod documents;
#[cfg(unix)]
mod encodings;
mod exits;
#[cfg(unix)]
mod faults;
#[cfg(unix)]
mod incomplete;
mod outline;
#[cfg(unix)]
mod secrets;
mod steps;
mod tron;
