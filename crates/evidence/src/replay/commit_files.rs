//! What a commit did to each file, compared once for all texts that it took out.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

use windlass_base::RepoPath;
use windlass_repo::{BlobAt, CommitStep, Snapshot, SourceFile};

use super::contents::{Readable, read};
use super::lock;
use super::moves::{FileStep, Side};
use super::sweep::{MAX_FILES, MAX_LINES};

/// How much of commits is kept, in lines.
const MAX_KEPT_LINES: usize = 2_000_000;

/// Bytes that take as much room as a line with what is known of it.
const BYTES_A_LINE: usize = 64;

/// The files that a commit left behind changed.
pub(crate) struct CommitFiles {
    pub(crate) steps: Vec<FileStep>,
    /// Those that have no lines to compare.
    pub(crate) without_lines: Vec<(RepoPath, Arc<SourceFile>)>,
    /// Those that may not be read: what is kept secret, and what is too large.
    pub(crate) unread: Vec<RepoPath>,
    /// How much room they take, in lines.
    size: usize,
}

/// Those that were looked at in one state of the files.
#[derive(Default)]
struct Known(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    commits: BTreeMap<Box<str>, Slot>,
    size: usize,
}

type Slot = Arc<OnceLock<Result<Arc<CommitFiles>, String>>>;

/// What `commit` did to its files.
///
/// # Errors
/// Where not all of it can be looked at; in words.
pub(crate) fn files_of(
    snapshot: &Snapshot,
    commit: &CommitStep,
) -> Result<Arc<CommitFiles>, String> {
    let known = snapshot.kept::<Known>();
    let slot: Slot = {
        let mut kept = lock(&known.0);
        Arc::clone(kept.commits.entry(commit.commit.clone()).or_default())
    };
    let mut is_new = false;
    let found = slot.get_or_init(|| {
        is_new = true;
        CommitFiles::read(snapshot, commit).map(Arc::new)
    });
    if is_new && let Ok(files) = found {
        lock(&known.0).make_room(files.size);
    }
    found.clone()
}

impl Kept {
    fn make_room(&mut self, size: usize) {
        if self.size + size > MAX_KEPT_LINES {
            *self = Self::default();
        }
        self.size += size;
    }
}

impl CommitFiles {
    fn read(snapshot: &Snapshot, commit: &CommitStep) -> Result<Self, String> {
        if !commit.complete || commit.changes.len() > MAX_FILES {
            return Err("one of the commits that took it out cannot be looked at".to_owned());
        }
        let mut files = Self {
            steps: Vec::new(),
            without_lines: Vec::new(),
            unread: Vec::new(),
            size: 0,
        };
        for change in &commit.changes {
            let Some(to) = &change.to else { continue };
            let from = match &change.from {
                Some(from) => files.text(snapshot, from),
                None => None,
            };
            match read(snapshot, to) {
                Readable::Text(text) => {
                    files.size += text.len();
                    let to = Some((to.path.clone(), text));
                    files.steps.push(FileStep::new(from, to));
                }
                Readable::Binary(source) => {
                    files.size += source.bytes().len() / BYTES_A_LINE;
                    files.without_lines.push((to.path.clone(), source));
                }
                Readable::No => files.unread.push(to.path.clone()),
            }
            if files.size > MAX_LINES {
                return Err("one of the commits that took it out is too large".to_owned());
            }
        }
        Ok(files)
    }

    /// The text at `at`; without one all that stands there afterwards came in.
    fn text(&mut self, snapshot: &Snapshot, at: &BlobAt) -> Option<Side> {
        match read(snapshot, at) {
            Readable::Text(text) => {
                self.size += text.len();
                Some((at.path.clone(), text))
            }
            Readable::Binary(_) | Readable::No => None,
        }
    }
}
