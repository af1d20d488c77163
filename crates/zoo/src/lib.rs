//! The zoo: how good recall and repair are, measured on sample repositories of which the answers are known.
//!
//! - [`Metric`] says what is measured, each with its definition, unit and range; [`metric`] computes it;
//! - [`Results`] holds what a run found, case by case, and sums it up;
//! - [`check`] holds it against [`Gate`]s, absolute and relative to a baseline.
//!
//! This crate must never take an undefined value for a good one, leave out what failed, or write to a repository that it did not make
//! itself; those of users are read through `repo` alone.

mod alone;
mod cases;
mod catalogue;
mod edits;
mod file_names;
mod folder;
mod gate;
mod history;
mod kept_runs;
mod meanwhile;
pub mod metric;
mod mined;
mod own;
mod own_files;
mod process;
mod questions;
mod recipe;
mod refresh;
pub mod report;
mod results;
mod run;
mod run_plan;
mod stats;
mod subject;
mod system;
mod texts;
mod zoo_error;

pub use cases::{CASES, read_cases, write_sample};
pub use catalogue::catalogue;
pub use edits::Draw;
pub use gate::{
    Checked, GATES, Gate, Gates, Held, Must, Number, OWN_GATES, Regression, changelog_line, check,
    named_in, read_gates,
};
pub use history::{Judge, judged};
pub use kept_runs::{KeptRuns, Runs};
pub use metric::{Definition, Metric};
pub use own::run_repo;
pub use recipe::{Files, Gold, Kind, Question, Recipe, SHIPPED, Sample};
pub use results::{
    Baseline, CaseResult, Choice, Measured, Origin, Programs, Ranks, Results, SCHEMA_VERSION,
    Started, Summaries,
};
pub use run::{ZooRequest, archetypes, run};
pub use stats::{Comparison, Pair, Summary, compare, number};
pub use subject::Subject;
pub use system::{
    Answer, AnsweredPlace, Ask, BUILT_IN, Bm25, Grep, Ours, PATIENCE, Plain, Program, System,
    WholeFile, built_in, start,
};
pub use zoo_error::ZooError;

/// The name of the system that is Windlass itself.
pub const OURS: &str = "windlass";
