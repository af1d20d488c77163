//! The format: accepted texts, refused texts, and written texts.
#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests read the examples, and fail by panicking"
)]

mod corpus;
mod odd;
mod properties;
mod reading;
mod specification;
mod strict;
mod support;
mod typed;
mod writing;
