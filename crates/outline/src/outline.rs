use crate::{Language, Symbol, markdown, parse};

/// Limits on the size of an outline and its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum size of the file in bytes. Markdown has no limit, since it's read in a single pass.
    pub max_bytes: usize,
    /// Maximum number of symbols. Any others are only counted.
    pub max_symbols: usize,
    /// Maximum nesting of symbols. Deeper symbols are only counted.
    pub max_depth: u32,
    /// Maximum total size of all symbol paths, in bytes. Any other symbols are only counted. This
    /// limit is needed because a path repeats the names of its containers, so the paths may be much
    /// larger than the file.
    pub max_path_bytes: usize,
}

impl Default for Limits {
    /// Returns the default limits: 2 MiB, 20,000 symbols, 32 levels, 8 MiB of paths.
    fn default() -> Self {
        Self {
            max_bytes: 2 << 20,
            max_symbols: 20_000,
            max_depth: 32,
            max_path_bytes: 8 << 20,
        }
    }
}

/// The symbols defined by a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// Symbols in the order of their first lines. A container comes before its contents.
    pub symbols: Vec<Symbol>,
    /// Known omissions, such as places with syntax errors.
    pub completeness: Completeness,
}

/// Number of known omissions in an outline.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Completeness {
    /// Number of places with syntax errors. Definitions may be missing there.
    pub damaged: u32,
    /// Number of symbols omitted because of the limits.
    pub omitted: u32,
}

impl Completeness {
    /// Returns true if the outline has no known omissions.
    #[must_use]
    pub fn is_complete(self) -> bool {
        self == Self::default()
    }
}

/// Reasons why a file has no outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotOutlined {
    /// The file is larger than the limit.
    #[error("it has {bytes} bytes, more than the limit of {max} for outlines")]
    TooLarge {
        /// Size of the file.
        bytes: usize,
        /// Maximum size of a file, in bytes.
        max: usize,
    },
    /// The file takes too long to parse. It's most likely in another language.
    #[error("it is too costly to outline: too little of it can be parsed as {language}")]
    TooCostly {
        /// The language assumed for the file.
        language: Language,
    },
    /// The caller cancelled the operation.
    #[error("it was stopped")]
    Stopped,
    /// The versions of grammar and parser are incompatible, which is a defect in this program's
    /// build.
    #[error("the grammar for {language} does not fit the parser")]
    Grammar {
        /// The language with the unusable grammar.
        language: Language,
    },
}

/// Returns the outline of a file in `language`. The file may have a byte order mark, CR LF line
/// endings, invalid UTF-8 or syntax errors.
///
/// # Errors
/// Returns an error if the file is too large, or if parsing it takes too many operations for its
/// size. Both depend only on `bytes`, never on time.
pub fn outline(language: Language, bytes: &[u8], limits: Limits) -> Result<Outline, NotOutlined> {
    outline_unless(language, bytes, limits, &|| false)
}

/// Returns the outline like [`outline`], but stops once `is_stopped` returns true. We check about
/// once per hundred parser operations.
///
/// # Errors
/// Returns an error like [`outline`], and also if it was stopped.
pub fn outline_unless(
    language: Language,
    bytes: &[u8],
    limits: Limits,
    is_stopped: &dyn Fn() -> bool,
) -> Result<Outline, NotOutlined> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    if language == Language::Markdown {
        return Ok(markdown::outline(bytes, limits));
    }
    if bytes.len() > limits.max_bytes {
        return Err(NotOutlined::TooLarge {
            bytes: bytes.len(),
            max: limits.max_bytes,
        });
    }
    parse::outline(language, bytes, limits, is_stopped)
}
