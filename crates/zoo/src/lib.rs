//! Measures how good recall and repair are, on sample repositories for which we know the answers.
//!
//! Each sample is generated from a recipe, which we call an archetype. A case is a question, or an
//! action on evidence, along with the result that we expect.
//!
//! - A [`Metric`] is something that we measure, with a definition, a unit and a range. The values
//!   are computed in [`metric`].
//! - [`Results`] are the cases that were measured in a run. They can be summarized and compared.
//! - [`check`] compares the results with [`Gate`]s, which are either limits or comparisons with a
//!   baseline.
//!
//! Samples are generated in folders of their own, without access to the user's files or to
//! variables of git. A user's repository is only ever read, through `windlass_repo`.
//!
//! A gate is useless if a bad system passes it. Therefore, our tests have systems that trust
//! everything, claim `gone` too early, show everything, or print secrets, and the gates that we
//! ship must fail each of them.
//!
//! When changing this crate, keep in mind that it must never take an undefined value for a good
//! one, leave out a failure, or write to a repository that it has not created.

mod cases;
mod catalogue;
mod documents;
mod edited_during_run;
mod edits;
mod folder;
mod gate;
mod history;
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
mod system;
mod texts;
mod user_files;
mod user_repo;
mod zoo_error;

pub use cases::{CASES, read_cases};
pub use catalogue::catalogue;
pub use edits::Draw;
pub use gate::{
    Checked, GATES, Gate, Gates, Held, Must, Number, Regression, changelog_line, check, named_in,
    read_gates,
};
pub use history::{Judge, judged};
pub use metric::{Definition, Metric};
pub use recipe::{Files, Gold, Kind, Question, Recipe, SHIPPED, Sample};
pub use results::{
    Baseline, CaseResult, Choice, Measured, Origin, Ranks, Results, SCHEMA_VERSION, Summaries,
};
pub use run::{ZooRequest, archetypes, run};
pub use stats::{Comparison, Pair, Summary, compare, number};
pub use stored_runs::{Runs, StoredRuns};
pub use system::{
    Answer, AnsweredPlace, Ask, BUILT_IN, Bm25, Grep, Ours, Plain, Program, System, TIMEOUT,
    WholeFile, built_in, start,
};
pub use user_repo::run_repo;
pub use zoo_error::ZooError;

/// The name of Windlass among the systems.
pub const OURS: &str = "windlass";
