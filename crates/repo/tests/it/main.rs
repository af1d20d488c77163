//! Tests of the public interface.
#![cfg(unix)]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "these tests make the files that are read, and fail by panicking"
)]

mod discover;
mod git;
mod guard;
mod hostile;
mod hostile_settings;
mod ignored;
#[path = "../../../redact/tests/it/made_secrets.rs"]
mod made_secrets;
mod owner;
mod search;
mod shown_secrets;
mod since;
mod snapshot;
mod support;
#[path = "../../../redact/tests/it/syntaxes.rs"]
mod syntaxes;
