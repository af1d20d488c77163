//! Exports and imports notebook entries through files in the repository, which people review and
//! git transfers.
//!
//! Neither side's changes are lost unless the caller sets `replace`. We compare marks, which are
//! digests of earlier states, to tell which side changed an entry
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

/// A request for an export or import.
#[derive(Debug, Clone)]
pub struct HandOverRequest {
    /// Names of anchors and runbooks. Anchors used by these runbooks are added. Empty means all
    /// entries.
    pub ids: Vec<String>,
    /// Overwrite the receiving side on a conflict.
    pub replace: bool,
    /// Mode: apply the changes, or only preview them.
    pub mode: EditMode,
}

/// The result of an export or import.
#[derive(Debug, Serialize)]
pub struct HandedOver {
    /// True if this is a preview.
    pub dry_run: bool,
    /// The notebook's revision before the operation.
    pub before: u64,
    /// The notebook's revision afterwards. It equals `before` if the notebook didn't change.
    pub revision: u64,
    /// Outcome for each anchor, then for each runbook, both sorted by name.
    pub entries: Vec<HandedEntry>,
    /// Number of entries that were already equal on both sides.
    pub same: usize,
    /// Files written, or that a preview would write.
    pub files: Vec<RepoPath>,
    /// The `files` ignored by git.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<RepoPath>,
    /// Number of imported anchors in each state in this working tree.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub states: BTreeMap<&'static str, usize>,
    /// Next actions, such as the call that applies a preview.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
}

/// The outcome for an anchor or a runbook.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct HandedEntry {
    /// The entry's type.
    pub sort: EntrySort,
    /// The anchor's or runbook's name.
    pub id: String,
    /// The outcome on the receiving side.
    pub became: Became,
    /// The reason for the outcome, unless it's obvious.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Types of exported and imported entries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EntrySort {
    /// An anchor in the notebook.
    Anchor,
    /// A runbook saved in the notebook.
    Runbook,
}

/// Outcomes for an entry on the receiving side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Became {
    /// The entry was added, because the receiving side had none of this name.
    Added,
    /// The entry replaced an older state.
    Updated,
    /// The entry was removed.
    Removed,
    /// The entry was left as it was.
    Kept,
    /// Both sides changed the entry. We leave it alone until the user decides which side wins.
    Conflict,
    /// The entry was skipped, because it must not be exported or imported.
    LeftOut,
}

impl Became {
    /// Returns the outcome's name in JSON.
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
    /// Returns the type's name in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anchor => "anchor",
            Self::Runbook => "runbook",
        }
    }
}

impl HandedOver {
    /// Returns the number of entries with the outcome `became`.
    #[must_use]
    pub fn count(&self, became: Became) -> usize {
        let entries = self.entries.iter();
        entries.filter(|one| one.became == became).count()
    }
}

/// Outcomes of an operation so far.
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

    /// Returns the next actions for resolving the conflicts. The command `tool` lets one side win,
    /// and `reason` says which.
    fn settle(&self, tool: &str, reason: &str) -> Vec<NextAction> {
        /// Maximum number of names in one command.
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

/// Names requested by the caller. Empty means all entries.
struct Wanted<'a>(&'a [String]);

impl Wanted<'_> {
    fn has(&self, id: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|wanted| wanted == id)
    }

    /// Checks that each requested name is one of `known`.
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

/// Returns the path of the file for shared anchors.
fn shared_file() -> RepoPath {
    RepoPath::parse(SHARED_ANCHORS).unwrap_or_else(|_| RepoPath::root())
}

/// Reads the repository's shared anchors. Returns `None` if the file doesn't exist.
///
/// # Errors
/// Returns an error if the file must not be read, or if it is damaged.
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

/// Returns the reason not to export or import `anchor`, if a file of its evidence is secret here.
fn secret_file(anchor: &SharedAnchor, repo: &Repo) -> Option<String> {
    let secrets = repo.secrets();
    anchor.anchor().evidence.iter().find_map(|evidence| {
        let rule = secrets.rule_for(evidence.file.as_str())?;
        Some(format!("`{}` is a secret file (`{rule}`)", evidence.file))
    })
}

/// Returns the reason not to export or import an entry, if it contains secret values.
fn secret_text(has_secrets: bool) -> Option<String> {
    has_secrets.then(|| "it contains a probable secret value".to_owned())
}
