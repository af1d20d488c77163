//! A field of a line, quoted or not.

use std::ops::Range;

use super::head::HEAD;
use crate::assign::literal::MAX_LINES;
use crate::scanned_text::{Text, is_blank, is_line_end};

/// A field of a line.
pub(super) struct Cell {
    pub(super) value: Range<usize>,
    /// Offset of the separator after the cell, or of the end of the line.
    pub(super) end: usize,
}

impl Cell {
    /// Returns the field at `at`, which ends at `separator`. A quoted field may extend over
    /// `several` lines.
    pub(super) fn at(text: &Text<'_>, at: usize, separator: u8, several: bool) -> Self {
        let blank = |b: u8| is_blank(b) && b != separator;
        let start = text.run(at, HEAD, blank);
        if text.get(start) == Some(b'"')
            && let Some(close) = closing(text, start + 1, several)
        {
            let end = text.run(close + 1, HEAD, blank);
            if ends(text, end) || text.get(end) == Some(separator) {
                return Self {
                    value: start + 1..close,
                    end,
                };
            }
        }
        let inside = |b: u8| b != separator && !is_line_end(b);
        let mut end = text.run(start, usize::MAX, inside);
        // In Markdown, bars in a field come after backslashes.
        while separator == b'|' && end > start && text.starts_with(end - 1, b"\\|") {
            end = text.run(end + 1, usize::MAX, inside);
        }
        let length = text.slice(start..end).trim_ascii_end().len();
        Self {
            value: start..start + length,
            end,
        }
    }
}

/// Returns the quote that ends the field at `from`. A doubled quote is part of the field. A quote
/// that isn't followed by a separator doesn't end it, so that we only search for an unclosed quote
/// up to the next one.
fn closing(text: &Text<'_>, from: usize, several: bool) -> Option<usize> {
    let limit = text.bytes.len().min(from.saturating_add(MAX_LINES));
    let mut at = from;
    loop {
        let quote = text.run(at, limit.saturating_sub(at), |b| {
            b != b'"' && (several || !is_line_end(b))
        });
        if text.get(quote) != Some(b'"') {
            return None;
        }
        if text.get(quote + 1) != Some(b'"') {
            return Some(quote);
        }
        at = quote + 2;
    }
}

/// True if a line ends at `at`.
pub(super) fn ends(text: &Text<'_>, at: usize) -> bool {
    text.get(at).is_none_or(is_line_end)
}
