//! Verification of cited lines.

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
