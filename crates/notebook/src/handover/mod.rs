//! Handing over what is saved to others who work on the same repository, and taking it over from them: by way of
//! files of the repository, which people review and git carries.
//!
//! Nothing that somebody changed is written over unless they ask for it, on either side. What that is, marks of earlier
//! states tell ([`crate::anchor_exchange::Seen`]).

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

/// What is to be handed over, or taken over.
#[derive(Debug, Clone)]
pub struct HandOverRequest {
    /// Anchors and runbooks with these names, with what such runbooks name; all if none is given.
    pub ids: Vec<String>,
    /// Whether the side that is read counts where both were changed.
    pub replace: bool,
    /// Whether it is done, or only looked at.
    pub mode: EditMode,
}

/// What was handed over, or taken over.
#[derive(Debug, Serialize)]
pub struct HandedOver {
    /// Whether it was only looked at.
    pub dry_run: bool,
    /// The revision of the notebook before.
    pub before: u64,
    /// The revision now; the same where the notebook did not change.
    pub revision: u64,
    /// What was done with which anchor and runbook, and what was not done and why; by name, anchors first.
    pub entries: Vec<HandedEntry>,
    /// How many anchors and runbooks are the same on both sides, and were so before.
    pub same: usize,
    /// The files that were written; that would be, where it was only looked at.
    pub files: Vec<RepoPath>,
    /// Of these, those that git does not take: an ignore file names them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ignored: Vec<RepoPath>,
    /// What became, here and now, of the anchors that are here as others have them: how many are in which state.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub states: BTreeMap<&'static str, usize>,
    /// What to do next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub next_actions: Vec<NextAction>,
}

/// What was done with an anchor or a runbook.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct HandedEntry {
    /// What it is.
    pub sort: EntrySort,
    /// Its name.
    pub id: String,
    /// What became of it.
    pub became: Became,
    /// Why, where that is not plain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Sorts of what is handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum EntrySort {
    /// An anchor.
    Anchor,
    /// A runbook.
    Runbook,
}

/// What becomes of an anchor or a runbook on the other side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Became {
    /// It is new there.
    Added,
    /// It took the place of another state of it.
    Updated,
    /// It was taken out there.
    Removed,
    /// It stays there as it is.
    Kept,
    /// Both sides changed it: it stays there as it is, and somebody has to say which one counts.
    Conflict,
    /// It may not be handed over.
    LeftOut,
}

impl Became {
    /// The word as it stands in JSON.
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
    /// The word as it stands in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Anchor => "anchor",
            Self::Runbook => "runbook",
        }
    }
}

impl HandedOver {
    /// How many entries became that.
    #[must_use]
    pub fn count(&self, became: Became) -> usize {
        let entries = self.entries.iter();
        entries.filter(|one| one.became == became).count()
    }
}

/// What was found out and done so far.
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

    /// The calls that settle what is in conflict: `tool` lets one side count, `reason` says which.
    fn settle(&self, tool: &str, reason: &str) -> Vec<NextAction> {
        /// The most names one call has.
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

/// Which names are meant.
struct Wanted<'a>(&'a [String]);

impl Wanted<'_> {
    fn has(&self, id: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|wanted| wanted == id)
    }

    /// Makes sure that all names are among those that are `known`.
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

/// The file of anchors.
fn shared_file() -> RepoPath {
    RepoPath::parse(SHARED_ANCHORS).unwrap_or_else(|_| RepoPath::root())
}

/// The anchors that stand in the repository for others; nothing where there is no such file.
///
/// # Errors
/// When the file may not be read, or is damaged.
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

/// Why `anchor` crosses in neither direction: a file of its evidence is secret here.
fn secret_file(anchor: &SharedAnchor, repo: &Repo) -> Option<String> {
    let secrets = repo.secrets();
    anchor.anchor().evidence.iter().find_map(|evidence| {
        let rule = secrets.rule_for(evidence.file.as_str())?;
        Some(format!("`{}` is a secret file (`{rule}`)", evidence.file))
    })
}

/// Why what `has_secrets` says so of may be handed over in neither direction.
fn secret_text(has_secrets: bool) -> Option<String> {
    has_secrets.then(|| "it holds what looks like a secret value".to_owned())
}
