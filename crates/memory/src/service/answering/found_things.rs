//! What was found, wherever.

use std::sync::Arc;

use windlass_base::Pointer;
use windlass_repo::SourceFile;

use super::recollection::{LoadedField, Recalled};

/// Something that was found, wherever.
pub(super) struct Found {
    /// How sure it is that it is meant, in thousandths.
    pub(super) level_score: u32,
    pub(super) recalled: Recalled,
    /// Where what it says stands.
    pub(super) says: Says,
    /// Whether a merge of its record was not brought to an end.
    pub(super) is_unmerged: bool,
    /// Fields of its record that were asked for.
    pub(super) fields: Vec<LoadedField>,
}

/// Where what may be shown of something stands.
pub(super) enum Says {
    /// In the record, or file of the memory, that its evidence names.
    Record,
    /// In lines that were verified.
    Lines(Pointer, Arc<SourceFile>),
    /// It is this text, which its evidence has in another form.
    Text(String),
    /// Nothing may be shown: its evidence does not stand, or cannot be verified.
    Nothing,
}

impl Found {
    /// Whether something that is no record can be shown to be true.
    pub(super) fn stands(&self) -> bool {
        !matches!(self.says, Says::Nothing)
    }
}
