//! Remembers what the contributors of a repository have learned, in plain Markdown that travels
//! with the repository.
//!
//! A memory consists of records (decisions, open loops, context and events), impressions and
//! feedback. An impression is a JSON line with keywords for a record, and feedback is a user's
//! verdict on a recall. For example, `memory/decisions/cache.md` may explain why results are
//! cached. If its impression has the keywords `cache` and `latency`, the question "why do we cache
//! results" will recall it.
//!
//! - [`MemoryService`] has the operations: it recalls from the memory, changes it atomically under
//!   a lock, and checks and fixes it.
//! - [`Memory`] holds the parsed files, and [`check`] reports problems in them.
//! - [`RecallIndex`] ranks records for a question, and estimates how certain we can be of the best
//!   one.
//! - [`Draft`] edits files in place, so that handwritten text and unknown fields stay the same byte
//!   for byte.
//!
//! We cache an index for each state of the files in the user's cache folder. Since an index can be
//! rebuilt at any time, there is no need to migrate it: a new version of Windlass simply ignores
//! old ones.
//!
//! Everyone who clones the repository gets the memory. So whatever we write, print or report must
//! not contain a secret that [`windlass_redact`] can detect. We only read the user's files through
//! a [`windlass_repo::Snapshot`], and take the time from a [`windlass_site::Site`].

mod check;
mod draft;
mod error;
mod file_change;
mod fix;
mod give_feedback;
mod index_file;
mod markdown;
mod recall;
mod records;
mod remember;
mod service;
mod state;
#[cfg(test)]
mod testing;
mod texts;
mod transaction;
mod unshared;

pub use check::check;
pub use draft::Draft;
pub(crate) use draft::line_end;
pub use error::{MemoryError, UnfinishedChange};
pub use file_change::Change;
pub(crate) use fix::fix_ignore;
pub use fix::{Fix, fix};
pub use give_feedback::NewFeedback;
pub(crate) use give_feedback::{give_feedback, may_be_noted};
pub(crate) use index_file::index_all;
pub use recall::{
    Hit, Level, Passage, Query, QueryWord, Ranking, RecallIndex, Recallable, TermShare, Tuning,
    best_passage, best_window, build_index, matched_by_line, passages,
};
pub(crate) use recall::{INDEX_VERSION, PASSAGE, build_other_index, fields_for, listed_words};
pub use records::feedback::{Feedback, Outcome};
pub use records::impression::Impression;
pub use records::keywords::suggest_keywords;
pub use records::kind::{RecordKind, Status};
pub use records::record::Record;
pub use remember::{NewRecord, Remembered, Replaced};
pub(crate) use remember::{remember, supersede, update};
pub use service::{
    AlsoSource, Explained, FeedbackNoted, Indexed, Learned, Loaded, LoadedField, MemoryChange,
    MemoryCheck, MemoryCheckRequest, MemoryInit, MemoryInitRequest, MemoryService, MemoryStats,
    PartsToSay, RecallAnswer, RecallBudget, RecallFormat, RecallReport, RecallRequest, Recalled,
    Recaller, Recollection, RememberRequest, RememberWork, WrittenFile, memory_check_schema,
};
pub use state::memory::Memory;
pub use state::memory_files::{Contents, Files};
pub(crate) use state::templates::not_said;
pub use state::templates::starting_files;
pub use texts::conflict_marks::has_conflict_marks;
pub(crate) use texts::day::is_date;
pub use texts::front_matter::FrontMatter;
pub use texts::json_lines::{FaultyLine, JsonLine};
pub use texts::layout::{FEEDBACK, FOLDER, IMPRESSIONS, INDEX, PRIVATE, SUMMARY};
pub(crate) use texts::layout::{JOURNAL, is_leftover, is_private};
pub(crate) use texts::scope::{is_scope, project_id_of};
pub use transaction::{Committed, Recovery};
pub(crate) use transaction::{commit, recover};
