//! What became of the lines that a document cites.

mod judge;
mod known_files;
mod predecessors;
mod saved_anchors;
mod shown_block;
mod told;
mod witnesses;

pub(crate) use judge::Judge;
pub use judge::JudgedCitation;
pub(crate) use saved_anchors::{TAG, is_for, is_of_citation, label_for, pointers};
