use crate::{Language, Symbol, markdown, parse};

/// Limits on the size of a file and its outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Maximum size of a file in bytes (default: 2 MiB). There's no such limit for Markdown, which
    /// is read in a single pass.
    pub max_bytes: usize,
    /// Maximum number of symbols (default: 20,000). Further ones only count as omitted.
    pub max_symbols: usize,
    /// Maximum number of nested levels (default: 32). Deeper symbols only count as omitted.
    pub max_depth: u32,
    /// Maximum size of all symbol paths in bytes (default: 8 MiB). Further symbols only count as
    /// omitted.
    ///
    /// A path repeats the names of its containers. Without this limit, the paths of deeply nested
    /// symbols could be far larger than the file.
    pub max_path_bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_bytes: 2 << 20,
            max_symbols: 20_000,
            max_depth: 32,
            max_path_bytes: 8 << 20,
        }
    }
}

/// The symbols defined in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// Ordered by their first lines, with containers before their contents.
    pub symbols: Vec<Symbol>,
    /// Counts of missing symbols, e.g. because of syntax errors.
    pub completeness: Completeness,
}

/// Counts of known omissions from an outline.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Completeness {
    /// Number of places with syntax errors. Definitions there may be missing.
    pub damaged: u32,
    /// Number of symbols omitted because of the [`Limits`].
    pub omitted: u32,
}

impl Completeness {
    /// Returns true if nothing is known to be missing.
    #[must_use]
    pub fn is_complete(self) -> bool {
        self == Self::default()
    }
}

/// Reason for a missing outline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotOutlined {
    /// The file exceeds [`Limits::max_bytes`].
    #[error("it has {bytes} bytes, more than the limit of {max} for outlines")]
    TooLarge {
        /// Size of the file.
        bytes: usize,
        /// The limit.
        max: usize,
    },
    /// Parsing takes too long. The language most likely differs from the extension.
    #[error("it is too costly to outline: too little of it can be parsed as {language}")]
    TooCostly {
        /// The attempted language.
        language: Language,
    },
    /// The caller of [`outline_unless`] stopped it.
    #[error("it was stopped")]
    Stopped,
    /// The grammar doesn't work with this version of the parser, because of a mistake in the build.
    #[error("the grammar for {language} does not fit the parser")]
    Grammar {
        /// Language of the grammar.
        language: Language,
    },
}

/// Makes the outline of a file in `language`.
///
/// The file may have a byte order mark, CR LF line ends, invalid UTF-8 and syntax errors.
///
/// # Errors
/// Returns an error if the file is too large, or takes too many parser operations for its size.
/// This only depends on `bytes` and never on time, so the result is the same on every machine.
pub fn outline(language: Language, bytes: &[u8], limits: Limits) -> Result<Outline, NotOutlined> {
    outline_unless(language, bytes, limits, &|| false)
}

/// The same as [`outline`], but gives up once `is_stopped` returns true. The parser calls it about
/// once per hundred operations.
///
/// # Errors
/// Returns the errors of [`outline`], and an error if it was stopped.
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
