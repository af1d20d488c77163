use std::fmt;
use std::str::FromStr;

/// Maximum length of a path, in bytes. Linux does not allow longer ones either.
const MAX_LEN: usize = 4096;

/// A path inside of the repository.
///
/// It is relative, uses `/`, and has no empty parts, `.` or `..`. The root of the repository is
/// `.`. This says nothing about the file: there may be none, or we may not be able to read it. Only
/// `windlass-repo` can check that.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Box<str>);

/// Reason why a text is not a path inside of the repository.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// There is no text at all.
    #[error("a path must not be empty")]
    Empty,
    /// The path starts at the root of a file system, or it names a drive.
    #[error("`{0}` is absolute: give a path relative to the repository's root")]
    Absolute(String),
    /// One of the parts is `..`.
    #[error("`{0}` leads upwards (`..`): give a path inside the repository")]
    Upwards(String),
    /// The path has a NUL byte, or more than 4,096 bytes, so there cannot be such a file.
    #[error("`{0}` cannot be a path: {1}")]
    Impossible(String, &'static str),
}

impl RepoPath {
    /// Parses a path, dropping empty parts and `.` from `text`. We do not resolve `..`, but refuse
    /// it.
    ///
    /// # Errors
    /// Returns an error if the path is empty or absolute, has a `..` in it, or cannot exist.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        if text.is_empty() {
            return Err(PathError::Empty);
        }
        if text.len() > MAX_LEN {
            let start: String = text.chars().take(40).collect();
            return Err(PathError::Impossible(
                format!("{start}…"),
                "it is longer than 4,096 bytes",
            ));
        }
        if text.contains('\0') {
            return Err(PathError::Impossible(
                text.replace('\0', "\\0"),
                "it contains a NUL byte",
            ));
        }
        if Self::is_absolute(text) {
            return Err(PathError::Absolute(text.to_owned()));
        }
        let mut parts = Vec::new();
        for part in text.split('/') {
            match part {
                "" | "." => {}
                ".." => return Err(PathError::Upwards(text.to_owned())),
                part => parts.push(part),
            }
        }
        Ok(Self(parts.join("/").into()))
    }

    /// Returns true if `text` is an absolute path on any system, no matter which one this is. Only
    /// `c:x` depends on the system: it names a drive on Windows, and is an ordinary file name
    /// elsewhere.
    #[must_use]
    pub fn is_absolute(text: &str) -> bool {
        let drive = match text.as_bytes() {
            [letter, b':', rest @ ..] if letter.is_ascii_alphabetic() => {
                cfg!(windows) || matches!(rest.first(), None | Some(b'/' | b'\\'))
            }
            _ => false,
        };
        text.starts_with('/') || text.starts_with("\\\\") || drive
    }

    /// The root of the repository, which is written as `.`.
    #[must_use]
    pub fn root() -> Self {
        Self("".into())
    }

    /// Returns true for the root of the repository.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the path with `/` between its parts, or `.` for the root.
    #[must_use]
    pub fn as_str(&self) -> &str {
        if self.is_root() { "." } else { &self.0 }
    }

    /// Last part of the path, or `.` for the root.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.as_str().rsplit('/').next().unwrap_or(".")
    }

    /// Returns the folder that this is in, or `None` for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        Some(
            self.0
                .rsplit_once('/')
                .map_or_else(Self::root, |(parent, _)| Self(parent.into())),
        )
    }

    /// Appends `tail`, which may have several parts.
    ///
    /// # Errors
    /// Returns the same errors as [`RepoPath::parse`].
    pub fn join(&self, tail: &str) -> Result<Self, PathError> {
        if self.is_root() {
            Self::parse(tail)
        } else {
            Self::parse(&format!("{}/{tail}", self.0))
        }
    }

    /// Returns true if this is `folder` itself, or anything inside of it.
    #[must_use]
    pub fn is_under(&self, folder: &Self) -> bool {
        folder.is_root()
            || self
                .0
                .strip_prefix(&*folder.0)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self.as_str(), f)
    }
}

impl FromStr for RepoPath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text)
    }
}

crate::written_as_text!(RepoPath);

crate::text_schema!(RepoPath, "RepoPath", {
    "type": "string",
    "description": "A path relative to the repository's root, with `/`.",
    "minLength": 1,
    "maxLength": MAX_LEN
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parse_normalises_paths() {
        for (given, want) in [
            ("a", "a"),
            ("./a//b/", "a/b"),
            ("a/./b", "a/b"),
            (".", "."),
            ("a b/ü", "a b/ü"),
        ] {
            assert_eq!(RepoPath::parse(given).unwrap().as_str(), want);
        }
    }

    #[test]
    fn parse_refuses_paths_outside() {
        assert_eq!(RepoPath::parse(""), Err(PathError::Empty));
        for absolute in ["/etc/passwd", "C:\\x", "c:/x", "c:", "\\\\host\\share"] {
            assert!(
                matches!(RepoPath::parse(absolute), Err(PathError::Absolute(_))),
                "{absolute}"
            );
        }
        for upwards in ["..", "a/../b", "a/.."] {
            assert!(
                matches!(RepoPath::parse(upwards), Err(PathError::Upwards(_))),
                "{upwards}"
            );
        }
        assert!(matches!(
            RepoPath::parse("a\0b"),
            Err(PathError::Impossible(..))
        ));
        assert!(matches!(
            RepoPath::parse(&"a".repeat(5000)),
            Err(PathError::Impossible(..))
        ));
    }

    #[test]
    fn is_under_compares_whole_parts() {
        let path = RepoPath::parse("src/api/mod.rs").unwrap();
        assert!(path.is_under(&RepoPath::parse("src/api").unwrap()));
        assert!(path.is_under(&RepoPath::root()));
        assert!(path.is_under(&path));
        assert!(!path.is_under(&RepoPath::parse("src/ap").unwrap()));
    }

    proptest::proptest! {
        #[test]
        fn parse_is_idempotent(text in "\\PC{0,40}") {
            if let Ok(path) = RepoPath::parse(&text) {
                proptest::prop_assert_eq!(RepoPath::parse(path.as_str()).unwrap(), path);
            }
        }
    }
}
