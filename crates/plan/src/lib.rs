//! Documents to DAG: runbook YAML becomes a checked [`Plan`], and [`Schedule`] says what may run when.
//!
//! Everything here is pure. This crate must never read a file, the clock or the environment, start a
//! process, or know what a step does: kinds of steps come in as data.

mod schedule;
mod step_index;

pub use schedule::{
    Action, Because, Event, Halt, NodeSpec, Outcome, Rejected, RetryPolicy, Schedule,
    ScheduleOptions, Status,
};
pub use step_index::StepIndex;
