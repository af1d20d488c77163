//! What happens during a run, kept as it happens: one JSON line an event, in a file that only grows.
//!
//! Writing is done aside, so that the run does not wait for it; when it fails, the run goes on and the
//! record ends early. What is written at most [`PAUSE`] before the process is killed may be missing.

mod entry;
mod recorder;

pub use entry::{RunEntry, TimedEntry};
pub use recorder::{Elapsed, PAUSE, RecordLimits, Recorder};
