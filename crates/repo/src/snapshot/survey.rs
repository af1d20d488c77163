//! File metadata of a whole repository. It's cheap to collect and to compare with a later state.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use windlass_base::{Cancel, Digest, RepoPath};

use super::Snapshot;
use crate::platform::Signature;
use crate::repository::Repo;
use crate::walk::{ListError, ListQuery, Visitor, WalkedFile, Walker, Withheld};

/// Maximum number of recently changed files to hash. Their metadata alone may not show a later
/// change.
const MAX_YOUNG: usize = 2_000;

/// Metadata of all files of a repository at one moment, including hidden files. It can only be
/// compared on the same machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Survey {
    files: BTreeMap<RepoPath, State>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum State {
    /// The file hasn't changed recently, so any further change will change this signature.
    Settled(Signature),
    /// The file changed so recently that a further change might not show in the signature.
    Young(Signature),
    /// The file changed recently, and the digest of its contents shows further changes.
    Held(Signature, Digest),
    /// The file has no known signature.
    Unknown,
}

impl State {
    fn signature(&self) -> Option<Signature> {
        match self {
            Self::Settled(signature) | Self::Young(signature) | Self::Held(signature, _) => {
                Some(*signature)
            }
            Self::Unknown => None,
        }
    }
}

impl Survey {
    /// Collects the metadata of all files covered by a search of the whole `snapshot`. The walk is
    /// not recorded as a query.
    ///
    /// # Errors
    /// Returns an error if `cancel` was triggered.
    pub fn of(snapshot: &Snapshot, cancel: &Cancel) -> Result<Self, ListError> {
        let query = ListQuery {
            hidden: true,
            ..ListQuery::default()
        };
        let repo = snapshot.repo();
        let visitors = Walker::new(repo, &query)?.walk(cancel, &|| Stats {
            repo,
            files: Vec::new(),
            withheld: Withheld::default(),
        })?;
        let files = visitors.into_iter().flat_map(|visitor| visitor.files);
        Ok(Self {
            files: files.collect(),
        })
    }

    /// Returns the number of files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// True if there are no files.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// True if the file at `path` is included.
    #[must_use]
    pub fn names(&self, path: &RepoPath) -> bool {
        self.files.contains_key(path)
    }

    /// Adds digests of the recently changed files, so that we notice later changes. `snapshot` must
    /// be the one this survey was made from. A file that has changed since then becomes unknown.
    pub fn hold_young(&mut self, snapshot: &Snapshot) {
        let repo = snapshot.repo();
        let young = self.files.iter_mut().filter_map(|(path, state)| {
            let signature = match state {
                State::Young(signature) => *signature,
                _ => return None,
            };
            Some((path, signature, state))
        });
        for (path, signature, state) in young.take(MAX_YOUNG) {
            *state = match snapshot.read(path) {
                Ok(file) if repo.guard().signature(path) == Ok(signature) => {
                    State::Held(signature, file.content_hash())
                }
                _ => State::Unknown,
            };
        }
    }

    /// Returns the files that may have changed between this survey and `now`, a survey of
    /// `snapshot`. Files that have appeared or vanished are included.
    #[must_use]
    pub fn differences(&self, now: &Self, snapshot: &Snapshot) -> BTreeSet<RepoPath> {
        let is_same = |path: &RepoPath, now: &State| match self.files.get(path) {
            Some(State::Settled(then)) if now.signature() == Some(*then) => true,
            Some(State::Held(_, then)) => snapshot
                .read(path)
                .is_ok_and(|file| file.content_hash() == *then),
            _ => false,
        };
        let there = now.files.iter();
        let others = there.filter(|(path, now)| !is_same(path, now));
        let gone = self.files.keys().filter(|path| !now.names(path));
        others.map(|(path, _)| path).chain(gone).cloned().collect()
    }
}

struct Stats<'a> {
    repo: &'a Repo,
    files: Vec<(RepoPath, State)>,
    withheld: Withheld,
}

impl Visitor for Stats<'_> {
    fn file(&mut self, file: &WalkedFile<'_>) {
        let Ok(path) = RepoPath::parse(file.path) else {
            return;
        };
        let metadata = file.absolute.symlink_metadata();
        let state = match metadata.map(|metadata| Signature::of(&metadata)) {
            Ok(signature) if self.repo.is_settled(&signature) => State::Settled(signature),
            Ok(signature) => State::Young(signature),
            Err(_) => State::Unknown,
        };
        self.files.push((path, state));
    }

    fn withheld(&mut self) -> &mut Withheld {
        &mut self.withheld
    }
}
