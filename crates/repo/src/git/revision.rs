use super::{Git, GitError, full_id};

/// The longest name of a revision, in bytes.
const MAX_LEN: usize = 256;

/// `text`, if it can name a revision: nothing that git could take for an option, a path, a pattern or a
/// revision with a path.
pub(super) fn checked(text: &str) -> Result<&str, GitError> {
    let forbidden = |c: char| c.is_control() || c.is_whitespace() || r":\*?[".contains(c);
    if text.is_empty() || text.len() > MAX_LEN || text.starts_with('-') || text.contains(forbidden)
    {
        let start = text.chars().filter(|c| !c.is_control()).take(80).collect();
        return Err(GitError::NotARevision(start));
    }
    Ok(text)
}

impl Git {
    /// Whether a text can name a revision; says nothing about whether there is one.
    ///
    /// # Errors
    /// When it cannot.
    pub fn check_revision(text: &str) -> Result<(), GitError> {
        checked(text).map(drop)
    }

    /// The full id of the commit that `revision` names; `None` when there is none.
    ///
    /// # Errors
    /// When the text cannot name a revision, git cannot be run or refuses.
    pub fn commit_id(&self, revision: &str) -> Result<Option<String>, GitError> {
        let revision = checked(revision)?;
        let output = self
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

    /// The full id of the newest commit that both `one` and `other` come from; `None` when they have nothing in common.
    /// Of several that are as new, the one that git names first.
    ///
    /// # Errors
    /// When one of them is no revision of this repository, git cannot be run or refuses.
    pub fn merge_base(&self, one: &str, other: &str) -> Result<Option<String>, GitError> {
        let (one, other) = (self.known_commit(one)?, self.known_commit(other)?);
        let output = self
            .command("merge-base")
            .args(["--end-of-options", &one, &other])
            .accept(1)
            .run()?;
        let text = output.text();
        Ok(output.success().then(|| text.trim().to_owned()))
    }

    /// Whether `tip` comes from the commit with the full id `commit`, or is it; `false` also where git has no such
    /// commit.
    ///
    /// # Errors
    /// When `tip` is no revision of this repository, git cannot be run or refuses.
    pub fn comes_from(&self, tip: &str, commit: &str) -> Result<bool, GitError> {
        let tip = self.known_commit(tip)?;
        let Some(commit) = full_id(commit) else {
            return Ok(false);
        };
        if self.commit_id(commit)?.is_none() {
            return Ok(false);
        }
        let output = self
            .command("merge-base")
            .args(["--is-ancestor", "--end-of-options", commit, &tip])
            .accept(1)
            .run()?;
        Ok(output.success())
    }

    /// As [`Git::commit_id`], for a revision that must be there.
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

    /// As [`Git::known_commit`]; before the first commit, `HEAD` is a tree without files.
    pub(super) fn known_tree(&self, revision: &str) -> Result<String, GitError> {
        match self.known_commit(revision) {
            Err(GitError::NoCommits(name)) if name == "HEAD" || name == "@" => self.empty_tree(),
            known => known,
        }
    }

    /// The id of the tree without files, which git knows without having it.
    fn empty_tree(&self) -> Result<String, GitError> {
        let output = self
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_of_revisions_pass() {
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
