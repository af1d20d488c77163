use std::ops::Range;

use windlass_base::LineSpan;

/// Citation in a document: a reference to lines of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// Byte range in the document. It has the path and the lines, without delimiters. For a citation that continues a
    /// list of lines after the same path, it has only the lines.
    pub range: Range<usize>,
    /// Line in the document, from 1.
    pub line: u32,
    /// Path. In a link it is percent-decoded.
    pub path: String,
    /// Lines. `None` for a code block that names only a file.
    pub lines: Option<LineSpan>,
    /// Markdown context in which the citation is written.
    pub setting: Setting,
    /// Text of its code block.
    pub excerpt: Option<Excerpt>,
    pub(super) written: Written,
}

impl Citation {
    /// Returns the citation as written in its document `text`. A citation that continues a list is preceded by the
    /// list's path.
    #[must_use]
    pub fn as_written(&self, text: &str) -> String {
        let own = text.get(self.range.clone()).unwrap_or_default();
        match text.get(self.written.path.clone()) {
            Some(path) if self.written.path.end <= self.range.start => format!("{path}:{own}"),
            _ => own.to_owned(),
        }
    }
}

/// Markdown context of a citation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// Link target. It is relative to the document's folder, or to the root if it has a leading `/`.
    Link,
    /// Inline code, between backticks.
    Code,
    /// Plain text, outside of code and links.
    Text,
    /// First line of a code block, or a comment on the line after it.
    Fence,
}

/// Text of a citation's code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// Byte range in the document, which consists of whole lines.
    pub range: Range<usize>,
    /// Prefix of each line: list or quotation marks, or the indentation of the fence.
    pub(super) prefix: String,
}

impl Excerpt {
    /// Returns the lines of the block in the document `text`, without prefixes and line ends.
    #[must_use]
    pub fn lines<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let whole = text.get(self.range.clone()).unwrap_or_default();
        let own = |line: &'t str| line.strip_prefix(&self.prefix).unwrap_or_default();
        whole.lines().map(own).collect()
    }

    /// Formats `lines` as a replacement for the block in the document `text`.
    #[must_use]
    pub fn in_its_place(&self, text: &str, lines: &[&str]) -> String {
        let old = text.get(self.range.clone()).unwrap_or_default();
        let end = if old.contains("\r\n") { "\r\n" } else { "\n" };
        let mut out = String::new();
        for line in lines {
            // An empty line gets no trailing blanks from the prefix.
            let prefix = match line.is_empty() {
                true => self.prefix.trim_end(),
                false => &self.prefix,
            };
            out.extend([prefix, line, end]);
        }
        // The last block of a document may lack a final line end, and then the replacement must lack it as well.
        if !old.ends_with('\n') {
            out.truncate(out.len().saturating_sub(end.len()));
        }
        out
    }
}

/// Spelling of a citation: the byte ranges of its parts in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) path: Range<usize>,
    /// Digits of the first line.
    pub(super) first: Option<Range<usize>>,
    /// Digits of the last line.
    pub(super) last: Option<Range<usize>>,
    /// Separator between the first and the last line, such as `-` or `-L`.
    pub(super) between: &'static str,
    /// True if columns are also given.
    pub(super) has_columns: bool,
    /// True if further line numbers follow, which a rewrite would leave wrong.
    pub(super) has_more_lines: bool,
}
