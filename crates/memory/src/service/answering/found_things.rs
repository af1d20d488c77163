//! Matches of a recall from any source.

use std::sync::Arc;

use windlass_base::Pointer;
use windlass_repo::SourceFile;

use super::recollection::{LoadedField, Recalled};

/// Match from any source.
pub(super) struct Found {
    /// Confidence in thousandths.
    pub(super) level_score: u32,
    pub(super) recalled: Recalled,
    /// Location of the text.
    pub(super) says: Says,
    /// True if the record has conflict markers.
    pub(super) is_unmerged: bool,
    /// Fields of the record that the query asks for.
    pub(super) fields: Vec<LoadedField>,
}

/// Location of the text to show for a match.
pub(super) enum Says {
    /// The record, or file of the memory, in the evidence.
    Record,
    /// Verified lines, with the file that contains them.
    Lines(Pointer, Arc<SourceFile>),
    /// This text; its evidence has it in another form.
    Text(String),
    /// No text may be shown: the evidence is stale, missing or cannot be verified.
    Nothing,
}

impl Found {
    /// True if the match has text that may be shown as true.
    pub(super) fn stands(&self) -> bool {
        !matches!(self.says, Says::Nothing)
    }
}
