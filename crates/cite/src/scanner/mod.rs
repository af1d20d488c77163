//! Scanner for citations of source files in Markdown.
//!
//! We recognise `src/a.rs#L10-L20` in links and `src/a.rs:10-20` in text and code. Fenced blocks
//! may name a file in their first line or in a comment right after it.
//!
//! [`scan`] finds citations with their positions. [`rewrite`] replaces their lines or files.
//! Neither checks that the files exist.

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
