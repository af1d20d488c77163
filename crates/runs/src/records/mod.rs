//! Run records. A record is an append-only file about a single run, in the repository's state
//! folder.
//!
//! The first line describes the run ([`RunHead`]). It's followed by a line for each event, then the
//! pack and the outcome. If the process is killed, the end is missing but the rest remains usable.
//! A run counts as open for as long as its process holds the lock on the file.
//!
//! - A record belongs to one working tree. We don't show records of other repositories and working
//!   trees.
//! - Secret values never end up in a record. An output or input with a secret is omitted as a
//!   whole.
//! - A pack has the same bytes with and without a record.
//! - Records are limited in number, age and total size. To save time, only one run in eight removes
//!   old ones. Open records are never removed.

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
