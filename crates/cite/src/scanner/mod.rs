//! What a Markdown document cites of source files: `src/a.rs#L10-L20` in links, `src/a.rs:10-20` in text and code, and
//! fenced blocks whose first line names a file, or a comment right after it does.
//!
//! [`scan`] finds citations with their places in the document, [`rewrite`] writes other lines or another file in their
//! stead. Whether there is such a file, and what its lines are, is not known here.

mod citation;
mod citation_rewrite;
mod citation_scan;
mod document_pieces;
mod fenced_block;
mod line_starts;
mod link_target;
mod listed_lines;
mod path_token;

pub use citation::{Citation, Excerpt, Setting};
pub use citation_rewrite::{NewCitation, rewrite};
pub use citation_scan::scan;
