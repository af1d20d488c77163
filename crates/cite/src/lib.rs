//! Citations of repository files in documents: found, verified, anchored on request, and rewritten if their
//! text moved.
//!
//! [`CitationService`] is the entry point. The meaning of a citation comes from its code block, else from the
//! commit that wrote it, else from an anchor that was saved for it. [`scan`] and [`rewrite`] find and rewrite
//! citations in a text, without access to a repository.
//!
//! This crate must never treat text in a code block beyond its first comment, in HTML or in a web address as a
//! citation, and never change a byte of a document besides the citations it is asked to rewrite.

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
