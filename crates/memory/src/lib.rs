//! The memory of a repository, as plain Markdown that travels with it: records of decisions, open loops, context and
//! events; one-line impressions that lead to them; feedback on what was recalled.
//!
//! - [`Memory`] is what was read of it, [`check`] says what is wrong with it, [`fix`] mends what is safe to mend;
//! - [`RecallIndex`] finds again what somebody asks for, and says how sure that is;
//! - [`remember`], [`update`], [`supersede`] and [`give_feedback`] write down what is to be kept;
//! - [`Draft`] changes texts: what a person wrote keeps its bytes, fields nobody knows stay where they are;
//! - [`commit`] writes several files as one, and [`recover`] brings to an end what was interrupted.
//!
//! This crate must never read the user's files but through a [`windlass_repo::Snapshot`], never look at the clock, and never
//! put into a memory, an answer or a finding what [`windlass_repo`]'s rules take for a secret.

mod bytes;
mod check;
mod codec;
mod copied;
mod date;
mod draft;
mod entries;
mod error;
mod everyday;
mod feedback;
mod files;
mod fix;
mod front_matter;
mod give_feedback;
mod head;
mod impression;
mod index;
mod json_lines;
mod json_patch;
mod keywords;
mod kind;
mod known;
mod layout;
mod markdown;
mod memory;
mod reading;
mod recall;
mod record;
mod remember;
mod scope;
mod templates;
#[cfg(test)]
mod testing;
mod text;
mod transaction;

pub use check::{check, has_conflict_marks};
pub use date::is_date;
pub use draft::{Change, Draft, line_end};
pub use error::{MemoryError, UnfinishedChange};
pub use feedback::{Feedback, Outcome};
pub use files::{Contents, Files};
pub use fix::{Fix, fix, fix_ignore};
pub use front_matter::FrontMatter;
pub use give_feedback::{NewFeedback, give_feedback, may_be_noted};
pub use impression::Impression;
pub use index::index_all;
pub use json_lines::{FaultyLine, JsonLine};
pub use keywords::suggest_keywords;
pub use kind::{RecordKind, Status};
pub use known::{KnownFiles, Marks};
pub use layout::{
    FEEDBACK, FOLDER, IMPRESSIONS, INDEX, JOURNAL, PRIVATE, SUMMARY, is_leftover, is_private,
};
pub use memory::Memory;
pub use recall::{
    Hit, INDEX_VERSION, Level, PASSAGE, Passage, Query, QueryWord, Ranking, RecallIndex,
    Recallable, Renewed, TermShare, Tuning, best_passage, best_window, build_index,
    build_other_index, fields_for, matched_by_line, passages, renew_index, words_told,
};
pub use record::Record;
pub use remember::{CHANGES, NewRecord, Remembered, Replaced, remember, supersede, update};
pub use scope::{is_scope, project_id_of};
pub use templates::{not_said, starting_files};
pub use text::{ReadText, Text};
pub use transaction::{Committed, Recovery, commit, recover};
