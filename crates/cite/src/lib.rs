//! What Markdown documents cite of source files: `src/a.rs#L10-L20` in links, `src/a.rs:10-20` in text and code, and
//! fenced blocks whose first line names a file, or a comment right after it does.
//!
//! [`scan`] finds citations with their places in the document, [`rewrite`] writes other lines or another file in their
//! stead. Whether there is such a file, and what its lines are, is not known here.
//!
//! This crate must never take what stands in a block of code beyond that comment, in HTML or in a web address for a citation,
//! and never change a byte of a document beside the citations it is asked to rewrite.

mod blocks;
mod citation;
mod fence;
mod link;
mod listed;
mod rewrite;
mod scan;
mod token;

pub use citation::{Citation, Excerpt, Setting};
pub use rewrite::{NewCitation, rewrite};
pub use scan::scan;
