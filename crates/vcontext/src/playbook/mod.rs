//! Playbooks: logs of events that only ever grow.
//!
//! The entries depend on the set of events, but not on their order (`fold`). Some events are
//! derived from contents, such as those of [`migrate`](crate::migrate()) and deduplication. We
//! derive their names and times from the same contents, so that copies processed separately can
//! still be merged.

mod append;
mod dedupe;
mod fold;
mod merge;
mod metrics;
mod thread;

pub(crate) use append::refresh;
pub use append::{AppendError, Appended, NewEvent, append_event};
pub use dedupe::{Deduplicated, Duplicate, deduplicate};
pub(crate) use fold::counting;
pub use fold::{Entry, Folded, fold};
pub use merge::{EventConflict, MergedPlaybook, merge_playbooks};
pub(crate) use metrics::same_confidence;
pub use metrics::{Metrics, derived_metrics};
pub(crate) use thread::{Event, RESOLVES, Threads};
