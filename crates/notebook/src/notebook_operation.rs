use windlass_base::Ident;

use crate::{
    Anchor, AnchorEvidence, AnchorFreshness, AnchorKind, Locator, NotebookEdit, NotebookError,
    Relocate, SavedRunbook,
};

/// One thing that a transaction does to a notebook.
#[derive(Debug, Clone, PartialEq)]
pub enum Operation {
    /// Saves an anchor, or changes the one of its name.
    UpsertAnchor(Box<AnchorDraft>),
    /// Gives evidence of an anchor new places.
    Relocate(Box<Relocate>),
    /// Takes an anchor out.
    DeleteAnchor(String),
    /// Saves a runbook, or puts it in the place of the one of its name.
    UpsertRunbook(SavedRunbook),
    /// Takes a runbook out.
    DeleteRunbook(String),
}

/// What an anchor is to be. What is not said stays as it was.
#[derive(Debug, Clone, PartialEq)]
pub struct AnchorDraft {
    /// Its name.
    pub id: Ident,
    /// What sort of thing it is.
    pub kind: Option<AnchorKind>,
    /// What a person calls it; a new one goes by its name.
    pub label: Option<String>,
    /// Where it is grounded, captured; as before if empty.
    pub evidence: Vec<AnchorEvidence>,
    /// How to look for it later; as before where its place is, unless something is said.
    pub locator: Option<Locator>,
    /// Where to look for it later.
    pub zone: Option<Vec<String>>,
    /// Words to find it by.
    pub tags: Option<Vec<String>>,
    /// The state of the repository when the evidence was captured.
    pub freshness: AnchorFreshness,
    /// Whether there must be none of its name yet.
    pub must_be_new: bool,
    /// Whether it is saved because it is suggested, so that it may be refreshed as long as nobody changes it.
    pub is_suggestion: bool,
}

impl AnchorDraft {
    /// The anchor, given the one of its name.
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
            // It was said of another place.
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

/// Whether both point at the same lines with the same text.
fn is_same(one: &[AnchorEvidence], other: &[AnchorEvidence]) -> bool {
    let pointers =
        |list: &[AnchorEvidence]| -> Vec<_> { list.iter().map(AnchorEvidence::pointer).collect() };
    pointers(one) == pointers(other)
}

impl NotebookEdit<'_> {
    /// Does `operation`.
    ///
    /// # Errors
    /// When it cannot be done; nothing of it has changed anything then.
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
