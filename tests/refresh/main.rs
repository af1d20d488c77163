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
mod commands;
mod faults;
mod scenario;
mod secrets;
mod steps;
