use std::ops::Range;

use windlass_base::LineSpan;

/// A reference to lines of a file, found in a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// Byte range of the path and the lines, without delimiters such as backticks.
    ///
    /// In a list such as `a.rs:3,6`, the range of each further citation only covers the lines.
    pub range: Range<usize>,
    /// Line of the citation, from 1.
    pub line: u32,
    /// The path as written, or percent-decoded in a link.
    pub path: String,
    /// The cited lines. `None` for a code block with only a file name.
    pub lines: Option<LineSpan>,
    /// The Markdown element around the citation.
    pub setting: Setting,
    /// The code block below the citation, if it quotes the lines.
    pub excerpt: Option<Excerpt>,
    pub(super) written: Written,
}

impl Citation {
    /// The citation as written in `text`, its document. Later citations of a list get the list's
    /// path in front.
    #[must_use]
    pub fn as_written(&self, text: &str) -> String {
        let own = text.get(self.range.clone()).unwrap_or_default();
        match text.get(self.written.path.clone()) {
            Some(path) if self.written.path.end <= self.range.start => format!("{path}:{own}"),
            _ => own.to_owned(),
        }
    }
}

/// Markdown elements with citations. They decide how a path is resolved and escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// A link target. The path is relative to the document's folder unless it starts with `/`.
    Link,
    /// Inline code in backticks.
    Code,
    /// Plain text outside of code and links.
    Text,
    /// The first line of a code block, or a comment on the line after it.
    Fence,
}

/// The text in the code block of a citation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// Byte range of the quoted lines in the document.
    pub range: Range<usize>,
    /// Non-code characters at the start of each line: list indentation, `>`, or the indentation of
    /// the fence.
    pub(super) prefix: String,
}

impl Excerpt {
    /// The quoted lines in the document `text`, without prefixes and line ends.
    #[must_use]
    pub fn lines<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let whole = text.get(self.range.clone()).unwrap_or_default();
        let own = |line: &'t str| line.strip_prefix(&self.prefix).unwrap_or_default();
        whole.lines().map(own).collect()
    }

    /// Formats `lines` to replace the quoted ones in the document `text`, with the same prefix and
    /// line end.
    #[must_use]
    pub fn in_its_place(&self, text: &str, lines: &[&str]) -> String {
        let old = text.get(self.range.clone()).unwrap_or_default();
        let end = if old.contains("\r\n") { "\r\n" } else { "\n" };
        let mut out = String::new();
        for line in lines {
            // An empty line mustn't get trailing blanks.
            let prefix = match line.is_empty() {
                true => self.prefix.trim_end(),
                false => &self.prefix,
            };
            out.extend([prefix, line, end]);
        }
        // A block at the end of the document may lack its last line end, so don't add one.
        if !old.ends_with('\n') {
            out.truncate(out.len().saturating_sub(end.len()));
        }
        out
    }
}

/// Byte ranges of a citation's parts, for rewriting them separately.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) path: Range<usize>,
    /// Digits of the first line.
    pub(super) first: Option<Range<usize>>,
    /// Digits of the last line.
    pub(super) last: Option<Range<usize>>,
    /// Separator between the first and the last line, e.g. `-` or `-L`.
    pub(super) between: &'static str,
    /// True for a citation with columns. A different number of lines would invalidate them.
    pub(super) has_columns: bool,
    /// True if unparseable line numbers follow. A rewrite would invalidate them.
    pub(super) has_more_lines: bool,
}
