//! Files in the state in which each was first seen.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde::{Deserialize, Serialize};
use windlass_base::{Cancel, RepoPath};

use crate::platform::Signature;
use crate::refusal::Refusal;
use crate::repository::Repo;
use crate::source_file::SourceFile;

/// The files of one state of a repository that somebody has asked for.
pub(crate) struct SeenFiles {
    repo: Repo,
    files: Mutex<BTreeMap<RepoPath, Arc<OnceLock<Seen>>>>,
}

/// A file, or why there is none.
pub(crate) type Outcome = Result<Arc<SourceFile>, Refusal>;

/// What a path gave.
struct Seen {
    outcome: Outcome,
    /// Of the file that was read.
    signature: Option<Signature>,
}

/// The fate of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// It was not there, or not found by a listing or search, and is now.
    Appeared,
    /// It was there and is no longer.
    Vanished,
    /// Its contents are others, or it can no longer be read, or only now.
    Changed,
}

impl SeenFiles {
    pub(crate) fn new(repo: Repo) -> Self {
        Self {
            repo,
            files: Mutex::default(),
        }
    }

    pub(crate) fn repo(&self) -> &Repo {
        &self.repo
    }

    /// See [`crate::Snapshot::read`].
    pub(crate) fn read(&self, path: &RepoPath) -> Outcome {
        let slot = Arc::clone(self.lock().entry(path.clone()).or_default());
        slot.get_or_init(|| self.look(path)).outcome.clone()
    }

    /// The state of `path`, if somebody has read it already or is about to.
    pub(crate) fn already_read(&self, path: &str) -> Option<Outcome> {
        let files = self.lock();
        if files.is_empty() {
            return None;
        }
        let path = RepoPath::parse(path).ok()?;
        let slot = Arc::clone(files.get(&path)?);
        drop(files);
        Some(slot.get_or_init(|| self.look(&path)).outcome.clone())
    }

    /// Keeps what a search has read, unless somebody was faster; gives the state that counts.
    pub(crate) fn keep(
        &self,
        path: &RepoPath,
        file: Arc<SourceFile>,
        signature: Signature,
    ) -> Outcome {
        let slot = Arc::clone(self.lock().entry(path.clone()).or_default());
        let seen = slot.get_or_init(|| Seen {
            outcome: Ok(file),
            signature: Some(signature),
        });
        seen.outcome.clone()
    }

    /// The state of `path`, if somebody has read it.
    pub(crate) fn outcome(&self, path: &RepoPath) -> Option<Outcome> {
        let slot = Arc::clone(self.lock().get(path)?);
        Some(slot.get()?.outcome.clone())
    }

    /// The state of each file that somebody has read.
    pub(crate) fn outcomes(&self) -> impl Iterator<Item = (RepoPath, Outcome)> {
        let slots = self.slots().into_iter();
        slots.filter_map(|(path, slot)| Some((path, slot.get()?.outcome.clone())))
    }

    /// What became of each file since it was read; and those that were not looked at again, once `cancel` was called.
    pub(crate) fn changes(
        &self,
        cancel: &Cancel,
    ) -> (BTreeMap<RepoPath, ChangeKind>, Vec<RepoPath>) {
        let (mut changes, mut unseen) = (BTreeMap::new(), Vec::new());
        for (path, slot) in self.slots() {
            if cancel.is_cancelled() {
                unseen.push(path);
            } else if let Some(what) = slot.get().and_then(|seen| self.look_again(&path, seen)) {
                changes.insert(path, what);
            }
        }
        (changes, unseen)
    }

    fn look(&self, path: &RepoPath) -> Seen {
        match self.repo.guard().read(path) {
            Ok(read) => Seen {
                outcome: Ok(Arc::new(SourceFile::from_bytes(read.bytes))),
                signature: Some(read.signature),
            },
            Err(refusal) => {
                if refusal != Refusal::Missing {
                    tracing::debug!(%path, %refusal, "file not read");
                }
                Seen {
                    outcome: Err(refusal),
                    signature: None,
                }
            }
        }
    }

    fn look_again(&self, path: &RepoPath, seen: &Seen) -> Option<ChangeKind> {
        let guard = self.repo.guard();
        if let Some(before) = seen.signature
            && self.repo.is_settled(&before)
            && guard.signature(path) == Ok(before)
        {
            return None;
        }
        let now = guard.read(path).map(|read| read.bytes);
        match (&seen.outcome, now) {
            (Ok(before), Ok(now)) => (before.bytes() != now).then_some(ChangeKind::Changed),
            (Err(before), Err(now)) if *before == now => None,
            (Err(Refusal::Missing), _) => Some(ChangeKind::Appeared),
            (_, Err(Refusal::Missing)) => Some(ChangeKind::Vanished),
            _ => Some(ChangeKind::Changed),
        }
    }

    fn slots(&self) -> Vec<(RepoPath, Arc<OnceLock<Seen>>)> {
        let files = self.lock();
        files
            .iter()
            .map(|(path, slot)| (path.clone(), Arc::clone(slot)))
            .collect()
    }

    /// A thread that panicked holding the lock left a whole map behind: every change to one is a single call.
    fn lock(&self) -> MutexGuard<'_, BTreeMap<RepoPath, Arc<OnceLock<Seen>>>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
