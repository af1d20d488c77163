//! Report of a change's impact.

use serde::Serialize;
use windlass_base::{Ident, Judgement, NextAction, Pointer, RepairOutcome, RepoPath};
use windlass_cite::CitedLines;
use windlass_notebook::AnchorKind;

/// Prefix of a reason that concerns anchors.
pub(crate) const ANCHORS: &str = "anchors: ";

/// Selection of the change to check.
#[derive(Debug, Clone, Default)]
pub struct ImpactRequest {
    /// Base revision: the working tree is compared with the merge base of `HEAD` and this revision; `HEAD` by
    /// default.
    pub base: Option<String>,
    /// Files and folders that limit the change; empty means all.
    pub files: Vec<RepoPath>,
    /// Accept anchors whose text moved unchanged: a repair follows them at any time, without a decision.
    pub allow_moved: bool,
}

/// Impact of a change.
#[derive(Debug, Serialize)]
pub struct Impact {
    /// Base of the comparison.
    pub base: Base,
    /// Number of changed files, including new and deleted ones.
    pub files_changed: usize,
    /// Number of further changed files whose names are not UTF-8: no anchor, citation or pointer can name them.
    #[serde(skip_serializing_if = "is_zero")]
    pub files_not_utf8: u32,
    /// Anchor evidence that was fresh at the base and is stale now, worst first.
    pub anchors: Vec<StaleEvidence>,
    /// Citations that were right at the base and are stale now.
    pub citations: Vec<CitedLines>,
    /// Citations that the change writes and that never were right: the file or the lines do not exist.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wrong: Vec<CitedLines>,
    /// Citations to check by hand: those whose text the change edits in place, uncommitted ones whose replaced
    /// text is elsewhere now, and those of files with a git filter.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unclear: Vec<CitedLines>,
    /// Affected runbook sections, stale ones first.
    pub sections: Vec<TouchedSection>,
    /// Number of fresh pieces of evidence in changed files.
    pub standing: usize,
    /// Number of valid citations of changed files, and of valid new citations.
    pub citations_valid: usize,
    /// Number of pieces of evidence and citations that were stale at the base already.
    pub stale_before: usize,
    /// Affected runbooks that are invalid, so that their dependencies are unknown.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unusable: Vec<String>,
    /// True if there is no anchor at all, and no citation of a changed file: nothing was proved.
    pub nothing_to_check: bool,
    /// Suggested calls for the stale evidence.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
    /// True if anchors whose text moved unchanged are accepted.
    #[serde(skip)]
    pub allows_moved: bool,
}

/// Base of the comparison.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Base {
    /// The revision as requested.
    pub revision: String,
    /// Full commit id; `None` before the first commit.
    pub commit: Option<String>,
}

/// Anchor evidence that a change makes stale.
#[derive(Debug, Clone, Serialize)]
pub struct StaleEvidence {
    /// Name of the anchor.
    pub id: Ident,
    /// Kind of fact that the anchor proves.
    pub kind: AnchorKind,
    /// Title for readers.
    pub label: String,
    /// Store of the anchor.
    pub kept_in: KeptIn,
    /// Location at capture.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// Verdict on the lines now.
    #[serde(flatten)]
    pub judgement: Judgement,
}

/// Store of an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeptIn {
    /// The notebook of the user.
    Notebook,
    /// Shared file in the repository.
    Repository,
}

/// Runbook section that depends on changed files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TouchedSection {
    /// Effect on the section.
    pub effect: Effect,
    /// Runbook as an argument: its file, or `notebook:NAME`.
    pub runbook: String,
    /// Id of the section in the runbook.
    pub section: String,
    /// The heading that readers see.
    pub title: String,
    /// Reasons why the change touches it, in words.
    pub because: Vec<String>,
}

/// Effect of a change on a section.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Its evidence is stale, or its source is gone.
    Stale,
    /// Its files changed, and it shows their current state.
    Touched,
}

impl Effect {
    /// Returns the JSON name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Stale => "stale",
            Self::Touched => "touched",
        }
    }
}

impl Impact {
    /// True if the change makes something stale without repairing it.
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

    /// Describes the base: the revision, and the abbreviated commit id.
    pub fn base_in_words(&self) -> String {
        match self.base.commit.as_deref().and_then(|id| id.get(..12)) {
            Some(commit) => format!("{} ({commit})", self.base.revision),
            None => "the first commit".to_owned(),
        }
    }
}

impl StaleEvidence {
    /// True if the text is unchanged at a proven new location.
    pub(crate) fn has_moved(&self) -> bool {
        self.judgement.outcome() == Some(RepairOutcome::Moved)
    }
}

impl TouchedSection {
    /// True if repairing anchors is sufficient.
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
