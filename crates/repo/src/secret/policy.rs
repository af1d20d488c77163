use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::Serialize;
use windlass_base::Digest;

use super::floor;
use crate::platform::open_beneath;

/// Where a repository extends the list of secret paths, relative to its root.
pub(crate) const POLICY_FILE: &str = ".windlass/secrets";

/// The largest list, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Which paths of a repository are secret: the built-in list, and what `.windlass/secrets` adds.
///
/// That file has globs as in `.gitignore`, one on a line, without regard to case; `#` starts a comment. A
/// line that starts with `!` would make paths readable again: such lines count only when the caller trusts
/// the file, since whoever can commit to a repository can write them.
#[derive(Clone)]
pub struct SecretPolicy {
    extended: Option<Gitignore>,
    narrowed: Option<Gitignore>,
    narrowing: Vec<NarrowingLine>,
    narrows: bool,
    digest: Option<Digest>,
}

/// A line of `.windlass/secrets` that would make paths readable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NarrowingLine {
    /// From 1.
    pub line: usize,
    /// Its text.
    pub text: String,
}

/// Why a repository's list of secret paths cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SecretPolicyError {
    /// The file cannot be read.
    #[error("cannot read the list of secret paths `{}`: {cause}; nothing is read without it, so correct or remove it", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        #[source]
        cause: io::Error,
    },
    /// A line is no glob.
    #[error(
        "`{POLICY_FILE}`, line {line}: {message}; nothing is read without the list, so correct the line"
    )]
    Glob {
        /// From 1.
        line: usize,
        /// What is wrong with it.
        message: String,
    },
}

impl SecretPolicy {
    /// Reads the list of the repository at `root`; without one the built-in list stands alone. Links are
    /// not followed: they could show what lies elsewhere, or hide the list.
    pub(crate) fn load(root: &Path, allow_narrowing: bool) -> Result<Self, SecretPolicyError> {
        let failed = |cause| SecretPolicyError::Io {
            path: PathBuf::from(POLICY_FILE),
            cause,
        };
        let mut bytes = Vec::new();
        match open_beneath(root, Path::new(POLICY_FILE)) {
            Err(e)
                if matches!(
                    e.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
                ) =>
            {
                return Ok(Self::built_in());
            }
            Err(e) => return Err(failed(e)),
            Ok(file) => {
                if !file.metadata().map_err(failed)?.is_file() {
                    let why = io::Error::new(io::ErrorKind::InvalidInput, "it is not a file");
                    return Err(failed(why));
                }
                file.take(MAX_BYTES + 1)
                    .read_to_end(&mut bytes)
                    .map_err(failed)?
            }
        };
        if bytes.len() as u64 > MAX_BYTES {
            let why = io::Error::new(io::ErrorKind::FileTooLarge, "it has more than 1 MiB");
            return Err(failed(why));
        }
        Self::parse(&String::from_utf8_lossy(&bytes), allow_narrowing)
    }

    /// The built-in list alone.
    #[must_use]
    pub fn built_in() -> Self {
        Self {
            extended: None,
            narrowed: None,
            narrowing: Vec::new(),
            narrows: false,
            digest: None,
        }
    }

    /// The built-in list and the lines of `text`.
    ///
    /// # Errors
    /// When a line is no glob: leaving it out could show what it was meant to hide.
    pub fn parse(text: &str, allow_narrowing: bool) -> Result<Self, SecretPolicyError> {
        let mut extended = builder();
        let mut narrowed = builder();
        let mut narrowing = Vec::new();
        for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            let text = line.trim_end();
            if text.is_empty() || text.starts_with('#') {
                continue;
            }
            let (target, glob) = match text.strip_prefix('!') {
                None => (&mut extended, text),
                Some(glob) => {
                    narrowing.push(NarrowingLine {
                        line: number,
                        text: text.to_owned(),
                    });
                    if !allow_narrowing {
                        continue;
                    }
                    (&mut narrowed, glob)
                }
            };
            target
                .add_line(None, glob)
                .map_err(|e| SecretPolicyError::Glob {
                    line: number,
                    message: e.to_string(),
                })?;
        }
        Ok(Self {
            extended: build(&extended)?,
            narrowed: build(&narrowed)?,
            narrowing,
            narrows: allow_narrowing,
            digest: Some(Digest::of_bytes(text.as_bytes())),
        })
    }

    /// The rule that keeps the file at the relative `path` (with `/`) secret; `None` when it may be read.
    #[must_use]
    pub fn rule_for(&self, path: &str) -> Option<Cow<'static, str>> {
        let listed = |list: &Option<Gitignore>| {
            list.as_ref()
                .is_some_and(|list| list.matched_path_or_any_parents(path, false).is_ignore())
        };
        if listed(&self.narrowed) {
            return None;
        }
        if let Some(rule) = floor::rule_for(path) {
            return Some(rule.into());
        }
        listed(&self.extended).then(|| POLICY_FILE.into())
    }

    /// The lines that make paths readable, if they are followed.
    #[must_use]
    pub fn narrowing_lines(&self) -> &[NarrowingLine] {
        &self.narrowing
    }

    /// Whether these lines are followed.
    #[must_use]
    pub fn narrows(&self) -> bool {
        self.narrows
    }

    /// The digest of the list's text, for the user to trust; `None` when there is no list.
    #[must_use]
    pub fn digest(&self) -> Option<Digest> {
        self.digest
    }
}

impl fmt::Debug for SecretPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecretPolicy({:?})", self.digest)
    }
}

fn builder() -> GitignoreBuilder {
    let mut builder = GitignoreBuilder::new("");
    // An error is not possible before the globs are built.
    let _ = builder.case_insensitive(true);
    // A line with a mistake in it must be an error: taken literally it would hide nothing.
    builder.allow_unclosed_class(false);
    builder
}

fn build(builder: &GitignoreBuilder) -> Result<Option<Gitignore>, SecretPolicyError> {
    let list = builder.build().map_err(|e| SecretPolicyError::Glob {
        line: 0,
        message: e.to_string(),
    })?;
    Ok((!list.is_empty()).then_some(list))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "# ours\n/internal/\n*.Token\n\n!fixtures/*.pem\n!.env\n";

    #[test]
    fn a_repository_can_add_to_the_list() {
        let policy = SecretPolicy::parse(LIST, false).unwrap();
        for path in [
            "internal/deep/notes.md",
            "a/b/x.TOKEN",
            ".env",
            "fixtures/a.pem",
        ] {
            assert!(policy.rule_for(path).is_some(), "{path}");
        }
        assert_eq!(policy.rule_for("other/internal/notes.md"), None);
        assert_eq!(policy.rule_for("src/main.rs"), None);
        let lines: Vec<_> = policy
            .narrowing_lines()
            .iter()
            .map(|line| (line.line, line.text.as_str()))
            .collect();
        assert_eq!(lines, [(5, "!fixtures/*.pem"), (6, "!.env")]);
        assert!(!policy.narrows());
        assert!(policy.digest().is_some());
    }

    #[test]
    fn only_a_trusted_list_narrows() {
        let policy = SecretPolicy::parse(LIST, true).unwrap();
        assert_eq!(policy.rule_for("fixtures/a.pem"), None);
        assert_eq!(policy.rule_for("a/.env"), None);
        assert!(policy.rule_for("other/a.pem").is_some());
        assert!(policy.narrows() && policy.narrowing_lines().len() == 2);
    }

    #[test]
    fn a_line_that_is_no_glob_is_refused() {
        let error = SecretPolicy::parse("ok\n[z-a]", false).unwrap_err();
        assert!(error.to_string().contains("line 2"), "{error}");
    }
}
