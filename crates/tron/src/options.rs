//! Options and limits for reading.

use crate::error::{Category, Error};

/// Limits on a document. Exceeding one of them is an error of [`Category::Limit`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum size of the text in bytes, 64 MiB by default.
    pub bytes: usize,
    /// Maximum nesting of arrays, objects and instances, 256 by default. Types are also limited by
    /// [`MAX_RECURSION`], while [`ReadOptions::value`] can read any depth.
    pub depth: usize,
    /// Maximum number of classes, 4,096 by default.
    pub classes: usize,
    /// Maximum number of properties in all classes, including inherited ones. The default is
    /// 65,536.
    pub properties: usize,
    /// Maximum size of the property names in all instances, in bytes. The default is 256 MiB.
    ///
    /// An instance only takes a few bytes, but expands to all names in its class. Without this
    /// limit, a small text could turn into a huge document.
    pub expanded: usize,
}

/// Maximum nesting of types, even if [`Limits::depth`] is higher. Since serde is recursive, deeper
/// nesting could overflow the stack.
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
    /// Limits without any effect. Only use these for text that you trust.
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

/// The way to handle duplicate keys in an object.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum DuplicateKeys {
    /// Use the last value, as most JSON readers do. A type may still refuse duplicates, e.g. a
    /// derived `Deserialize` implementation.
    #[default]
    LastWins,
    /// Return an error that points to the second key.
    Refuse,
}

/// Options for reading. The defaults are [`Limits::default`] and [`DuplicateKeys::LastWins`].
#[derive(Debug, Clone, Copy, Default)]
pub struct ReadOptions {
    /// The limits on the document.
    pub limits: Limits,
    /// The way to handle duplicate keys.
    pub duplicate_keys: DuplicateKeys,
}

pub(crate) fn too_long(limit: usize) -> Error {
    Error::without_place(
        Category::Limit,
        format!("the text has more than {limit} bytes"),
    )
}
