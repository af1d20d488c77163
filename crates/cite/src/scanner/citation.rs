use std::ops::Range;

use windlass_base::LineSpan;

/// A reference to lines of a file, as written in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// Byte range in the document, with the path and the lines but without delimiters. If the
    /// citation continues a list of lines after the same path, the range has only the lines.
    pub range: Range<usize>,
    /// The document line, from 1.
    pub line: u32,
    /// The path, percent-decoded if it's in a link.
    pub path: String,
    /// The lines, or `None` for a code block that only names a file.
    pub lines: Option<LineSpan>,
    /// The Markdown context of the citation.
    pub setting: Setting,
    /// The text of its code block.
    pub excerpt: Option<Excerpt>,
    pub(super) written: Written,
}

impl Citation {
    /// Returns the citation as written in its document `text`. If the citation continues a list,
    /// it's preceded by the list's path.
    #[must_use]
    pub fn as_written(&self, text: &str) -> String {
        let own = text.get(self.range.clone()).unwrap_or_default();
        match text.get(self.written.path.clone()) {
            Some(path) if self.written.path.end <= self.range.start => format!("{path}:{own}"),
            _ => own.to_owned(),
        }
    }
}

/// Markdown contexts a citation can be in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// A link target. It's relative to the document's folder, or to the root if it has a leading
    /// `/`.
    Link,
    /// Inline code in backticks.
    Code,
    /// Plain text outside code and links.
    Text,
    /// The first line of a code block, or a comment on the line after it.
    Fence,
}

/// The text of a citation's code block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// Byte range in the document, made of whole lines.
    pub range: Range<usize>,
    /// The prefix of each line, which is list or quotation marks or the indentation of the fence.
    pub(super) prefix: String,
}

impl Excerpt {
    /// Returns the block's lines in the document `text`, without prefixes and line ends.
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
            // Avoid trailing blanks on an empty line.
            let prefix = match line.is_empty() {
                true => self.prefix.trim_end(),
                false => &self.prefix,
            };
            out.extend([prefix, line, end]);
        }
        // The last block of a document may lack its final line end, and so must the replacement.
        if !old.ends_with('\n') {
            out.truncate(out.len().saturating_sub(end.len()));
        }
        out
    }
}

/// A citation's spelling, as the byte ranges of its parts in the document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) path: Range<usize>,
    /// The digits of the first line.
    pub(super) first: Option<Range<usize>>,
    /// The digits of the last line.
    pub(super) last: Option<Range<usize>>,
    /// The separator between the first and the last line, such as `-` or `-L`.
    pub(super) between: &'static str,
    /// True if columns are given too.
    pub(super) has_columns: bool,
    /// True if further line numbers follow. These would be wrong after a rewrite.
    pub(super) has_more_lines: bool,
}
