//! Decides whether a citation is still right.
//!
//! A citation is a pointer without a hash, so its text has to be found first. The first of these
//! sources with an answer decides:
//!
//! - The citation's code block, if it shows all of the cited lines (`shown_block`).
//! - The cited lines in the commit that wrote the citation into the document (`crate::history`).
//!   Editing the text next to it, or another citation on its line, doesn't count as writing it.
//! - An anchor saved for this citation (`saved_anchors`), if no commit contains it, if the history
//!   is truncated, or if that commit lacks the file.
//! - The citation replaced by an uncommitted one (`predecessors`). This can confirm the new
//!   citation but not refute it, since the author may have meant other lines on purpose.
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
