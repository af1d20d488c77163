//! Saves suggestions as anchors.

use std::collections::BTreeSet;

use serde::Serialize;
use windlass_base::Digest;
use windlass_site::Error;

use super::SuggestionService;
use super::suggestion_standing::Standing;
use crate::anchor_place::{AnchorPlace, capture_place};
use crate::suggestion_finders::{Proposed, Suggestion, Suggestions};
use crate::transact::Work;
use crate::{AnchorDraft, EditMode, NotebookChange, NotebookError, Operation};

/// Request to save suggestions.
#[derive(Debug, Clone)]
pub struct ApplyRequest {
    /// Names of the suggestions. An empty list stands for all of them, except those the user has
    /// declined.
    pub ids: Vec<String>,
    /// Required digest of the suggestions. With it, the call fails if there are others now than
    /// those shown to the user.
    pub digest: Option<Digest>,
    /// Decides if the suggestions are saved or the change is only previewed.
    pub mode: EditMode,
}

/// Result of saving suggestions, or of its preview.
#[derive(Debug, Serialize)]
pub struct Applied {
    /// The change to the notebook.
    #[serde(flatten)]
    pub change: NotebookChange,
    /// Names that are in the notebook already. Their entries stay as they are.
    pub kept: Vec<String>,
    /// Names that the user has declined before and has not requested now.
    pub declined: Vec<String>,
    /// Digest of all suggestions, saved or not.
    pub digest: Digest,
}

impl SuggestionService {
    /// Saves suggestions.
    ///
    /// An entry of the same name stays as it is, unless it is a suggestion that nobody has edited
    /// since: such an entry moves to the newly suggested location. To save a declined suggestion,
    /// the user has to name it.
    ///
    /// # Errors
    /// Returns an error if a name is not suggested, if the digest does not match, or if reading or
    /// writing the notebook fails. Nothing is saved in that case.
    pub fn apply(&self, request: &ApplyRequest) -> Result<Applied, Error> {
        let Suggestions {
            mut suggestions,
            digest,
        } = self.suggestions()?;
        if request.digest.is_some_and(|expected| expected != digest) {
            return Err(NotebookError::SuggestionsChanged.into());
        }
        let known: BTreeSet<&str> = suggestions.iter().map(|one| one.id.as_str()).collect();
        if let Some(unknown) = request.ids.iter().find(|id| !known.contains(id.as_str())) {
            return Err(NotebookError::NotSuggested(unknown.clone()).into());
        }
        let wanted = &request.ids;
        suggestions
            .retain(|one| wanted.is_empty() || wanted.iter().any(|id| id == one.id.as_str()));
        let there = self.desk().file().read()?;
        let mut work = Work::new(Vec::new());
        let (mut kept, mut declined) = (Vec::new(), Vec::new());
        for suggestion in suggestions {
            let standing = Standing::of(&suggestion, &there);
            match standing {
                Standing::There => kept.push(suggestion.id.to_string()),
                Standing::Declined if wanted.is_empty() => {
                    declined.push(suggestion.id.to_string());
                }
                Standing::New | Standing::Elsewhere | Standing::Declined => {
                    let is_new = standing != Standing::Elsewhere;
                    work.operations
                        .push((self.operation(suggestion, is_new)?, None));
                }
            }
        }
        work.mode = request.mode;
        // Our decisions only hold for the notebook we've read. If another process changes it in the
        // meantime, fail instead of overwriting the change.
        work.if_revision = Some(there.revision());
        let edited = self.transactor.transact(work, |_| ())?;
        let change =
            NotebookChange::new(edited.before, edited.revision, edited.changes, request.mode);
        Ok(Applied {
            change,
            kept,
            declined,
            digest,
        })
    }

    fn operation(&self, suggestion: Suggestion, is_new: bool) -> Result<Operation, Error> {
        let Proposed::UpsertAnchor { anchor } = suggestion.operation;
        let snapshot = self.transactor.snapshot();
        let mut evidence = Vec::new();
        for pointer in &anchor.evidence {
            let place = AnchorPlace::Lines(pointer.file.clone(), pointer.span);
            let (captured, _) = capture_place(&snapshot, &place)?;
            // The file has changed since the suggestion was made.
            if captured.pointer != *pointer {
                return Err(NotebookError::OtherLines(pointer.to_string()).into());
            }
            evidence.push(captured.into());
        }
        Ok(Operation::UpsertAnchor(Box::new(AnchorDraft {
            id: anchor.id,
            kind: Some(anchor.kind),
            label: Some(anchor.label),
            evidence,
            locator: Some(anchor.locator),
            zone: Some(anchor.zone),
            tags: Some(anchor.tags),
            freshness: self.desk().freshness(),
            must_be_new: is_new,
            is_suggestion: true,
        })))
    }
}
