//! Limits for the work on one document and for the report about it. We haven't tuned any of these
//! figures on a data set yet (2026-11-29).

/// Maximum number of documents searched for the source of a copy.
pub(crate) const MAX_DOCUMENTS: usize = 40;

/// Maximum number of new citations whose sources we search, each in two spellings.
pub(crate) const MAX_PIECES: usize = 200;

/// Minimum number of letters and digits in a line, without its citations, for the line to identify
/// its source.
pub(crate) const MIN_LINE: usize = 12;

/// Maximum number of a document's commits to examine.
pub(crate) const MAX_COMMITS: u32 = 50;

/// Maximum length of a sentence on either side of a citation, in bytes.
pub(crate) const MAX_SENTENCE: usize = 2_000;

/// Maximum number of commits followed through edits of a citation's line.
pub(crate) const MAX_EDITS: usize = 200;

/// Maximum number of reported candidate locations.
pub(crate) const MAX_CANDIDATES: usize = 3;

/// Maximum number of citations in a document.
pub(crate) const MAX_CITATIONS: usize = 10_000;

/// Maximum length of an anchor name derived from a path, in bytes.
pub(crate) const MAX_NAME: usize = 80;

/// Maximum number of documents named in a suggested call.
pub(crate) const MAX_NAMED: usize = 8;
