//! What a change makes stale, as it is told.

use serde::Serialize;
use windlass_base::{Ident, Judgement, NextAction, Pointer, RepoPath};
use windlass_cite::CitedLines;
use windlass_notebook::AnchorKind;

/// What the beginning of a reason says that rests on anchors.
pub(crate) const ANCHORS: &str = "anchors: ";

/// Which change is looked at.
#[derive(Debug, Clone, Default)]
pub struct ImpactRequest {
    /// What the working tree is compared with: the newest commit that both it and this revision come from; the commit
    /// that is checked out if not said.
    pub base: Option<String>,
    /// The files, and the folders with all that is in them, to which changes are looked at; all if none is named.
    pub files: Vec<RepoPath>,
}

/// What a change makes stale.
#[derive(Debug, Serialize)]
pub struct Impact {
    /// What the working tree is compared with.
    pub base: Base,
    /// How many files differ, new and deleted ones included.
    pub files_changed: usize,
    /// How many more differ whose names are no UTF-8: no anchor, citation or pointer can name them.
    #[serde(skip_serializing_if = "is_zero")]
    pub files_not_utf8: u32,
    /// Evidence of anchors that stood at the base and does not stand now, the worst first.
    pub anchors: Vec<StaleEvidence>,
    /// What documents cite that stood at the base and does not stand now.
    pub citations: Vec<CitedLines>,
    /// What was written anew and is in no commit yet, where the text that was cited in its place stands elsewhere now, and
    /// what is cited of files that git passes through a filter: somebody has to look which is meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unclear: Vec<CitedLines>,
    /// Sections of runbooks that rest on what changed: first those that no longer show what they did.
    pub sections: Vec<TouchedSection>,
    /// How many pieces of evidence in files that differ stand where they were captured.
    pub standing: usize,
    /// How many did not stand at the base either.
    pub stale_before: usize,
    /// Runbooks that the change touches and that are not valid, so that nobody can say what they rest on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unusable: Vec<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
}

/// What the working tree is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Base {
    /// The revision that was asked for.
    pub revision: String,
    /// The full id of the commit; nothing before the first one.
    pub commit: Option<String>,
}

/// Evidence of an anchor that a change makes stale.
#[derive(Debug, Clone, Serialize)]
pub struct StaleEvidence {
    /// The anchor.
    pub id: Ident,
    /// What sort of thing it is.
    pub kind: AnchorKind,
    /// What a person calls it.
    pub label: String,
    /// Where the anchor is kept.
    pub kept_in: KeptIn,
    /// Where it was captured.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// What became of it.
    #[serde(flatten)]
    pub judgement: Judgement,
}

/// Where an anchor is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeptIn {
    /// In the notebook.
    Notebook,
    /// In the repository, for others.
    Repository,
}

/// A section of a runbook that rests on what changed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TouchedSection {
    /// What becomes of it.
    pub effect: Effect,
    /// The runbook, as it can be named: its file, or `notebook:NAME`.
    pub runbook: String,
    /// The section.
    pub section: String,
    /// Its heading.
    pub title: String,
    /// Why.
    pub because: Vec<String>,
}

/// What becomes of a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Evidence in it does not stand any more, or what it names is no longer there.
    Stale,
    /// It looks at files that changed, and shows them as they are.
    Touched,
}

impl Effect {
    /// The word as it stands in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Touched => "touched",
        }
    }
}

impl Impact {
    /// Whether the change makes something stale that is not repaired in it.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        !self.anchors.is_empty()
            || !self.citations.is_empty()
            || !self.unusable.is_empty()
            || self.stale_sections().next().is_some()
    }

    /// The sections that no longer show what they did.
    pub fn stale_sections(&self) -> impl Iterator<Item = &TouchedSection> {
        self.sections
            .iter()
            .filter(|section| section.effect == Effect::Stale)
    }

    /// What it is compared with, in words: the revision, and the beginning of the commit's id.
    pub fn base_in_words(&self) -> String {
        match self.base.commit.as_deref().and_then(|id| id.get(..12)) {
            Some(commit) => format!("{} ({commit})", self.base.revision),
            None => "the first commit".to_owned(),
        }
    }
}

impl TouchedSection {
    /// Whether to repair anchors is all that it needs.
    pub(crate) fn rests_on_anchors_alone(&self) -> bool {
        self.because.iter().all(|why| why.starts_with(ANCHORS))
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the signature is serde's"
)]
fn is_zero(count: &u32) -> bool {
    *count == 0
}
