//! The operations of a notebook transaction, and how they're applied to an edit.

use windlass_base::Ident;

use crate::{
    Anchor, AnchorEvidence, AnchorFreshness, AnchorKind, Locator, NotebookEdit, NotebookError,
    Relocate, SavedRunbook,
};

/// An operation of a notebook transaction.
///
/// Anything that has to be looked up in the repository is already part of the operation, for
/// example the captured lines. Applying an operation then only depends on the notebook.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// Saves an anchor, or changes an existing anchor of the same name.
    UpsertAnchor(Box<AnchorDraft>),
    /// Moves an anchor's evidence to its current location.
    Relocate(Box<Relocate>),
    /// Deletes an anchor.
    DeleteAnchor(String),
    /// Saves a runbook, replacing any other of the same name.
    UpsertRunbook(SavedRunbook),
    /// Deletes a runbook.
    DeleteRunbook(String),
}

/// The new state of an anchor. If a field is `None`, the existing anchor keeps its value.
#[derive(Debug, Clone, PartialEq)]
pub struct AnchorDraft {
    /// The anchor's name.
    pub id: Ident,
    /// Kind. Defaults to `other` for a new anchor.
    pub kind: Option<AnchorKind>,
    /// Title. Defaults to the name for a new anchor.
    pub label: Option<String>,
    /// Captured evidence. If empty, the anchor keeps its evidence.
    pub evidence: Vec<AnchorEvidence>,
    /// Locator. If this is `None`, the anchor keeps its own locator as long as its evidence stays
    /// the same.
    pub locator: Option<Locator>,
    /// Globs to limit later searches.
    pub zone: Option<Vec<String>>,
    /// Search keywords.
    pub tags: Option<Vec<String>>,
    /// State of the repository at the time of capture.
    pub freshness: AnchorFreshness,
    /// True to fail if an anchor of this name exists.
    pub must_be_new: bool,
    /// True to mark the anchor as suggested. A later suggestion may then update the anchor, until a
    /// user has changed it.
    pub is_suggestion: bool,
}

impl AnchorDraft {
    /// Applies the draft to `before`, the existing anchor of this name. Fields without a new value
    /// keep the old one.
    fn finish(self, before: Option<Anchor>) -> Result<Anchor, NotebookError> {
        let mut anchor = match before {
            Some(_) if self.must_be_new => return Err(NotebookError::Exists(self.id)),
            Some(before) => before,
            // There's no old evidence to keep, so a new anchor has to bring some.
            None if self.evidence.is_empty() => return Err(NotebookError::NoPlace(self.id)),
            None => Anchor {
                label: self.id.to_string(),
                id: self.id,
                kind: AnchorKind::default(),
                evidence: Vec::new(),
                locator: None,
                zone: Vec::new(),
                freshness: None,
                tags: Vec::new(),
                relocations: Vec::new(),
                suggested: None,
            },
        };
        if self.evidence.is_empty() || is_same(&self.evidence, &anchor.evidence) {
            anchor.locator = self.locator.or(anchor.locator);
        } else {
            // The locator and the relocations belong to the old location, so they'd be misleading
            // now.
            anchor.locator = self.locator;
            anchor.relocations.clear();
        }
        if !self.evidence.is_empty() {
            anchor.evidence = self.evidence;
            anchor.freshness = Some(self.freshness);
        }
        anchor.kind = self.kind.unwrap_or(anchor.kind);
        anchor.label = self.label.unwrap_or(anchor.label);
        anchor.zone = self.zone.unwrap_or(anchor.zone);
        anchor.tags = self.tags.unwrap_or(anchor.tags);
        Ok(if self.is_suggestion {
            anchor.into_suggested()
        } else {
            anchor
        })
    }
}

fn is_same(one: &[AnchorEvidence], other: &[AnchorEvidence]) -> bool {
    let pointers =
        |list: &[AnchorEvidence]| -> Vec<_> { list.iter().map(AnchorEvidence::pointer).collect() };
    pointers(one) == pointers(other)
}

impl NotebookEdit<'_> {
    /// Applies one operation of a transaction.
    ///
    /// # Errors
    /// Returns an error if `operation` isn't applicable. The notebook stays unchanged in that case.
    pub fn apply(&mut self, operation: Operation) -> Result<(), NotebookError> {
        match operation {
            Operation::UpsertAnchor(draft) => {
                let before = self.anchor(draft.id.as_str());
                // We can't read the saved anchor, and `finish` would treat it as missing. The error
                // should say so instead of asking for the location of a new anchor.
                if draft.evidence.is_empty() && self.has_senseless_anchor(draft.id.as_str()) {
                    return Err(NotebookError::Senseless(draft.id));
                }
                self.put_anchor(&draft.finish(before)?)
            }
            Operation::Relocate(relocate) => {
                let anchor = self.anchor(relocate.id.as_str());
                let anchor = anchor.ok_or_else(|| self.no_such_anchor(relocate.id.as_str()))?;
                let known = relocate.at_new_places(anchor.clone());
                self.put_known(&relocate.finish(anchor)?, Some(&known))
            }
            Operation::DeleteAnchor(id) => self.remove_anchor(&id),
            Operation::UpsertRunbook(runbook) => self.put_runbook(&runbook),
            Operation::DeleteRunbook(id) => self.remove_runbook(&id),
        }
    }
}
