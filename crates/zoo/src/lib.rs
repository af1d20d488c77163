//! The zoo: how good recall and repair are, measured on sample repositories of which the answers are known.
//!
//! - [`Metric`] says what is measured, each with its definition, unit and range; [`metric`] computes it;
//! - [`Results`] holds what a run found, case by case, and sums it up;
//! - [`check`] holds it against [`Gate`]s, absolute and relative to a baseline.
//!
//! This crate must never take an undefined value for a good one, leave out what failed, or write to a repository that it did not make
//! itself; those of users are read through `repo` alone.

mod drift;
mod error;
mod folder;
mod gate;
mod history;
mod kept;
pub mod metric;
mod mined;
mod plan;
mod process;
mod questions;
mod recipe;
mod refresh;
pub mod report;
mod results;
mod run;
mod stats;
mod system;

pub use drift::{Drift, DriftRequest, Say, drift};
pub use error::ZooError;
pub use gate::{Gate, Must, Number, Regression, check, number, read_gates};
pub use history::{Judge, judged};
pub use metric::{Definition, Metric};
pub use recipe::{Files, Gold, Kind, Question, Recipe, SHIPPED, Sample};
pub use results::{Baseline, CaseResult, Choice, Results, SCHEMA_VERSION};
pub use run::{ZooRequest, archetypes, run, run_repo};
pub use stats::{Comparison, Draw, Summary, compare};
pub use system::{
    Another, Answer, AnsweredPlace, Ask, BUILT_IN, Bm25, Grep, Ours, Program, System, WholeFile,
    built_in, start,
};

/// The name of the system that is Windlass itself.
pub const OURS: &str = "windlass";
