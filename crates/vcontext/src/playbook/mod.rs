//! Playbooks, which are logs of events that only grow.
//!
//! The entries depend on the set of events, but not on their order (`fold`).
//!
//! [`migrate`](crate::migrate()) and deduplication derive events from contents. The names and the
//! times of these events come from the same contents, so we can process copies separately and still
//! merge them.

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
pub use merge::{MergedPlaybook, merge_playbooks};
pub(crate) use metrics::same_confidence;
pub use metrics::{Metrics, derived_metrics};
pub(crate) use thread::{Event, RESOLVES, Threads};
