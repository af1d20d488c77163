use crate::error::{Category, Error};

/// Limits for a document. Exceeding one is an error of [`Category::Limit`], never a crash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum size of the text, in bytes: 64 MiB.
    pub bytes: usize,
    /// Maximum nesting of arrays, objects and instances: 256. For deserialised types never more than
    /// [`MAX_RECURSION`]; [`Value::parse`] supports any depth.
    pub depth: usize,
    /// Maximum number of classes: 4,096.
    pub classes: usize,
    /// Maximum number of properties of all classes, including inherited ones: 65,536.
    pub properties: usize,
    /// Maximum size of property names that all instances expand to, in bytes: 256 MiB. An instance of a class
    /// with long names needs few bytes, so a small text could grow without bound.
    pub expanded: usize,
}

/// Maximum depth of deserialised and serialised types, regardless of [`Limits::depth`]: serde is recursive.
pub const MAX_RECURSION: usize = 512;

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 64 << 20,
            depth: 256,
            classes: 4_096,
            properties: 65_536,
            expanded: 256 << 20,
        }
    }
}

impl Limits {
    /// Returns options without limits.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            bytes: usize::MAX,
            depth: usize::MAX,
            classes: usize::MAX,
            properties: usize::MAX,
            expanded: usize::MAX,
        }
    }
}

/// Treatment of duplicate keys in an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DuplicateKeys {
    /// The last value counts, as in JSON readers. (A deserialised type may refuse duplicates itself.)
    #[default]
    LastWins,
    /// Duplicates are an error.
    Refuse,
}

/// Options for reading.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadOptions {
    /// Limits for the document.
    pub limits: Limits,
    /// Treatment of duplicate keys.
    pub duplicate_keys: DuplicateKeys,
}

pub(crate) fn too_long(limit: usize) -> Error {
    Error::without_place(
        Category::Limit,
        format!("the text has more than {limit} bytes"),
    )
}
