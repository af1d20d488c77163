//! Contents and changes of earlier commits.
//!
//! Anchors and notes often refer to a commit, and we have to find out what became of those lines
//! since then. [`History`] answers the questions that come up on the way: the state of a file in a
//! commit, the commits since then, the renames. It never changes anything, and it goes through the
//! path guard, so a file that is secret today cannot be read from an old commit either.

mod commit_ways;
mod missing_objects;
mod not_in_past;
mod object_reader;
mod sparse_checkout;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use windlass_base::{Cancel, RepoPath};

use crate::bounded_cache::{Bounded, Made};
use crate::git::{CommitStep, Git, GitError, Object, Objects, Rename, Tree, TreeEntry, full_id};
use crate::refusal::{MAX_FILE_BYTES, Refusal};
use crate::secret::secret_contents;
use crate::snapshot::Snapshot;
use crate::source_file::SourceFile;
use commit_ways::CommitWays;
use missing_objects::MAX_ASKED;
use not_in_past::not_in_past;
use object_reader::ObjectReader;

pub use commit_ways::Steps;
pub use missing_objects::Lacking;
pub use not_in_past::NotInPast;
pub use sparse_checkout::LeftOut;

/// Maximum number of folder entries to cache.
///
/// An entry takes a few hundred bytes, so this is on the order of 100 MB. Beyond it, all folders
/// are dropped and read again if necessary.
const MAX_ENTRIES: usize = 400_000;

/// Maximum size of all cached file contents, in bytes.
const MAX_BYTES: usize = 256 << 20;

/// The history of a snapshot's checked-out commit.
///
/// Commits never change, so each query runs once, and its answer is cached with the snapshot. We
/// neither record the answers nor check them again, since they all follow from the ID of the
/// checked-out commit, which is recorded.
pub struct History<'a> {
    snapshot: &'a Snapshot,
    past: Arc<Past>,
}

#[derive(Default)]
struct Past {
    trees: Bounded<String, Result<Arc<Tree>, NotInPast>, MAX_ENTRIES>,
    files: Bounded<(String, RepoPath), Result<Arc<SourceFile>, NotInPast>, MAX_BYTES>,
    renames: Once<Vec<Rename>>,
    found: Once<Vec<RepoPath>>,
    ways: CommitWays,
    objects: ObjectReader,
}

/// Cached answers by query. Errors are cached as well, because otherwise every caller would repeat
/// a git call that is bound to fail.
struct Once<T>(Mutex<BTreeMap<String, Slot<T>>>);

type Slot<T> = Arc<OnceLock<Result<Arc<T>, NotInPast>>>;

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
        // Git may take seconds, so don't hold the lock meanwhile. Only callers with the same query
        // wait.
        drop(slots);
        slot.get_or_init(|| ask().map(Arc::new)).clone()
    }
}

impl Snapshot {
    /// Returns access to the history. Git does not run until the first query, and the answers are
    /// cached with this snapshot.
    #[must_use]
    pub fn history(&self) -> History<'_> {
        History {
            snapshot: self,
            past: self.kept(),
        }
    }
}

impl History<'_> {
    /// Returns the blob ID of `path` in `commit` (a full ID), or `None` if we do not find the file
    /// or the commit.
    #[must_use]
    pub fn blob(&self, commit: &str, path: &RepoPath) -> Option<String> {
        self.blob_at(commit, path).ok()?
    }

    /// Returns the file at `path` in `commit` (a full ID), if the path guard permits the read.
    ///
    /// After a rebase or in a shallow clone, the commit may be missing. We then fall back to the
    /// contents with the full ID `blob`, which git may still have.
    ///
    /// Unlike [`Snapshot::read`], this does not record the read, since the file cannot change.
    /// Callers that need a particular state have to compare hashes.
    ///
    /// # Errors
    /// Returns an error if the file is missing or must not be read.
    pub fn file(
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
        self.past.files.get_or_make(&key, || {
            let file = self.contents(&key.0, path).map(Arc::new);
            let size = file.as_ref().map_or(1, |file| file.bytes().len());
            Made::Sized(file, size)
        })
    }

    /// Follows `path` through the renames since `commit`, and returns its later names, oldest
    /// first. If git cannot answer, there are none.
    #[must_use]
    pub fn names_since(&self, commit: &str, path: &RepoPath) -> Vec<RepoPath> {
        let Some(commit) = full_id(commit) else {
            return Vec::new();
        };
        // This records the checked-out commit. The renames follow from it, so there's nothing else
        // to record.
        let Some(head) = self.snapshot.head_commit(&Cancel::default()) else {
            return Vec::new();
        };
        let ask = || {
            // Known steps include the renames, which saves a git call.
            if let Ok(steps) = self.steps_since(commit) {
                return Ok(steps.iter().flat_map(|step| renames_of(step)).collect());
            }
            let git = self.git()?;
            git.commits()
                .renames_since(commit, &head)
                .map_err(not_in_past)
        };
        let renames = self.past.renames.get(format!("{commit}..{head}"), ask);
        let mut names: Vec<RepoPath> = Vec::new();
        for rename in renames.iter().flat_map(|renames| renames.iter()) {
            // The renames are in order, so we only have to look for the name that the file had at
            // that point. For example, `a` → `b` and `b` → `c` lead from `a` to `c`.
            let now = names.last().unwrap_or(path);
            if *rename.from == *now.as_str() {
                names.push(rename.to.clone());
            }
        }
        names
    }

    /// Lists the files in `commit` (a full ID) that contain `text`, which is taken literally.
    ///
    /// # Errors
    /// Returns an error if git fails.
    pub fn files_with(&self, commit: &str, text: &str) -> Result<Arc<Vec<RepoPath>>, NotInPast> {
        let id = checked(commit)?;
        let ask = || {
            let files = self.git()?.commit_files().files_with(id, text);
            files
                .inspect_err(|_| self.snapshot.kept::<Lacking>().note_other())
                .map_err(not_in_past)
        };
        self.past.found.get(format!("{commit}:{text}"), ask)
    }

    /// Like [`blob`](Self::blob), but returns an error if the commit is missing.
    fn blob_at(&self, commit: &str, path: &RepoPath) -> Result<Option<String>, NotInPast> {
        let id = checked(commit)?;
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

    /// Git accepts the ID of a commit for its root folder here, so we do not have to look that up.
    fn known_tree(&self, id: &str) -> Result<Arc<Tree>, NotInPast> {
        self.past.trees.get_or_make(&id.to_owned(), || {
            let tree = self.tree(id).map(Arc::new);
            let size = tree.as_ref().map_or(1, |tree| tree.len() + 1);
            Made::Sized(tree, size)
        })
    }

    /// Returns the changes in all commits after `base` (a full ID) up to the checked-out commit,
    /// oldest first.
    ///
    /// Merges are compared with their first parent. If `base` is on a branch that was merged later,
    /// no chain of first parents leads back to it; in this case, the first step is the whole
    /// difference between `base` and the merge.
    ///
    /// We only record the checked-out commit, since the rest of the answer follows from it.
    ///
    /// # Errors
    /// Returns an error if git fails, or if `base` is too far back or not an ancestor of the
    /// checked-out commit.
    pub fn steps_since(&self, base: &str) -> Result<Steps, NotInPast> {
        let base = checked(base)?;
        let head = self.head()?;
        self.past.ways.since(&self.git()?, base, head)
    }

    /// Like [`steps_since`](Self::steps_since), but returns `None` if there are more than `limit`
    /// steps, or if first parents alone do not lead back to `base`.
    ///
    /// Use this if the steps are only worthwhile for a short way. It usually takes less work than
    /// computing all of them.
    ///
    /// # Errors
    /// Returns an error if git fails.
    pub fn first_parent_steps_since(
        &self,
        base: &str,
        limit: usize,
    ) -> Result<Option<Steps>, NotInPast> {
        let base = checked(base)?;
        let head = self.head()?;
        let ways = &self.past.ways;
        ways.first_parents_since(&self.git()?, base, head, limit)
    }

    /// Adopts a result of [`steps_since`](Self::steps_since), e.g. from an earlier run, so that git
    /// does not have to compute the steps again.
    ///
    /// The steps are ignored if there is a gap between them, or if they do not end at the
    /// checked-out commit.
    pub fn know_way(&self, way: Steps) {
        if let Some(head) = self.snapshot.head_commit(&Cancel::default()) {
            self.past.ways.know(head, way);
        }
    }

    /// Returns the changes in `commit` (a full ID) relative to its first parent. They cannot
    /// change, so we do not record them.
    ///
    /// # Errors
    /// Returns an error for an unknown commit, or if git fails.
    pub fn step_of(&self, commit: &str) -> Result<Arc<CommitStep>, NotInPast> {
        let id = checked(commit)?;
        let step = self.past.ways.step_of(&self.git()?, id);
        step.inspect_err(|_| self.snapshot.kept::<Lacking>().note_other())
    }

    /// Returns the newest common ancestor of `commit` (a full ID) and the checked-out commit.
    ///
    /// This is `commit` itself if the checked-out commit descends from it, and `None` if the
    /// histories are unrelated.
    ///
    /// # Errors
    /// Returns an error for an unknown commit, or if git fails.
    pub fn common_ancestor(&self, commit: &str) -> Result<Option<String>, NotInPast> {
        let id = checked(commit)?;
        let head = self.head()?;
        self.past.ways.common_ancestor(&self.git()?, id, head)
    }

    /// Returns the IDs of the checked-out commit and its first-parent ancestors, newest first, at
    /// most `limit` in total. If git fails, the list is empty.
    #[must_use]
    pub fn first_parents(&self, limit: usize) -> Vec<String> {
        let head = self.snapshot.head_commit(&Cancel::default());
        let parents = head.and_then(|head| {
            let git = self.git().ok()?;
            git.commits().first_parents(&head, limit).ok()
        });
        parents.unwrap_or_default()
    }

    /// Returns the contents with the full ID `blob`, if the path guard permits the read.
    ///
    /// The caller must have found the contents at `path` in some commit. The guard decides by
    /// paths, so with a made-up path, anyone who knows the ID of a secret file's contents could
    /// read them.
    ///
    /// # Errors
    /// Returns an error if the contents are missing or must not be read.
    pub fn contents(&self, blob: &str, path: &RepoPath) -> Result<SourceFile, NotInPast> {
        if let Some(rule) = self.snapshot.repo().guard().secret_rule(path.as_str()) {
            return Err(not_in_past(Refusal::Secret { rule }));
        }
        let object = self.object(|objects| objects.get(blob));
        let note = || self.snapshot.kept::<Lacking>().note_contents(blob);
        match object.inspect_err(|_| note())? {
            Object::Missing | Object::Tree(_) => {
                note();
                Err(not_in_past(format!("git has no contents {blob}")))
            }
            Object::TooLarge(bytes) => {
                let limit = MAX_FILE_BYTES;
                Err(not_in_past(Refusal::TooLarge { bytes, limit }))
            }
            Object::Blob(bytes) => match secret_contents(path.as_str(), &bytes) {
                Some(rule) => Err(not_in_past(Refusal::Secret { rule: rule.into() })),
                None => Ok(SourceFile::from_bytes(bytes)),
            },
        }
    }

    /// Returns true if git still lacks all of `contents`, which an earlier run got from
    /// [`Lacking::contents`].
    ///
    /// If so, we record the contents as missing in this snapshot too, because a result computed
    /// without them only holds while they are missing.
    #[must_use]
    pub fn still_lacks(&self, contents: &[String]) -> bool {
        let is_lacking = |id: &String| {
            let object = self.object(|objects| objects.get(id));
            matches!(object, Err(_) | Ok(Object::Missing))
        };
        let still = contents.len() <= MAX_ASKED && contents.iter().all(is_lacking);
        if still && !contents.is_empty() {
            let lacking = self.snapshot.kept::<Lacking>();
            contents.iter().for_each(|id| lacking.note_contents(id));
        }
        still
    }

    fn tree(&self, id: &str) -> Result<Tree, NotInPast> {
        match self.object(|objects| objects.get_tree(id))? {
            // A tree has binary IDs, which are half as long as hexadecimal ones: 20 bytes for SHA-1
            // and 32 for SHA-256.
            Object::Tree(bytes) => Tree::parse(&bytes, id.len() / 2),
            _ => None,
        }
        .ok_or_else(|| not_in_past(format!("git has no commit or folder {id}")))
    }

    fn object(
        &self,
        ask: impl Fn(&mut Objects) -> Result<Object, GitError>,
    ) -> Result<Object, NotInPast> {
        self.past.objects.get(&self.git()?, ask)
    }

    fn git(&self) -> Result<Git, NotInPast> {
        self.snapshot.repo().git().map_err(not_in_past)
    }

    fn head(&self) -> Result<String, NotInPast> {
        let head = self.snapshot.head_commit(&Cancel::default());
        head.ok_or_else(|| not_in_past("no commit is checked out"))
    }
}

fn checked(commit: &str) -> Result<&str, NotInPast> {
    full_id(commit).ok_or_else(|| not_in_past("the commit id is not a full id"))
}

fn renames_of(step: &CommitStep) -> impl Iterator<Item = Rename> + '_ {
    step.changes.iter().filter_map(|change| {
        let (from, to) = (change.from.as_ref()?, change.to.as_ref()?);
        (from.path != to.path).then(|| Rename {
            from: from.path.as_str().into(),
            to: to.path.clone(),
        })
    })
}
