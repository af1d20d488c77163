//! Tests packs with evidence in real files.
#![cfg(unix)]
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    clippy::panic,
    reason = "these tests make the files that are read, and fail by panicking"
)]

mod budget;
mod diff;
mod html;
mod modes;
mod paging;
mod random;
mod selection;
mod support;
mod trust;
