//! Files as commits have them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use windlass_base::{Cancel, RepoPath};

use crate::bounded::{Bounded, Made};
use crate::git::{Rename, Tree, TreeEntry, full_id};
use crate::lacking::Lacking;
use crate::since::Since;
use crate::{CommitStep, Git, GitAnswer, GitQuery, Snapshot, SourceFile};

/// How much of folders is kept, in entries of some hundred bytes.
const MAX_ENTRIES: usize = 400_000;

/// How much of files is kept, in bytes.
const MAX_BYTES: usize = 256 << 20;

/// What was asked of commits, each once. None of it can change, so none of it is recorded or looked at again.
#[derive(Default)]
pub(crate) struct Past {
    trees: Bounded<String, Result<Arc<Tree>, NotInPast>, MAX_ENTRIES>,
    files: Bounded<(String, RepoPath), Result<Arc<SourceFile>, NotInPast>, MAX_BYTES>,
    renames: Once<Vec<Rename>>,
    found: Once<Vec<RepoPath>>,
    since: Since,
}

/// Answers by question; an error is an answer as well.
struct Once<T>(Mutex<BTreeMap<String, Slot<T>>>);

type Slot<T> = Arc<OnceLock<Result<Arc<T>, NotInPast>>>;

/// Why there is no such file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotInPast(String);

impl<T> Default for Once<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Once<T> {
    fn get(
        &self,
        key: String,
        ask: impl FnOnce() -> Result<T, NotInPast>,
    ) -> Result<Arc<T>, NotInPast> {
        let mut slots = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let slot = Arc::clone(slots.entry(key).or_default());
        drop(slots);
        slot.get_or_init(|| ask().map(Arc::new)).clone()
    }
}

pub(crate) fn not_in_past(why: impl std::fmt::Display) -> NotInPast {
    tracing::debug!(%why, "no answer from history");
    NotInPast(why.to_string())
}

impl Snapshot {
    /// The commit that is checked out; `None` without git, or before the first one.
    #[must_use]
    pub fn head_commit(&self, cancel: &Cancel) -> Option<String> {
        // A question without an answer would be recorded as one.
        self.repo().git().ok()?;
        match &*self.ask_git(&GitQuery::Head, cancel).ok()? {
            GitAnswer::Head(head) => head.commit.clone(),
            _ => None,
        }
    }

    /// The id of the contents that the commit with the full id `commit` has at `path`; `None` when it has no
    /// such file, or there is no such commit.
    #[must_use]
    pub fn old_blob(&self, commit: &str, path: &RepoPath) -> Option<String> {
        self.blob_at(commit, path).ok()?
    }

    /// The file at `path` as the commit with the full id `commit` has it, under the guard of files. When there is no
    /// such commit any more, the contents with the full id `blob` may serve.
    ///
    /// Not recorded: it cannot change. Whoever takes it for the state of something proves that by a hash.
    ///
    /// # Errors
    /// When there is no such file, or it may not be read.
    pub fn old_file(
        &self,
        commit: &str,
        blob: Option<&str>,
        path: &RepoPath,
    ) -> Result<Arc<SourceFile>, NotInPast> {
        let id = match self.blob_at(commit, path) {
            Ok(id) => id,
            Err(why) => Some(blob.and_then(full_id).ok_or(why)?.to_owned()),
        };
        let id = id.ok_or_else(|| not_in_past(format!("commit {commit} has no file `{path}`")))?;
        let key = (id, path.clone());
        self.past().files.get_or_make(&key, || {
            let file = self.contents(&key.0, path).map(Arc::new);
            let size = file.as_ref().map_or(1, |file| file.bytes().len());
            Made::Sized(file, size)
        })
    }

    /// The names that `path` was given by commits since `commit`, the oldest first; empty where git cannot say.
    #[must_use]
    pub fn renamed_since(&self, commit: &str, path: &RepoPath) -> Vec<RepoPath> {
        let Some(commit) = full_id(commit) else {
            return Vec::new();
        };
        // What is checked out is recorded; all else follows from it.
        let Some(head) = self.head_commit(&Cancel::default()) else {
            return Vec::new();
        };
        let ask = || {
            // The way there is known already where texts are followed along it.
            if let Ok(steps) = self.steps_since(commit) {
                return Ok(steps.iter().flat_map(|step| renames_of(step)).collect());
            }
            let git = self.past_git()?;
            git.renames_since(commit, &head).map_err(not_in_past)
        };
        let renames = self.past().renames.get(format!("{commit}..{head}"), ask);
        let mut names: Vec<RepoPath> = Vec::new();
        for rename in renames.iter().flat_map(|renames| renames.iter()) {
            let now = names.last().unwrap_or(path);
            if *rename.from == *now.as_str() {
                names.push(rename.to.clone());
            }
        }
        names
    }

    /// The files of the commit with the full id `commit` in which `text` stands, as it is written, on one line.
    ///
    /// # Errors
    /// When git cannot say.
    pub fn old_files_with(
        &self,
        commit: &str,
        text: &str,
    ) -> Result<Arc<Vec<RepoPath>>, NotInPast> {
        let id = full_id(commit).ok_or_else(|| not_in_past("the commit's id is not a full one"))?;
        let ask = || {
            let files = self.past_git()?.files_with(id, text);
            files
                .inspect_err(|_| self.kept::<Lacking>().note_other())
                .map_err(not_in_past)
        };
        self.past().found.get(format!("{commit}:{text}"), ask)
    }

    /// The id of what the commit with the full id `commit` has at `path`, if that is a file.
    fn blob_at(&self, commit: &str, path: &RepoPath) -> Result<Option<String>, NotInPast> {
        let id = full_id(commit).ok_or_else(|| not_in_past("the commit's id is not a full one"))?;
        let mut tree = self.known_tree(id)?;
        let mut names = path.as_str().split('/').peekable();
        while let Some(name) = names.next() {
            let is_last = names.peek().is_none();
            let below = match tree.get(name) {
                Some(TreeEntry::File(id)) if is_last => return Ok(Some(id.to_string())),
                Some(TreeEntry::Tree(id)) if !is_last => self.known_tree(id)?,
                _ => return Ok(None),
            };
            tree = below;
        }
        Ok(None)
    }

    /// See [`Self::tree`]; each is asked for once.
    fn known_tree(&self, id: &str) -> Result<Arc<Tree>, NotInPast> {
        self.past().trees.get_or_make(&id.to_owned(), || {
            let tree = self.tree(id).map(Arc::new);
            let size = tree.as_ref().map_or(1, |tree| tree.len() + 1);
            Made::Sized(tree, size)
        })
    }

    pub(crate) fn since(&self) -> &Since {
        &self.past().since
    }

    pub(crate) fn past_git(&self) -> Result<Git, NotInPast> {
        self.repo().git().map_err(not_in_past)
    }
}

/// The files that `step` gave other names.
fn renames_of(step: &CommitStep) -> impl Iterator<Item = Rename> + '_ {
    step.changes.iter().filter_map(|change| {
        let (from, to) = (change.from.as_ref()?, change.to.as_ref()?);
        (from.path != to.path).then(|| Rename {
            from: from.path.as_str().into(),
            to: to.path.clone(),
        })
    })
}
