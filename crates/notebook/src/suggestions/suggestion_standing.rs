//! State of suggestions in the notebook.

use std::collections::BTreeSet;

use crate::named_by_steps::anchors_named_by;
use crate::suggestion_finders::{Proposed, ProposedAnchor, Suggestion};
use crate::{Anchor, AnchorEvidence, Notebook};

/// State of a suggestion in the notebook.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Standing {
    /// Not saved.
    New,
    /// Saved from a suggestion at another location, and unchanged since.
    Elsewhere,
    /// Saved, or the user saved something else under its name.
    There,
    /// Deleted after it was saved, or a runbook with a deleted anchor.
    Declined,
}

/// Notebook and runbooks that suggestions are compared with.
pub(super) struct Standings<'a> {
    notebook: &'a Notebook,
    /// Names of runbooks, in the notebook and in the repository.
    runbooks: BTreeSet<String>,
}

impl<'a> Standings<'a> {
    pub(super) fn new(notebook: &'a Notebook, runbooks: BTreeSet<String>) -> Self {
        Self { notebook, runbooks }
    }

    pub(super) fn of(&self, suggestion: &Suggestion) -> Standing {
        let id = suggestion.id.as_str();
        let standing = match &suggestion.operation {
            Proposed::UpsertAnchor { anchor } => {
                let there = self.notebook.anchor(id).ok();
                there.map_or(Standing::New, |there| against(anchor, there))
            }
            Proposed::UpsertRunbook { .. } if self.runbooks.contains(id) => Standing::There,
            Proposed::UpsertRunbook { .. } => Standing::New,
        };
        match standing {
            Standing::New if self.is_declined(suggestion) => Standing::Declined,
            standing => standing,
        }
    }

    fn is_declined(&self, suggestion: &Suggestion) -> bool {
        let declined = self.notebook.declined();
        let shows_declined = match &suggestion.operation {
            Proposed::UpsertRunbook { runbook } if !declined.is_empty() => {
                let mut shown = anchors_named_by(runbook).into_iter();
                shown.any(|id| declined.has(&id))
            }
            _ => false,
        };
        declined.has(suggestion.id.as_str()) || shows_declined
    }
}

fn against(proposed: &ProposedAnchor, there: &Anchor) -> Standing {
    let places = there.evidence.iter().map(AnchorEvidence::pointer);
    let is_same = places.eq(proposed.evidence.iter().cloned().map(Some));
    match there.is_as_suggested() && !is_same {
        true => Standing::Elsewhere,
        false => Standing::There,
    }
}
