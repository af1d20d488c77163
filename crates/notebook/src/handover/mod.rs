//! Exports and imports notebook entries through files in the repository. People review these files,
//! and git transfers them.
//!
//! Neither side loses a change unless the caller sets `replace`. We can't tell from two different
//! texts which side has changed. So the notebook remembers a digest of each entry as of the last
//! export or import, called its mark ([`crate::anchor_exchange::Seen`]). A side that still matches
//! the mark has not changed, and may be overwritten. If neither does, the entry is in conflict.

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

/// Request to export or import entries.
#[derive(Debug, Clone)]
pub struct HandOverRequest {
    /// Names of anchors and runbooks. An empty list stands for all entries. The anchors of the
    /// named runbooks are always included.
    pub ids: Vec<String>,
    /// True to overwrite the entry on the receiving side in a conflict.
    pub replace: bool,
    /// Decides if the changes are applied or only previewed.
    pub mode: EditMode,
}

/// Result of an export or import, or of its preview.
#[derive(Debug, Serialize)]
pub struct HandedOver {
    /// True for a preview.
    pub dry_run: bool,
    /// The notebook's revision before the operation.
    pub before: u64,
    /// The notebook's revision afterwards. Equal to `before` if the notebook didn't change.
    pub revision: u64,
    /// Outcomes for the anchors, then for the runbooks. Both are sorted by name.
    pub entries: Vec<HandedEntry>,
    /// Number of entries already equal on both sides.
    pub same: usize,
    /// The written files. In a preview, the files to write.
    pub files: Vec<RepoPath>,
    /// Files among `files` that git ignores. Others will never receive them, so the user should
    /// know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<RepoPath>,
    /// Number of imported anchors by their state in this working tree.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub states: BTreeMap<&'static str, usize>,
    /// Suggested calls, e.g. the one that applies a preview.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
}

/// Outcome for an anchor or a runbook.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct HandedEntry {
    /// Type of the entry `id`.
    pub sort: EntrySort,
    /// The anchor's or runbook's name.
    pub id: String,
    /// The outcome on the receiving side.
    pub became: Became,
    /// The reason, unless it's obvious.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

windlass_base::word_enum! {
    /// Types of exported and imported entries.
    EntrySort, "type of entry" {
        /// An anchor in the notebook.
        Anchor = "anchor",
        /// A runbook saved in the notebook.
        Runbook = "runbook",
    }
}

windlass_base::word_enum! {
    /// Outcomes for an entry on the receiving side.
    Became, "outcome for an entry" {
        /// The entry is new on the receiving side.
        Added = "added",
        /// The entry replaced an older state.
        Updated = "updated",
        /// The entry was removed from the receiving side.
        Removed = "removed",
        /// The receiving side's entry stays as it is, e.g. because it's newer.
        Kept = "kept",
        /// Both sides changed the entry. It stays as it is until the user picks a side.
        Conflict = "conflict",
        /// The entry was skipped, e.g. because of a secret value.
        LeftOut = "left_out",
    }
}

impl HandedOver {
    /// Number of entries with the outcome `became`.
    #[must_use]
    pub fn count(&self, became: Became) -> usize {
        let entries = self.entries.iter();
        entries.filter(|one| one.became == became).count()
    }
}

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

    /// Suggests how to resolve the conflicts: by calling the command `tool` again with `--replace`.
    /// One side wins then, and `reason` says which one.
    fn settle(&self, tool: &str, reason: &str) -> Vec<NextAction> {
        /// Maximum number of names in one command. It's meant to be read and pasted by a person,
        /// who can repeat the export or import for the rest.
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

/// The requested names. An empty list stands for all entries.
struct Wanted<'a>(&'a [String]);

impl Wanted<'_> {
    fn has(&self, id: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|wanted| wanted == id)
    }

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

fn shared_file() -> RepoPath {
    // This can't fail, since the constant is a valid path.
    RepoPath::parse(SHARED_ANCHORS).unwrap_or_else(|_| RepoPath::root())
}

/// Reads the repository's shared anchors. Returns `None` if the file is missing.
///
/// # Errors
/// Returns an error if the file is damaged, or must not be read.
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

/// The reason not to export or import `anchor`, if one of its files counts as secret in this
/// repository.
fn secret_file(anchor: &SharedAnchor, repo: &Repo) -> Option<String> {
    let secrets = repo.secrets();
    anchor.anchor().evidence.iter().find_map(|evidence| {
        let rule = secrets.rule_for(evidence.file.as_str())?;
        Some(format!("`{}` is a secret file (`{rule}`)", evidence.file))
    })
}

fn secret_text(has_secrets: bool) -> Option<String> {
    has_secrets.then(|| "it contains a probable secret value".to_owned())
}
