//! A repository as the other crates see it.
#![cfg(unix)]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "these tests make the files that are read, and fail by panicking"
)]

mod assigned_secrets;
mod discover;
mod encoded_keys;
mod git;
mod guard;
mod hostile;
mod hostile_settings;
mod ignored;
mod issuers;
mod owner;
mod passwords;
mod redaction;
mod search;
mod since;
mod snapshot;
mod support;
