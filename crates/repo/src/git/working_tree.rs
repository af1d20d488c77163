//! Differences between a revision and the working tree.
//!
//! `git status` would answer most of this in a single call, but only relative to `HEAD`. So we
//! combine `git diff` for tracked files with `git ls-files` for new and unmerged ones, and run both
//! at the same time.

use std::collections::BTreeMap;
use std::thread::ScopedJoinHandle;

use serde::{Deserialize, Serialize};
use windlass_base::RepoPath;

use super::git_command::{Output, Overrides};
use super::{Git, GitError, Head, full_id};

/// All changes since a revision, see [`WorkingTree::changes_since`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Changes {
    /// The changed files, sorted by path. Each file is listed once.
    pub files: Vec<FileChange>,
    /// Number of files that we had to skip because their names are not UTF-8.
    pub not_utf8: u32,
}

/// A single changed file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileChange {
    /// The current path. For a deleted file, the last one.
    pub path: RepoPath,
    /// The kind of change. A file that was renamed and modified counts as
    /// [`ChangeStatus::Renamed`].
    pub status: ChangeStatus,
    /// Path before a rename. Only set for [`ChangeStatus::Renamed`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<RepoPath>,
}

/// The difference between a file in a revision and in the working tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChangeStatus {
    /// Added and tracked. New files that are not tracked are `Untracked`.
    Added,
    /// Contents or mode changed.
    Modified,
    /// Deleted since the revision.
    Deleted,
    /// Renamed, and perhaps modified as well.
    Renamed,
    /// Changed its type, e.g. from a file to a link or a submodule.
    TypeChanged,
    /// In an unresolved conflict.
    Unmerged,
    /// Added, but not tracked yet.
    Untracked,
}

/// Queries about the working tree, see [`Git::working_tree`].
#[derive(Debug, Clone, Copy)]
pub struct WorkingTree<'a>(pub(super) &'a Git);

impl WorkingTree<'_> {
    /// Returns all differences between `revision` and the working tree: later commits, uncommitted
    /// changes, and new files unless they are ignored.
    ///
    /// Before the first commit, `HEAD` stands for an empty tree, so every file is new.
    ///
    /// # Errors
    /// Returns an error for an unknown revision, or if git cannot be run or refuses.
    pub fn changes_since(&self, revision: &str) -> Result<Changes, GitError> {
        // Neither call needs the other's result, and starting git is most of the work in small
        // repositories.
        let (differences, others) = std::thread::scope(|scope| {
            let others = scope.spawn(|| self.untracked());
            let differences = self.differences(revision);
            (differences, joined(others))
        });
        Found::of(&differences?, &others?)
    }

    /// Like [`Revisions::head`](super::Revisions::head) followed by
    /// [`changes_since`](Self::changes_since) of that commit, but faster, since more of the git
    /// calls run in parallel. Before the first commit, there are no changes.
    ///
    /// # Errors
    /// Returns an error if git cannot be run or refuses.
    pub(crate) fn head_and_changes(&self) -> Result<(Head, Changes), GitError> {
        let (head, differences, others) = std::thread::scope(|scope| {
            let others = scope.spawn(|| self.untracked());
            // `differences` needs both the overrides and the commit, so look them up in parallel
            // too.
            let overrides = scope.spawn(|| self.0.working_tree_overrides());
            let head = self.0.revisions().head();
            let overrides = joined(overrides);
            let commit = head.as_ref().ok().and_then(|head| head.commit.clone());
            let differences = commit.map(|commit| self.differences_from(&commit, overrides?));
            (head, differences, joined(others))
        });
        let (head, others) = (head?, others?);
        let changes = match differences {
            Some(differences) => Found::of(&differences?, &others)?,
            None => Changes::default(),
        };
        Ok((head, changes))
    }

    fn differences(&self, revision: &str) -> Result<Output, GitError> {
        let overrides = self.0.working_tree_overrides()?;
        let differences = |commit: &str| self.differences_from(commit, overrides.clone());
        // Git itself rejects an unknown full ID, which saves a call to check it.
        if let Some(commit) = full_id(revision) {
            match differences(commit) {
                Err(GitError::Failed { .. }) => {}
                answered => return answered,
            }
        }
        differences(&self.0.revisions().known_tree(revision)?)
    }

    fn differences_from(&self, commit: &str, overrides: Overrides) -> Result<Output, GitError> {
        self.0
            .command("diff")
            .args(["--name-status", "-z", "--find-renames=50%", "-l1000"])
            .args([commit, "--"])
            .overrides(overrides)
            .run()
    }

    fn untracked(&self) -> Result<Output, GitError> {
        self.0
            .command("ls-files")
            .args(["-t", "-z", "--others", "--unmerged", "--exclude-standard"])
            .run()
    }
}

/// Waits for `thread` and returns its result. If the thread panicked, so do we.
fn joined<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread
        .join()
        .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
}

#[derive(Default)]
pub(super) struct Found {
    files: BTreeMap<RepoPath, (ChangeStatus, Option<RepoPath>)>,
    not_utf8: u32,
}

impl Found {
    fn of(differences: &Output, others: &Output) -> Result<Changes, GitError> {
        let mut found = Self::default();
        parse_differences(differences.parts(), &mut found)
            .ok_or(GitError::Unexpected { command: "diff" })?;
        for entry in others.parts() {
            parse_other(entry, &mut found).ok_or(GitError::Unexpected {
                command: "ls-files",
            })?;
        }
        Ok(found.into_changes())
    }

    fn add(&mut self, name: &[u8], status: ChangeStatus, from: Option<&[u8]>) {
        let path = |name: &[u8]| RepoPath::parse(std::str::from_utf8(name).ok()?).ok();
        let Some(at) = path(name) else {
            self.not_utf8 += 1;
            return;
        };
        let from = from.and_then(path);
        match self.files.get_mut(&at) {
            None => {
                self.files.insert(at, (status, from));
            }
            // Git lists a conflict several times: once per side, and once as a file in the working
            // tree.
            Some(known) if status == ChangeStatus::Unmerged => *known = (status, None),
            // The file was removed from the index (`git rm --cached`), but still exists. To the
            // user, that's a modified file.
            Some(known) if known.0 == ChangeStatus::Deleted => {
                *known = (ChangeStatus::Modified, None);
            }
            Some(_) => {}
        }
    }

    pub(super) fn into_changes(self) -> Changes {
        let file = |(path, (status, from))| FileChange { path, status, from };
        Changes {
            files: self.files.into_iter().map(file).collect(),
            not_utf8: self.not_utf8,
        }
    }
}

/// Parses the output of `git diff --name-status -z`: a status followed by one name, or by two for a
/// rename.
pub(super) fn parse_differences<'a>(
    mut parts: impl Iterator<Item = &'a [u8]>,
    found: &mut Found,
) -> Option<()> {
    while let Some(status) = parts.next() {
        let name = parts.next()?;
        match status.first()? {
            b'A' => found.add(name, ChangeStatus::Added, None),
            b'M' => found.add(name, ChangeStatus::Modified, None),
            b'D' => found.add(name, ChangeStatus::Deleted, None),
            b'T' => found.add(name, ChangeStatus::TypeChanged, None),
            b'U' => found.add(name, ChangeStatus::Unmerged, None),
            b'R' => found.add(parts.next()?, ChangeStatus::Renamed, Some(name)),
            b'C' => found.add(parts.next()?, ChangeStatus::Added, None),
            _ => return None,
        }
    }
    Some(())
}

/// Parses an entry of `git ls-files -t -z --others --unmerged`: `? name` or `M mode id
/// stage<TAB>name`.
fn parse_other(entry: &[u8], found: &mut Found) -> Option<()> {
    match entry.get(..2)? {
        b"? " => found.add(&entry[2..], ChangeStatus::Untracked, None),
        b"M " => {
            let tab = memchr::memchr(b'\t', entry)?;
            found.add(&entry[tab + 1..], ChangeStatus::Unmerged, None);
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &[u8]) -> Option<Vec<(String, ChangeStatus, Option<String>)>> {
        let mut found = Found::default();
        let body = text.strip_suffix(b"\0").unwrap_or(text);
        parse_differences(body.split(|b| *b == 0), &mut found)?;
        let files = found.into_changes().files.into_iter();
        Some(
            files
                .map(|file| {
                    (
                        file.path.to_string(),
                        file.status,
                        file.from.map(|from| from.to_string()),
                    )
                })
                .collect(),
        )
    }

    #[test]
    fn diff_rename_and_conflict_entries() {
        let text = b"M\0a\nb\0R087\0old\0new\0M\0x\0U\0x\0U\0y\0M\0y\0";
        let want = [
            ("a\nb".to_owned(), ChangeStatus::Modified, None),
            (
                "new".to_owned(),
                ChangeStatus::Renamed,
                Some("old".to_owned()),
            ),
            ("x".to_owned(), ChangeStatus::Unmerged, None),
            ("y".to_owned(), ChangeStatus::Unmerged, None),
        ];
        assert_eq!(parse(text).unwrap(), want);
        let mut found = Found::default();
        assert!(parse_other(b"? a b", &mut found).is_some());
        assert!(parse_other(b"M 100644 12ab 1\tc\td", &mut found).is_some());
        assert!(parse_other(b"H x", &mut found).is_none());
        let others = found.into_changes().files;
        assert_eq!(others[0].path.as_str(), "a b");
        assert_eq!(
            (others[1].path.as_str(), others[1].status),
            ("c\td", ChangeStatus::Unmerged)
        );
        assert_eq!(parse(b"M\0"), None);
        assert_eq!(parse(b"?\0a\0"), None);
    }

    proptest::proptest! {
        #[test]
        fn parse_any_output_no_panic(parts in proptest::collection::vec("[AMDRCTU?0-9a-z./]{0,4}", 0..12)) {
            let text = parts.join("\0");
            let _ = parse(text.as_bytes());
        }
    }
}
