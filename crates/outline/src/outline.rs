use crate::{Language, Symbol, markdown, parse};

/// Limits for an outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum size of the file in bytes. Not applied to Markdown, which is read in one pass.
    pub max_bytes: usize,
    /// Maximum number of symbols; further ones are counted and omitted.
    pub max_symbols: usize,
    /// Maximum nesting of symbols; deeper ones are counted and omitted.
    pub max_depth: u32,
    /// Maximum total size of the paths of all symbols in bytes; further symbols are counted and omitted. A
    /// path repeats the names of its containers, so `max_bytes` does not limit this.
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

/// Definitions of a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// Symbols in the order of their first lines; containers come before their contents.
    pub symbols: Vec<Symbol>,
    /// Known omissions, such as parts with syntax errors.
    pub completeness: Completeness,
}

/// Known omissions of an outline.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Completeness {
    /// Number of places that the parser could not parse. Definitions there may be missing.
    pub damaged: u32,
    /// Number of symbols omitted because of the limits.
    pub omitted: u32,
}

impl Completeness {
    /// True if nothing is known to be missing.
    #[must_use]
    pub fn is_complete(self) -> bool {
        self == Self::default()
    }
}

/// Reason why a file has no outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotOutlined {
    /// File above the size limit.
    #[error("it has {bytes} bytes, more than the limit of {max} for outlines")]
    TooLarge {
        /// Size of the file.
        bytes: usize,
        /// Maximum size of a file, in bytes.
        max: usize,
    },
    /// File that takes too long to parse, most likely because it is in another language.
    #[error("it is too costly to outline: too little of it can be parsed as {language}")]
    TooCostly {
        /// Language used for parsing.
        language: Language,
    },
    /// The caller cancelled the operation.
    #[error("it was stopped")]
    Stopped,
    /// Grammar and parser of incompatible versions: a mistake in the build of this program.
    #[error("the grammar for {language} does not fit the parser")]
    Grammar {
        /// The language whose grammar cannot be used.
        language: Language,
    },
}

/// Returns the outline of a file in `language`. A byte order mark, CR LF, invalid UTF-8 and errors in the
/// source are all accepted.
///
/// # Errors
/// When the file is too large, or parsing it takes too many operations for its size. Both depend on `bytes`
/// alone, never on time.
pub fn outline(language: Language, bytes: &[u8], limits: Limits) -> Result<Outline, NotOutlined> {
    outline_unless(language, bytes, limits, &|| false)
}

/// Returns the outline like [`outline`], but gives up once `is_stopped`; checked about every hundred parser
/// operations.
///
/// # Errors
/// Like [`outline`], and when it was stopped.
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
