//! All changes of a commit, compared once for all texts that the commit removed.

use crate::params::{self, MAX_CACHED_LINES};
use std::sync::Arc;

use windlass_base::RepoPath;
use windlass_repo::{Bounded, CommitStep, Made, Snapshot, SourceFile};

use super::contents::{Contents, Readable};
use super::file_steps::{FileStep, step_between};
use super::sweep::{Ends, ends_of, files_left};

/// The files that a commit added or changed, compared with its parent. Deleted files are not
/// included.
pub(crate) struct CommitFiles {
    pub(crate) steps: Vec<Arc<FileStep>>,
    /// Binary files, which cannot be compared by lines.
    pub(crate) without_lines: Vec<(RepoPath, Arc<SourceFile>)>,
    /// Files that cannot be read or compared, e.g. because they are secret or too large.
    pub(crate) unread: Vec<RepoPath>,
    /// Size in the cache, in lines.
    size: usize,
}

/// Cache of the changes of commits, for one state of the files.
type Known = Bounded<Ends, Result<Arc<CommitFiles>, String>, MAX_CACHED_LINES>;

/// Compares the files that `commit` added or changed.
///
/// # Errors
/// Returns the reason if the commit cannot be inspected completely.
pub(crate) fn files_of(
    snapshot: &Snapshot,
    commit: &CommitStep,
) -> Result<Arc<CommitFiles>, String> {
    let known = snapshot.kept::<Known>();
    known.get_or_make(&ends_of(commit), || {
        let files = CommitFiles::read(snapshot, commit).map(Arc::new);
        let size = files.as_ref().map_or(1, |files| files.size);
        Made::Sized(files, size)
    })
}

impl CommitFiles {
    fn read(snapshot: &Snapshot, commit: &CommitStep) -> Result<Self, String> {
        if !commit.complete || files_left(commit) > params::MAX_COMMIT_FILES {
            return Err("one of the commits that took it out cannot be looked at".to_owned());
        }
        let mut files = Self {
            steps: Vec::new(),
            without_lines: Vec::new(),
            unread: Vec::new(),
            size: 0,
        };
        let contents = snapshot.kept::<Contents>();
        for change in &commit.changes {
            let Some(to) = &change.to else { continue };
            // Without former contents, all lines count as added.
            let from = change.from.as_ref();
            if let Some(Readable::Text(text)) = from.map(|from| contents.read(snapshot, from)) {
                files.size += text.len();
            }
            match contents.read(snapshot, to) {
                Readable::Text(text) => {
                    files.size += text.len();
                    let step = step_between(snapshot, from, Some(to));
                    match step.to {
                        Some(_) => files.steps.push(step),
                        None => files.unread.push(to.path.clone()),
                    }
                }
                Readable::Binary(source) => {
                    files.size += source.bytes().len() / params::BYTES_A_LINE;
                    files.without_lines.push((to.path.clone(), source));
                }
                Readable::No => files.unread.push(to.path.clone()),
            }
            if files.size > params::MAX_COMMIT_LINES {
                return Err("one of the commits that took it out is too large".to_owned());
            }
        }
        Ok(files)
    }
}
