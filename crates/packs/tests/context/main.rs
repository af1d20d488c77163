//! Tests context packs through the public interface.
#![allow(
    clippy::allow_attributes,
    clippy::disallowed_methods,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

mod budget;
mod documents;
mod merged_counts;
mod merging;
mod support;
