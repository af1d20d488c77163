//! Playbooks: logs of events that only grow.
//!
//! The entries depend on the set of events, not on their order (`fold`). Events that are derived from
//! contents, as by [`migrate`](crate::migrate()) and deduplication, get their names and times from these
//! contents, so that copies processed separately can still be merged.

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
