//! Splits long lines into a window that is shown first, and the pieces around it.
//!
//! A minified file may have a megabyte on a single line. The window around the match is shown along
//! with all other lines, and the rest of the line is left to the last pages.

use std::ops::Range;

/// Maximum number of characters of a line to show at once, including the marks for omitted parts.
const WIDTH: usize = 400;
/// Number of characters in a window with a mark on either side.
const INNER: usize = WIDTH - 2;
/// Number of characters to show before a match, for context.
const LEAD: usize = 60;

/// True if a line of this many bytes may be too long. It may still fit, since a character can have
/// several bytes. But this check is cheap, and rules out most lines.
pub(crate) fn may_be_long(bytes: usize) -> bool {
    bytes > WIDTH
}

/// Picks the window to show first, which contains the byte `spot`. If the spot is near the start of
/// the line, the window begins there.
pub(crate) fn window(line: &str, spot: usize) -> Range<usize> {
    if after(line, 0, WIDTH) == line.len() {
        return 0..line.len();
    }
    let spot = border(line, spot);
    if line[..spot].chars().take(WIDTH - LEAD).count() < WIDTH - LEAD {
        return 0..after(line, 0, WIDTH - 1);
    }
    let start = before(line, spot, LEAD);
    if after(line, start, WIDTH - 1) == line.len() {
        return before(line, line.len(), WIDTH - 1)..line.len();
    }
    start..after(line, start, INNER)
}

/// Splits the rest of `line` into pieces, in order. Each has a range of bytes, and the column it
/// starts at.
pub(crate) fn rest(line: &str, window: &Range<usize>) -> Vec<(Range<usize>, usize)> {
    let mut pieces = Vec::new();
    for part in [0..window.start, window.end..line.len()] {
        let mut start = part.start;
        let mut column = column(line, start);
        while start < part.end {
            let end = after(line, start, INNER).min(part.end);
            pieces.push((start..end, column));
            column += INNER;
            start = end;
        }
    }
    pieces
}

pub(crate) fn column(line: &str, at: usize) -> usize {
    line[..at].chars().count() + 1
}

/// The last character boundary at or before byte `at`.
fn border(line: &str, at: usize) -> usize {
    let places = (0..=at.min(line.len())).rev();
    places
        .into_iter()
        .find(|at| line.is_char_boundary(*at))
        .unwrap_or(0)
}

/// The byte offset `count` characters after `start`.
fn after(line: &str, start: usize, count: usize) -> usize {
    let mut chars = line[start..].char_indices();
    chars.nth(count).map_or(line.len(), |(at, _)| start + at)
}

/// The byte offset `count` characters before `end`.
fn before(line: &str, end: usize, count: usize) -> usize {
    let chars = line[..end].char_indices().rev().take(count);
    chars.last().map_or(end, |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn window_and_rest_cover_the_line() {
        for (length, spot) in [
            (0, 0),
            (400, 399),
            (401, 0),
            (401, 400),
            (1_000, 339),
            (1_000, 340),
            (1_000, 640),
            (1_000, 999),
            (1_000, 5_000),
        ] {
            for letter in ["x", "é"] {
                let line = letter.repeat(length);
                let spot = spot * letter.len();
                let shown = window(&line, spot);
                let mut parts = vec![(shown.clone(), column(&line, shown.start))];
                parts.extend(rest(&line, &shown));
                assert_eq!(parts.len() == 1, length <= WIDTH);
                parts.sort_by_key(|(part, _)| part.start);
                let mut end = 0;
                for (part, column) in &parts {
                    assert_eq!(part.start, end, "{length} {spot}");
                    assert_eq!(*column, part.start / letter.len() + 1);
                    let marks = usize::from(part.start > 0) + usize::from(part.end < line.len());
                    assert!(line[part.clone()].chars().count() + marks <= WIDTH);
                    end = part.end;
                }
                assert_eq!(end, line.len());
                assert!(shown.contains(&spot) || spot >= line.len());
            }
        }
    }
}
