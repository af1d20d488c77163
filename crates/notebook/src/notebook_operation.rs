use windlass_base::Ident;

use crate::{
    Anchor, AnchorEvidence, AnchorFreshness, AnchorKind, Locator, NotebookEdit, NotebookError,
    Relocate, SavedRunbook,
};

/// Operations of a notebook transaction.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// Saves an anchor, or changes an existing anchor of the same name.
    UpsertAnchor(Box<AnchorDraft>),
    /// Moves an anchor's evidence to its new location.
    Relocate(Box<Relocate>),
    /// Deletes an anchor.
    DeleteAnchor(String),
    /// Saves a runbook, replacing any other of the same name.
    UpsertRunbook(SavedRunbook),
    /// Deletes a runbook.
    DeleteRunbook(String),
}

/// An anchor's new state. `None` fields keep their former value.
#[derive(Debug, Clone, PartialEq)]
pub struct AnchorDraft {
    /// The anchor's name.
    pub id: Ident,
    /// Kind. `None` means `other` for a new anchor.
    pub kind: Option<AnchorKind>,
    /// Title. `None` means the name for a new anchor.
    pub label: Option<String>,
    /// Captured evidence. Empty keeps the former evidence.
    pub evidence: Vec<AnchorEvidence>,
    /// Locator. `None` keeps the former locator if the evidence is unchanged.
    pub locator: Option<Locator>,
    /// Globs that limit later searches.
    pub zone: Option<Vec<String>>,
    /// Search keywords.
    pub tags: Option<Vec<String>>,
    /// The repository's state when the evidence was captured.
    pub freshness: AnchorFreshness,
    /// If true, fail if an anchor of this name exists.
    pub must_be_new: bool,
    /// If true, mark the anchor as suggested. Suggestions may then update it until a user changes
    /// it.
    pub is_suggestion: bool,
}

impl AnchorDraft {
    /// Applies the draft to the existing anchor of the same name, if any.
    fn finish(self, before: Option<Anchor>) -> Result<Anchor, NotebookError> {
        let mut anchor = match before {
            Some(_) if self.must_be_new => return Err(NotebookError::Exists(self.id)),
            Some(before) => before,
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
            // The former locator and relocations describe the former location, so drop them.
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

/// Returns true if both lists point to the same lines with the same text.
fn is_same(one: &[AnchorEvidence], other: &[AnchorEvidence]) -> bool {
    let pointers =
        |list: &[AnchorEvidence]| -> Vec<_> { list.iter().map(AnchorEvidence::pointer).collect() };
    pointers(one) == pointers(other)
}

impl NotebookEdit<'_> {
    /// Applies `operation`.
    ///
    /// # Errors
    /// Returns an error if `operation` can't be applied. The notebook is left unchanged then.
    pub fn apply(&mut self, operation: Operation) -> Result<(), NotebookError> {
        match operation {
            Operation::UpsertAnchor(draft) => {
                let before = self.anchor(draft.id.as_str());
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
