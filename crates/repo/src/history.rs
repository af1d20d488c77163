//! History: the contents of commits, and their changes.

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

/// How much of folders is kept, in entries of some hundred bytes.
const MAX_ENTRIES: usize = 400_000;

/// How much of files is kept, in bytes.
const MAX_BYTES: usize = 256 << 20;

/// The history of what a snapshot has checked out.
///
/// Commits cannot change, so what they have is asked for once, kept with the state of the files, and neither recorded nor looked
/// at again; the commit that is checked out is.
pub struct History<'a> {
    snapshot: &'a Snapshot,
    past: Arc<Past>,
}

/// Answers about commits, each asked once.
#[derive(Default)]
struct Past {
    trees: Bounded<String, Result<Arc<Tree>, NotInPast>, MAX_ENTRIES>,
    files: Bounded<(String, RepoPath), Result<Arc<SourceFile>, NotInPast>, MAX_BYTES>,
    renames: Once<Vec<Rename>>,
    found: Once<Vec<RepoPath>>,
    ways: CommitWays,
    objects: ObjectReader,
}

/// Answers by question; an error is an answer as well.
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
    /// The history of what is checked out.
    #[must_use]
    pub fn history(&self) -> History<'_> {
        History {
            snapshot: self,
            past: self.kept(),
        }
    }
}

impl History<'_> {
    /// The id of the contents that the commit with the full id `commit` has at `path`; `None` when it has no
    /// such file, or there is no such commit.
    #[must_use]
    pub fn blob(&self, commit: &str, path: &RepoPath) -> Option<String> {
        self.blob_at(commit, path).ok()?
    }

    /// The file at `path` as the commit with the full id `commit` has it, under the guard of files. When there is no
    /// such commit any more, the contents with the full id `blob` may serve.
    ///
    /// Not recorded: it cannot change. Whoever takes it for the state of something proves that by a hash.
    ///
    /// # Errors
    /// When there is no such file, or it may not be read.
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

    /// The names that `path` was given by commits since `commit`, the oldest first; empty where git cannot say.
    #[must_use]
    pub fn names_since(&self, commit: &str, path: &RepoPath) -> Vec<RepoPath> {
        let Some(commit) = full_id(commit) else {
            return Vec::new();
        };
        // What is checked out is recorded; all else follows from it.
        let Some(head) = self.snapshot.head_commit(&Cancel::default()) else {
            return Vec::new();
        };
        let ask = || {
            // The way there is known already where texts are followed along it.
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

    /// The files of the commit with the full id `commit` in which `text` stands, as it is written, on one line.
    ///
    /// # Errors
    /// When git cannot say.
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

    /// The id of what the commit with the full id `commit` has at `path`, if that is a file.
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

    /// The folder with the full id `id`, or that of the commit with it; each is asked for once.
    fn known_tree(&self, id: &str) -> Result<Arc<Tree>, NotInPast> {
        self.past.trees.get_or_make(&id.to_owned(), || {
            let tree = self.tree(id).map(Arc::new);
            let size = tree.as_ref().map_or(1, |tree| tree.len() + 1);
            Made::Sized(tree, size)
        })
    }

    /// Returns what the commits since `base` (a full id) did to files, up to what is checked out, the oldest first; merges
    /// as their first parent sees them. Where `base` came in by a merge, the first step leads from it to that merge.
    ///
    /// Not recorded, as it cannot change: what is checked out is.
    ///
    /// # Errors
    /// When `base` is not in the history of what is checked out, is too far back, or git cannot say.
    pub fn steps_since(&self, base: &str) -> Result<Steps, NotInPast> {
        let base = checked(base)?;
        let head = self.head()?;
        self.past.ways.since(&self.git()?, base, head)
    }

    /// The same where there are at most `limit` steps, and each leads from a commit to one that has it for its first parent; `None`
    /// where the way from `base` is another one, or there is none.
    ///
    /// # Errors
    /// When git cannot say.
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

    /// Takes it that `way`, what [`Self::steps_since`] gave before and more, leads to what is checked out, so that git is asked
    /// for no part of it. One that leads elsewhere, or has a gap, is not taken.
    pub fn know_way(&self, way: Steps) {
        if let Some(head) = self.snapshot.head_commit(&Cancel::default()) {
            self.past.ways.know(head, way);
        }
    }

    /// Returns what the commit with the full id `commit` did to files, compared with its first parent. Not recorded: it cannot change.
    ///
    /// # Errors
    /// When there is no such commit, or git cannot say.
    pub fn step_of(&self, commit: &str) -> Result<Arc<CommitStep>, NotInPast> {
        let id = checked(commit)?;
        let step = self.past.ways.step_of(&self.git()?, id);
        step.inspect_err(|_| self.snapshot.kept::<Lacking>().note_other())
    }

    /// The newest commit that both `commit` (a full id) and what is checked out come from: `commit` itself where that is in the history
    /// of what is checked out, and `None` where they have nothing in common. Not recorded, as it cannot change.
    ///
    /// # Errors
    /// When there is no such commit, or git cannot say.
    pub fn common_ancestor(&self, commit: &str) -> Result<Option<String>, NotInPast> {
        let id = checked(commit)?;
        let head = self.head()?;
        self.past.ways.common_ancestor(&self.git()?, id, head)
    }

    /// The ids of the commit that is checked out and of the first parents before it, the newest first; at most
    /// `limit`. Empty where git cannot say.
    #[must_use]
    pub fn first_parents(&self, limit: usize) -> Vec<String> {
        let head = self.snapshot.head_commit(&Cancel::default());
        let parents = head.and_then(|head| {
            let git = self.git().ok()?;
            git.commits().first_parents(&head, limit).ok()
        });
        parents.unwrap_or_default()
    }

    /// The contents with the full id `blob`, which some commit has at `path`, under the guard of files.
    ///
    /// # Errors
    /// When there are none, or they may not be read.
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

    /// True if git still cannot give any of the `contents` that [`Lacking::contents`] named once. Notes them if so: what is used of
    /// that time stands on their being unknown.
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

    /// What `ask` has of a running git.
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

/// The id of a commit, if it is a full one.
fn checked(commit: &str) -> Result<&str, NotInPast> {
    full_id(commit).ok_or_else(|| not_in_past("the commit's id is not a full one"))
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
