//! Attacks on the real command, each with the expected refusal: hostile git folders, documents that
//! grow without end, terminal controls in everything printed, and abuse of the servers' protocols.
//! Planted links are in `tests/doors`.
#![cfg(target_os = "linux")]
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests make the files they need, and fail by panicking"
)]

mod bombs;
mod git_folders;
mod screens;
mod servers;
#[path = "../support/mod.rs"]
mod support;
