use std::collections::BTreeMap;

use windlass_base::RepoPath;

use super::git_command::Overrides;
use super::{Git, GitError, full_id};

/// Of more lines than this, all of the file are asked for.
const MAX_LINES: usize = 200;

/// How many lines around one tell, together with it, where it came from.
const AROUND: u32 = 3;

/// The origin of a line of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineWriter {
    /// The commit (full id); `None` for a line that is in no commit yet.
    pub commit: Option<String>,
    /// The number that the line has there, from 1.
    pub line: u32,
    /// The file that it was written in, under its name then.
    pub file: RepoPath,
    /// The commit before that one, and the name that the file had there; `None` where it had none.
    pub before: Option<(String, RepoPath)>,
    /// True if history is cut off there (a shallow clone): the line may be older.
    pub is_cut_off: bool,
}

/// The commits that lines of files come from.
#[derive(Debug, Clone, Copy)]
pub struct Blame<'a>(pub(super) &'a Git);

impl Blame<'_> {
    /// The commits (full ids) that last wrote these lines of the file at `path`, as it is in the working tree; a line that
    /// is in no commit yet has none, and so has one of a file that git does not know.
    ///
    /// # Errors
    /// When git cannot be run or refuses.
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

    /// The same with what is known of where each line was written; of the file as it is in the working tree, or at `commit`
    /// (a full id).
    ///
    /// Lines that were put elsewhere in their file, or came from another one that the same commit changed, were written where they
    /// came from, if they are twenty letters and digits together with some lines around them, forty from another file.
    ///
    /// # Errors
    /// When git cannot be run or refuses.
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
        // What a commit has goes through no filter.
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
            // It refuses files that are new, and links; what else the commit has it only refuses where something is broken.
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

/// What is said once of a commit: the name that the file has there, and what was before it.
#[derive(Default)]
struct Said {
    file: Option<RepoPath>,
    before: Option<(String, RepoPath)>,
    is_first: bool,
}

/// Reads what `git blame --porcelain` prints: for each line `id old-line new-line`, what is known of the commit if it is the
/// first of it, and the line after a tab. `shallow`: whether what is the first commit to git may not be it.
fn writers(output: &[u8], shallow: bool) -> BTreeMap<u32, LineWriter> {
    let mut said: BTreeMap<&str, Said> = BTreeMap::new();
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
            let said = said.entry(commit).or_default();
            let path = |text: &str| RepoPath::parse(text).ok();
            match first {
                "boundary" => said.is_first = true,
                "filename" => said.file = path(rest),
                "previous" => {
                    said.before = rest
                        .split_once(' ')
                        .and_then(|(id, name)| Some((full_id(id)?.to_owned(), path(name)?)));
                }
                _ => {}
            }
        }
    }
    let writer = |(new, commit, line): (u32, &str, u32)| {
        let said = said.get(commit)?;
        // What is not committed has an id of zeros.
        let is_commit = commit.bytes().any(|byte| byte != b'0');
        let writer = LineWriter {
            commit: is_commit.then(|| commit.to_owned()),
            line,
            file: said.file.clone()?,
            before: said.before.clone(),
            is_cut_off: shallow && said.is_first,
        };
        Some((new, writer))
    };
    found.into_iter().filter_map(writer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_their_commits() {
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
