//! The request for an impact check, and its result.

use serde::Serialize;
use windlass_base::{Ident, Judgement, NextAction, Pointer, RepairOutcome, RepoPath};
use windlass_cite::CitedLines;
use windlass_notebook::AnchorKind;

/// Reasons that start with this name stale anchors. See [`TouchedSection::rests_on_anchors_alone`].
pub(crate) const ANCHORS: &str = "anchors: ";

/// Selects the change to check.
#[derive(Debug, Clone, Default)]
pub struct ImpactRequest {
    /// Base revision, which is `HEAD` by default. We compare the working tree with the merge base
    /// of this revision and `HEAD`.
    pub base: Option<String>,
    /// Limits the change to these files and folders. If there are none, all changed files are part
    /// of it.
    pub files: Vec<RepoPath>,
    /// Accepts anchors whose text has only moved. A repair can take care of those at any time,
    /// without anybody having to make a decision.
    pub allow_moved: bool,
}

/// The impact of a change.
#[derive(Debug, Serialize)]
pub struct Impact {
    /// The state that we compared the working tree with.
    pub base: Base,
    /// The number of changed files, including new and deleted ones.
    pub files_changed: usize,
    /// The number of changed files whose names aren't UTF-8. No anchor or citation can refer to
    /// them.
    #[serde(skip_serializing_if = "windlass_base::is_default")]
    pub files_not_utf8: u32,
    /// Anchor evidence that the change makes stale, worst first.
    pub anchors: Vec<StaleEvidence>,
    /// Citations that were right at the base and no longer are.
    pub citations: Vec<CitedLines>,
    /// Citations that are new in this change and have never been right, because the file or the
    /// lines don't exist.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub wrong: Vec<CitedLines>,
    /// Citations that somebody should check: the cited text was edited in place, a git filter hides
    /// its history, or the citation isn't committed and has replaced one of another text.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unclear: Vec<CitedLines>,
    /// Affected runbook sections, stale ones first.
    pub sections: Vec<TouchedSection>,
    /// The number of pieces of evidence in changed files that are still fresh.
    pub standing: usize,
    /// The number of valid citations, both of changed files and new ones.
    pub citations_valid: usize,
    /// The number of pieces of evidence and citations that were stale even before the change.
    pub stale_before: usize,
    /// Changed runbooks that aren't valid anymore, so we couldn't check their sections.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unusable: Vec<String>,
    /// True if there are neither anchors nor citations of changed files. In this case, a clean
    /// result proves nothing.
    pub nothing_to_check: bool,
    /// Suggested calls to repair whatever is stale.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
    /// The same as [`ImpactRequest::allow_moved`]. If this is true, moved anchors don't count as
    /// stale.
    #[serde(skip)]
    pub allows_moved: bool,
}

/// The state that a change is compared with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Base {
    /// The revision as requested, e.g. `main`.
    pub revision: String,
    /// Full ID of the merge base, or `None` if there's no commit yet.
    pub commit: Option<String>,
}

/// Anchor evidence that a change has made stale.
#[derive(Debug, Clone, Serialize)]
pub struct StaleEvidence {
    /// Name of the anchor, as used in commands.
    pub id: Ident,
    /// The kind of fact that the anchor stands for.
    pub kind: AnchorKind,
    /// Title of the anchor, for display.
    pub label: String,
    /// Where we've found the anchor. To repair one of the repository's anchors, it has to be
    /// imported first.
    pub kept_in: KeptIn,
    /// The lines as they were when they were captured.
    #[serde(flatten)]
    pub pointer: Pointer,
    /// The verdict on the lines in the working tree.
    #[serde(flatten)]
    pub judgement: Judgement,
}

/// Stores that can have an anchor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeptIn {
    /// The user's notebook.
    Notebook,
    /// The file of shared anchors in the repository.
    Repository,
}

/// A section of a runbook that shows something from the changed files.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct TouchedSection {
    /// The worst effect of the change on the section.
    pub effect: Effect,
    /// The runbook, as used in commands: a file, or `notebook:NAME`.
    pub runbook: String,
    /// ID of the section, which is unique in the runbook.
    pub section: String,
    /// Heading of the section, for display.
    pub title: String,
    /// The reasons for this effect, such as the names of stale anchors. Reasons for a lesser effect
    /// are left out.
    pub because: Vec<String>,
}

windlass_base::word_enum! {
    /// Effects that a change can have on a section, worst first.
    Effect, "effect" {
        /// Some evidence in the section is stale, or the source of its text is gone.
        Stale = "stale",
        /// The section shows files that have changed. It's still right, because it shows their present
        /// state.
        Touched = "touched",
    }
}

impl Impact {
    /// True if something is stale after the change, so the check fails.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        let is_refused = |stale: &StaleEvidence| !self.allows_moved || !stale.has_moved();
        self.anchors.iter().any(is_refused)
            || !self.citations.is_empty()
            || !self.wrong.is_empty()
            || !self.unusable.is_empty()
            || self.stale_sections().next().is_some()
    }

    /// Iterates over the sections that make the check fail.
    pub fn stale_sections(&self) -> impl Iterator<Item = &TouchedSection> {
        self.sections
            .iter()
            .filter(|section| section.effect == Effect::Stale)
    }

    /// Describes the base by the revision and the abbreviated commit ID, e.g. `main (1f0c3a…)`.
    pub fn base_in_words(&self) -> String {
        match self.base.commit.as_deref().and_then(|id| id.get(..12)) {
            Some(commit) => format!("{} ({commit})", self.base.revision),
            None => "the first commit".to_owned(),
        }
    }
}

impl StaleEvidence {
    /// True if the text has not changed, and we know where it is now.
    pub(crate) fn has_moved(&self) -> bool {
        self.judgement.outcome() == Some(RepairOutcome::Moved)
    }
}

impl TouchedSection {
    /// True if repairing the anchors is enough to make the section fresh again.
    pub(crate) fn rests_on_anchors_alone(&self) -> bool {
        self.because.iter().all(|why| why.starts_with(ANCHORS))
    }
}
