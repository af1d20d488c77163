//! Tests of real output of programs.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

mod damaged;
mod printed;
mod reports;
