use std::collections::BTreeSet;

use windlass_base::{Ident, did_you_mean};

use crate::anchor_exchange::{Seen, SharedAnchor, SharedAnchors};
use crate::storage::declined::Declined;
use crate::{Anchor, Damage, DamageState, Lost, NotebookError, SavedRunbook};

/// A notebook as read from disk.
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
    /// Returns the revision's number, or 0 if unknown.
    #[must_use]
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns the anchors in the order they were saved in.
    pub fn anchors(&self) -> impl ExactSizeIterator<Item = &Anchor> {
        self.anchors.iter()
    }

    /// Returns the runbooks in the order they were saved in.
    pub fn runbooks(&self) -> impl ExactSizeIterator<Item = &SavedRunbook> {
        self.runbooks.iter()
    }

    /// Returns the damage to the notebook, including files moved aside.
    #[must_use]
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// Returns the names of declined suggestions.
    #[must_use]
    pub(crate) fn declined(&self) -> &Declined {
        &self.declined
    }

    /// Returns the unusable parts of the current file, but not those of files moved aside.
    pub fn lost(&self) -> impl Iterator<Item = &Lost> {
        let own = self.damage.iter();
        let own = own.filter(|damage| damage.state != DamageState::SetAside);
        own.flat_map(|damage| &damage.lost)
    }

    /// Returns the anchors in `shared` that this notebook never had.
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

    /// Returns the anchor `id`.
    ///
    /// # Errors
    /// Returns an error if `id` does not exist, naming the most similar anchor.
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
