//! The memory of a repository, stored as plain Markdown that travels with it.
//!
//! A memory consists of records (decisions, open loops, context and events), impressions and
//! feedback. An impression is one JSON line with the keywords that lead to a record, and feedback
//! says whether a recall helped. Suppose `memory/decisions/cache.md` explains why results are
//! cached. An impression with the keywords `cache` and `latency` leads to it, and asking "why do we
//! cache results" recalls it.
//!
//! - [`MemoryService`] recalls from the memory, changes it atomically under a lock, and checks and
//!   fixes it.
//! - [`Memory`] holds the parsed files, and [`check`] reports problems in them.
//! - [`RecallIndex`] ranks records for a question and estimates how sure it is of the best one.
//! - [`Draft`] edits files in place. Text written by people keeps its bytes, and unknown fields
//!   survive.
//!
//! Caches in the user's cache folder save us from reading unchanged files. We discard a cache
//! written by another version instead of migrating it, since it can be rebuilt at any time.
//!
//! This crate reads the user's files only through a [`windlass_repo::Snapshot`] and the time only
//! from its [`windlass_site::Site`]. A memory is shared with everyone who clones the repository.
//! Text that [`windlass_redact`] detects as a secret must therefore never enter a memory, an answer
//! or a finding.

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
    Hit, Level, Passage, Query, QueryWord, Ranking, RecallIndex, Recallable, Renewed, TermShare,
    Tuning, best_passage, best_window, build_index, matched_by_line, passages, renew_index,
};
pub(crate) use recall::{
    INDEX_VERSION, PASSAGE, base_of, build_other_index, fields_for, listed_words, no_changes,
};
pub use records::feedback::{Feedback, Outcome};
pub use records::impression::Impression;
pub use records::keywords::suggest_keywords;
pub use records::kind::{RecordKind, Status};
pub use records::record::Record;
pub(crate) use remember::{CHANGES, remember, supersede, update};
pub use remember::{NewRecord, Remembered, Replaced};
pub use service::{
    AlsoSource, Explained, FeedbackNoted, Indexed, Learned, Loaded, LoadedField, MemoryChange,
    MemoryCheck, MemoryCheckRequest, MemoryInit, MemoryInitRequest, MemoryService, MemoryStats,
    PartsToSay, RecallAnswer, RecallBudget, RecallFormat, RecallReport, RecallRequest, Recalled,
    Recaller, Recollection, RememberRequest, RememberWork, WrittenFile, memory_check_schema,
};
pub use state::known::{KnownFiles, Marks};
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
pub use texts::read_text::{ReadText, Text};
pub(crate) use texts::scope::{is_scope, project_id_of};
pub use transaction::{Committed, Recovery};
pub(crate) use transaction::{commit, recover};
