use std::collections::BTreeSet;

use windlass_base::{Ident, did_you_mean};

use crate::anchor_exchange::{Seen, SharedAnchor, SharedAnchors};
use crate::storage::declined::Declined;
use crate::{Anchor, Damage, DamageState, Lost, NotebookError, SavedRunbook};

/// A notebook as it was read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Notebook {
    pub(crate) revision: u64,
    pub(crate) anchors: Vec<Anchor>,
    pub(crate) runbooks: Vec<SavedRunbook>,
    pub(crate) damage: Vec<Damage>,
    pub(crate) declined: Declined,
    pub(crate) seen: Seen,
}

impl Notebook {
    /// How often it was written; 0 before that was counted.
    #[must_use]
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// The anchors, in the order in which they were saved.
    pub fn anchors(&self) -> impl ExactSizeIterator<Item = &Anchor> {
        self.anchors.iter()
    }

    /// The runbooks, in the order in which they were saved.
    pub fn runbooks(&self) -> impl ExactSizeIterator<Item = &SavedRunbook> {
        self.runbooks.iter()
    }

    /// What of it cannot be used.
    #[must_use]
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// What was suggested, saved, and taken out again.
    #[must_use]
    pub(crate) fn declined(&self) -> &Declined {
        &self.declined
    }

    /// What stands in the file and cannot be used; nothing of what was set aside.
    pub fn lost(&self) -> impl Iterator<Item = &Lost> {
        let own = self.damage.iter();
        let own = own.filter(|damage| damage.state != DamageState::SetAside);
        own.flat_map(|damage| &damage.lost)
    }

    /// Those of the repository's anchors that this notebook has never had.
    pub fn not_imported<'a>(
        &'a self,
        shared: &'a SharedAnchors,
    ) -> impl Iterator<Item = &'a SharedAnchor> {
        let own: BTreeSet<&Ident> = self.anchors.iter().map(|anchor| &anchor.id).collect();
        let is_new = move |anchor: &&SharedAnchor| {
            !own.contains(anchor.id()) && self.seen.anchor(anchor.id().as_str()).is_empty()
        };
        shared.iter().filter(is_new)
    }

    /// The anchor called `id`.
    ///
    /// # Errors
    /// When there is none; the error names the nearest.
    pub fn anchor(&self, id: &str) -> Result<&Anchor, NotebookError> {
        let found = self.anchors.iter().find(|anchor| anchor.id.as_str() == id);
        found.ok_or_else(|| {
            let names = self.anchors.iter().map(|anchor| anchor.id.as_str());
            NotebookError::NoSuchAnchor {
                id: id.to_owned(),
                similar: did_you_mean(id, names).map(str::to_owned),
            }
        })
    }
}
