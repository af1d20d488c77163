//! The contents of a file in one state.

mod excerpt;
mod line_table;
mod shown_text;

use std::borrow::Cow;
use std::fmt;
use std::sync::OnceLock;

use sha2::{Digest as _, Sha256};
use windlass_base::{Digest, LineEnding, LineSpan, SourceHash};
use windlass_redact::{LineIndex, WholeText};

use crate::text_encoding::{Wide, is_binary, wide_encoding};

pub use excerpt::{Excerpt, ExcerptLimits};
pub use line_table::LineTable;
pub use shown_text::ShownText;

/// A file's encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    /// UTF-8 without a byte order mark.
    Utf8,
    /// UTF-8 after a byte order mark.
    Utf8Bom,
    /// Any other encoding. Hashes are valid, but displayed text has `U+FFFD` in place of invalid
    /// UTF-8.
    Other,
}

/// The UTF-8 byte order mark. It's not part of the first line.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// One state of a file: its raw bytes, and properties computed on first use.
///
/// Raw bytes are for hashing and rewriting only. Displayed text goes through [`SourceFile::shown`],
/// which detects secrets in the whole file.
pub struct SourceFile {
    text: WholeText,
    content_hash: OnceLock<Digest>,
    sha256: OnceLock<[u8; 32]>,
    binary: OnceLock<bool>,
    encoding: OnceLock<Encoding>,
    line_table: OnceLock<LineTable>,
}

impl SourceFile {
    /// Creates a file with these contents, for tests and for text without a file.
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

    /// Returns all bytes, as on disk.
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

    /// Returns the SHA-256 digest of all bytes, which older notebooks have recorded.
    #[must_use]
    pub fn sha256(&self) -> [u8; 32] {
        *self
            .sha256
            .get_or_init(|| Sha256::digest(self.bytes()).into())
    }

    /// True if the file has a NUL byte anywhere. Such a file isn't searched, and therefore neither
    /// shown nor verified. UTF-16 and UTF-32 files count as binary as well.
    #[must_use]
    pub fn is_binary(&self) -> bool {
        *self.binary.get_or_init(|| is_binary(self.bytes()))
    }

    /// Returns the reason why the file is not readable text, as a phrase that follows "it is". The
    /// file is either binary or in another encoding, in which case the phrase includes the command
    /// to convert it. Returns `None` for readable text.
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

    /// True if the file is a Git LFS pointer, whose contents are stored elsewhere.
    #[must_use]
    pub fn is_lfs_pointer(&self) -> bool {
        const MAX_BYTES: usize = 1024;
        const FIRST: &[u8] = b"version https://git-lfs.github.com/spec/";
        self.bytes().len() < MAX_BYTES && self.bytes().starts_with(FIRST)
    }

    /// Returns the encoding of the file.
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

    /// Returns the kind of line endings.
    #[must_use]
    pub fn line_ending(&self) -> LineEnding {
        self.lines().ending()
    }

    /// Returns the number of lines. A last line without a line ending counts, and an empty file has
    /// no lines.
    #[must_use]
    pub fn line_count(&self) -> u32 {
        self.lines().count()
    }

    /// Returns line `number` (from 1) without its LF or CR LF. A byte order mark is not part of
    /// line 1.
    #[must_use]
    pub fn line(&self, number: u32) -> Option<&[u8]> {
        let range = self.lines().line(self.bytes(), number)?;
        Some(&self.bytes()[range])
    }

    /// True if line `number` (from 1) ends in CR LF.
    #[must_use]
    pub fn ends_in_crlf(&self, number: u32) -> bool {
        let whole = self.lines().whole(number);
        whole.is_some_and(|whole| self.bytes()[whole].ends_with(b"\r\n"))
    }

    /// Returns the index of equal lines.
    #[must_use]
    pub fn line_table(&self) -> &LineTable {
        self.line_table.get_or_init(|| {
            let lines = 1..=self.line_count();
            LineTable::new(lines.filter_map(|line| self.hashed_line(line)))
        })
    }

    /// Returns the SHA-256 hash of the lines in `span`, joined by LF without one after the last
    /// line. LF and CR LF give the same hash. Returns `None` if the file lacks some of these lines.
    ///
    /// Secret values are replaced by their marks first. Hashes are stored and printed, and a short
    /// secret could be guessed from one.
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

    /// True if the lines of `span` have this hash, as computed by [`SourceFile::span_hash`].
    ///
    /// We never compare raw text with a secret value. The given hash may be a guess, and a match
    /// would confirm it.
    #[must_use]
    pub fn has_span_hash(&self, span: LineSpan, hash: SourceHash) -> bool {
        self.span_hash(span) == Some(hash)
    }

    /// Returns line `number` (from 1) in the form hashed by [`SourceFile::span_hash`], with marks
    /// for secret values.
    #[must_use]
    pub fn hashed_line(&self, number: u32) -> Option<Cow<'_, [u8]>> {
        let range = self.lines().line(self.bytes(), number)?;
        Some(self.text.masked(&range).0)
    }

    /// Returns the text in a form that may be displayed.
    #[must_use]
    pub fn shown(&self) -> ShownText<'_> {
        ShownText(self)
    }

    pub(crate) fn lines(&self) -> &LineIndex {
        self.text.lines()
    }
}

impl fmt::Debug for SourceFile {
    /// Formats the size only, since the contents may be secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SourceFile({} bytes)", self.bytes().len())
    }
}
