//! Tests of the notebook as a file on disk.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "these tests make the files that are read, and fail by panicking"
)]

mod adoption;
mod damage;
mod edits;
mod history;
mod judging;
mod salvage;
mod shared;
mod suggestions;
mod support;
mod unknown_fields;
