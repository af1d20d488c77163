//! Tests the properties of vContext documents.
#![allow(
    clippy::allow_attributes,
    clippy::panic,
    clippy::unwrap_used,
    missing_docs,
    reason = "tests fail by panicking"
)]

mod check;
mod check_logs;
mod edit;
mod gate;
mod large;
mod links;
mod markdown;
mod merge;
mod merge_rules;
mod migrate;
mod model;
mod patch;
mod plan;
mod playbook;
mod playbook_copies;
mod reading;
mod select;
mod specification;
mod support;
mod writing;
mod xbrief;
