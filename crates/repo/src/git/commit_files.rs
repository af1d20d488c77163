//! Files in commits. They never change, so reading them need not be recorded.

use windlass_base::RepoPath;

use super::git_command::Output;
use super::{Git, GitError};

/// Queries about files in commits, see [`Git::commit_files`].
#[derive(Debug, Clone, Copy)]
pub struct CommitFiles<'a>(pub(super) &'a Git);

impl CommitFiles<'_> {
    /// Returns the blob ID of `path` in `revision`, or `None` if there is no such file.
    pub(super) fn blob_id(
        &self,
        revision: &str,
        path: &RepoPath,
    ) -> Result<Option<String>, GitError> {
        if path.is_root() {
            return Err(GitError::NotAFile(path.clone()));
        }
        let commit = self.0.revisions().known_commit(revision)?;
        let output = self
            .0
            .command("ls-tree")
            .args(["-z", "--full-tree", &commit, "--", path.as_str()])
            .run()?;
        let blob = |part: &[u8]| {
            let text = String::from_utf8_lossy(part);
            let (facts, name) = text.split_once('\t')?;
            let mut facts = facts.split(' ').skip(1);
            let (kind, id) = (facts.next()?, facts.next()?);
            // If the path is a folder, git lists the folder itself, which isn't a blob.
            (name == path.as_str() && kind == "blob").then(|| id.to_owned())
        };
        Ok(output.parts().find_map(blob))
    }

    /// Lists the files in `commit` (a full ID) that contain `text`, which is taken literally. This
    /// includes files that attributes mark as binary.
    pub(crate) fn files_with(&self, commit: &str, text: &str) -> Result<Vec<RepoPath>, GitError> {
        let output = self
            .0
            .command("grep")
            .args(["-l", "-z", "-a", "-F", "-e", text, commit, "--"])
            .accept(1)
            .run()?;
        Ok(files_of(commit, &output))
    }

    /// Like `files_with`, but for any of `texts`, and only in files that `wanted` accepts. We look
    /// at the first 1,000 of these by name.
    ///
    /// # Errors
    /// Returns an error if git cannot be run or refuses.
    pub fn files_with_any(
        &self,
        commit: &str,
        wanted: impl Fn(&RepoPath) -> bool,
        texts: &[String],
    ) -> Result<Vec<RepoPath>, GitError> {
        /// All names go on a single command line, so there has to be a limit. Callers get an
        /// incomplete answer beyond it.
        const MAX_FILES: usize = 1_000;
        let all = self
            .0
            .command("ls-tree")
            .args(["-r", "-z", "--name-only", "--full-tree", commit])
            .run()?;
        let name = |part: &[u8]| RepoPath::parse(std::str::from_utf8(part).ok()?).ok();
        let files = all.parts().filter_map(name).filter(wanted);
        let files: Vec<RepoPath> = files.take(MAX_FILES).collect();
        if files.is_empty() {
            return Ok(files);
        }
        let texts = texts.iter().flat_map(|text| ["-e", text.as_str()]);
        let output = self
            .0
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

/// Parses the output of `git grep -l -z`, where each path has the form `commit:path`.
fn files_of(commit: &str, output: &Output) -> Vec<RepoPath> {
    let name = |part: &[u8]| {
        let name = std::str::from_utf8(part).ok()?;
        RepoPath::parse(name.strip_prefix(commit)?.strip_prefix(':')?).ok()
    };
    output.parts().filter_map(name).collect()
}
