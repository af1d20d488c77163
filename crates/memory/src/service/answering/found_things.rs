//! Matches of a recall from any source.

use std::sync::Arc;

use windlass_base::Pointer;
use windlass_repo::SourceFile;

use super::recollection::{LoadedField, Recalled};

/// A match, together with the text that may be loaded for it.
pub(super) struct Found {
    /// Confidence in thousandths, which decides the answer's level.
    pub(super) level_score: u32,
    pub(super) recalled: Recalled,
    /// Source of the text to load.
    pub(super) says: Says,
    /// True if the record has conflict markers.
    pub(super) is_unmerged: bool,
    /// Frontmatter fields requested by the query.
    pub(super) fields: Vec<LoadedField>,
}

/// Source of the text to load for a match.
pub(super) enum Says {
    /// The record or other file that the evidence points to.
    Record,
    /// Verified lines of an anchor, and the file they're in.
    Lines(Pointer, Arc<SourceFile>),
    /// The text itself. The evidence holds it in another form, such as JSON.
    Text(String),
    /// Nothing may be loaded, because the evidence is stale, missing or can't be verified.
    Nothing,
}

impl Found {
    /// Returns true if the match has text that may be presented as current.
    pub(super) fn stands(&self) -> bool {
        !matches!(self.says, Says::Nothing)
    }
}
