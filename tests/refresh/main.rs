//! Refreshing a subsystem: `windlass run` on repositories that change under it.

#[path = "../support/mod.rs"]
mod support;

mod bounds;
mod commands;
mod faults;
mod scenario;
mod secrets;
mod steps;
