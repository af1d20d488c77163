//! Compares suggestions with the notebook's contents.

use windlass_base::Cancel;
use windlass_repo::Snapshot;

use crate::suggestion_finders::{ProposedAnchor, Suggestion, suggest, yields_any};
use crate::{Anchor, AnchorEvidence, Notebook};

/// Possible states of a suggestion in relation to the notebook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// The suggestion was neither saved nor declined.
    New,
    /// An anchor of this name was saved from a suggestion at another location and hasn't been
    /// edited since.
    Elsewhere,
    /// The lines are already covered by an anchor of any name, or the name is used for something
    /// else.
    There,
    /// The user saved the suggestion and deleted it again.
    Declined,
}

impl Standing {
    /// Compares `suggestion` with the anchors in `notebook`.
    pub(super) fn of(suggestion: &Suggestion, notebook: &Notebook) -> Self {
        let (id, proposed) = (suggestion.id.as_str(), suggestion.anchor());
        if let Ok(there) = notebook.anchor(id) {
            return against(proposed, there);
        }
        let mut saved = notebook.anchors().flat_map(|anchor| &anchor.evidence);
        match () {
            () if saved.any(|place| is_in(proposed, place)) => Self::There,
            () if notebook.declined().has(id) => Self::Declined,
            () => Self::New,
        }
    }
}

/// Returns true if `saved` covers the lines of the proposed anchor.
fn is_in(proposed: &ProposedAnchor, saved: &AnchorEvidence) -> bool {
    proposed.evidence.iter().any(|place| {
        place.file == saved.file
            && saved.start_line <= place.span.start()
            && place.span.end() <= saved.end_line
    })
}

fn against(proposed: &ProposedAnchor, there: &Anchor) -> Standing {
    let places = there.evidence.iter().map(AnchorEvidence::pointer);
    let is_same = places.eq(proposed.evidence.iter().cloned().map(Some));
    match there.is_as_suggested() && !is_same {
        true => Standing::Elsewhere,
        false => Standing::There,
    }
}

/// Returns the suggestions for the files of `snapshot`, except those saved in `notebook` or
/// declined.
///
/// # Errors
/// Returns an error if the suggestions cannot be written as JSON.
pub fn unsaved_suggestions(
    snapshot: &Snapshot,
    notebook: &Notebook,
    cancel: &Cancel,
) -> Result<Vec<Suggestion>, serde_json::Error> {
    let mut found = suggest(snapshot, cancel)?.suggestions;
    found.retain(|suggestion| Standing::of(suggestion, notebook) == Standing::New);
    Ok(found)
}

/// Returns true if [`unsaved_suggestions`] would return any. This is usually much faster.
#[must_use]
pub fn has_unsaved_suggestions(snapshot: &Snapshot, notebook: &Notebook, cancel: &Cancel) -> bool {
    yields_any(snapshot, cancel, |suggestion| {
        Standing::of(suggestion, notebook) == Standing::New
    })
}
