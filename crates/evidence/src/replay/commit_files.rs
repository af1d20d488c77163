//! Changes of whole commits. They are compared once for all texts that the commit removed.

use std::sync::Arc;

use windlass_base::RepoPath;
use windlass_repo::{Bounded, CommitStep, Made, Snapshot, SourceFile};

use super::contents::MAX_FILES;
use super::contents::{Contents, Readable};
use super::file_steps::{FileStep, step_between};
use super::sweep::{Ends, MAX_LINES, ends_of, files_left};
use crate::text::BYTES_A_LINE;

/// Maximum size of the cache, in lines.
const MAX_KEPT_LINES: usize = 2_000_000;

/// Files that a commit added or changed, compared with its parent.
pub(crate) struct CommitFiles {
    pub(crate) steps: Vec<Arc<FileStep>>,
    /// Files without lines that could be compared.
    pub(crate) without_lines: Vec<(RepoPath, Arc<SourceFile>)>,
    /// Files that may not be read, because they are secret or too large.
    pub(crate) unread: Vec<RepoPath>,
    /// Size that counts for the cache, in lines.
    size: usize,
}

/// Cached changes of commits. One cache per state of the files.
type Known = Bounded<Ends, Result<Arc<CommitFiles>, String>, MAX_KEPT_LINES>;

/// Returns the changes of `commit`.
///
/// # Errors
/// Returns the reason if the changes cannot be inspected completely.
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
        if !commit.complete || files_left(commit) > MAX_FILES {
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
            // If there is no former text to compare, all lines count as added.
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
}
