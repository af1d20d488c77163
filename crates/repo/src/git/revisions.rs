use serde::Serialize;

use super::{Git, GitError, full_id};

/// Maximum length of a revision name, in bytes.
const MAX_LEN: usize = 256;

/// Returns `text` if it's a possible revision name. We refuse anything git could read as an option,
/// a path, a pattern or a revision with a path.
pub(super) fn checked(text: &str) -> Result<&str, GitError> {
    let forbidden = |c: char| c.is_control() || c.is_whitespace() || r":\*?[".contains(c);
    if text.is_empty() || text.len() > MAX_LEN || text.starts_with('-') || text.contains(forbidden)
    {
        let start = text.chars().filter(|c| !c.is_control()).take(80).collect();
        return Err(GitError::NotARevision(start));
    }
    Ok(text)
}

/// Queries about revisions and `HEAD`.
#[derive(Debug, Clone, Copy)]
pub struct Revisions<'a>(pub(super) &'a Git);

/// The checked-out commit and branch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Head {
    /// The commit's full id, or `None` before the first commit.
    pub commit: Option<String>,
    /// The branch without `refs/heads/`, or `None` if no branch is checked out.
    pub branch: Option<String>,
    /// True if no branch is checked out.
    pub detached: bool,
    /// True if the branch has no commit yet.
    pub unborn: bool,
}

impl Revisions<'_> {
    /// Returns the checked-out commit and branch. During a rebase, no branch is checked out.
    ///
    /// # Errors
    /// Returns an error if git cannot be run or refuses.
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

    /// Returns the commit of `HEAD`, or `None` before the first commit.
    ///
    /// # Errors
    /// Returns an error if git cannot be run or refuses, or if `HEAD` names a commit that is missing or damaged.
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

    /// Returns `HEAD` in a single call, or `None` if it has no commit yet.
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
    /// Checks that a text is a possible revision name. The revision need not exist.
    ///
    /// # Errors
    /// Returns an error if the text cannot name a revision.
    pub fn check_revision(text: &str) -> Result<(), GitError> {
        checked(text).map(drop)
    }

    /// Returns the full id of the commit named by `revision`, or `None` if it doesn't exist.
    ///
    /// # Errors
    /// Returns an error if the text cannot name a revision, or if git cannot be run or refuses.
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

    /// Returns the default branch. This is the one of the remote `origin`, or else `main` or
    /// `master` if only one of them exists, or else the checked-out branch. Returns `None` if none
    /// of these is known.
    ///
    /// # Errors
    /// Returns an error if git cannot be run or refuses.
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

    /// Returns up to `limit` local branches with their commits, most recently changed first.
    ///
    /// # Errors
    /// Returns an error if git cannot be run or refuses.
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

    /// Returns the full id of the newest common ancestor of `one` and `other`, or `None` if they
    /// have none. If several are equally new, git's first is returned.
    ///
    /// # Errors
    /// Returns an error if `one` or `other` is not a revision of this repository, or if git cannot be run or refuses.
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

    /// True if `commit` (a full id) is `tip` or one of its ancestors. False if git doesn't have the
    /// commit.
    ///
    /// # Errors
    /// Returns an error if `tip` is not a revision of this repository, or if git cannot be run or refuses.
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

    /// Returns the commit named by `revision`. Unlike [`Self::commit_id`], a missing commit is an
    /// error.
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

    /// Returns the commit, like [`Self::known_commit`], but with the empty tree for a `HEAD`
    /// without commits.
    pub(super) fn known_tree(&self, revision: &str) -> Result<String, GitError> {
        match self.known_commit(revision) {
            Err(GitError::NoCommits(name)) if name == "HEAD" || name == "@" => self.empty_tree(),
            known => known,
        }
    }

    /// Returns the id of the empty tree. Git knows that tree without having stored it.
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
