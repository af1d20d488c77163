//! Citations of repository files in documents, such as `src/a.rs:10-20`. This crate finds and
//! verifies them, saves anchors for them on request, and rewrites them if the cited text has moved.
//!
//! [`CitationService`] is the entry point. A line number alone doesn't show which text its author
//! meant. We know that from the citation's code block, from the commit that wrote the citation, or
//! from an anchor saved for it, in this order. [`scan`] and [`rewrite`] find and rewrite citations
//! in a text, without access to a repository.
//!
//! This crate must never treat as a citation any text in HTML, in a web address, or in a code block
//! after its first comment. Nor must it ever change a byte of a document outside the citations it's
//! asked to rewrite.

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
