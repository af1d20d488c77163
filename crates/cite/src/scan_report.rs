//! Request and result of a citation scan.

use serde::Serialize;
use windlass_base::{Caller, Ident, NextAction, RepairOutcome, RepoPath};
use windlass_notebook::EditMode;

use crate::cited_lines::{CitedLines, is_none};
use crate::params::MAX_NAMED;

/// The parameters of a citation scan.
#[derive(Debug, Clone)]
pub struct ScanRequest {
    /// The documents to scan, or all of the repository's Markdown files if empty.
    pub documents: Vec<RepoPath>,
    /// True to save the cited text as anchors.
    pub save: bool,
    /// The citations to rewrite among those with a proven new location, or `None` to rewrite none.
    pub repair: Option<RepairDepth>,
    /// Applies changes, or only previews them.
    pub mode: EditMode,
}

/// Citations to rewrite.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepairDepth {
    /// Only citations whose text has moved unchanged.
    Moved,
    /// Also citations whose text has been edited.
    Edited,
}

/// The result of a citation scan.
#[derive(Debug, Serialize)]
pub struct Scan {
    /// Number of scanned documents.
    pub documents: usize,
    /// True if this was a preview.
    pub dry_run: bool,
    /// The citations, in order of their documents and lines.
    pub citations: Vec<CitedLines>,
    /// Documents we couldn't scan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadDocument>,
    /// Number of texts that look like citations but name no existing file. The history is
    /// truncated, so we don't know if they're citations.
    #[serde(skip_serializing_if = "is_none")]
    pub untold: usize,
    /// The documents written, or to be written if this is a preview.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<RepoPath>,
    /// The anchors saved, or to be saved if this is a preview.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub saved: Vec<Ident>,
    /// Suggested calls, such as the one that makes the previewed changes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
}

/// A document we couldn't scan.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadDocument {
    /// The document, relative to the root.
    pub document: RepoPath,
    /// The reason why we couldn't scan it.
    pub reason: String,
}

impl Scan {
    /// True if a citation refers to wrong lines, or if a document couldn't be scanned.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        !self.unread.is_empty() || self.citations.iter().any(CitedLines::is_wrong)
    }
}

/// Returns the calls that rewrite the stale `citations`, other than repairs already covered by
/// `done`.
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
