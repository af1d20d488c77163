use std::collections::BTreeMap;

use windlass_base::RepoPath;

use super::git_command::Overrides;
use super::{Git, GitError, full_id};

/// Number of lines above which we blame the whole file instead of single lines.
const MAX_LINES: usize = 200;

/// Number of neighbouring lines blamed together with a line. Git can't recognise a moved line
/// without its neighbours.
const AROUND: u32 = 3;

/// The origin of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineWriter {
    /// The commit's full id, or `None` for an uncommitted line.
    pub commit: Option<String>,
    /// The line number in that commit, starting at 1.
    pub line: u32,
    /// The file's path in that commit.
    pub file: RepoPath,
    /// The parent commit and the file's path there, or `None` if the file has no earlier version.
    pub before: Option<(String, RepoPath)>,
    /// True if the history is truncated at this commit (a shallow clone), so the line may be older.
    pub is_cut_off: bool,
}

/// Queries about the origin of lines.
#[derive(Debug, Clone, Copy)]
pub struct Blame<'a>(pub(super) &'a Git);

impl Blame<'_> {
    /// Returns the full ids of the commits that last wrote these lines of the file at `path` in the
    /// working tree. Uncommitted lines and lines of untracked files are missing from the result.
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

    /// Returns the origin of each line of a file, in the working tree or at `commit` (a full id).
    ///
    /// A line may have moved within its file, or come from another file changed by the same commit.
    /// Git traces such a line only if it and its neighbours hold at least 20 letters and digits (40
    /// for another file).
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
        // Filters don't apply to the contents of a commit, so we need no overrides.
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
            // Git refuses to blame untracked files and links. If the commit does have the file, the
            // failure is real.
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

/// Facts printed once per commit: the file's path, and the commit before it.
#[derive(Default)]
struct CommitFacts {
    file: Option<RepoPath>,
    before: Option<(String, RepoPath)>,
    is_first: bool,
}

/// Parses the output of `git blame --porcelain`.
///
/// Each line starts with `id old-line new-line`. If this is the first line of its commit, facts
/// about the commit follow. Then come a tab and the line itself. With `shallow`, a root commit may
/// have parents that are missing here.
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
        // An uncommitted line has an id of zeros.
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
