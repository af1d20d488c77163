//! Request and result of a citation scan.

use serde::Serialize;
use windlass_base::{Caller, Ident, NextAction, RepairOutcome, RepoPath};
use windlass_notebook::EditMode;

use crate::cited_lines::{CitedLines, is_none};
use crate::params::MAX_NAMED;

/// Parameters of a citation scan.
#[derive(Debug, Clone)]
pub struct ScanRequest {
    /// Documents to scan. If empty, all Markdown files of the repository are scanned.
    pub documents: Vec<RepoPath>,
    /// True to save the cited text as anchors.
    pub save: bool,
    /// Which citations with a proven new location are rewritten. `None` to rewrite none.
    pub repair: Option<RepairDepth>,
    /// Whether changes are applied or only previewed.
    pub mode: EditMode,
}

/// Which citations are rewritten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepairDepth {
    /// Only citations whose text moved unchanged.
    Moved,
    /// Also citations whose text was edited.
    Edited,
}

/// Result of a citation scan.
#[derive(Debug, Serialize)]
pub struct Scan {
    /// Number of scanned documents.
    pub documents: usize,
    /// True if this was a preview.
    pub dry_run: bool,
    /// Citations, in order of their documents and lines.
    pub citations: Vec<CitedLines>,
    /// Documents that could not be scanned.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadDocument>,
    /// Number of texts that look like citations but name no existing file. Because the history is truncated, it is
    /// unknown if they are citations.
    #[serde(skip_serializing_if = "is_none")]
    pub untold: usize,
    /// Documents that were written, or that a preview would write.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<RepoPath>,
    /// Anchors that were saved, or that a preview would save.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub saved: Vec<Ident>,
    /// Suggested calls, such as the one that makes the previewed changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
}

/// Document that could not be scanned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadDocument {
    /// Document, relative to the root.
    pub document: RepoPath,
    /// Reason why it could not be scanned.
    pub reason: String,
}

impl Scan {
    /// True if a citation refers to wrong lines, or if a document could not be scanned.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        !self.unread.is_empty() || self.citations.iter().any(CitedLines::is_wrong)
    }
}

/// Returns the calls that rewrite the stale `citations`. Repairs that `done` already covers are not suggested.
#[must_use]
pub fn calls_that_repair<'a>(
    citations: impl Iterator<Item = &'a CitedLines>,
    done: Option<RepairDepth>,
    caller: Option<&Caller>,
) -> Vec<NextAction> {
    let mut moved: Vec<&RepoPath> = Vec::new();
    let mut edited: Vec<&RepoPath> = Vec::new();
    for cited in citations.filter(|cited| cited.by_hand.is_none()) {
        let list = match cited.outcome() {
            Some(RepairOutcome::Moved) => &mut moved,
            Some(RepairOutcome::Edited) => &mut edited,
            _ => continue,
        };
        if list.last() != Some(&&cited.document) {
            list.push(&cited.document);
        }
    }
    let call = |documents: &[&RepoPath], reason: &str, edited: bool| {
        let action = NextAction::new("anchor scan", reason);
        let named = documents.iter().take(MAX_NAMED).map(|name| name.as_str());
        let action = named.fold(action, NextAction::positional);
        action
            .option("fix", true)
            .option("edited", edited)
            .for_caller(caller)
    };
    let mut actions = Vec::new();
    if !moved.is_empty() && done.is_none() {
        actions.extend(call(&moved, "rewrite the citations of moved text", false));
    }
    if !edited.is_empty() && done != Some(RepairDepth::Edited) {
        let reason = "accept the edited text after a review";
        actions.extend(call(&edited, reason, true));
    }
    actions
}
