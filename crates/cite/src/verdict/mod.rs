//! Verifies citations.
//!
//! A citation is a pointer without a hash, so we first have to find the text it means. We use the
//! first of these sources that knows:
//!
//! - The citation's code block, if it shows everything that's cited (`shown_block`).
//! - The cited lines in the commit that wrote the citation into the document (`crate::history`). An
//!   edit next to the citation, or of another citation on its line, doesn't count as writing it.
//! - An anchor saved for this citation (`saved_anchors`), if no commit has it, if the history is
//!   truncated, or if git doesn't know the file.
//! - For an uncommitted citation, the citation it replaced. This source can only confirm: if the
//!   texts differ, the author may have meant another one.
//!
//! The text is then judged like any other evidence. If it was edited in place, the citation is
//! still correct.

mod citation_verdict;
mod judge_citation;
mod known_files;
mod predecessors;
mod saved_anchors;
mod shown_block;
mod witnesses;

pub(crate) use judge_citation::Judge;
pub use judge_citation::JudgedCitation;
pub(crate) use saved_anchors::{TAG, is_for, is_of_citation, label_for, pointers};
