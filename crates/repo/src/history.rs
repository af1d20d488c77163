//! Contents and changes of commits.

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

/// Maximum number of cached folder entries, each of which takes a few hundred bytes.
const MAX_ENTRIES: usize = 400_000;

/// Maximum size of cached file contents, in bytes.
const MAX_BYTES: usize = 256 << 20;

/// The history of a snapshot's checked-out commit.
///
/// Commits never change, so each query runs once and its answer is cached with the snapshot. We
/// neither record answers nor check them again: they all follow from the id of the checked-out
/// commit, which is recorded.
pub struct History<'a> {
    snapshot: &'a Snapshot,
    past: Arc<Past>,
}

/// Cached answers about commits.
#[derive(Default)]
struct Past {
    trees: Bounded<String, Result<Arc<Tree>, NotInPast>, MAX_ENTRIES>,
    files: Bounded<(String, RepoPath), Result<Arc<SourceFile>, NotInPast>, MAX_BYTES>,
    renames: Once<Vec<Rename>>,
    found: Once<Vec<RepoPath>>,
    ways: CommitWays,
    objects: ObjectReader,
}

/// Cached answers by query. Errors are cached as well, or a failing query would run again and
/// again.
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
        drop(slots);
        slot.get_or_init(|| ask().map(Arc::new)).clone()
    }
}

impl Snapshot {
    /// Returns the history of the checked-out commit.
    #[must_use]
    pub fn history(&self) -> History<'_> {
        History {
            snapshot: self,
            past: self.kept(),
        }
    }
}

impl History<'_> {
    /// Returns the blob id of `path` in `commit` (a full id), or `None` if the file or the commit
    /// doesn't exist.
    #[must_use]
    pub fn blob(&self, commit: &str, path: &RepoPath) -> Option<String> {
        self.blob_at(commit, path).ok()?
    }

    /// Returns the file at `path` in `commit` (a full id), subject to the path guard. If the commit
    /// is missing, falls back to the contents with the full id `blob`.
    ///
    /// The read is not recorded, because the file can't change. Callers verify by hash if they need
    /// a particular state.
    ///
    /// # Errors
    /// Returns an error if there is no such file, or if it may not be read.
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

    /// Returns the later names of `path`, given by commits since `commit`, oldest first. The result
    /// is empty if git can't answer.
    #[must_use]
    pub fn names_since(&self, commit: &str, path: &RepoPath) -> Vec<RepoPath> {
        let Some(commit) = full_id(commit) else {
            return Vec::new();
        };
        // Record only the checked-out commit, since the rest of the answer follows from it.
        let Some(head) = self.snapshot.head_commit(&Cancel::default()) else {
            return Vec::new();
        };
        let ask = || {
            // Cached steps already contain the renames.
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
            let now = names.last().unwrap_or(path);
            if *rename.from == *now.as_str() {
                names.push(rename.to.clone());
            }
        }
        names
    }

    /// Returns the files of `commit` (a full id) that contain `text` literally.
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

    /// Returns the blob id of `path` in `commit` (a full id), or `None` if the path isn't a file.
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

    /// Returns the folder with the full id `id` from the cache or git. If `id` is a commit, this is
    /// its root folder.
    fn known_tree(&self, id: &str) -> Result<Arc<Tree>, NotInPast> {
        self.past.trees.get_or_make(&id.to_owned(), || {
            let tree = self.tree(id).map(Arc::new);
            let size = tree.as_ref().map_or(1, |tree| tree.len() + 1);
            Made::Sized(tree, size)
        })
    }

    /// Returns the changes of the commits since `base` (a full id) up to the checked-out commit,
    /// oldest first. Merges are compared with their first parent. If `base` was merged from another
    /// branch, the first step is the difference between `base` and that merge.
    ///
    /// Only the checked-out commit is recorded, because the rest of the answer follows from it.
    ///
    /// # Errors
    /// Returns an error if `base` is not an ancestor of the checked-out commit or is too far back,
    /// or if git fails.
    pub fn steps_since(&self, base: &str) -> Result<Steps, NotInPast> {
        let base = checked(base)?;
        let head = self.head()?;
        self.past.ways.since(&self.git()?, base, head)
    }

    /// Returns the steps like [`Self::steps_since`], but only if there are at most `limit` and all
    /// of them follow first parents. Returns `None` otherwise.
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

    /// Adopts `way`, the result of an earlier [`Self::steps_since`], so that we need not run git. A
    /// way with a gap, or one that doesn't end at the checked-out commit, is ignored.
    pub fn know_way(&self, way: Steps) {
        if let Some(head) = self.snapshot.head_commit(&Cancel::default()) {
            self.past.ways.know(head, way);
        }
    }

    /// Returns the changes of `commit` (a full id) relative to its first parent. The answer can't
    /// change, so it's not recorded.
    ///
    /// # Errors
    /// Returns an error if there is no such commit, or if git fails.
    pub fn step_of(&self, commit: &str) -> Result<Arc<CommitStep>, NotInPast> {
        let id = checked(commit)?;
        let step = self.past.ways.step_of(&self.git()?, id);
        step.inspect_err(|_| self.snapshot.kept::<Lacking>().note_other())
    }

    /// Returns the newest common ancestor of `commit` (a full id) and the checked-out commit, or
    /// `None` if their histories are unrelated. An ancestor of the checked-out commit is its own
    /// result. The answer can't change, so it's not recorded.
    ///
    /// # Errors
    /// Returns an error if there is no such commit, or if git fails.
    pub fn common_ancestor(&self, commit: &str) -> Result<Option<String>, NotInPast> {
        let id = checked(commit)?;
        let head = self.head()?;
        self.past.ways.common_ancestor(&self.git()?, id, head)
    }

    /// Returns the ids of the checked-out commit and its first-parent ancestors, newest first and
    /// at most `limit`. The result is empty if git fails.
    #[must_use]
    pub fn first_parents(&self, limit: usize) -> Vec<String> {
        let head = self.snapshot.head_commit(&Cancel::default());
        let parents = head.and_then(|head| {
            let git = self.git().ok()?;
            git.commits().first_parents(&head, limit).ok()
        });
        parents.unwrap_or_default()
    }

    /// Returns the contents with the full id `blob`, subject to the path guard. Some commit must
    /// have them at `path`, because the guard depends on the path.
    ///
    /// # Errors
    /// Returns an error if the contents are missing, or if they may not be read.
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

    /// True if git still lacks all of `contents`, as listed earlier by [`Lacking::contents`]. If
    /// so, they're recorded as missing again: results reused from that time stay valid only for as
    /// long as the contents are missing.
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
            Object::Tree(bytes) => Tree::parse(&bytes, id.len() / 2),
            _ => None,
        }
        .ok_or_else(|| not_in_past(format!("git has no commit or folder {id}")))
    }

    /// Runs `ask` on the running git process.
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

/// Returns `commit` if it is a full id, and an error otherwise.
fn checked(commit: &str) -> Result<&str, NotInPast> {
    full_id(commit).ok_or_else(|| not_in_past("the commit id is not a full id"))
}

/// Returns the renames in `step`.
fn renames_of(step: &CommitStep) -> impl Iterator<Item = Rename> + '_ {
    step.changes.iter().filter_map(|change| {
        let (from, to) = (change.from.as_ref()?, change.to.as_ref()?);
        (from.path != to.path).then(|| Rename {
            from: from.path.as_str().into(),
            to: to.path.clone(),
        })
    })
}
