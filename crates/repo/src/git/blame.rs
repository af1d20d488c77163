//! Finds the commits that wrote the lines of a file.
//!
//! We only blame the lines we are interested in, since blaming a whole file with a long history
//! takes seconds. But git needs some lines around them to recognize moved text.

use std::collections::BTreeMap;

use windlass_base::RepoPath;

use super::git_command::Overrides;
use super::{Git, GitError, full_id};

/// Maximum number of lines to pass to git as arguments. If there are more, we blame the whole file.
const MAX_LINES: usize = 200;

/// Number of lines to blame around each line. Git only recognizes moved text if the block is long
/// enough, and a single line usually is not.
const AROUND: u32 = 3;

/// The commit that wrote a line, and the line's location there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineWriter {
    /// Full ID of the commit, or `None` for an uncommitted line.
    pub commit: Option<String>,
    /// Line number in that commit (1-based).
    pub line: u32,
    /// Path of the file in that commit.
    pub file: RepoPath,
    /// The parent commit and the path of the file there, or `None` if the commit created the file.
    pub before: Option<(String, RepoPath)>,
    /// True if a shallow clone ends at this commit. The line may then come from an older commit
    /// that we cannot see.
    pub is_cut_off: bool,
}

/// Queries about the origin of lines, see [`Git::blame`].
#[derive(Debug, Clone, Copy)]
pub struct Blame<'a>(pub(super) &'a Git);

impl Blame<'_> {
    /// Returns the full ID of the last commit to write each of `lines` in the working tree.
    ///
    /// Uncommitted lines have no entry. Unlike [`line_writers`](Self::line_writers), this does not
    /// trace moved lines, so a commit that only moves a function counts as the writer of its lines.
    ///
    /// # Errors
    /// Returns an error if git cannot be run or refuses.
    pub fn writers_of(
        &self,
        path: &RepoPath,
        lines: &[u32],
    ) -> Result<BTreeMap<u32, String>, GitError> {
        let writers = self.writers(None, path, lines, false)?.into_iter();
        Ok(writers
            .filter_map(|(line, writer)| Some((line, writer.commit?)))
            .collect())
    }

    /// Traces each line of a file to its origin, from the working tree or from `commit` (a full
    /// ID).
    ///
    /// Git also finds lines that were moved within the file, or from another file that was changed
    /// by the same commit. It only recognizes blocks with at least 20 letters and digits, or 40 if
    /// they come from another file.
    ///
    /// # Errors
    /// Returns an error if git cannot be run or refuses.
    pub fn line_writers(
        &self,
        commit: Option<&str>,
        path: &RepoPath,
        lines: &[u32],
    ) -> Result<BTreeMap<u32, LineWriter>, GitError> {
        self.writers(commit, path, lines, true)
    }

    fn writers(
        &self,
        commit: Option<&str>,
        path: &RepoPath,
        lines: &[u32],
        is_followed: bool,
    ) -> Result<BTreeMap<u32, LineWriter>, GitError> {
        if lines.is_empty() || (commit.is_none() && !self.is_known(path)?) {
            return Ok(BTreeMap::new());
        }
        // Filters only apply to files in the working tree, so a commit needs no overrides.
        let overrides = match commit {
            Some(_) => Overrides::new(),
            None => self.0.working_tree_overrides()?,
        };
        let command = || {
            let mut command = self.0.command("blame").arg("--porcelain");
            command = command.args(is_followed.then_some("-C"));
            if lines.len() <= MAX_LINES {
                let around = if is_followed { AROUND } else { 0 };
                let first = |line: &u32| line.saturating_sub(around).max(1);
                let range =
                    |line: &u32| format!("-L{},{}", first(line), line.saturating_add(around));
                command = command.args(lines.iter().map(range));
            }
            let command = command.args(commit).args(["--", path.as_str()]);
            command.overrides(overrides.clone())
        };
        let mut output = command().accept(128).run()?;
        if !output.success() {
            // Git refuses to blame links and untracked files, which is fine, since they don't have
            // any writers. But if the file is in the commit, something else went wrong. Run the
            // command again to get git's error.
            let at = self.0.revisions().commit_id(commit.unwrap_or("HEAD"))?;
            let is_new = at.map_or(Ok(true), |at| {
                Ok(self.0.commit_files().blob_id(&at, path)?.is_none())
            });
            if is_new? || self.0.place.root.join(path.as_str()).is_symlink() {
                return Ok(BTreeMap::new());
            }
            output = command().run()?;
        }
        let mut writers = writers(output.bytes(), self.0.is_shallow());
        writers.retain(|line, _| lines.contains(line));
        Ok(writers)
    }

    fn is_known(&self, path: &RepoPath) -> Result<bool, GitError> {
        let known = self
            .0
            .command("ls-files")
            .args(["-z", "--cached", "--", path.as_str()])
            .run()?;
        Ok(!known.bytes().is_empty())
    }
}

/// The facts about a commit, which git prints only once.
#[derive(Default)]
struct CommitFacts {
    file: Option<RepoPath>,
    before: Option<(String, RepoPath)>,
    is_first: bool,
}

/// Parses the output of `git blame --porcelain`.
///
/// Each line of the file consists of a header `id old-line new-line`, followed by the text after a
/// tab. At a commit's first line, the facts about the commit come between the two. In a `shallow`
/// clone, a root commit may have parents that git cannot see.
pub(super) fn writers(output: &[u8], shallow: bool) -> BTreeMap<u32, LineWriter> {
    let mut facts: BTreeMap<&str, CommitFacts> = BTreeMap::new();
    let mut found: Vec<(u32, &str, u32)> = Vec::new();
    let lines = output.split(|byte| *byte == b'\n');
    for line in lines.filter_map(|line| std::str::from_utf8(line).ok()) {
        if line.starts_with('\t') {
            continue;
        }
        let (first, rest) = line.split_once(' ').unwrap_or((line, ""));
        if full_id(first).is_some() {
            let mut numbers = rest.split(' ').map(str::parse);
            if let (Some(Ok(old)), Some(Ok(new))) = (numbers.next(), numbers.next()) {
                found.push((new, first, old));
            }
        } else if let Some((_, commit, _)) = found.last() {
            let facts = facts.entry(commit).or_default();
            let path = |text: &str| RepoPath::parse(text).ok();
            match first {
                "boundary" => facts.is_first = true,
                "filename" => facts.file = path(rest),
                "previous" => {
                    facts.before = rest
                        .split_once(' ')
                        .and_then(|(id, name)| Some((full_id(id)?.to_owned(), path(name)?)));
                }
                _ => {}
            }
        }
    }
    let writer = |(new, commit, line): (u32, &str, u32)| {
        let facts = facts.get(commit)?;
        // Git uses an ID of zeros for uncommitted lines.
        let is_commit = commit.bytes().any(|byte| byte != b'0');
        let writer = LineWriter {
            commit: is_commit.then(|| commit.to_owned()),
            line,
            file: facts.file.clone()?,
            before: facts.before.clone(),
            is_cut_off: shallow && facts.is_first,
        };
        Some((new, writer))
    };
    found.into_iter().filter_map(writer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn porcelain_lines_have_commits() {
        let (a, b, zero) = ("a".repeat(40), "b".repeat(40), "0".repeat(40));
        let text = format!(
            "{a} 3 4 1\nauthor {a} 1 9\nboundary\nprevious {b} old name.md\nfilename b.md\n\t{a} 7 7\n\
             {zero} 5 5 1\nprevious {a} b.md\nfilename c.md\n\ttext\n{a} 9 12\n\tx"
        );
        let found = writers(text.as_bytes(), true);
        let lines: Vec<(u32, u32, bool)> = found
            .iter()
            .map(|(now, writer)| (*now, writer.line, writer.commit.is_some()))
            .collect();
        assert_eq!(lines, [(4, 3, true), (5, 5, false), (12, 9, true)]);
        assert!(found[&4].is_cut_off && found[&12].is_cut_off && !found[&5].is_cut_off);
        assert!(!writers(text.as_bytes(), false)[&4].is_cut_off);
        let name = |text: &str| RepoPath::parse(text).unwrap();
        assert_eq!(found[&12].before, Some((b, name("old name.md"))));
        assert_eq!(found[&12].file, name("b.md"));
        assert_eq!(found[&5].before, Some((a, name("b.md"))));
    }
}
