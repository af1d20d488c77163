//! Exports and imports entries of the notebook through files of the repository, which people review and git transfers.
//!
//! A change of either side is lost only if the caller sets `replace`. The marks of earlier states, which are digests,
//! show which side changed an entry ([`crate::anchor_exchange::Seen`]).

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

/// Request for an export or import.
#[derive(Debug, Clone)]
pub struct HandOverRequest {
    /// Names of anchors and runbooks. The anchors that these runbooks use are added. Empty stands for all entries.
    pub ids: Vec<String>,
    /// Overwrite the receiving side on a conflict.
    pub replace: bool,
    /// Whether to apply the changes or only preview them.
    pub mode: EditMode,
}

/// Result of an export or import.
#[derive(Debug, Serialize)]
pub struct HandedOver {
    /// True if this is a preview.
    pub dry_run: bool,
    /// Revision of the notebook before the operation.
    pub before: u64,
    /// Revision of the notebook after the operation. It equals `before` if the notebook did not change.
    pub revision: u64,
    /// Outcomes for the anchors and runbooks. Anchors come first, and each group is sorted by name.
    pub entries: Vec<HandedEntry>,
    /// Number of entries that were equal on both sides.
    pub same: usize,
    /// Files that were written, or that a preview would write.
    pub files: Vec<RepoPath>,
    /// Those of `files` that git ignores.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<RepoPath>,
    /// Number of imported anchors by their state in this working tree.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub states: BTreeMap<&'static str, usize>,
    /// Next actions, such as the call that applies a preview.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
}

/// Outcome for an anchor or a runbook.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct HandedEntry {
    /// Type of the entry.
    pub sort: EntrySort,
    /// Name of the anchor or runbook.
    pub id: String,
    /// Outcome on the receiving side.
    pub became: Became,
    /// Reason for the outcome, unless it is obvious.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Type of an entry that is exported or imported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EntrySort {
    /// An anchor of the notebook.
    Anchor,
    /// A runbook saved in the notebook.
    Runbook,
}

/// What happened to an entry on the receiving side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Became {
    /// The entry was added, because the receiving side had none of this name.
    Added,
    /// The entry replaced an older state.
    Updated,
    /// The entry was removed.
    Removed,
    /// The entry was left unchanged.
    Kept,
    /// Both sides changed the entry. It is unchanged until the user decides which side wins.
    Conflict,
    /// The entry must not be exported or imported, so it was skipped.
    LeftOut,
}

impl Became {
    /// Returns the outcome as it is written in JSON.
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
    /// Returns the type as it is written in JSON.
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

/// Outcomes of an operation, as collected so far.
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

    /// Returns the next actions that resolve the conflicts. `tool` is the command that lets one side win, and `reason`
    /// states which.
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

/// Names that the caller requested. Empty stands for all entries.
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

/// Returns the path of the file with the shared anchors.
fn shared_file() -> RepoPath {
    RepoPath::parse(SHARED_ANCHORS).unwrap_or_else(|_| RepoPath::root())
}

/// Reads the shared anchors of the repository. Returns `None` if the file does not exist.
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

/// Returns the reason not to export or import `anchor` if a file of its evidence is secret here.
fn secret_file(anchor: &SharedAnchor, repo: &Repo) -> Option<String> {
    let secrets = repo.secrets();
    anchor.anchor().evidence.iter().find_map(|evidence| {
        let rule = secrets.rule_for(evidence.file.as_str())?;
        Some(format!("`{}` is a secret file (`{rule}`)", evidence.file))
    })
}

/// Returns the reason not to export or import an entry if it contains secret values.
fn secret_text(has_secrets: bool) -> Option<String> {
    has_secrets.then(|| "it contains a probable secret value".to_owned())
}
