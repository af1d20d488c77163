//! Run records. A record is an append-only file for a single run, in the state folder of the repository.
//!
//! The first line describes the run ([`RunHead`]). One line per event follows, then the pack and the outcome. If the
//! process is killed, the record lacks its end but remains usable. A lock on the file shows whether the run is still
//! open.
//!
//! - A record belongs to a working tree. Records of other repositories and working trees are not shown.
//! - A record contains no secret value. An output or input that contains one is omitted as a whole.
//! - Recording does not change the pack, which has the same bytes with and without a record.
//! - One run in eight removes old records. Their number, age and total size are limited. Open records are never
//!   removed.

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
