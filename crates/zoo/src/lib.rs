//! The zoo: how good recall and repair are, measured on sample repositories of which the answers are known.
//!
//! - [`Metric`] says what is measured, each with its definition, unit and range; [`metric`] computes it;
//! - [`Results`] holds what a run found, case by case, and sums it up;
//! - [`check`] holds it against [`Gate`]s, absolute and relative to a baseline.
//!
//! This crate must never take an undefined value for a good one, leave out what failed, or touch a repository that it
//! did not make itself.

mod error;
mod gate;
pub mod metric;
mod results;
mod stats;

pub use error::ZooError;
pub use gate::{Gate, Must, Number, Regression, check, number, read_gates};
pub use metric::{Definition, Metric};
pub use results::{Baseline, CaseResult, Choice, Results, Unwatched, Watcher};
pub use stats::{Comparison, Draw, Summary, compare};

/// The name of the system that is Windlass itself.
pub const OURS: &str = "windlass";
