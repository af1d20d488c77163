//! Commits and their changed files.

use std::collections::BTreeSet;

use serde::Serialize;
use windlass_base::{Redacted, RepoPath};
use windlass_redact::redact_text;

use super::revisions::checked;
use super::{Git, GitError};

/// A commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Commit {
    /// The full id, in hexadecimal digits.
    pub id: String,
    /// Full ids of the parents. A merge has two or more.
    pub parents: Vec<String>,
    /// Author time, in seconds since 1970.
    pub time: i64,
    /// The author's name.
    pub author: Redacted,
    /// The first line of the message.
    pub subject: Redacted,
}

/// A file renamed by a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rename {
    pub(crate) from: Box<str>,
    pub(crate) to: RepoPath,
}

/// Queries about the commits of a repository.
#[derive(Debug, Clone, Copy)]
pub struct Commits<'a>(pub(super) &'a Git);

impl Commits<'_> {
    /// Returns the newest `limit` commits of `range` (a revision or `a..b`; default: `HEAD`). If
    /// `paths` is not empty, commits that touch none of them are skipped. Before the first commit,
    /// the result is empty.
    ///
    /// # Errors
    /// Returns an error if the range cannot name revisions, or if git cannot be run or refuses.
    pub fn log(
        &self,
        range: Option<&str>,
        paths: &[RepoPath],
        limit: u32,
    ) -> Result<Vec<Commit>, GitError> {
        let range = match range {
            Some(range) => checked(range)?,
            None if self.0.revisions().checked_out_commit()?.is_none() => return Ok(Vec::new()),
            None => "HEAD",
        };
        let output = self
            .0
            .command("log")
            .arg("-z")
            .arg("--format=%H%x1f%P%x1f%at%x1f%an%x1f%s")
            .arg(format!("--max-count={limit}"))
            .args(["--end-of-options", range, "--"])
            .args(paths.iter().map(RepoPath::as_str))
            .run()?;
        output
            .parts()
            .map(|part| parse_commit(&String::from_utf8_lossy(part)))
            .collect::<Option<_>>()
            .ok_or(GitError::Unexpected { command: "log" })
    }

    /// Returns the root commits of `HEAD`, sorted. The result is empty before the first commit, and
    /// in a shallow clone, which lacks its root commits.
    ///
    /// # Errors
    /// Returns an error if git cannot be run or refuses.
    pub fn root_commits(&self) -> Result<Vec<String>, GitError> {
        /// Git's exit code when it gives up, for example because there is no commit.
        const FATAL: i32 = 128;
        if self.0.is_shallow() {
            return Ok(Vec::new());
        }
        let command = || {
            let command = self.0.command("rev-list");
            command.args(["--max-parents=0", "HEAD", "--"])
        };
        let mut output = command().accept(FATAL).run()?;
        if !output.success() {
            // Finding out if there's any commit costs another call, so ask only after a failure.
            if self.0.revisions().checked_out_commit()?.is_none() {
                return Ok(Vec::new());
            }
            output = command().run()?;
        }
        let mut roots: Vec<_> = output.text().lines().map(str::to_owned).collect();
        roots.sort();
        Ok(roots)
    }

    /// Returns the renames in `commit..head` (full ids), oldest first.
    pub(crate) fn renames_since(&self, commit: &str, head: &str) -> Result<Vec<Rename>, GitError> {
        let output = self
            .0
            .command("log")
            .args(["-z", "--format=", "--name-status", "--diff-filter=R"])
            .args(["--find-renames=50%", "-l1000", "--reverse", "--topo-order"])
            .args(["--end-of-options", &format!("{commit}..{head}"), "--"])
            .run()?;
        let mut renames = Vec::new();
        let mut parts = output.parts().filter(|part| !part.is_empty());
        while let (Some(_status), Some(from), Some(to)) = (parts.next(), parts.next(), parts.next())
        {
            let to = std::str::from_utf8(to).ok();
            if let (Ok(from), Some(Ok(to))) = (std::str::from_utf8(from), to.map(RepoPath::parse)) {
                let from = from.into();
                renames.push(Rename { from, to });
            }
        }
        Ok(renames)
    }

    /// Returns those of `files` added by some ancestor of `HEAD`, including files deleted later.
    ///
    /// # Errors
    /// Returns an error if git cannot be run or refuses.
    pub fn files_that_were(
        &self,
        files: &BTreeSet<RepoPath>,
    ) -> Result<BTreeSet<RepoPath>, GitError> {
        if files.is_empty() {
            return Ok(BTreeSet::new());
        }
        let output = self
            .0
            .command("log")
            .args([
                "-z",
                "--format=",
                "--name-only",
                "--no-renames",
                "--diff-filter=A",
                // Otherwise git omits files of a branch if the merge dropped the branch's changes.
                "--full-history",
            ])
            .args(["HEAD", "--"])
            .args(files.iter().map(RepoPath::as_str))
            .run();
        let output = match output {
            Err(_) if self.0.revisions().head()?.unborn => return Ok(BTreeSet::new()),
            output => output?,
        };
        let name = |part: &[u8]| RepoPath::parse(std::str::from_utf8(part).ok()?).ok();
        Ok(output.parts().filter_map(name).collect())
    }

    /// Returns the files changed by `commit` (a full id). For a merge the result is empty.
    ///
    /// # Errors
    /// Returns an error if git cannot be run or refuses.
    pub fn files_changed_by(&self, commit: &str) -> Result<Vec<RepoPath>, GitError> {
        let output = self
            .0
            .command("diff-tree")
            .args(["-r", "-z", "--no-commit-id", "--name-only", "--no-renames"])
            .args([commit, "--"])
            .run()?;
        let name = |part: &[u8]| RepoPath::parse(std::str::from_utf8(part).ok()?).ok();
        Ok(output.parts().filter_map(name).collect())
    }

    /// Returns the ids of all commits between `base` and `tip` (full ids), including `tip` but not
    /// `base`.
    pub(crate) fn between(&self, base: &str, tip: &str) -> Result<BTreeSet<String>, GitError> {
        let output = self
            .0
            .command("rev-list")
            .args(["--ancestry-path", "--end-of-options"])
            .args([&format!("{base}..{tip}"), "--"])
            .run()?;
        Ok(output.text().lines().map(str::to_owned).collect())
    }

    /// Returns `tip` (a full id) and its first-parent ancestors, newest first and at most `limit`.
    pub(crate) fn first_parents(&self, tip: &str, limit: usize) -> Result<Vec<String>, GitError> {
        let output = self
            .0
            .command("rev-list")
            .arg("--first-parent")
            .arg(format!("--max-count={limit}"))
            .args(["--end-of-options", tip, "--"])
            .run()?;
        Ok(output.text().lines().map(str::to_owned).collect())
    }
}

fn parse_commit(text: &str) -> Option<Commit> {
    // The subject comes last, because it may contain the separator.
    let mut fields = text.splitn(5, '\x1f');
    let mut next = || fields.next();
    Some(Commit {
        id: next()?.trim_start_matches('\n').to_owned(),
        parents: next()?.split_whitespace().map(str::to_owned).collect(),
        time: next()?.parse().ok()?,
        author: redact_text(next()?).0,
        subject: redact_text(next()?).0,
    })
}
