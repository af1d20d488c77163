//! Report on a change's impact.

use serde::Serialize;
use windlass_base::{Ident, Judgement, NextAction, Pointer, RepairOutcome, RepoPath};
use windlass_cite::CitedLines;
use windlass_notebook::AnchorKind;

/// Prefix of reasons about anchors.
pub(crate) const ANCHORS: &str = "anchors: ";

/// Selection of the change to check.
#[derive(Debug, Clone, Default)]
pub struct ImpactRequest {
    /// Base revision, by default `HEAD`. The working tree is compared with the merge base of `HEAD`
    /// and this revision.
    pub base: Option<String>,
    /// Files and folders to limit the change to. If empty, the change has no limit.
    pub files: Vec<RepoPath>,
    /// Accept anchors whose text has moved without changing. A repair can follow them at any time,
    /// without a decision.
    pub allow_moved: bool,
}

/// Impact of a change.
#[derive(Debug, Serialize)]
pub struct Impact {
    /// Base of the comparison.
    pub base: Base,
    /// Number of changed files, including new and deleted ones.
    pub files_changed: usize,
    /// Number of further changed files with names that aren't UTF-8. No anchor, citation or pointer
    /// can name them.
    #[serde(skip_serializing_if = "is_zero")]
    pub files_not_utf8: u32,
    /// Anchor evidence made stale by the change, worst first.
    pub anchors: Vec<StaleEvidence>,
    /// Citations that were right at the base and are stale now.
    pub citations: Vec<CitedLines>,
    /// Citations written by the change that never were right, because the file or the lines don't
    /// exist.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wrong: Vec<CitedLines>,
    /// Citations to check by hand. Either the change edits their text in place, or they cite a file
    /// with a git filter. Others are uncommitted, and their replaced text is elsewhere now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unclear: Vec<CitedLines>,
    /// Affected runbook sections, stale ones first.
    pub sections: Vec<TouchedSection>,
    /// Number of fresh pieces of evidence in changed files.
    pub standing: usize,
    /// Number of valid citations of changed files, and of valid new citations.
    pub citations_valid: usize,
    /// Number of pieces of evidence and citations that were already stale at the base.
    pub stale_before: usize,
    /// Affected runbooks that are invalid. Their dependencies are unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unusable: Vec<String>,
    /// True if there are no anchors at all and no citations of changed files. Nothing was proved
    /// then.
    pub nothing_to_check: bool,
    /// Suggested calls for stale evidence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
    /// True if anchors are accepted when their text has moved without changing.
    #[serde(skip)]
    pub allows_moved: bool,
}

/// The base of the comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Base {
    /// The revision as requested.
    pub revision: String,
    /// Full commit id, or `None` before the first commit.
    pub commit: Option<String>,
}

/// Anchor evidence made stale by a change.
#[derive(Debug, Clone, Serialize)]
pub struct StaleEvidence {
    /// The anchor's name.
    pub id: Ident,
    /// The kind of fact proved by the anchor.
    pub kind: AnchorKind,
    /// Title for readers.
    pub label: String,
    /// The anchor's store.
    pub kept_in: KeptIn,
    /// Location at capture.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// Verdict on the current lines.
    #[serde(flatten)]
    pub judgement: Judgement,
}

/// Stores of anchors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeptIn {
    /// The user's notebook.
    Notebook,
    /// A shared file in the repository.
    Repository,
}

/// A runbook section that depends on changed files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TouchedSection {
    /// The change's effect on the section.
    pub effect: Effect,
    /// The runbook as an argument: its file, or `notebook:NAME`.
    pub runbook: String,
    /// The section's id in the runbook.
    pub section: String,
    /// The heading shown to readers.
    pub title: String,
    /// Reasons why the section is affected.
    pub because: Vec<String>,
}

/// Effects of a change on a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// The section's evidence is stale, or its source is gone.
    Stale,
    /// The section's files have changed, and it shows their current state.
    Touched,
}

impl Effect {
    /// Returns the name used in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Touched => "touched",
        }
    }
}

impl Impact {
    /// Returns true if the change makes something stale without repairing it.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        let is_refused = |stale: &StaleEvidence| !self.allows_moved || !stale.has_moved();
        self.anchors.iter().any(is_refused)
            || !self.citations.is_empty()
            || !self.wrong.is_empty()
            || !self.unusable.is_empty()
            || self.stale_sections().next().is_some()
    }

    /// Returns the stale sections.
    pub fn stale_sections(&self) -> impl Iterator<Item = &TouchedSection> {
        self.sections
            .iter()
            .filter(|section| section.effect == Effect::Stale)
    }

    /// Describes the base by its revision and abbreviated commit id.
    pub fn base_in_words(&self) -> String {
        match self.base.commit.as_deref().and_then(|id| id.get(..12)) {
            Some(commit) => format!("{} ({commit})", self.base.revision),
            None => "the first commit".to_owned(),
        }
    }
}

impl StaleEvidence {
    /// Returns true if the text is unchanged at a proven new location.
    pub(crate) fn has_moved(&self) -> bool {
        self.judgement.outcome() == Some(RepairOutcome::Moved)
    }
}

impl TouchedSection {
    /// Returns true if repairing anchors is enough.
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
