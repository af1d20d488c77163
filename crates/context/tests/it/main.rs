//! Packs from outside.
#![allow(
    clippy::allow_attributes,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

mod budget;
mod documents;
mod merging;
mod support;
