//! Scanner for citations of source files in Markdown.
//!
//! The scanner recognizes `src/a.rs#L10-L20` in links, and `src/a.rs:10-20` in text and code. A
//! fenced block may cite lines after its opening fence, or in a comment on its first line.
//!
//! [`scan`] finds citations with their positions, and [`rewrite`] changes their lines or paths.
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
