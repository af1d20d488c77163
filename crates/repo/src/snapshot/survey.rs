//! The file metadata of a whole repository, which is cheap to collect and to compare with a later
//! state.
//!
//! A survey answers the question of what has changed since an earlier run, without reading any
//! files. Metadata has one weakness: if a file is changed twice within one tick of the clock, they
//! do not show it. So recently changed files ("young" ones) are hashed as well.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use windlass_base::{Cancel, Digest, RepoPath};

use super::Snapshot;
use crate::platform::Signature;
use crate::repository::Repo;
use crate::walk::{ListError, ListQuery, Visitor, WalkedFile, Walker, Withheld};

/// Maximum number of recently changed files to hash. After a fresh clone, all files are young, and
/// hashing them would take too long. The rest will count as changed.
const MAX_YOUNG: usize = 2_000;

/// The metadata of all files in a repository at one moment, including hidden ones. A stored survey
/// can only be compared on the same machine.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Survey {
    files: BTreeMap<RepoPath, State>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum State {
    /// The file last changed long enough ago that any further change will change this signature.
    Settled(Signature),
    /// The file changed so recently that the signature might not show another change.
    Young(Signature),
    /// Like `Young`, but with a digest of the contents, which does show another change.
    Held(Signature, Digest),
    /// We do not know the file's signature, so it counts as changed.
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
    /// Collects the metadata of all files in `snapshot`, except for ignored ones. The snapshot
    /// does not record this as a query.
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

    /// Returns true if the repository has no files.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Returns true if the survey includes `path`.
    #[must_use]
    pub fn names(&self, path: &RepoPath) -> bool {
        self.files.contains_key(path)
    }

    /// Adds digests of recently changed files, so that later changes will show.
    ///
    /// `snapshot` must be the one that this survey was made of. If a file has changed since then,
    /// we cannot know the contents that the survey saw.
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

    /// Returns the files that were changed, added or removed between this survey and `now`, which
    /// must be a survey of `snapshot`. If in doubt, a file is included.
    #[must_use]
    pub fn differences(&self, now: &Self, snapshot: &Snapshot) -> BTreeSet<RepoPath> {
        let is_same = |path: &RepoPath, now: &State| match self.files.get(path) {
            // The earlier state decides if metadata are enough. If the file was young then, only
            // its contents tell.
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
