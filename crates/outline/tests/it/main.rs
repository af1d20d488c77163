//! Tests outlines of snippets, and of bytes other than source code.
#![allow(
    clippy::allow_attributes,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

mod bounds;
mod find;
mod imports;
mod languages;
mod random;
mod support;
