//! Verification of citations.
//!
//! A citation is a pointer without a hash, so the text that it means has to be found first. The first of these sources
//! that knows the text is used:
//!
//! - the code block of the citation, if it shows everything that is cited (`shown_block`);
//! - the cited lines in the commit that wrote the citation into the document (`crate::history`). An edit next to the
//!   citation, or of another citation on its line, does not count as writing it;
//! - an anchor that was saved for this citation (`saved_anchors`), if no commit has it, if the history is truncated, or
//!   if git does not know the file;
//! - for an uncommitted citation, the citation that it replaced. This source can only confirm: if the texts differ, the
//!   author may have meant another one.
//!
//! The text is then judged like any other evidence. If it was edited in place, the citation is still correct.

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
