use serde::Serialize;
use windlass_base::{Redacted, RepoPath};
use windlass_redact::redact_text;

use super::revision::checked;
use super::{Git, GitError};
use crate::guard::MAX_FILE_BYTES;
use crate::secret::secret_contents;
use crate::{Refusal, SourceFile};

/// One commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Commit {
    /// Its full id.
    pub id: String,
    /// The full ids of its parents; two and more make a merge.
    pub parents: Vec<String>,
    /// When it was written, in seconds since 1970.
    pub time: i64,
    /// Who wrote it.
    pub author: Redacted,
    /// The first line of its message.
    pub subject: Redacted,
}

/// A file as a commit has it.
struct TreeEntry {
    mode: String,
    kind: String,
    id: String,
}

impl Git {
    /// The newest `limit` commits of `range` (a revision, `a..b`; without one, what is checked out), only
    /// those that touch one of `paths` if there are any. Empty before the first commit.
    ///
    /// # Errors
    /// When the range cannot name revisions, git cannot be run or refuses.
    pub fn log(
        &self,
        range: Option<&str>,
        paths: &[RepoPath],
        limit: u32,
    ) -> Result<Vec<Commit>, GitError> {
        let range = match range {
            Some(range) => checked(range)?,
            None if self.checked_out_commit()?.is_none() => return Ok(Vec::new()),
            None => "HEAD",
        };
        let output = self
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

    /// The commits without parents that `HEAD` comes from, sorted. Empty before the first commit, and in a
    /// shallow clone, which does not know them.
    ///
    /// # Errors
    /// When git cannot be run or refuses.
    pub fn root_commits(&self) -> Result<Vec<String>, GitError> {
        /// What git exits with where it cannot go on, as without any commit.
        const FATAL: i32 = 128;
        if self.is_shallow() {
            return Ok(Vec::new());
        }
        let command = || {
            let command = self.command("rev-list");
            command.args(["--max-parents=0", "HEAD", "--"])
        };
        let mut output = command().accept(FATAL).run()?;
        if !output.success() {
            // That there is none is asked for only where it may be so.
            if self.checked_out_commit()?.is_none() {
                return Ok(Vec::new());
            }
            output = command().run()?;
        }
        let mut roots: Vec<_> = output.text().lines().map(str::to_owned).collect();
        roots.sort();
        Ok(roots)
    }

    /// Whether history is cut off somewhere, as in a shallow clone.
    #[must_use]
    pub fn is_shallow(&self) -> bool {
        let common = self.repo.git_common_dir();
        common.is_some_and(|folder| folder.join("shallow").exists())
    }

    /// The id of the contents that the file at `path` has in `revision`; `None` when it has no such file.
    ///
    /// # Errors
    /// When there is no such revision, git cannot be run or refuses.
    pub fn blob_id(&self, revision: &str, path: &RepoPath) -> Result<Option<String>, GitError> {
        let entry = self.tree_entry(revision, path)?;
        Ok(entry
            .filter(|entry| entry.kind == "blob")
            .map(|entry| entry.id))
    }

    /// The file at `path` as `revision` has it, under the same guard as the files of the working tree.
    ///
    /// # Errors
    /// When there is no such revision, git cannot be run or refuses. The inner error says why the file is
    /// not given.
    pub fn file_at(
        &self,
        revision: &str,
        path: &RepoPath,
    ) -> Result<Result<SourceFile, Refusal>, GitError> {
        if let Some(rule) = self.repo.secret_rule(path.as_str()) {
            return Ok(Err(Refusal::Secret { rule }));
        }
        let Some(entry) = self.tree_entry(revision, path)? else {
            return Ok(Err(Refusal::Missing));
        };
        let what = match (entry.kind.as_str(), entry.mode.as_str()) {
            ("tree", _) => return Ok(Err(Refusal::Directory)),
            ("blob", "120000") => Some("a symbolic link"),
            ("blob", _) => None,
            _ => Some("a submodule"),
        };
        if let Some(what) = what {
            return Ok(Err(Refusal::NotRegular { what: what.into() }));
        }
        let size = self.command("cat-file").args(["-s", &entry.id]).run()?;
        let bytes: u64 = size
            .text()
            .trim()
            .parse()
            .map_err(|_| GitError::Unexpected {
                command: "cat-file",
            })?;
        if bytes > MAX_FILE_BYTES {
            return Ok(Err(Refusal::TooLarge {
                bytes,
                limit: MAX_FILE_BYTES,
            }));
        }
        let contents = self.command("cat-file").args(["blob", &entry.id]).run()?;
        let contents = contents.into_bytes();
        Ok(match secret_contents(path.as_str(), &contents) {
            Some(rule) => Err(Refusal::Secret { rule: rule.into() }),
            None => Ok(SourceFile::from_bytes(contents)),
        })
    }

    fn tree_entry(&self, revision: &str, path: &RepoPath) -> Result<Option<TreeEntry>, GitError> {
        if path.is_root() {
            return Err(GitError::NotAFile(path.clone()));
        }
        let commit = self.known_commit(revision)?;
        let output = self
            .command("ls-tree")
            .args(["-z", "--full-tree", &commit, "--", path.as_str()])
            .run()?;
        let entry = |part: &[u8]| {
            let text = String::from_utf8_lossy(part);
            let (facts, name) = text.split_once('\t')?;
            let mut facts = facts.split(' ');
            let entry = TreeEntry {
                mode: facts.next()?.to_owned(),
                kind: facts.next()?.to_owned(),
                id: facts.next()?.to_owned(),
            };
            (name == path.as_str()).then_some(entry)
        };
        Ok(output.parts().find_map(entry))
    }
}

fn parse_commit(text: &str) -> Option<Commit> {
    // The subject comes last, since it can hold anything.
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
