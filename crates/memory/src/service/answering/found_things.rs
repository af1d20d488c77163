use std::sync::Arc;

use windlass_base::Pointer;
use windlass_repo::SourceFile;

use super::recollection::{LoadedField, Recalled};

/// A match from any source, and its text to load.
pub(super) struct Found {
    /// Confidence of the match, in thousandths. The level of the answer depends on it.
    pub(super) level_score: u32,
    pub(super) recalled: Recalled,
    pub(super) says: Says,
    /// True if the record contains conflict markers.
    pub(super) is_unmerged: bool,
    /// The frontmatter fields that the query asks for.
    pub(super) fields: Vec<LoadedField>,
}

/// Source of the text of a match.
pub(super) enum Says {
    /// From the file in the evidence, which usually is a record.
    Record,
    /// The lines of a verified anchor.
    Lines(Pointer, Arc<SourceFile>),
    /// It is this string. In the file, the text is in another form such as JSON.
    Text(String),
    /// There is no text to show, because the evidence is stale, missing or unverified.
    Nothing,
}

impl Found {
    /// True if the text may be shown as current.
    pub(super) fn stands(&self) -> bool {
        !matches!(self.says, Says::Nothing)
    }
}
