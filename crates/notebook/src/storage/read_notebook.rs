//! A notebook as read by most callers, with all its entries parsed.

use std::collections::BTreeSet;

use windlass_base::{Ident, did_you_mean};

use crate::anchor_exchange::{Seen, SharedAnchor, SharedAnchors};
use crate::storage::declined::Declined;
use crate::{Anchor, Damage, DamageState, Lost, NotebookError, SavedRunbook};

/// The readable part of a notebook.
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
    /// Number of the revision, or 0 if the file does not have one.
    #[must_use]
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// The anchors, in the order of saving.
    pub fn anchors(&self) -> impl ExactSizeIterator<Item = &Anchor> {
        self.anchors.iter()
    }

    /// The runbooks, in the order of saving.
    pub fn runbooks(&self) -> impl ExactSizeIterator<Item = &SavedRunbook> {
        self.runbooks.iter()
    }

    /// All damage to the notebook, including files that were moved aside earlier.
    #[must_use]
    pub fn damage(&self) -> &[Damage] {
        &self.damage
    }

    /// The suggestions that the user has declined.
    #[must_use]
    pub fn declined(&self) -> &Declined {
        &self.declined
    }

    /// The unusable parts of the current file. Unlike [`Notebook::damage`], this leaves out the
    /// files that were moved aside.
    pub fn lost(&self) -> impl Iterator<Item = &Lost> {
        let own = self.damage.iter();
        let own = own.filter(|damage| damage.state != DamageState::SetAside);
        own.flat_map(|damage| &damage.lost)
    }

    /// The anchors in `shared` that this notebook has never exported or imported.
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

    /// Looks up an anchor.
    ///
    /// # Errors
    /// Returns an error if there is no anchor of this name. The error suggests the most similar
    /// one.
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
