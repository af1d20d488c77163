//! Compares suggestions with the notebook's anchors.

use windlass_base::Cancel;
use windlass_repo::Snapshot;

use crate::suggestion_finders::{ProposedAnchor, Suggestion, suggest};
use crate::{Anchor, AnchorEvidence, Notebook};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// The user has neither saved nor declined the suggestion.
    New,
    /// A suggestion of this name was saved at another location, and nobody has edited it since.
    Elsewhere,
    /// The lines are covered by an anchor of any name, or the name belongs to a different anchor.
    There,
    /// The user saved the suggestion, and later deleted it.
    Declined,
}

impl Standing {
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

/// True if `saved` covers all lines of at least one of the proposed pointers.
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

/// Suggests anchors for the files of `snapshot`, except those saved in `notebook` or declined.
///
/// # Errors
/// Returns an error if serializing the suggestions as JSON fails.
pub fn unsaved_suggestions(
    snapshot: &Snapshot,
    notebook: &Notebook,
    cancel: &Cancel,
) -> Result<Vec<Suggestion>, serde_json::Error> {
    let mut found = suggest(snapshot, cancel)?.suggestions;
    found.retain(|suggestion| Standing::of(suggestion, notebook) == Standing::New);
    Ok(found)
}
