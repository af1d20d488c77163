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
mod drift;
mod error;
mod folder;
mod gate;
mod history;
mod kept;
mod meanwhile;
pub mod metric;
mod mined;
mod own;
mod own_files;
mod own_folder;
mod place;
mod plan;
mod process;
mod questions;
mod recipe;
mod refresh;
pub mod report;
mod results;
mod run;
mod shared;
mod shorter;
mod stats;
mod subject;
mod system;
mod texts;
mod written;

pub use cases::{CASES, read_cases, write_sample};
pub use drift::{Drift, DriftReport, DriftRequest, Say, Word, drift, drift_words};
pub use error::ZooError;
pub use gate::{
    Checked, Gate, Gates, Held, Must, Number, OUTPUT, Regression, Wrong, changelog_line, check,
    named_in, number, read_gates,
};
pub use history::{Judge, judged};
pub use metric::{Definition, Metric};
pub use own::{origin_of, run_repo};
pub use recipe::{Files, Gold, Kind, Question, Recipe, SHIPPED, Sample};
pub use results::{
    Baseline, CaseResult, Choice, Measured, Origin, Programs, Ranks, Results, SCHEMA_VERSION,
    Started, Summaries,
};
pub use run::{ZooRequest, archetypes, run};
pub use stats::{Comparison, Draw, Pair, Summary, compare, compare_groups};
pub use subject::Subject;
pub use system::{
    Another, Answer, AnsweredPlace, Ask, BUILT_IN, Bm25, Grep, Ours, PATIENCE, Plain, Program,
    System, WholeFile, built_in, start,
};

/// The name of the system that is Windlass itself.
pub const OURS: &str = "windlass";
