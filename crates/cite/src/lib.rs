//! What documents cite of the repository: found, judged, anchored on request, and written anew where it moved.
//!
//! [`CitationService`] is the front door. What a block of code shows says by itself which text is meant. Else the commit knows it that
//! wrote the citation into the document; where there is none, an anchor that was saved for it. [`scan`] and [`rewrite`] find
//! citations in a text and write them anew, and know no repository.
//!
//! This crate must never take what stands in a block of code beyond its first comment, in HTML or in a web address for a citation,
//! and never change a byte of a document beside the citations it is asked to rewrite.

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
