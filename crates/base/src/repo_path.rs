use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// Maximum length of a path, in bytes.
const MAX_LEN: usize = 4096;

/// A path inside the repository: relative, with `/` between parts, without `.`, `..` or empty
/// parts.
///
/// The file need not exist or be readable, since only `windlass-repo` can check that. The
/// repository's root is written as `.`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Box<str>);

/// Reasons why a text is not a path inside the repository.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// The text is empty.
    #[error("a path must not be empty")]
    Empty,
    /// The path starts at the root of a file system, or names a drive.
    #[error("`{0}` is absolute: give a path relative to the repository's root")]
    Absolute(String),
    /// The path has a `..` part.
    #[error("`{0}` leads upwards (`..`): give a path inside the repository")]
    Upwards(String),
    /// The path has a NUL byte, or more than 4,096 bytes.
    #[error("`{0}` cannot be a path: {1}")]
    Impossible(String, &'static str),
}

impl RepoPath {
    /// Normalises `text`: drops `.` and empty parts, and refuses paths that leave the repository.
    ///
    /// # Errors
    /// Returns an error if the path is empty, absolute, contains `..`, or cannot exist.
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

    /// Returns true if `text` is an absolute path on any system. `c:x` only names a drive on
    /// Windows. Elsewhere it is a regular file name.
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

    /// Returns the repository's root.
    #[must_use]
    pub fn root() -> Self {
        Self("".into())
    }

    /// Returns true for the root itself.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the text with `/` as separator, or `.` for the root.
    #[must_use]
    pub fn as_str(&self) -> &str {
        if self.is_root() { "." } else { &self.0 }
    }

    /// Returns the last part, or `.` for the root.
    #[must_use]
    pub fn file_name(&self) -> &str {
        self.as_str().rsplit('/').next().unwrap_or(".")
    }

    /// Returns the containing folder, or `None` for the root.
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

    /// Returns `self` followed by `tail`.
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

    /// Returns true if this is `folder` or something inside it.
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

impl Serialize for RepoPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for RepoPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::parse(&String::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

impl schemars::JsonSchema for RepoPath {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "RepoPath".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "type": "string",
            "description": "A path relative to the repository's root, with `/`.",
            "minLength": 1,
            "maxLength": MAX_LEN
        })
    }
}

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
