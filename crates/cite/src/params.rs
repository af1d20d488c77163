//! Limits of the work on one document and of its report. None of these figures is tuned on a data set yet
//! (2026-11-29).

/// Maximum number of documents searched as sources of copies.
pub(crate) const MAX_DOCUMENTS: usize = 40;

/// Maximum number of new citations used to search for sources, each in two spellings.
pub(crate) const MAX_PIECES: usize = 200;

/// Minimum number of letters and digits for a line without its citations to identify its source.
pub(crate) const MIN_LINE: usize = 12;

/// Maximum number of examined commits of a document.
pub(crate) const MAX_COMMITS: u32 = 50;

/// Maximum length of a sentence on either side of a citation, in bytes.
pub(crate) const MAX_SENTENCE: usize = 2_000;

/// Maximum number of commits followed for edits of a citation's line.
pub(crate) const MAX_EDITS: usize = 200;

/// Maximum number of candidate locations reported.
pub(crate) const MAX_CANDIDATES: usize = 3;

/// Maximum number of citations of a document.
pub(crate) const MAX_CITATIONS: usize = 10_000;

/// Maximum length of an anchor name derived from a path, in bytes.
pub(crate) const MAX_NAME: usize = 80;

/// Maximum number of documents named in a call.
pub(crate) const MAX_NAMED: usize = 8;
