//! Limits for the work on one document and for the report about it. All of these are guesses: none
//! was tuned on a data set (2026-11-29).

/// Maximum number of documents to read in search of a copied citation's original.
///
/// If the original is not among them, the commit that copied the citation counts as its writer.
pub(crate) const MAX_DOCUMENTS: usize = 40;

/// Maximum number of new citations to search for their originals, each in two spellings.
pub(crate) const MAX_PIECES: usize = 200;

/// Minimum number of letters and digits in a line outside its citations. A shorter line does not
/// identify the document it was copied from.
pub(crate) const MIN_LINE: usize = 12;

/// Number of a document's newest commits to search for renumbered citations. For older changes, we
/// rely on blame.
pub(crate) const MAX_COMMITS: u32 = 50;

/// Maximum length of a sentence before and after a citation, in bytes.
pub(crate) const MAX_SENTENCE: usize = 2_000;

/// Maximum number of edits of its line when tracing a citation. After that, the oldest commit found
/// so far counts as the writer.
pub(crate) const MAX_EDITS: usize = 200;

/// Maximum number of candidate locations to report for an ambiguous text.
pub(crate) const MAX_CANDIDATES: usize = 3;

/// Maximum number of citations per document. Further ones are ignored.
pub(crate) const MAX_CITATIONS: usize = 10_000;

/// Maximum size of a path in the name of an anchor, in bytes.
pub(crate) const MAX_NAME: usize = 80;

/// Maximum number of documents to name in a suggested call.
pub(crate) const MAX_NAMED: usize = 8;
