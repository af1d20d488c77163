//! Tests of the format as a whole: what is read, what is refused and why, what is written.
#![allow(
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests read the examples, and fail by panicking"
)]

mod corpus;
mod fuzzed;
mod mutate;
mod odd;
mod properties;
mod reading;
mod specification;
mod strict;
mod support;
mod typed;
mod writing;
