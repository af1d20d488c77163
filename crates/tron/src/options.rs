use crate::error::{Category, Error};

/// Limits for a document. Exceeding one gives an error of [`Category::Limit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum size of the text in bytes. The default is 64 MiB.
    pub bytes: usize,
    /// Maximum nesting of arrays, objects and instances. The default is 256. Deserialized types
    /// also have the limit [`MAX_RECURSION`], while [`ReadOptions::value`] supports any depth.
    pub depth: usize,
    /// Maximum number of classes. The default is 4,096.
    pub classes: usize,
    /// Maximum number of properties in all classes, including inherited ones. The default is 65,536.
    pub properties: usize,
    /// Maximum total size of the property names in all instances, in bytes. The default is 256 MiB.
    /// An instance repeats the long names of its class in a few bytes, so without this limit a
    /// small text could expand to a huge document.
    pub expanded: usize,
}

/// Maximum depth of serialized and deserialized types, regardless of [`Limits::depth`]. serde is
/// recursive, so a greater depth could overflow the stack.
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
    /// Returns limits that no document can exceed.
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
    /// The last value counts, as in most JSON readers. A deserialized type may still refuse
    /// duplicates itself.
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
