//! What commits hold. It never changes, so it is asked once and not recorded.

use std::collections::BTreeSet;

use windlass_base::RepoPath;

use super::command::Output;
use super::{Git, GitError};

/// A file that a commit gave another name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Rename {
    pub(crate) from: Box<str>,
    pub(crate) to: RepoPath,
}

/// `id`, if it is a full id: short ones may come to mean another object.
pub(crate) fn full_id(id: &str) -> Option<&str> {
    let hex = |b: u8| b.is_ascii_digit() || (b'a'..=b'f').contains(&b);
    (matches!(id.len(), 40 | 64) && id.bytes().all(hex)).then_some(id)
}

impl Git {
    /// The renames that commits made from `commit` up to `head` (full ids), the oldest first.
    pub(crate) fn renames_since(&self, commit: &str, head: &str) -> Result<Vec<Rename>, GitError> {
        let output = self
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

    /// The files of `commit` (a full id) in which `text` stands, as it is written, on one line; whatever attributes call binary.
    pub(crate) fn files_with(&self, commit: &str, text: &str) -> Result<Vec<RepoPath>, GitError> {
        let output = self
            .command("grep")
            .args(["-l", "-z", "-a", "-F", "-e", text, commit, "--"])
            .accept(1)
            .run()?;
        Ok(files_of(commit, &output))
    }

    /// Those of `files` that a commit up to the one that is checked out has put there, whether they are there still or not.
    ///
    /// # Errors
    /// When git cannot be run or refuses.
    pub fn files_that_were(
        &self,
        files: &BTreeSet<RepoPath>,
    ) -> Result<BTreeSet<RepoPath>, GitError> {
        if files.is_empty() {
            return Ok(BTreeSet::new());
        }
        let output = self
            .command("log")
            .args([
                "-z",
                "--format=",
                "--name-only",
                "--no-renames",
                "--diff-filter=A",
                // Also on a branch that a merge took nothing of.
                "--full-history",
            ])
            .args(["HEAD", "--"])
            .args(files.iter().map(RepoPath::as_str))
            .run();
        let output = match output {
            Err(_) if self.head()?.unborn => return Ok(BTreeSet::new()),
            output => output?,
        };
        let name = |part: &[u8]| RepoPath::parse(std::str::from_utf8(part).ok()?).ok();
        Ok(output.parts().filter_map(name).collect())
    }

    /// The files that `commit` (a full id) changed; none where it is a merge.
    ///
    /// # Errors
    /// When git cannot be run or refuses.
    pub fn files_changed_by(&self, commit: &str) -> Result<Vec<RepoPath>, GitError> {
        let output = self
            .command("diff-tree")
            .args(["-r", "-z", "--no-commit-id", "--name-only", "--no-renames"])
            .args([commit, "--"])
            .run()?;
        let name = |part: &[u8]| RepoPath::parse(std::str::from_utf8(part).ok()?).ok();
        Ok(output.parts().filter_map(name).collect())
    }

    /// The files of `commit` (a full id) that are `wanted` and have one of `texts`, as it is written, on one line; of very many, those
    /// that come first by name.
    ///
    /// # Errors
    /// When git cannot be run or refuses.
    pub fn files_with_any(
        &self,
        commit: &str,
        wanted: impl Fn(&RepoPath) -> bool,
        texts: &[String],
    ) -> Result<Vec<RepoPath>, GitError> {
        /// The most files that are searched.
        const MOST: usize = 1_000;
        let all = self
            .command("ls-tree")
            .args(["-r", "-z", "--name-only", "--full-tree", commit])
            .run()?;
        let name = |part: &[u8]| RepoPath::parse(std::str::from_utf8(part).ok()?).ok();
        let files = all.parts().filter_map(name).filter(wanted);
        let files: Vec<RepoPath> = files.take(MOST).collect();
        if files.is_empty() {
            return Ok(files);
        }
        let texts = texts.iter().flat_map(|text| ["-e", text.as_str()]);
        let output = self
            .command("grep")
            .args(["-l", "-z", "-a", "-F"])
            .args(texts)
            .args([commit, "--"])
            .args(files.iter().map(RepoPath::as_str))
            .accept(1)
            .run()?;
        Ok(files_of(commit, &output))
    }
}

/// The files that `git grep -l -z` names, each with `commit` before it.
fn files_of(commit: &str, output: &Output) -> Vec<RepoPath> {
    let name = |part: &[u8]| {
        let name = std::str::from_utf8(part).ok()?;
        RepoPath::parse(name.strip_prefix(commit)?.strip_prefix(':')?).ok()
    };
    output.parts().filter_map(name).collect()
}
