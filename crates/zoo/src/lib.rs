//! The zoo measures the quality of recall and repair on sample repositories with known answers.
//! Each sample is generated from a recipe, which is called an archetype. A case is one question, or
//! one action on evidence, with its expected result.
//!
//! - [`Metric`] names a measure, with its definition, unit and range. [`metric`] computes the
//!   values.
//! - [`Results`] holds the measured cases of a run and summarises them.
//! - [`check`] checks the results against [`Gate`]s, which set limits or compare with a baseline.
//!
//! Samples are generated in folders of their own, without access to the user's files or git
//! variables. A user's repository is only read, through `windlass_repo`.
//!
//! A gate is worth something only if a bad system fails it. The tests therefore include strategies
//! that trust everything, claim `gone` too soon, show everything, or print secrets, and the shipped
//! gates must fail all of them.
//!
//! We never count an undefined value as good, omit a failure, or write to a repository we haven't
//! created.

mod cases;
mod catalogue;
mod edited_during_run;
mod edits;
mod file_names;
mod folder;
mod gate;
mod history;
mod isolated_copy;
pub mod metric;
mod mined;
mod process;
mod questions;
mod recipe;
mod refresh;
pub mod report;
mod results;
mod run;
mod run_plan;
mod stats;
mod stored_runs;
mod subject;
mod system;
mod texts;
mod user_files;
mod user_repo;
mod zoo_error;

pub use cases::{CASES, read_cases, write_sample};
pub use catalogue::catalogue;
pub use edits::Draw;
pub use gate::{
    Checked, GATES, Gate, Gates, Held, Must, Number, OWN_GATES, Regression, changelog_line, check,
    named_in, read_gates,
};
pub use history::{Judge, judged};
pub use metric::{Definition, Metric};
pub use recipe::{Files, Gold, Kind, Question, Recipe, SHIPPED, Sample};
pub use results::{
    Baseline, CaseResult, Choice, Measured, Origin, Programs, Ranks, Results, SCHEMA_VERSION,
    Started, Summaries,
};
pub use run::{ZooRequest, archetypes, run};
pub use stats::{Comparison, Pair, Summary, compare, number};
pub use stored_runs::{Runs, StoredRuns};
pub use subject::Subject;
pub use system::{
    Answer, AnsweredPlace, Ask, BUILT_IN, Bm25, Grep, Ours, PATIENCE, Plain, Program, System,
    WholeFile, built_in, start,
};
pub use user_repo::run_repo;
pub use zoo_error::ZooError;

/// The name of Windlass itself as a measured system.
pub const OURS: &str = "windlass";
