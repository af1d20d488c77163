//! Stores each file that a snapshot reads in the state of its first read.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use serde::{Deserialize, Serialize};
use windlass_base::{Cancel, RepoPath, lock};

use crate::platform::Signature;
use crate::refusal::Refusal;
use crate::repository::Repo;
use crate::source_file::SourceFile;

pub(crate) struct SeenFiles {
    repo: Repo,
    files: Mutex<BTreeMap<RepoPath, Arc<OnceLock<Seen>>>>,
}

/// The contents of a file, or the reason why we could not read it. A snapshot stores either of them
/// for good.
pub(crate) type Outcome = Result<Arc<SourceFile>, Refusal>;

struct Seen {
    outcome: Outcome,
    /// The signature after reading, or `None` if the file could not be read.
    signature: Option<Signature>,
}

/// Change to a file since the snapshot read, listed or searched it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// The file exists now, but was missing before: on disk, in a listing or in a search.
    Appeared,
    /// The file existed before, and is missing now.
    Vanished,
    /// The contents are different, or the file has become readable or unreadable.
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

    pub(crate) fn read(&self, path: &RepoPath) -> Outcome {
        let slot = Arc::clone(lock(&self.files).entry(path.clone()).or_default());
        slot.get_or_init(|| self.look(path)).outcome.clone()
    }

    /// Returns the state of `path` if any thread has asked for it, waiting for that thread if
    /// necessary.
    pub(crate) fn already_read(&self, path: &str) -> Option<Outcome> {
        let files = lock(&self.files);
        if files.is_empty() {
            return None;
        }
        let path = RepoPath::parse(path).ok()?;
        let slot = Arc::clone(files.get(&path)?);
        drop(files);
        Some(slot.get_or_init(|| self.look(&path)).outcome.clone())
    }

    /// Adds a file that a search has read. If the snapshot already has the file, perhaps in another
    /// state, that one is returned.
    pub(crate) fn keep(
        &self,
        path: &RepoPath,
        file: Arc<SourceFile>,
        signature: Signature,
    ) -> Outcome {
        let slot = Arc::clone(lock(&self.files).entry(path.clone()).or_default());
        let seen = slot.get_or_init(|| Seen {
            outcome: Ok(file),
            signature: Some(signature),
        });
        seen.outcome.clone()
    }

    /// Returns the state of `path` if we have it. Unlike [`already_read`](Self::already_read), this
    /// does not wait.
    pub(crate) fn outcome(&self, path: &RepoPath) -> Option<Outcome> {
        let slot = Arc::clone(lock(&self.files).get(path)?);
        Some(slot.get()?.outcome.clone())
    }

    pub(crate) fn outcomes(&self) -> impl Iterator<Item = (RepoPath, Outcome)> {
        let slots = self.slots().into_iter();
        slots.filter_map(|(path, slot)| Some((path, slot.get()?.outcome.clone())))
    }

    /// Returns the files that have changed, and those that were not checked because of `cancel`.
    pub(crate) fn changes(
        &self,
        cancel: &Cancel,
    ) -> (BTreeMap<RepoPath, ChangeKind>, Vec<RepoPath>) {
        let (mut changes, mut unseen) = (BTreeMap::new(), Vec::new());
        for (path, slot) in self.slots() {
            if cancel.is_cancelled() {
                unseen.push(path);
            } else if let Some(what) = slot.get().and_then(|seen| self.check_again(&path, seen)) {
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

    fn check_again(&self, path: &RepoPath, seen: &Seen) -> Option<ChangeKind> {
        let guard = self.repo.guard();
        // The quick way: if the signature is the same and would show any change, there's no need to
        // read the file.
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
        let files = lock(&self.files);
        files
            .iter()
            .map(|(path, slot)| (path.clone(), Arc::clone(slot)))
            .collect()
    }
}
