//! Run records: one append-only file per run, in the state folder of its repository.
//!
//! The first line describes the run ([`RunHead`]); one line per event follows, then the pack, then the
//! outcome. The record of a killed process lacks its end, but remains usable; its lock tells it from an open
//! one.
//!
//! - A record belongs to a working tree. Records of other repositories and working trees are not shown.
//! - A record contains no secret value: an output or input with one is omitted as a whole.
//! - Recording never changes a pack: it has the same bytes with and without a record.
//! - Old records are removed in one of eight runs, by number, age and total size; an open record never is.

mod compare_runs;
mod record_files;
mod record_format;
mod run_entry;
mod run_id;
mod run_recorder;
mod run_summary;
#[cfg(test)]
mod tests;

pub use compare_runs::{RunChange, RunComparison, RunSectionDiff};
pub(crate) use record_files::ENDING;
pub use record_files::RunRecords;
pub(crate) use record_format::{Line, SCHEMA_VERSION};
pub use record_format::{RecordedRunbook, RunEnd, RunHead, RunRecord};
pub(crate) use run_entry::RunEntry;
pub use run_id::RunId;
pub(crate) use run_recorder::{RecordLimits, Recorder};
pub use run_summary::{RunState, RunSummary, StepSummary};
