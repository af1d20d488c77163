use crate::{Language, Symbol, markdown, parse};

/// How much work an outline may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the file. Markdown is read in one pass, so it is not held to this.
    pub max_bytes: usize,
    /// Symbols; further ones are counted and left out.
    pub max_symbols: usize,
    /// How deep symbols may stand in each other; deeper ones are counted and left out.
    pub max_depth: u32,
    /// Bytes of the paths of all symbols together; symbols for which there is no room left are counted and left
    /// out. A path repeats the names of what it stands in, so this does not follow from `max_bytes`.
    pub max_path_bytes: usize,
}

impl Default for Limits {
    /// 2 MiB, 20,000 symbols, 32 levels, 8 MiB of paths.
    fn default() -> Self {
        Self {
            max_bytes: 2 << 20,
            max_symbols: 20_000,
            max_depth: 32,
            max_path_bytes: 8 << 20,
        }
    }
}

/// What a file defines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// In the order of their first lines; what holds others comes before them.
    pub symbols: Vec<Symbol>,
    /// Whether something may be missing.
    pub completeness: Completeness,
}

/// What may be missing in an outline.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Completeness {
    /// Places the parser could make no sense of. What is defined there may be missing.
    pub damaged: u32,
    /// Symbols that were left out because of the limits.
    pub omitted: u32,
}

impl Completeness {
    /// Whether nothing is known to be missing.
    #[must_use]
    pub fn is_complete(self) -> bool {
        self == Self::default()
    }
}

/// Why there is no outline of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotOutlined {
    /// It is larger than the limit.
    #[error("it has {bytes} bytes, and files of more than {max} are not outlined")]
    TooLarge {
        /// Its size.
        bytes: usize,
        /// The limit.
        max: usize,
    },
    /// The parser would take too long over it; most likely it is not in this language.
    #[error(
        "it is too costly to outline: the parser can make too little sense of it as {language}"
    )]
    TooCostly {
        /// As which it was read.
        language: Language,
    },
    /// Somebody asked to stop.
    #[error("it was stopped")]
    Stopped,
    /// The grammar and the parser do not fit together: a mistake in how this program was built.
    #[error("the grammar for {language} does not fit the parser")]
    Grammar {
        /// The language.
        language: Language,
    },
}

/// The outline of a file in `language` with these contents. A byte order mark, CR LF, bytes that are no UTF-8
/// and errors in the source are all allowed.
///
/// # Errors
/// When the file is too large, or reading it takes too many operations for its size. Both depend on `bytes`
/// alone, never on the time it takes.
pub fn outline(language: Language, bytes: &[u8], limits: Limits) -> Result<Outline, NotOutlined> {
    outline_unless(language, bytes, limits, &|| false)
}

/// [`outline`], given up when `is_stopped` says so; it is asked every hundred operations or so of the parser.
///
/// # Errors
/// As [`outline`], and when it was stopped.
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
