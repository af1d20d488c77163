//! The rules for secret paths of a repository, and the file with its own rules.
//!
//! If that file cannot be read or has a line that makes no sense, we refuse to open the repository.
//! Otherwise, a typo in a glob could expose the file that the user meant to hide, and nobody would
//! notice.

use std::borrow::Cow;
use std::fmt;
use std::fs::Metadata;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use serde::Serialize;
use windlass_base::Digest;

use super::{built_in_secrets, secret_pattern};
use crate::platform::{open_beneath, special_kind};

/// The repository's own list of secret paths, relative to the root.
pub(crate) const POLICY_FILE: &str = ".windlass/secrets";

const POLICY_FOLDER: &str = ".windlass";

const MAX_BYTES: u64 = 1 << 20;

/// Decides which paths of a repository are secret, by the built-in list and by `.windlass/secrets`.
///
/// The file is UTF-8 with one glob per line in `.gitignore` syntax, except that case does not
/// matter. Lines starting with `#` are comments, and whitespace around a glob is trimmed. A line
/// that cannot match anything is an error.
///
/// A line starting with `!` makes paths readable again. Anyone who can commit to a repository can
/// add such lines, so they only apply if the caller trusts the file.
#[derive(Clone)]
pub struct SecretPolicy {
    extended: Option<Gitignore>,
    narrowed: Option<Gitignore>,
    narrowing: Vec<NarrowingLine>,
    narrows: bool,
    digest: Option<Digest>,
}

/// A line in `.windlass/secrets` that makes paths readable, if the user trusts the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct NarrowingLine {
    /// Line number (1-based).
    pub line: usize,
    /// The line as written in the file.
    pub text: String,
}

/// Reason why a repository's list of secret paths cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SecretPolicyError {
    /// The list exists but cannot be read.
    #[error("cannot read the list of secret paths `{}`: {cause}; no file is read without it: correct or remove it", path.display())]
    Io {
        /// The file, or the folder on the way that causes the problem.
        path: PathBuf,
        /// The error from the operating system.
        #[source]
        cause: io::Error,
    },
    /// A line is not a glob, or cannot match any path.
    #[error(
        "`{POLICY_FILE}`, line {line}: {message}; no file is read without the list: correct the line"
    )]
    Glob {
        /// Line number (1-based), or 0 if all lines together are the problem.
        line: usize,
        /// The fault, as reported by the parser of globs.
        message: String,
    },
}

impl SecretPolicy {
    /// Reads the list of the repository at `root`, if any. We do not follow links here, since a
    /// link could expose another file in an error message or hide the list.
    pub(crate) fn load(root: &Path, allow_narrowing: bool) -> Result<Self, SecretPolicyError> {
        let failed = |path: &str, cause| SecretPolicyError::Io {
            path: PathBuf::from(path),
            cause,
        };
        let read = read_own_file(root, POLICY_FILE);
        let Some(bytes) = read.map_err(|(path, cause)| failed(path, cause))? else {
            return Ok(Self::built_in());
        };
        match std::str::from_utf8(&bytes) {
            Ok(text) => Self::parse(text, allow_narrowing),
            Err(e) => Err(SecretPolicyError::Glob {
                line: 1 + memchr::memchr_iter(b'\n', &bytes[..e.valid_up_to()]).count(),
                message: "not UTF-8".to_owned(),
            }),
        }
    }

    /// Returns the built-in list without any additions.
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

    /// Adds the lines of `text` to the built-in list.
    ///
    /// # Errors
    /// Returns an error if a line is not a glob or cannot match. Skipping such a line could expose
    /// the files that it was meant to hide.
    pub fn parse(text: &str, allow_narrowing: bool) -> Result<Self, SecretPolicyError> {
        let mut extended = builder();
        let mut narrowed = builder();
        let mut narrowing = Vec::new();
        for (number, line) in (1..).zip(text.trim_start_matches('\u{feff}').lines()) {
            let refused = |message| SecretPolicyError::Glob {
                line: number,
                message,
            };
            let Some(pattern) = secret_pattern::parse(line).map_err(refused)? else {
                continue;
            };
            if pattern.narrows {
                narrowing.push(NarrowingLine {
                    line: number,
                    text: line.trim().to_owned(),
                });
                if !allow_narrowing {
                    continue;
                }
            }
            let target = if pattern.narrows {
                &mut narrowed
            } else {
                &mut extended
            };
            target
                .add_line(None, &pattern.glob)
                .map_err(|e| refused(e.to_string()))?;
        }
        Ok(Self {
            extended: build(&extended)?,
            narrowed: build(&narrowed)?,
            narrowing,
            narrows: allow_narrowing,
            digest: Some(Digest::of_bytes(text.as_bytes())),
        })
    }

    /// Returns the rule for the file at `path`, if it is secret. `path` is relative to the root and
    /// uses `/`.
    #[must_use]
    pub fn rule_for(&self, path: &str) -> Option<Cow<'static, str>> {
        let listed = |list: &Option<Gitignore>| {
            list.as_ref()
                .is_some_and(|list| list.matched_path_or_any_parents(path, false).is_ignore())
        };
        // Trusted `!` lines win over everything else, even over the built-in list. That's their
        // purpose.
        if listed(&self.narrowed) {
            return None;
        }
        if let Some(rule) = built_in_secrets::rule_for(path) {
            return Some(rule.into());
        }
        listed(&self.extended).then(|| POLICY_FILE.into())
    }

    /// Returns the lines that make paths readable.
    ///
    /// They are listed even if the user does not trust them, so that they can be shown for review.
    /// See [`narrows`](Self::narrows()) for that.
    #[must_use]
    pub fn narrowing_lines(&self) -> &[NarrowingLine] {
        &self.narrowing
    }

    /// Returns true if the caller trusts the list, and its `!` lines are in effect.
    #[must_use]
    pub fn narrows(&self) -> bool {
        self.narrows
    }

    /// Returns the digest of the list's text, which the user's trust refers to. Without a list,
    /// this is `None`.
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

fn expect_kind(metadata: &Metadata, is_folder: bool) -> io::Result<()> {
    let what = match special_kind(metadata) {
        Some(what) => what,
        None if is_folder == metadata.is_dir() => return Ok(()),
        None if is_folder => "a file",
        None => "a folder",
    };
    let wanted = if is_folder { "a folder" } else { "a file" };
    let why = format!("it is {what}, expected {wanted}");
    Err(io::Error::new(io::ErrorKind::InvalidInput, why))
}

/// Reads a policy file, or returns `None` if it does not exist. An error comes with the part of the
/// path that we could not read.
pub(super) fn read_own_file<'a>(
    root: &Path,
    file: &'a str,
) -> Result<Option<Vec<u8>>, (&'a str, io::Error)> {
    let folder = file
        .starts_with(POLICY_FOLDER)
        .then_some((POLICY_FOLDER, true));
    for (path, is_folder) in folder.into_iter().chain([(file, false)]) {
        match root.join(path).symlink_metadata() {
            // Only a missing file means that there are no rules. Report any other failure.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err((path, error)),
            Ok(metadata) => expect_kind(&metadata, is_folder).map_err(|why| (path, why))?,
        }
    }
    read(root, file).map(Some).map_err(|error| (file, error))
}

fn read(root: &Path, file: &str) -> io::Result<Vec<u8>> {
    let file = open_beneath(root, Path::new(file))?;
    expect_kind(&file.metadata()?, false)?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_BYTES {
        let why = "it is larger than 1 MiB";
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(bytes)
}

fn builder() -> GitignoreBuilder {
    let mut builder = GitignoreBuilder::new("");
    // This only fails once there are globs, and we haven't added any yet.
    let _ = builder.case_insensitive(true);
    // By default, a malformed glob such as `[a` is taken literally. It would match nothing then,
    // and so hide nothing.
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
    fn policy_own_lines_extend_list() {
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
    fn policy_only_trusted_list_narrows() {
        let policy = SecretPolicy::parse(LIST, true).unwrap();
        assert_eq!(policy.rule_for("fixtures/a.pem"), None);
        assert_eq!(policy.rule_for("a/.env"), None);
        assert!(policy.rule_for("other/a.pem").is_some());
        assert!(policy.narrows() && policy.narrowing_lines().len() == 2);
    }

    #[test]
    fn policy_invalid_glob_is_refused() {
        let error = SecretPolicy::parse("ok\n[z-a]", false).unwrap_err();
        assert!(error.to_string().contains("line 2"), "{error}");
    }
}
