//! Export and import of saved entries through files of the repository, which people review and git carries.
//!
//! Neither side loses a change without an explicit `replace`. Marks of earlier states show which side changed
//! ([`crate::anchor_exchange::Seen`]).

mod export_notebook;
mod guarded_write;
mod import_notebook;
mod twin_runbooks;

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use windlass_base::{NextAction, RepoPath, did_you_mean};
use windlass_repo::{Refusal, Repo, Snapshot};
use windlass_site::{Error, unreadable};

use crate::EditMode;
use crate::NotebookError;
use crate::anchor_exchange::{SHARED_ANCHORS, SharedAnchor, SharedAnchors};

pub(crate) use self::export_notebook::export;
pub(crate) use self::import_notebook::import;

/// Parameters of an export or import.
#[derive(Debug, Clone)]
pub struct HandOverRequest {
    /// Names of anchors and runbooks, to which the anchors of those runbooks are added; empty means all.
    pub ids: Vec<String>,
    /// On a conflict, let the side win that is read from.
    pub replace: bool,
    /// Apply the changes, or only preview them.
    pub mode: EditMode,
}

/// Result of an export or import.
#[derive(Debug, Serialize)]
pub struct HandedOver {
    /// True for a preview.
    pub dry_run: bool,
    /// Notebook revision before the operation.
    pub before: u64,
    /// Notebook revision afterwards; equal to `before` if the notebook did not change.
    pub revision: u64,
    /// Outcome and reason for each anchor and runbook; sorted by name, anchors first.
    pub entries: Vec<HandedEntry>,
    /// Number of entries that were equal on both sides.
    pub same: usize,
    /// Files written, or to be written by a preview.
    pub files: Vec<RepoPath>,
    /// Files among them that git ignores.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<RepoPath>,
    /// Number of imported anchors in each state, as judged here and now.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub states: BTreeMap<&'static str, usize>,
    /// Suggested calls, such as the one that writes the preview.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
}

/// Outcome for one anchor or runbook.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct HandedEntry {
    /// Type of the entry.
    pub sort: EntrySort,
    /// Name of the anchor or runbook.
    pub id: String,
    /// Outcome on the receiving side.
    pub became: Became,
    /// Reason, unless obvious.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Type of an exported or imported entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EntrySort {
    /// An anchor of the notebook.
    Anchor,
    /// A runbook saved in the notebook.
    Runbook,
}

/// Outcome for an entry on the receiving side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Became {
    /// Added, since the receiving side had none of this name.
    Added,
    /// Replaced another state of the entry.
    Updated,
    /// Removed from the receiving side.
    Removed,
    /// Left unchanged on the receiving side.
    Kept,
    /// Changed on both sides: unchanged until the user decides which side wins.
    Conflict,
    /// Must not be exported or imported.
    LeftOut,
}

impl Became {
    /// Returns the JSON name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Updated => "updated",
            Self::Removed => "removed",
            Self::Kept => "kept",
            Self::Conflict => "conflict",
            Self::LeftOut => "left_out",
        }
    }
}

impl EntrySort {
    /// Returns the JSON name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anchor => "anchor",
            Self::Runbook => "runbook",
        }
    }
}

impl HandedOver {
    /// Counts the entries with the outcome `became`.
    #[must_use]
    pub fn count(&self, became: Became) -> usize {
        let entries = self.entries.iter();
        entries.filter(|one| one.became == became).count()
    }
}

/// Outcomes collected so far.
#[derive(Default)]
struct Tally {
    entries: Vec<HandedEntry>,
    same: usize,
}

impl Tally {
    fn push(&mut self, sort: EntrySort, id: &str, became: Became, reason: Option<String>) {
        self.entries.push(HandedEntry {
            sort,
            id: id.to_owned(),
            became,
            reason,
        });
    }

    /// Returns the calls that settle the conflicts: `tool` lets one side win, `reason` says which.
    fn settle(&self, tool: &str, reason: &str) -> Vec<NextAction> {
        /// Maximum number of names in one call.
        const MAX_IDS: usize = 8;
        let conflicts = self.entries.iter();
        let mut conflicts = conflicts
            .filter(|one| one.became == Became::Conflict)
            .peekable();
        if conflicts.peek().is_none() {
            return Vec::new();
        }
        let action = NextAction::new(tool, reason).option("replace", true);
        let action = conflicts
            .take(MAX_IDS)
            .fold(action, |action, one| action.positional(one.id.as_str()));
        vec![action]
    }
}

/// Names requested by the caller.
struct Wanted<'a>(&'a [String]);

impl Wanted<'_> {
    fn has(&self, id: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|wanted| wanted == id)
    }

    /// Checks that each requested name is `known`.
    fn check<'k>(&self, known: impl Iterator<Item = &'k str>) -> Result<(), Error> {
        let known: BTreeSet<&str> = known.collect();
        let is_unknown = |id: &&String| !known.contains(id.as_str());
        match self.0.iter().find(is_unknown) {
            None => Ok(()),
            Some(id) => Err(NotebookError::NothingToHandOver {
                similar: did_you_mean(id, known.iter().copied()).map(str::to_owned),
                id: id.clone(),
            }
            .into()),
        }
    }
}

/// Returns the path of the shared anchors.
fn shared_file() -> RepoPath {
    RepoPath::parse(SHARED_ANCHORS).unwrap_or_else(|_| RepoPath::root())
}

/// Reads the shared anchors of the repository, or returns `None` if there is no such file.
///
/// # Errors
/// If the file must not be read, or is damaged.
pub fn shared_anchors(snapshot: &Snapshot) -> Result<Option<SharedAnchors>, Error> {
    let source = match snapshot.read(&shared_file()) {
        Ok(source) => source,
        Err(Refusal::Missing) => return Ok(None),
        Err(refusal) => return Err(unreadable(SHARED_ANCHORS, &refusal)),
    };
    SharedAnchors::read(SHARED_ANCHORS, source.bytes())
        .map(Some)
        .map_err(Error::document)
}

/// Returns the reason why `anchor` crosses in neither direction: a file of its evidence is secret here.
fn secret_file(anchor: &SharedAnchor, repo: &Repo) -> Option<String> {
    let secrets = repo.secrets();
    anchor.anchor().evidence.iter().find_map(|evidence| {
        let rule = secrets.rule_for(evidence.file.as_str())?;
        Some(format!("`{}` is a secret file (`{rule}`)", evidence.file))
    })
}

/// Returns the reason why a text with secret values crosses in neither direction.
fn secret_text(has_secrets: bool) -> Option<String> {
    has_secrets.then(|| "it contains a probable secret value".to_owned())
}
