//! Records of runs. A record is an append-only file about a single run, in the state folder of the
//! repository.
//!
//! The first line describes the run ([`RunHead`]). It is followed by the events, one per line, and
//! finally by the pack and the outcome. If the process is killed, the record has no end, but the
//! rest is still usable. A run counts as open while its process holds the lock on the file.
//!
//! - A record belongs to one working tree. We don't show records from others, or from other
//!   repositories.
//! - Secret values never end up in a record. If an output or input contains a secret, all of it is
//!   left out.
//! - The pack is the same, byte for byte, with and without a record.
//! - The number, age and total size of records are limited. Removing old ones takes time, so only
//!   one run in eight does it. Open records are never removed.

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
pub use run_id::RunId;
pub(crate) use run_recorder::{RecordLimits, Recorder};
pub use run_summary::{RunState, RunSummary, StepSummary};
