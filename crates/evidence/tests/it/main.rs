//! Verdicts on evidence after files change.
#![cfg(unix)]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "these tests make the files that are read, and fail by panicking"
)]

mod captures;
mod copies;
mod gone;
mod histories;
mod history;
mod hostile;
mod kept_verdicts;
mod lists;
mod moves;
mod noted;
mod quotations;
mod replays;
mod replays_of_changes;
mod rewritten;
mod states;
mod statuses;
mod support;
mod symbols;
