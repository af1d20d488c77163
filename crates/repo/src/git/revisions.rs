//! Queries about revisions and `HEAD`.
//!
//! Revisions come from users and from documents. A text such as `--output=x` would be an option to
//! git, so every one of them has to pass `checked` first.

use serde::Serialize;

use super::{Git, GitError, full_id};

/// Maximum length of a revision name in bytes. Real ones are much shorter, and an error message
/// should be able to quote them.
const MAX_LEN: usize = 256;

/// Returns `text` if git can safely take it as a revision.
///
/// We refuse what might be an option, a path, a pattern or a revision with a path. This also
/// excludes a few names that git allows, e.g. `:/fix` for a search in commit messages.
pub(super) fn checked(text: &str) -> Result<&str, GitError> {
    let forbidden = |c: char| c.is_control() || c.is_whitespace() || r":\*?[".contains(c);
    if text.is_empty() || text.len() > MAX_LEN || text.starts_with('-') || text.contains(forbidden)
    {
        let start = text.chars().filter(|c| !c.is_control()).take(80).collect();
        return Err(GitError::NotARevision(start));
    }
    Ok(text)
}

/// Queries about revisions and `HEAD`, see [`Git::revisions`].
#[derive(Debug, Clone, Copy)]
pub struct Revisions<'a>(pub(super) &'a Git);

/// The checked-out commit and branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Head {
    /// Full ID of the commit, or `None` before the first commit.
    pub commit: Option<String>,
    /// Name without `refs/heads/`, e.g. `main`, or `None` if no branch is checked out.
    pub branch: Option<String>,
    /// True if no branch is checked out, e.g. during a rebase.
    pub detached: bool,
    /// True for a branch without commits.
    pub unborn: bool,
}

impl Revisions<'_> {
    /// Returns the checked-out commit and branch.
    ///
    /// # Errors
    /// Returns an error if git can't be run or refuses.
    pub fn head(&self) -> Result<Head, GitError> {
        if let Some(head) = self.born_head()? {
            return Ok(head);
        }
        let branch = self
            .0
            .command("symbolic-ref")
            .args(["--quiet", "HEAD"])
            .accept(1)
            .run()?;
        let branch = branch
            .success()
            .then(|| branch_of(branch.text().trim_end()));
        let commit = self.checked_out_commit()?;
        Ok(Head {
            detached: branch.is_none(),
            unborn: commit.is_none(),
            commit,
            branch,
        })
    }

    /// Returns the full ID of `HEAD`, or `None` before the first commit.
    ///
    /// # Errors
    /// Returns an error if git can't be run or refuses, or if the commit of `HEAD` is missing or
    /// damaged.
    pub(super) fn checked_out_commit(&self) -> Result<Option<String>, GitError> {
        let commit = self.commit_id("HEAD")?;
        if commit.is_none() {
            let named = self
                .0
                .command("rev-parse")
                .args(["--verify", "--quiet", "HEAD"]);
            if named.accept(1).run()?.success() {
                let error = GitError::NoHeadCommit;
                self.0.note_failure(&error);
                return Err(error);
            }
        }
        Ok(commit)
    }

    /// Looks up `HEAD` in a single git call, which is enough in nearly all repositories. Returns
    /// `None` before the first commit.
    fn born_head(&self) -> Result<Option<Head>, GitError> {
        const NOT_A_REVISION: i32 = 128;
        let output = self
            .0
            .command("rev-parse")
            .args(["HEAD^{commit}", "--symbolic-full-name", "HEAD"])
            .accept(NOT_A_REVISION)
            .run()?;
        let text = output.text();
        let mut lines = text.lines();
        // The first line is the commit, and the second one is the branch, or `HEAD` if there is
        // none.
        let (Some(commit), Some(name), None) = (lines.next(), lines.next(), lines.next()) else {
            return Ok(None);
        };
        let commit = full_id(commit).filter(|_| output.success());
        Ok(commit.map(|commit| Head {
            detached: name == "HEAD",
            unborn: false,
            commit: Some(commit.to_owned()),
            branch: (name != "HEAD").then(|| branch_of(name)),
        }))
    }
    /// Checks that `text` is safe to pass to git as a revision. There may still be no such
    /// revision.
    ///
    /// # Errors
    /// Returns an error if the text can't name a revision.
    pub fn check_revision(text: &str) -> Result<(), GitError> {
        checked(text).map(drop)
    }

    /// Returns the full ID of the commit named by `revision`, or `None` if there is no such
    /// revision.
    ///
    /// # Errors
    /// Returns an error if the text can't name a revision, or if git can't be run or refuses.
    pub fn commit_id(&self, revision: &str) -> Result<Option<String>, GitError> {
        let revision = checked(revision)?;
        let output = self
            .0
            .command("rev-parse")
            .args(["--verify", "--quiet", "--end-of-options"])
            .arg(format!("{revision}^{{commit}}"))
            .accept(1)
            .run()?;
        let text = output.text();
        let id = text.trim();
        if !output.success() {
            return Ok(None);
        }
        if id.len() < 40 || !id.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(GitError::Unexpected {
                command: "rev-parse",
            });
        }
        Ok(Some(id.to_owned()))
    }

    /// Returns the default branch, which is the one of the remote `origin` if we know that.
    ///
    /// Otherwise, it's `main` or `master` if only one of them exists, or the checked-out branch if
    /// neither exists. If both exist, we would have to guess, so the result is `None`.
    ///
    /// # Errors
    /// Returns an error if git can't be run or refuses.
    pub fn default_branch(&self) -> Result<Option<String>, GitError> {
        const ORIGIN: &str = "refs/remotes/origin/";
        let named = self.0.command("symbolic-ref").arg("--quiet");
        let named = named.arg(format!("{ORIGIN}HEAD")).accept(1).run()?;
        let text = named.text();
        if let Some(branch) = text.trim_end().strip_prefix(ORIGIN) {
            return Ok(Some(branch.to_owned()));
        }
        let usual = self
            .0
            .command("for-each-ref")
            .args([
                "--format=%(refname)",
                "refs/heads/main",
                "refs/heads/master",
            ])
            .run()?;
        let text = usual.text();
        let mut usual = text.lines().map(branch_of);
        match (usual.next(), usual.next()) {
            (Some(branch), None) => Ok(Some(branch)),
            (None, _) => Ok(self.head()?.branch),
            _ => Ok(None),
        }
    }

    /// Lists up to `limit` local branches as pairs of name and commit, most recently changed first.
    ///
    /// # Errors
    /// Returns an error if git can't be run or refuses.
    pub fn branches(&self, limit: usize) -> Result<Vec<(String, String)>, GitError> {
        let output = self
            .0
            .command("for-each-ref")
            .args(["--sort=refname", "--sort=-committerdate"])
            .arg(format!("--count={limit}"))
            .args(["--format=%(objectname) %(refname)", "refs/heads/"])
            .run()?;
        let text = output.text();
        let branch = |line: &str| {
            let (commit, name) = line.split_once(' ')?;
            Some((branch_of(name), commit.to_owned()))
        };
        Ok(text.lines().filter_map(branch).collect())
    }

    /// Returns the full ID of the newest common ancestor of `one` and `other`, if any. If several
    /// are equally new (after criss-cross merges), this is the one that git names first.
    ///
    /// # Errors
    /// Returns an error if `one` or `other` isn't a revision of this repository, or if git can't
    /// be run or refuses.
    pub fn merge_base(&self, one: &str, other: &str) -> Result<Option<String>, GitError> {
        let (one, other) = (self.known_commit(one)?, self.known_commit(other)?);
        let output = self
            .0
            .command("merge-base")
            .args(["--end-of-options", &one, &other])
            .accept(1)
            .run()?;
        let text = output.text();
        Ok(output.success().then(|| text.trim().to_owned()))
    }

    /// Returns true if `commit` (a full ID) is `tip` or one of its ancestors. A commit that's
    /// missing from the repository doesn't count, since git can't tell.
    ///
    /// # Errors
    /// Returns an error if `tip` isn't a revision of this repository, or if git can't be run or
    /// refuses.
    pub fn comes_from(&self, tip: &str, commit: &str) -> Result<bool, GitError> {
        let tip = self.known_commit(tip)?;
        let Some(commit) = full_id(commit) else {
            return Ok(false);
        };
        if self.commit_id(commit)?.is_none() {
            return Ok(false);
        }
        let output = self
            .0
            .command("merge-base")
            .args(["--is-ancestor", "--end-of-options", commit, &tip])
            .accept(1)
            .run()?;
        Ok(output.success())
    }

    /// Like [`commit_id`](Self::commit_id), but a missing commit is an error.
    pub(super) fn known_commit(&self, revision: &str) -> Result<String, GitError> {
        if let Some(commit) = self.commit_id(revision)? {
            return Ok(commit);
        }
        let revision = revision.to_owned();
        Err(match self.head()?.unborn {
            true => GitError::NoCommits(revision),
            false => GitError::UnknownRevision(revision),
        })
    }

    /// Like [`known_commit`](Self::known_commit), but returns the empty tree for `HEAD` before the
    /// first commit, so that all files of a new repository show up as added.
    pub(super) fn known_tree(&self, revision: &str) -> Result<String, GitError> {
        match self.known_commit(revision) {
            Err(GitError::NoCommits(name)) if name == "HEAD" || name == "@" => self.empty_tree(),
            known => known,
        }
    }

    /// Returns the ID of the empty tree, which git knows without storing it. The ID depends on the
    /// hash function of the repository.
    fn empty_tree(&self) -> Result<String, GitError> {
        let output = self
            .0
            .command("rev-parse")
            .arg("--show-object-format")
            .run()?;
        match output.text().trim() {
            "sha1" => Ok("4b825dc642cb6eb9a060e54bf8d69288fbee4904".to_owned()),
            "sha256" => {
                Ok("6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321".to_owned())
            }
            _ => Err(GitError::Unexpected {
                command: "rev-parse",
            }),
        }
    }
}

fn branch_of(name: &str) -> String {
    name.strip_prefix("refs/heads/").unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checked_accepts_only_revisions() {
        for text in [
            "HEAD", "HEAD~3^2", "main@{1}", "a..b", "a...b", "^x", "v1.0", "zweig/ü", "@{u}",
        ] {
            assert!(checked(text).is_ok(), "{text}");
        }
        for text in [
            "",
            "-x",
            "--output=x",
            "HEAD:.env",
            ":/fix",
            "a b",
            "a\0b",
            "x\n",
            "refs/*",
        ] {
            assert!(checked(text).is_err(), "{text}");
        }
    }
}
