//! Citations of repository files in Markdown documents, such as `src/a.rs:10-20`. This crate finds
//! and verifies them, saves anchors for them on request, and rewrites them when the cited text has
//! moved.
//!
//! A line number alone doesn't identify the text. The code block below the citation, the commit
//! that wrote it, or an anchor saved for it do, in this order. [`CitationService`] does all this
//! for a repository. [`scan`] and [`rewrite`] work on a string and need no repository.
//!
//! Two things must never happen. Text in HTML, in a web address, or after the first comment of a
//! code block must not count as a citation. And a rewrite must not change a byte outside the
//! requested citations and their code blocks.

mod citation_error;
mod citation_service;
mod cited_document;
mod cited_lines;
mod cited_path;
mod history;
mod params;
mod rewritten_documents;
mod saved_citations;
mod scan_report;
mod scanner;
#[cfg(test)]
mod testing;
mod verdict;

pub use citation_error::CitationError;
pub use citation_service::CitationService;
pub use cited_lines::{CitedLines, Meant};
pub use scan_report::{RepairDepth, Scan, ScanRequest, UnreadDocument, calls_that_repair};
pub use scanner::{Citation, Excerpt, NewCitation, Setting, rewrite, scan};
pub use verdict::JudgedCitation;
