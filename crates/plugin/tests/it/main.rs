//! Tests plugins with guests that are correct, faulty or hostile.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs,
    reason = "tests make the files they need, and fail by panicking"
)]

mod capabilities;
mod cards;
mod hostile;
mod isolation;
mod preparing;
mod support;
