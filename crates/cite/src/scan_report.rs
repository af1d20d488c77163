//! What documents cite, and what became of it.

use serde::Serialize;
use windlass_base::{Caller, Ident, NextAction, RepairOutcome, RepoPath};
use windlass_notebook::EditMode;

use crate::cited_lines::{CitedLines, is_none};
use crate::params::MAX_NAMED;

/// What is to be done with the citations of documents.
#[derive(Debug, Clone)]
pub struct ScanRequest {
    /// The documents; all Markdown files of the repository if none is given.
    pub documents: Vec<RepoPath>,
    /// Whether what is cited is saved as anchors.
    pub save: bool,
    /// Whether citations are written anew where the new place is proven, and how far.
    pub repair: Option<RepairDepth>,
    /// Whether it is done, or only looked at.
    pub mode: EditMode,
}

/// What is written anew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RepairDepth {
    /// What moved unchanged.
    Moved,
    /// Also what was edited, as it is now.
    Edited,
}

/// What documents cite, and what became of it.
#[derive(Debug, Serialize)]
pub struct Scan {
    /// How many documents were looked through.
    pub documents: usize,
    /// Whether nothing was written.
    pub dry_run: bool,
    /// What they cite, in the order of the documents and their lines.
    pub citations: Vec<CitedLines>,
    /// Documents that could not be looked through, and why.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<UnreadDocument>,
    /// How many places name files that are not there, and are no citations as far as can be told: history is cut off, and they may
    /// have been there before.
    #[serde(skip_serializing_if = "is_none")]
    pub untold: usize,
    /// Documents that were written, or would be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub written: Vec<RepoPath>,
    /// Anchors that were saved, or would be.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub saved: Vec<Ident>,
    /// What to do next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
}

/// A document that could not be looked through.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct UnreadDocument {
    /// The document.
    pub document: RepoPath,
    /// Why not.
    pub reason: String,
}

impl Scan {
    /// Whether something leads to the wrong lines, or a document could not be looked through.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        !self.unread.is_empty() || self.citations.iter().any(CitedLines::is_wrong)
    }
}

/// The calls that write `citations` anew, which are stale, as far as `done` has not done so already.
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
            .option("repair", true)
            .option("edited", edited)
            .for_caller(caller)
    };
    let mut actions = Vec::new();
    if !moved.is_empty() && done.is_none() {
        actions.extend(call(&moved, "write the new places of what moved", false));
    }
    if !edited.is_empty() && done != Some(RepairDepth::Edited) {
        let reason = "take over what was edited, once you have looked at it";
        actions.extend(call(&edited, reason, true));
    }
    actions
}
