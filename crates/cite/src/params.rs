//! Limits of the work on one document, and of what is told of it. No data set stands behind any of these figures so far (2026-11-29).

/// The most documents that are read.
pub(crate) const MAX_DOCUMENTS: usize = 40;

/// By how many of the citations of the new document they are looked for, each in two ways of writing.
pub(crate) const MAX_PIECES: usize = 200;

/// The fewest letters and digits of a line, without what it cites, that tells by itself where it is from.
pub(crate) const MIN_LINE: usize = 12;

/// How many commits that touched the document are looked at.
pub(crate) const MAX_COMMITS: u32 = 50;

/// How many bytes of a sentence are read on either side of what it cites.
pub(crate) const MAX_SENTENCE: usize = 2_000;

/// How many commits that edited the line of a citation are gone back through.
pub(crate) const MAX_EDITS: usize = 200;

/// How many places are named where none is claimed.
pub(crate) const MAX_CANDIDATES: usize = 3;

/// The most citations of one document.
pub(crate) const MAX_CITATIONS: usize = 10_000;

/// The longest part of a name that is taken from a path, in bytes.
pub(crate) const MAX_NAME: usize = 80;

/// The most documents that a call names.
pub(crate) const MAX_NAMED: usize = 8;
