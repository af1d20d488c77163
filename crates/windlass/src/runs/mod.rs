//! Records of runs: one file a run, which only grows, in the state folder of its repository.
//!
//! The first line says what was run ([`RunHead`]), then one line an event follows, then the pack, then how it
//! ended. A process that is killed leaves a record without its end, which serves all the same.

mod compare;
mod earlier;
mod error;
mod files;
mod format;
mod id;
mod recording;
mod replay;
mod resume;
mod summary;

pub use compare::{RunChange, RunComparison, RunSectionDiff};
pub(crate) use earlier::Kept;
pub use error::RunError;
pub use format::{RecordedRunbook, RunEnd, RunHead, RunRecord};
pub use id::RunId;
pub(crate) use recording::{Recording, failed};
pub use replay::Replay;
pub use resume::Resumption;
pub use summary::{RunState, RunSummary, StepSummary};
