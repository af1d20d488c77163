//! The request for a citation scan, and its result.

use serde::Serialize;
use windlass_base::{Caller, Ident, NextAction, RepairOutcome, RepoPath};
use windlass_notebook::EditMode;

use crate::cited_lines::{CitedLines, is_none};
use crate::params::MAX_NAMED;

/// Selects the documents to scan and the changes to make.
#[derive(Debug, Clone)]
pub struct ScanRequest {
    /// Documents and folders to scan. Empty means all Markdown files of the repository.
    pub documents: Vec<RepoPath>,
    /// True to save the cited lines as anchors.
    pub save: bool,
    /// Repair of citations with a proven new location. `None` rewrites nothing.
    pub repair: Option<RepairDepth>,
    /// With `DryRun`, all changes are only previewed.
    pub mode: EditMode,
}

/// The citations to be rewritten by a repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepairDepth {
    /// Citations of text moved without a change.
    Moved,
    /// Also citations of edited text, which the user should have reviewed.
    Edited,
}

/// Result of a citation scan.
#[derive(Debug, Serialize)]
pub struct Scan {
    /// Number of documents to scan, including unreadable ones.
    pub documents: usize,
    /// True for a preview, which writes and saves nothing.
    pub dry_run: bool,
    /// All citations, in the order of their documents and positions.
    pub citations: Vec<CitedLines>,
    /// Documents that could not be scanned. They make a check fail.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadDocument>,
    /// Number of ignored strings that look like citations but name no existing file. With a
    /// truncated history, some may be citations of deleted files.
    #[serde(skip_serializing_if = "is_none")]
    pub untold: usize,
    /// Rewritten documents. In a preview, those to be rewritten.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<RepoPath>,
    /// Saved anchors. In a preview, those to be saved.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub saved: Vec<Ident>,
    /// Suggested next calls, e.g. the one to make the previewed changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
}

/// A document that could not be scanned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadDocument {
    /// Path relative to the root.
    pub document: RepoPath,
    /// Explanation for the user.
    pub reason: String,
}

impl Scan {
    /// Returns true if a check should fail, because a citation refers to the wrong lines or a
    /// document could not be scanned.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        !self.unread.is_empty() || self.citations.iter().any(CitedLines::is_wrong)
    }
}

/// Suggests calls to repair the stale `citations`, except for those that have to be edited by hand.
///
/// `done` is the repair that was just made. Suggesting it again would be pointless.
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
        // The citations are in the order of their documents, so we only need to look at the last
        // name.
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
