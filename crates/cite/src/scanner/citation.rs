use std::ops::Range;

use windlass_base::LineSpan;

/// Lines of a file, as a document cites them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Citation {
    /// Where it stands in the document, in bytes: path and lines, without what is around them; the lines alone where they are
    /// listed after others of the same path.
    pub range: Range<usize>,
    /// The line of the document that it stands on, from 1.
    pub line: u32,
    /// The path, as it is meant: what a link has percent-encoded is decoded.
    pub path: String,
    /// The lines; `None` for a block of code that names a file alone.
    pub lines: Option<LineSpan>,
    /// What it stands in.
    pub setting: Setting,
    /// What a block of code shows of the file.
    pub excerpt: Option<Excerpt>,
    pub(super) written: Written,
}

impl Citation {
    /// How it is written in `text`, its document: with the path before lines that are listed after others.
    #[must_use]
    pub fn as_written(&self, text: &str) -> String {
        let own = text.get(self.range.clone()).unwrap_or_default();
        match text.get(self.written.path.clone()) {
            Some(path) if self.written.path.end <= self.range.start => format!("{path}:{own}"),
            _ => own.to_owned(),
        }
    }
}

/// What a citation stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Setting {
    /// The target of a link: meant from the folder of the document; from the root if it begins with `/`.
    Link,
    /// Code within a line.
    Code,
    /// Plain text.
    Text,
    /// The first line of a block of code, or a comment in the line after it.
    Fence,
}

/// The text of a block of code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Excerpt {
    /// Where it stands in the document, in bytes: whole lines.
    pub range: Range<usize>,
    /// What stands before each line: what a list or a quotation around it has there, or blanks that the fence has, too.
    pub(super) prefix: String,
}

impl Excerpt {
    /// Its lines in `text`, its document, without what stands before each and without their ends.
    #[must_use]
    pub fn lines<'t>(&self, text: &'t str) -> Vec<&'t str> {
        let whole = text.get(self.range.clone()).unwrap_or_default();
        let own = |line: &'t str| line.strip_prefix(&self.prefix).unwrap_or_default();
        whole.lines().map(own).collect()
    }

    /// `lines` as they would stand in its place in `text`, its document.
    #[must_use]
    pub fn in_its_place(&self, text: &str, lines: &[&str]) -> String {
        let old = text.get(self.range.clone()).unwrap_or_default();
        let end = if old.contains("\r\n") { "\r\n" } else { "\n" };
        let mut out = String::new();
        for line in lines {
            // No blanks at the end of a line that is empty.
            let prefix = match line.is_empty() {
                true => self.prefix.trim_end(),
                false => &self.prefix,
            };
            out.extend([prefix, line, end]);
        }
        // The last block of a document may end with it.
        if !old.ends_with('\n') {
            out.truncate(out.len().saturating_sub(end.len()));
        }
        out
    }
}

/// How a citation is written: where its parts stand in the document, in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) path: Range<usize>,
    /// The digits of the first line.
    pub(super) first: Option<Range<usize>>,
    /// The digits of the last line.
    pub(super) last: Option<Range<usize>>,
    /// What stands between the lines, where both are written: `-`, `-L`.
    pub(super) between: &'static str,
    /// Whether columns are named as well.
    pub(super) has_columns: bool,
    /// Whether other lines are named after these, which would be wrong beside new ones.
    pub(super) has_more_lines: bool,
}
