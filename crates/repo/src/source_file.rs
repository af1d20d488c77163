//! The contents of a file in one state, for hashing and for display.
//!
//! All text that a user gets to see goes through [`SourceFile::shown`], which replaces secret
//! values. Hashes of lines are computed with these replacements as well, since they are stored and
//! printed.

mod excerpt;
mod line_table;
mod shown_text;

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use sha2::{Digest as _, Sha256};
use windlass_base::{Digest, LineEnding, LineSpan, Pointer, RepoPath, SourceHash};
use windlass_redact::{LineIndex, WholeText};

use crate::text_encoding::{Wide, is_binary, wide_encoding};

pub use excerpt::{Excerpt, ExcerptLimits};
pub use line_table::LineTable;
pub use shown_text::ShownText;

/// A file's encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    /// UTF-8 without a byte order mark, which includes ASCII.
    Utf8,
    /// UTF-8 with a byte order mark.
    Utf8Bom,
    /// Anything else. We can still hash such a file, but invalid UTF-8 is shown as `U+FFFD`.
    Other,
}

/// The UTF-8 byte order mark, which is not part of the first line.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One state of a file: the raw bytes, and properties that are computed on first use.
///
/// Only use the raw bytes for hashing and rewriting. For anything that users see, call
/// [`SourceFile::shown`], which searches the whole file for secrets and replaces them.
pub struct SourceFile {
    text: WholeText,
    content_hash: OnceLock<Digest>,
    sha256: OnceLock<[u8; 32]>,
    binary: OnceLock<bool>,
    encoding: OnceLock<Encoding>,
    line_table: OnceLock<LineTable>,
}

impl SourceFile {
    /// Creates a file with these contents, for tests and for text from other origins.
    #[must_use]
    pub fn from_bytes(bytes: Vec<u8>) -> Self {
        Self {
            text: WholeText::new(bytes),
            content_hash: OnceLock::new(),
            sha256: OnceLock::new(),
            binary: OnceLock::new(),
            encoding: OnceLock::new(),
            line_table: OnceLock::new(),
        }
    }

    /// Returns all bytes as on disk, including any secrets.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.text.bytes()
    }

    /// Returns the BLAKE3 digest of all bytes.
    #[must_use]
    pub fn content_hash(&self) -> Digest {
        *self
            .content_hash
            .get_or_init(|| Digest::of_bytes(self.bytes()))
    }

    /// Returns the SHA-256 digest of all bytes. Only older notebooks need it; use
    /// [`Self::content_hash`] in new code.
    #[must_use]
    pub fn sha256(&self) -> [u8; 32] {
        *self
            .sha256
            .get_or_init(|| Sha256::digest(self.bytes()).into())
    }

    /// Returns true if the file contains a NUL byte anywhere, as in UTF-16 and UTF-32. Such a file
    /// is not searched, and so it is neither shown nor verified.
    #[must_use]
    pub fn is_binary(&self) -> bool {
        *self.binary.get_or_init(|| is_binary(self.bytes()))
    }

    /// Returns the reason why this is not readable text, in words that fit after "it is". For
    /// UTF-16 and UTF-32, they include the command to convert the file.
    #[must_use]
    pub fn why_no_text(&self) -> Option<&'static str> {
        self.is_binary().then(|| match wide_encoding(self.bytes()) {
            Some(Wide::Utf16) => {
                "in UTF-16, but only UTF-8 is supported (convert it with `iconv -f UTF-16 -t UTF-8`)"
            }
            Some(Wide::Utf32) => {
                "in UTF-32, but only UTF-8 is supported (convert it with `iconv -f UTF-32 -t UTF-8`)"
            }
            None => "binary",
        })
    }

    /// Returns true for a Git LFS pointer, i.e. if the actual contents are stored elsewhere.
    #[must_use]
    pub fn is_lfs_pointer(&self) -> bool {
        const MAX_BYTES: usize = 1024;
        const FIRST: &[u8] = b"version https://git-lfs.github.com/spec/";
        self.bytes().len() < MAX_BYTES && self.bytes().starts_with(FIRST)
    }

    /// Returns the encoding of the file, which is determined on first use.
    #[must_use]
    pub fn encoding(&self) -> Encoding {
        *self.encoding.get_or_init(|| {
            if std::str::from_utf8(self.bytes()).is_err() {
                Encoding::Other
            } else if self.bytes().starts_with(BYTE_ORDER_MARK) {
                Encoding::Utf8Bom
            } else {
                Encoding::Utf8
            }
        })
    }

    /// Returns the line ending of the file. See [`LineEnding`] for mixed ones.
    #[must_use]
    pub fn line_ending(&self) -> LineEnding {
        self.lines().ending()
    }

    /// Returns the number of lines. A last line without a line ending counts, so an empty file is
    /// the only one that has none.
    #[must_use]
    pub fn line_count(&self) -> u32 {
        self.lines().count()
    }

    /// Returns line `number` (1-based) without its LF or CR LF. A byte order mark is not part of
    /// the first line.
    #[must_use]
    pub fn line(&self, number: u32) -> Option<&[u8]> {
        let range = self.lines().line(self.bytes(), number)?;
        Some(&self.bytes()[range])
    }

    /// Returns true if line `number` (1-based) ends in CR LF.
    #[must_use]
    pub fn ends_in_crlf(&self, number: u32) -> bool {
        let whole = self.lines().whole(number);
        whole.is_some_and(|whole| self.bytes()[whole].ends_with(b"\r\n"))
    }

    /// Returns the table of lines by contents, which finds all lines that are equal to a given one.
    #[must_use]
    pub fn line_table(&self) -> &LineTable {
        self.line_table.get_or_init(|| {
            let lines = 1..=self.line_count();
            LineTable::new(lines.filter_map(|line| self.hashed_line(line)))
        })
    }

    /// Returns the SHA-256 hash of the lines in `span`, joined by LF, or `None` if the file does
    /// not have all of these lines.
    ///
    /// Line endings do not matter, since LF and CR LF are both stripped and the last line has none.
    /// Secret values are replaced by their marks before hashing: hashes are stored and printed, and
    /// with enough guesses, anyone could recover a short secret from its hash.
    #[must_use]
    pub fn span_hash(&self, span: LineSpan) -> Option<SourceHash> {
        let lines = self.lines();
        let span = lines.checked(span)?;
        let mut hash = Sha256::new();
        for number in span.start()..=span.end() {
            if number > span.start() {
                hash.update(b"\n");
            }
            hash.update(self.text.masked(&lines.line(self.bytes(), number)?).0);
        }
        Some(SourceHash::Span(hash.finalize().into()))
    }

    /// Returns a pointer to the lines `span` of this file, which is at `file`, with their present
    /// hash. It has no hash if the file does not have all of these lines.
    #[must_use]
    pub fn pointer(&self, file: &RepoPath, span: LineSpan) -> Pointer {
        Pointer {
            file: file.clone(),
            span,
            source_hash: self.span_hash(span),
        }
    }

    /// Returns true if `hash` is the [`span_hash`](Self::span_hash) of `span`.
    ///
    /// We never compare with a hash of the raw text. The caller may be guessing at a secret value,
    /// and a match would confirm the guess.
    #[must_use]
    pub fn has_span_hash(&self, span: LineSpan, hash: SourceHash) -> bool {
        self.span_hash(span) == Some(hash)
    }

    /// Returns line `number` (1-based) in the form hashed by [`SourceFile::span_hash`], i.e. with
    /// marks in place of secret values.
    #[must_use]
    pub fn hashed_line(&self, number: u32) -> Option<Cow<'_, [u8]>> {
        let range = self.lines().line(self.bytes(), number)?;
        Some(self.text.masked(&range).0)
    }

    /// Returns the text for display.
    #[must_use]
    pub fn shown(&self) -> ShownText<'_> {
        ShownText(self)
    }

    pub(crate) fn lines(&self) -> &LineIndex {
        self.text.lines()
    }
}

impl fmt::Debug for SourceFile {
    /// Only shows the size, because the contents may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SourceFile({} bytes)", self.bytes().len())
    }
}
